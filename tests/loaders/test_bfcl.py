"""BFCL's three kinds of files, joined by id."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.shared import shared
from toolcorrect.loaders import detect, load

QUESTION = {
    "id": "parallel_7",
    "question": [[{"role": "system", "content": "be brief"}, {"role": "user", "content": "twice, please"}]],
    "function": [
        {
            "name": "a.f",
            "description": "does it",
            "parameters": {
                "type": "dict",
                "properties": {"x": {"type": "float"}, "y": {"type": "array", "items": {"type": "any"}}},
                "required": ["x"],
            },
        }
    ],
}
ANSWER = {"id": "parallel_7", "ground_truth": [{"a.f": {"x": [1.5], "y": ["", [1]]}}, {"a.f": {"x": [2]}}]}


def written(tmp_path: Path, **files: list[Any]) -> list[Path]:
    paths = []
    for name, records in files.items():
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_text("".join(json.dumps(record) + "\n" for record in records))
    return paths


@pytest.mark.parametrize("folder", ["bfcl", "bfcl_hard"])
def test_the_samples_load_as_stated(folder: str) -> None:
    stated = json.loads(shared(f"samples/{folder}/expected.json").read_text())
    files = sorted(path for path in shared(f"samples/{folder}").glob("*.json") if path.name != "expected.json")
    assert {detect(path).format for path in files} == {stated["detect_as"]}
    data = load(files)
    assert data.cases.index.to_list() == [case["case_id"] for case in stated["cases"]]
    for want in stated["cases"]:
        case = want["case_id"]
        calls = data.calls[data.calls["case"] == case]
        assert calls["tool"].to_list() == [c["name"] for c in want["calls"]]
        assert [json.loads(text) for text in calls["arguments"]] == [c["arguments"] for c in want["calls"]]
        assert calls["step"].to_list() == [c["step"] for c in want["calls"]]
        assert calls["turn"].to_list() == [c.get("turn", 0) for c in want["calls"]]
        assert calls["error"].isna().all()
        given = data.cases.loc[case, "input"]
        assert (None if data.cases["input"].isna()[case] else given) == want["input"]
        tools, expected = want["available_tools"], want["expected_tools"]
        assert bool(data.cases.loc[case, "tools_known"]) is (tools is not None)
        assert bool(data.cases.loc[case, "expected_known"]) is (expected is not None)
        assert data.tools[data.tools["case"] == case]["tool"].to_list() == (tools or [])
        assert data.expected[data.expected["case"] == case]["tool"].to_list() == [e["name"] for e in expected or []]


def test_lenient_reading_is_told() -> None:
    data = load(shared("samples/bfcl_hard/BFCL_v4_mixed_result.json"))
    assert data.cases["decoding"].to_list() == ["repaired", "decoded", "decoded"]
    repaired = data.calls[data.calls["arguments_status"] == "repaired"]
    assert repaired["case"].to_list() == ["parallel_38"]
    assert {"answer_repaired", "arguments_repaired"} <= set(data.report["code"])


def test_a_result_takes_its_question_and_its_answer(tmp_path: Path) -> None:
    result = {"id": "parallel_7", "result": [{"a_f": '{"x": 1.5}'}], "latency": 0.5}
    data = load(written(tmp_path, answers=[ANSWER], questions=[QUESTION], results=[result]), model="m")
    assert len(data) == 1
    case = data.cases.loc["parallel_7"]
    assert (case["input"], case["category"], case["latency"], case["model"]) == (
        "twice, please",
        "parallel",
        0.5,
        "m",
    )
    assert json.loads(data.expected["arguments"][0]) == {
        "x": {"$match": {"enum": [1.5]}},
        "y": {"$match": {"enum": ["", [1]]}, "$optional": True},
    }
    schema = json.loads(data.tools["parameters"][0])
    assert schema["type"] == "object"
    assert schema["properties"]["x"] == {"type": "number", "x-type": "float"}
    assert schema["properties"]["y"]["items"] == {"x-type": "any"}


def test_results_of_several_models_share_one_reference(tmp_path: Path) -> None:
    results = {f"model_{i}_result": [{"id": "parallel_7", "result": []}] for i in range(2)}
    data = load(written(tmp_path, answers=[ANSWER], questions=[QUESTION], **results))
    assert data.cases["task"].to_list() == ["parallel_7", "parallel_7"]
    assert data.expected.groupby("case").size().to_list() == [2, 2]
    assert data.cases["called_known"].all()


def test_questions_alone_are_cases_without_calls(tmp_path: Path) -> None:
    data = load(written(tmp_path, questions=[QUESTION], answers=[ANSWER]))
    assert not data.cases["called_known"].any()
    assert len(data.expected) == 2


def test_what_has_no_result_is_told_not_dropped_silently(tmp_path: Path) -> None:
    other = {"id": "parallel_8", "result": []}
    data = load(written(tmp_path, questions=[QUESTION], results=[other]))
    assert data.cases.index.to_list() == ["parallel_8"]
    assert data.report.set_index("code").loc["without_result", "count"] == 1


@pytest.mark.parametrize(
    ("result", "decoding", "calls"),
    [
        ("Sorry, no function fits.", "failed", None),
        ("", "decoded", []),
        ({"error": "timeout"}, "failed", None),
        (None, "failed", None),
        ([], "decoded", []),
        ("[]", "decoded", []),
        ("```python\n[f(x=1)]\n```", "repaired", ["f"]),
        ([{"f": "{broken"}], "failed", ["f"]),
        ([{"f": "[1]"}], "failed", ["f"]),
        ([{"f": {"x": 1}}], "decoded", ["f"]),
        (["f(x=1)"], "failed", None),
    ],
)
def test_answers_that_are_hard_to_read(result: Any, decoding: str, calls: list[str] | None) -> None:
    data = load([{"id": "simple_python_3", "result": result}])
    assert data.cases["decoding"].to_list() == [decoding]
    assert data.cases["called_known"].to_list() == [calls is not None]
    assert data.calls["tool"].to_list() == (calls or [])


def test_conversations_keep_turns_and_steps() -> None:
    records = [
        {"id": "multi_turn_base_1", "result": [["[cd(folder='a')]", "Done."], [[{"ls": "{}"}, {"pwd": "{}"}]]]},
        {"id": "multi_turn_base_1", "ground_truth": [["cd(folder='a')"], ["ls()", "pwd()"]]},
    ]
    data = load(records)
    assert data.calls[["turn", "step", "tool"]].to_numpy().tolist() == [[0, 0, "cd"], [1, 1, "ls"], [1, 1, "pwd"]]
    assert data.expected[["turn", "tool"]].to_numpy().tolist() == [[0, "cd"], [1, "ls"], [1, "pwd"]]
    assert data.cases["turns"].to_list() == [2]
    assert data.expected["arguments"][0] == '{"folder":"a"}'


def test_one_malformed_line_loses_no_other() -> None:
    data = load([{"id": "parallel_1", "ground_truth": [5]}, {"id": "parallel_2", "result": []}], format="bfcl_result")
    assert data.cases.index.to_list() == ["parallel_2"]
    assert "unreadable" in set(data.report["code"])


def test_no_call_is_expected_where_the_category_says_so() -> None:
    data = load([{"id": "irrelevance_0", "result": []}, {"id": "live_relevance_0-0-0", "result": []}])
    assert data.cases["expected_known"].to_list() == [True, False]
    assert data.cases["category"].to_list() == ["irrelevance", "live_relevance"]
