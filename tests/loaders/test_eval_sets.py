"""RAGAS, promptfoo, LiveMCPBench and Vertex, beyond their samples; their expectations joined to runs."""

from __future__ import annotations

import json

import pandas as pd

import toolcorrect as tc
from tests.loaders.plain import cells, rows
from tests.shared import shared

SAMPLE = {
    "user_input": [
        {"content": "Go", "type": "human"},
        {"content": "", "type": "ai", "metadata": None, "tool_calls": [{"name": "f", "args": {"a": True}}]},
        {"content": "21", "type": "tool"},
        {"content": "Done", "type": "ai", "tool_calls": None},
    ],
    "reference": "It is done",
    "reference_tool_calls": [{"name": "f", "args": {"a": True}}],
}


def test_ragas_csv_holds_what_python_printed(tmp_path):
    path = tmp_path / "set.csv"
    frame = pd.DataFrame([SAMPLE, {**SAMPLE, "reference_tool_calls": []}, {**SAMPLE, "reference_tool_calls": None}])
    frame.to_csv(path, index=False)
    data = tc.load(path)
    assert tc.detect(path).format == "ragas_multiturn"
    assert rows(data.calls, "tool", "arguments", "output", "error") == [["f", '{"a":true}', '"21"', None]] * 3
    assert rows(data.expected, "case", "tool", "arguments") == [["0", "f", '{"a":true}']]
    assert data.cases.expected_known.to_list() == [True, True, False]
    assert data.cases.reference.to_list() == ["It is done"] * 3


def test_ragas_single_turns_do_not_say_what_was_called():
    data = tc.load([{"user_input": "Go", "response": "Done", "reference": "x"}])
    assert not data.cases.called_known.any()
    assert data.cases[["input", "output"]].values.tolist() == [["Go", "Done"]]


def test_bare_ragas_messages_differ_from_langchain_by_ids():
    assert tc.detect(SAMPLE["user_input"]).format == "ragas_multiturn"
    assert tc.load(SAMPLE["user_input"]).calls.tool.to_list() == ["f"]


def result(test, prompt, output, *assertions, provider="p"):
    return {
        "testIdx": test,
        "promptIdx": prompt,
        "provider": {"id": provider},
        "prompt": {"raw": "Go"},
        "response": None if output is None else {"output": output},
        "score": 0.5,
        "success": False,
        "testCase": {"assert": list(assertions)},
    }


def evaluated(*results):
    return {"evalId": "e", "results": {"version": 3, "results": list(results)}, "config": {}}


def test_promptfoo_outputs_of_several_providers():
    openai = [{"id": "1", "function": {"name": "f", "arguments": '{"a": 1}'}}]
    message = {"role": "assistant", "content": "hm", "tool_calls": openai}
    anthropic = 'Let me see\n\n{"type": "tool_use", "id": "t", "name": "g", "input": {"b": 2}}'
    google = json.dumps([{"functionCall": {"name": "h", "args": {}}}, {"text": "x"}])
    outputs = [openai, message, anthropic, google, "words [1]", None]
    data = tc.load(evaluated(*(result(i // 2, i % 2, o, provider=f"p{i % 2}") for i, o in enumerate(outputs))))
    assert rows(data.calls, "case", "tool", "arguments", "call_id") == [
        ["0/0", "f", '{"a": 1}', "1"],
        ["0/1", "f", '{"a": 1}', "1"],
        ["1/0", "g", '{"b":2}', "t"],
        ["1/1", "h", "{}", None],
    ]
    assert data.cases.called_known.to_list() == [True] * 5 + [False]
    assert data.cases.model.to_list() == ["p0", "p1"] * 3
    assert data.cases.task.to_list() == ["0", "0", "1", "1", "2", "2"]
    assert data.cases.output.to_list()[4] == "words [1]"


def test_promptfoo_assertions_are_expectations_and_rules():
    names = {"type": "tool-call-f1", "value": "f, g"}
    arguments = {"type": "trajectory:tool-args-match", "value": {"name": "f", "args": {"a": 1}}}
    sequence = {"type": "trajectory:tool-sequence", "value": {"mode": "exact", "steps": ["b", {"name": "a"}]}}
    never = {"type": "not-trajectory:tool-used", "value": ["drop"]}
    count = {"type": "trajectory:tool-used", "value": {"name": "f", "max": 2}}
    data = tc.load(
        evaluated(
            result(0, 0, "x", names, arguments), result(1, 0, "x", names, sequence), result(2, 0, "x", never, count)
        )
    )
    assert rows(data.expected, "case", "tool", "arguments") == [
        ["0", "f", '{"a":1}'],
        ["0", "g", None],
        ["1", "b", None],
        ["1", "a", None],
    ]
    assert data.cases.expected_known.to_list() == [True, True, False]
    assert rows(data.rules, "case", "rule", "tool", "minimum", "maximum") == [
        ["2", "forbid", "drop", None, None],
        ["2", "count", "f", 1, 2],
    ]


def test_livemcpbench_unwraps_what_the_wrapper_carried():
    wrapped = {"name": "execute-tool", "arguments": {"server_name": "s", "tool_name": "f", "params": {"a": 1}}}
    record = {
        "task_id": "t",
        "question": "Go",
        "expected_tools": ["f"],
        "human_success": True,
        "judges": {"j": False},
    }
    broken = {"name": "execute-tool", "arguments": {"server_name": "s"}}
    data = tc.load([{**record, "called": [{"name": "route", "server": None, "arguments": None}, wrapped, broken]}])
    assert rows(data.calls, "tool", "server", "kind", "arguments") == [
        ["route", None, "pseudo", None],
        ["f", "s", "mcp", '{"a":1}'],
        ["execute-tool", None, "function", '{"server_name":"s"}'],
    ]
    assert data.cases[["outcome", "judge j"]].values.tolist() == [[1.0, False]]
    assert {"unwrapped", "not_unwrapped"} <= set(data.report.code)


def test_livemcpbench_as_published():
    data = tc.load(shared("data/livemcpbench/claude-sonnet-4_95tasks.jsonl.gz"))
    assert len(data.cases) == 95
    assert (data.calls.kind == "mcp").sum() == 531
    assert (data.calls.tool == "route").sum() == 283
    assert round(data.cases.outcome.mean(), 3) == 0.705
    assert data.cases.expected_known.all()


def test_livemcpbench_calls_say_little_about_success():
    data = tc.load(shared("data/livemcpbench/claude-sonnet-4_95tasks.jsonl.gz"))
    scores = tc.score(data, variants=["recall.set", "precision.set", "jaccard.set"])
    solved = data.cases.outcome == 1
    areas = [_area(scores[name][solved], scores[name][~solved]) for name in scores]
    assert [round(area, 3) for area in areas] == [0.554, 0.511, 0.528]


def _area(above: pd.Series, below: pd.Series) -> float:
    """Chance that a solved run scores higher than one that is not; ties count half."""
    differences = above.dropna().to_numpy()[:, None] - below.dropna().to_numpy()[None, :]
    return float(((differences > 0) + (differences == 0) / 2).mean())


def test_vertex_trajectories_in_a_frame():
    made = json.dumps([{"tool_name": "f", "tool_input": {"a": 1}}])
    frame = pd.DataFrame(
        {"prompt": ["Go"], "response": ["Done"], "predicted_trajectory": [made], "reference_trajectory": ["[]"]}
    )
    data = tc.load(frame)
    assert rows(data.calls, "tool", "arguments") == [["f", '{"a":1}']]
    assert data.cases.expected_known.to_list() == [True]
    assert cells(data.cases.output) == ["Done"]
