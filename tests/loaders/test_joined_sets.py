"""Expected calls of other tools' test sets, joined to runs."""

from __future__ import annotations

import json

import pytest

import toolcorrect as tc
from tests.loaders.plain import rows
from tests.loaders.samples import files
from toolcorrect.errors import DataError

QUESTION = "Which is warmer, Málaga or Porto? Book the warmer one for 2 adults."
RUNS = [
    {"case": "one", "input": QUESTION, "called": ["get_weather"]},
    {"case": "two", "input": "say hello", "called": []},
]


@pytest.mark.parametrize(
    ("sample", "expected"),
    [
        ("adk_evalset", ["get_weather", "get_weather", "book_trip", "book_trip"]),
        ("deepeval_goldens_csv", ["get_weather", "book_trip"]),
        ("ragas_multiturn", ["get_weather", "book_trip"]),
    ],
)
def test_samples_joined_by_their_question(sample, expected):
    (path,) = files(sample)
    joined = tc.load(RUNS).join_expected(path, on="input")
    assert joined.expected[joined.expected.case == "one"].tool.to_list() == expected
    assert joined.cases.expected_known.to_list() == [True, False]
    assert joined.report[joined.report.code == "no_test_case"]["case"].to_list() == ["two"]


def _result(test, prompt, names):
    return {
        "testIdx": test,
        "promptIdx": prompt,
        "prompt": {"raw": QUESTION},
        "response": {"output": "x"},
        "testCase": {
            "assert": [{"type": "tool-call-f1", "value": names}, {"type": "not-tool-call-f1", "value": "z"}]
        },
    }


def test_results_that_hold_a_test_once_for_each_model():
    def evaluated(*names):
        results = [_result(0, prompt, list(expected)) for prompt, expected in enumerate(names)]
        return tc.load({"evalId": "e", "config": {}, "results": {"results": results}})

    joined = tc.load(RUNS).join_expected(evaluated("ab", "ab"), on="input")
    assert rows(joined.expected, "case", "tool") == [["one", "a"], ["one", "b"]]
    assert rows(joined.rules, "case", "rule", "tool") == [["one", "forbid", "z"]]
    with pytest.raises(DataError, match="Several test cases have the same input"):
        tc.load(RUNS).join_expected(evaluated("ab", "ba"), on="input")


def test_promptfoo_tests_and_configurations(tmp_path):
    tests = [
        {"description": "trip", "vars": {"q": QUESTION}, "assert": [{"type": "tool-call-f1", "value": "a, b"}]},
        {"vars": {"q": "x", "lang": "en"}, "assert": [{"type": "contains", "value": "x"}]},
    ]
    for source in (tests, {"prompts": ["{{q}}"], "tests": tests}):
        path = tmp_path / "tests.json"
        path.write_text(json.dumps(source), "utf-8")
        assert tc.detect(path).format == "promptfoo_tests"
        loaded = tc.load(path)
        assert not loaded.cases.called_known.any()
        assert loaded.cases.expected_known.to_list() == [True, False]
        joined = tc.load(RUNS).join_expected(path, on="input")
        assert joined.expected.tool.to_list() == ["a", "b"]
