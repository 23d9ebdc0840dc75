"""`bfcl.ast` against upstream's verdicts: on public model outputs from the raw files, and on mutated answers."""

from __future__ import annotations

import gzip
import io
import json
import math
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.shared import shared
from toolcorrect.bfcl.accepted import from_argument, to_matcher
from toolcorrect.bfcl.checking import Rules, complaint
from toolcorrect.bfcl.python_calls import python_calls
from toolcorrect.bfcl.source_calls import source_call
from toolcorrect.bfcl.source_values import java_value, javascript_value
from toolcorrect.dataset import Dataset
from toolcorrect.errors import OptionError
from toolcorrect.explaining.one_case import explain
from toolcorrect.loaders import load
from toolcorrect.scoring import score, status
from toolcorrect.variants.bfcl import ast
from toolcorrect.variants.definition import Variant

# Of the README of the recorded verdicts; the accuracies that were published are equal.
ACCURACY = {
    "glyphh-ada-1.1": {
        "simple_python": 0.945,
        "simple_java": 0.76,
        "simple_javascript": 0.72,
        "multiple": 0.945,
        "parallel": 0.915,
        "parallel_multiple": 0.88,
        "irrelevance": 0.8542,
        "live_parallel": 0.75,
        "live_parallel_multiple": 0.75,
    },
    "gpt-4o-mini-2024-07-18-FC": {
        "simple_python": 0.875,
        "multiple": 0.88,
        "parallel": 0.87,
        "parallel_multiple": 0.80,
        "irrelevance": 0.8292,
    },
    "gemma4-e4b-toolcall-v02": {
        "simple_python": 0.885,
        "multiple": 0.95,
        "parallel": 0.90,
        "parallel_multiple": 0.86,
        "live_parallel": 0.6875,
        "simple_java": 0.63,
        "simple_javascript": 0.74,
        "live_parallel_multiple": 0.5417,
    },
    "claude-sonnet-4-5-FC": {"simple_python": 0.98},
    "DeepSeek-V3.1-FC": {"simple_python": 0.6025},
    "AIREV-Agent-0.8B": {
        "simple_python": 0.7475,
        "simple_java": 0.49,
        "simple_javascript": 0.62,
        "multiple": 0.745,
        "parallel": 0.695,
        "parallel_multiple": 0.56,
        "irrelevance": 0.5125,
        "live_parallel": 0.50,
        "live_parallel_multiple": 0.1667,
        "live_relevance": 0.9375,
    },
}


def rows(name: str) -> list[dict[str, Any]]:
    with gzip.open(shared(f"oracles/{name}"), "rt") as file:
        return [json.loads(line) for line in file]


def references() -> list[Path]:
    folder = shared("data/bfcl_v4")
    return [*sorted(folder.glob("questions/*")), *sorted(folder.glob("possible_answer/*"))]


@lru_cache
def model_runs(model: str) -> Dataset:
    return load([*sorted(shared(f"data/bfcl_v4/results/{model}").glob("*")), *references()], model=model)


@pytest.mark.parametrize("model", ACCURACY)
def test_every_recorded_verdict_from_the_raw_files(model: str) -> None:
    data = model_runs(model)
    recorded = {row["id"]: row for row in rows("bfcl.jsonl.gz") if row["model"] == model}
    assert set(data.cases.index) == set(recorded)
    verdicts = score(data, variants="bfcl.ast")["bfcl.ast"]
    wrong = [
        (case, recorded[case]["error_type"]) for case in verdicts.index if verdicts[case] != recorded[case]["valid"]
    ]
    assert wrong == []
    assert (status(data, variants="bfcl.ast")["bfcl.ast"] == "ok").all()
    means = verdicts.groupby(data.cases["category"]).mean()
    assert means.to_dict() == pytest.approx(ACCURACY[model], abs=5e-5)


def test_all_recorded_verdicts_are_of_these_models() -> None:
    recorded = rows("bfcl.jsonl.gz")
    assert len(recorded) == 6106
    assert {row["model"] for row in recorded} == set(ACCURACY)


def test_what_upstream_cannot_decode_is_no_empty_list() -> None:
    """A case whose recorded decoding is null has no known calls, or calls that were only read leniently."""
    data = model_runs("AIREV-Agent-0.8B")
    null = [r["id"] for r in rows("bfcl.jsonl.gz") if r["model"] == "AIREV-Agent-0.8B" and r["decoded"] is None]
    assert len(null) == 180
    assert data.cases.loc[null, "decoding"].isin(["failed", "repaired"]).all()
    failed = data.cases["decoding"] == "failed"
    assert not data.cases["called_known"][failed].any()
    assert (status(data, variants="exact")["exact"][failed] == "called_unknown").all()


@lru_cache
def mutations() -> tuple[list[dict[str, Any]], Dataset]:
    """Return the perturbed calls; one argument of ``list_as_tuple`` was a Python tuple, which JSON cannot show."""
    recorded = [row for row in rows("bfcl_mutations.jsonl.gz") if row["mutation"] != "list_as_tuple"]
    results = [{"id": r["id"], "result": r["calls"], "mutation": r["mutation"]} for r in recorded]
    file = io.BytesIO("\n".join(map(json.dumps, results)).encode())
    return recorded, load([file, *references()])


SWITCHES: dict[str, tuple[Variant, set[str], set[str]]] = {
    # A rule switched off: the mutations that then pass, and those that then fail.
    "types": (ast(types=False), {"int_as_float", "bool_as_int", "int_as_bool", "list_ints_as_floats"}, set()),
    "standardise": (ast(standardise=False), set(), {"string_spaces", "string_punct_inserted", "string_upper"}),
    "optional": (ast(optional=False), {"drop_required"}, set()),
    "extra": (ast(extra=False), {"unknown_param"}, set()),
    "dots": (ast(dots="underscores"), {"dots_to_underscores"}, {"base"}),
}
OPTIMAL = ast(matching="optimal")


@lru_cache
def mutation_scores() -> pd.DataFrame:
    variants = ["bfcl.ast", OPTIMAL, *(variant for variant, _, _ in SWITCHES.values())]
    return score(mutations()[1], variants=variants)


def test_every_recorded_mutation() -> None:
    recorded, _ = mutations()
    assert len(recorded) == 8614 - 61
    verdicts = mutation_scores()["bfcl.ast"]
    wrong = [(row["id"], row["mutation"]) for row, got in zip(recorded, verdicts) if got != row["valid"]]
    assert wrong == []


@pytest.mark.parametrize("rule", SWITCHES)
def test_each_rule_can_be_switched_off_alone(rule: str) -> None:
    variant, passing, failing = SWITCHES[rule]
    mutation = mutations()[1].cases["mutation"]
    change = mutation_scores()[variant.name] - mutation_scores()["bfcl.ast"]
    # Which of several calls greed takes can change, so that the order of the calls can too.
    change = change[~mutation.isin(["reversed", "shuffled"])]
    assert passing <= set(mutation[change.index[change > 0]])
    assert failing <= set(mutation[change.index[change < 0]])
    assert failing or not (change < 0).any()
    assert passing or not (change > 0).any()


def test_an_optimal_matching_mends_the_one_case_that_greed_loses() -> None:
    cases = mutations()[1].cases
    changed = mutation_scores()[OPTIMAL.name] != mutation_scores()["bfcl.ast"]
    assert cases["task"][changed].to_list() == ["parallel_178", "parallel_178"]
    assert set(cases["mutation"][changed]) == {"reversed", "shuffled"}


def test_the_maker_makes_each_variant_once() -> None:
    data = bfcl_case([], [])
    assert score(data, variants=["bfcl.ast", ast(), ast(types=False), ast(types=False)]).shape == (1, 2)


def test_options_that_do_not_exist_are_refused() -> None:
    with pytest.raises(OptionError, match="kept"):
        ast(dots="commas")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="optimal"):
        ast(matching="best")  # type: ignore[arg-type]


def test_states_and_conversations_are_refused_in_words() -> None:
    data = load(shared("samples/bfcl_hard/BFCL_v4_mixed_result.json"))
    told = status(data, variants="bfcl.ast")["bfcl.ast"]
    assert told["multi_turn_base_199"] == "expected_unknown"
    known = data.replace(cases=data.cases.assign(expected_known=True))
    assert status(known, variants="bfcl.ast")["bfcl.ast"]["multi_turn_base_199"] == "rejected"
    sums = explain(known, "multi_turn_base_199", variants=["bfcl.ast"]).sums
    assert sums["sum"]["bfcl.ast"].startswith("multi_turn_base is judged by the state")


def bfcl_case(called: list[Any], answers: list[Any], category: str = "parallel") -> Dataset:
    return load([{"id": f"{category}_0", "result": called}, {"id": f"{category}_0", "ground_truth": answers}])


def test_a_repaired_answer_counts_as_not_decoded() -> None:
    data = load(
        [
            {"id": "parallel_0", "result": "[f(x=1)]<end_of_turn>"},
            {"id": "parallel_1", "result": "[f(x=1)]"},
            {"id": "irrelevance_0", "result": "[f(x=1)]<end_of_turn>"},
            {"id": "parallel_0", "ground_truth": [{"f": {"x": [1]}}]},
            {"id": "parallel_1", "ground_truth": [{"f": {"x": [1]}}]},
        ]
    )
    assert score(data, variants="bfcl.ast")["bfcl.ast"].to_list() == [0.0, 1.0, 1.0]
    assert score(data, variants="exact")["exact"].to_list() == [1.0, 1.0, 0.0]


def test_records_of_any_format_can_be_judged() -> None:
    """Without a category, a description and matchers: plain values are the accepted ones."""
    record = {"case": "x", "expected": [{"name": "f", "arguments": {"city": "New York", "days": 2}}]}
    called = [{"name": "f", "arguments": {"city": "new-york", "days": 2}}]
    data = load([{**record, "called": called}])
    assert score(data, variants=["bfcl.ast", ast(standardise=False)]).iloc[0].to_list() == [1.0, 0.0]
    silent = load([{"case": "x", "called": [], "expected": []}, {"case": "y", "called": ["f"], "expected": []}])
    assert score(silent, variants="bfcl.ast")["bfcl.ast"].to_list() == [1.0, 0.0]
    unknown = load([{"case": "x", "called": None, "expected": ["f"]}])
    assert math.isnan(score(unknown, variants="bfcl.ast").iloc[0, 0])


def test_dots_follow_the_model() -> None:
    data = bfcl_case([{"a_b": "{}"}], [{"a.b": {}}])
    for model, verdict in (("gpt-4o-mini-FC", 1.0), ("Qwen_Qwen3-8B-FC", 0.0), ("gpt-4o-mini", 0.0)):
        assert score(data.replace(cases=data.cases.assign(model=model)), variants="bfcl.ast").iloc[0, 0] == verdict
    assert score(data, variants=[ast(dots="underscores")]).iloc[0, 0] == 1.0


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(st.lists(VALUES, max_size=4))
def test_accepted_values_survive_as_matchers(values: list[Any]) -> None:
    matcher = json.loads(json.dumps(to_matcher(values)))
    assert json.dumps(from_argument(matcher)) == json.dumps(values)


def test_every_published_answer_survives_as_a_matcher() -> None:
    count = 0
    for path in sorted(shared("data/bfcl_v4/possible_answer").glob("*")):
        with gzip.open(path, "rt") as file:
            for line in file:
                for answer in json.loads(line)["ground_truth"]:
                    for values in next(iter(answer.values())).values():
                        assert json.dumps(from_argument(to_matcher(values))) == json.dumps(values)
                        count += 1
    assert count > 5000


@pytest.mark.parametrize(
    ("value", "accepted", "kind", "right"),
    [
        ("New-York", ["new york"], "string", True),
        ("1.5", ["15"], "string", True),
        ("a;b", ["ab"], "string", False),
        (5.0, [5], "integer", False),
        (5, [5.0], "float", True),
        (True, [1], "integer", False),
        ("x", [[1, 2], "x"], "array", False),
        ([2, 1], [[1, 2]], "array", False),
        (["A b"], [["ab"]], "array", True),
        ({"a": "X"}, [{"a": ["x"], "b": ["", 1]}], "dict", True),
        ({"a": "x", "c": 1}, [{"a": ["x"]}], "dict", False),
        ({}, [{"a": ["x"]}], "dict", False),
        ([], ["", [1]], "array", True),
        ("items", ["items"], "array", True),
    ],
)
def test_values(value: Any, accepted: list[Any], kind: str, right: bool) -> None:
    details = {"type": kind, "items": {"type": "string" if "A b" in str(value) else "integer"}}
    schema = {"properties": {"p": details}, "required": []}
    assert (complaint({"p": accepted}, {"p": value}, schema) is None) is right


def test_a_parameter_left_out_needs_an_answer_that_allows_it() -> None:
    schema = {"properties": {"p": {"type": "string"}}, "required": []}
    assert complaint({"p": ["a"]}, {}, schema) == "p is missing and not optional"
    assert complaint({"p": ["a", ""]}, {}, schema) is None
    assert complaint({"p": ["a"]}, {}, schema, rules=Rules(optional=False)) is None


@pytest.mark.parametrize(
    "text",
    [
        "I cannot help",
        "[f]",
        "f(x=a.b)",
        "f(x=9**9**9)",
        "f(x='a'*10**9)",
        "f(x='%9999999d' % 1)",
        "f(x=lambda: 1)",
        "f(x=f'{1}')",
        "[" * 500,
        "f(" + "-" * 5000 + "1)",
        "f(**a) or g()",
    ],
)
def test_python_text_that_holds_no_plain_calls(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        python_calls(text)


def test_python_text_is_read_and_never_run() -> None:
    (call,) = python_calls("`f(a=-2, b=2 ** 10, c=g(), d=h(k=1), e=x[1], t=(1, 2), n=None, w=kg)`")
    assert call.arguments == {
        "a": -2, "b": 1024, "c": "g()", "d": {"h": {"k": 1}}, "e": "x[1]", "t": [1, 2], "n": None, "w": "kg",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("f(x=[1, 2])", "java"),
        ('f(x={"a": 1})', "java"),
        ("f(x=1), f(x=2)", "java"),
        ("f(x=1", "java"),
        ("f(x=new int[2])", "java"),
        ("f(x=1, x=2)", "javascript"),
        ("f(x=[1, 2)", "javascript"),
        ("f x=1)", "javascript"),
        ("f(x=" + "(" * 5000 + ")" * 5000 + ")", "javascript"),
        ("f(x='" + "a" * 200_000 + "')", "java"),
    ],
)
def test_source_text_that_is_no_call(text: str, language: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        source_call(text, language)


def test_source_values_stay_as_written() -> None:
    java = 'C.m(a=new HashMap<String, Integer>() {{ put("k", 1); }}, b=Foo::bar, c=-5L, d=x.y(1, "z"), e="q")'
    assert source_call(java, "java")[1] == {
        "a": "new HashMap<String, Integer>()", "b": "Foo::bar", "c": "-5L", "d": 'x.y(1, "z")', "e": "q",
    }  # fmt: skip
    script = "f(a={b: [1, 'c'], ...d}, g=(x, y) => { return x; }, h=function(z) { z(); }, i=!j?.k, m)"
    assert source_call(script, "javascript")[1] == {
        "a": "{b: [1, 'c'], ...d}", "g": "(x, y) => { return x; }", "h": "function(z) { z(); }", "i": "!j?.k",
        "": "m",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (java_value("3f", "float"), 3.0),
        (java_value("3", "float"), "3"),
        (java_value("-7", "short"), -7),
        (java_value('new ArrayList<String>(Arrays.asList("a", "b"))', "ArrayList", "String"), ["a", "b"]),
        (java_value("new ArrayList<Integer>() {{ add(1); add(2); }}", "ArrayList", "integer"), [1, 2]),
        (java_value("new ArrayList<>()", "ArrayList", "any"), []),
        (
            java_value('new HashMap<String, Object>() {{ put("a", 1L); put("b", true); }}', "HashMap"),
            {"a": 1, "b": True},
        ),
        (java_value("params", "HashMap"), "params"),
        (javascript_value("12n", "Bigint"), 12),
        (javascript_value("1e3", "float"), "1e3"),
        (javascript_value("new Array([1, 2], [3])", "array"), [[1, 2], [3]]),
        (javascript_value("['a', b]", "array", "String"), ["a", "b"]),
        (javascript_value("{a: [1, 2], 'b': 'x, y'}", "dict"), {"a": [1, 2], "b": "x, y"}),
        (javascript_value("options", "dict"), "options"),
    ],
)
def test_source_texts_as_values(made: Any, value: Any) -> None:
    assert json.dumps(made) == json.dumps(value)
