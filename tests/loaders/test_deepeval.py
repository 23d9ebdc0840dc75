from __future__ import annotations

import pytest

import toolcorrect as tc
from tests.shared import shared


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl"])
def test_goldens_are_the_same_from_every_kind_of_file(suffix):
    path = shared(f"samples/deepeval/goldens.{suffix}")
    assert tc.detect(path).format == "deepeval_goldens"
    data = tc.load(path)
    assert data.cases.index.to_list() == ["g1", "1", "2"]
    assert data.calls[["tool", "arguments"]].values.tolist() == [
        ["track_order", '{"order_id":"TN-1001"}'],
        ["clock", "{}"],
    ]
    assert data.calls.output[0] == '"shipped"'
    # Saved alike by that library: an empty list and none.
    assert data.cases.called_known.to_list() == [True, True, False]
    assert data.cases.expected_known.to_list() == [True, False, False]
    assert (
        data.report.set_index("note")["count"].to_dict()["expected calls: an empty list and no list are saved alike"]
        == 2
    )
    assert "retrieval_context" not in data.cases


@pytest.mark.parametrize("name", ["test_run", "latest_test_run"])
def test_results_keep_empty_lists_and_recorded_scores(name):
    data = tc.load(shared(f"samples/deepeval/{name}.json"))
    assert data.cases.index.to_list() == ["c1", "test_case_1"]
    assert data.cases.called_known.all()
    assert data.calls.groupby("case").size().to_dict() == {"c1": 1}
    scores = data.cases[["Tool Correctness", "Tool Correctness#2", "Tool Correctness#3"]]
    assert scores.loc["test_case_1"].to_list() == [0, 0, 0]
    assert scores.loc["c1"].isna().to_list() == [False, False, True]


def test_traces_come_in_the_order_they_ran():
    data = tc.load(shared("samples/deepeval/traces.jsonl"))
    first = data.calls[data.calls["case"] == data.cases.index[0]]
    assert first.tool.to_list() == ["search_catalog", "track_order", "track_order", "boom"]
    assert first.agent.to_list() == ["agent", "agent", "sub", "agent"]
    assert first.depth.to_list() == [0, 0, 1, 0]
    assert first.error.to_list() == [False, False, False, True]
    assert first.error_message.iloc[3] == "bad"
    # The third states its calls itself.
    last = data.calls[data.calls["case"] == data.cases.index[2]]
    assert last.arguments.to_list() == ['{"order_id":"1"}']
    assert data.report[["code", "count"]].values.tolist() == [["spans_left_out", 4]]
    assert set(data.tools.tool) == {"search_catalog", "track_order"}


def test_conversations_have_turns():
    turns = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "a", "tools_called": [{"name": "search", "inputParameters": {"q": 1}}]},
        {"role": "user", "content": "more"},
        {"role": "assistant", "content": "b", "tools_called": [{"name": "book", "type": "MCP"}]},
    ]
    data = tc.load([{"name": "c", "turns": turns, "expected_tools": [{"name": "book"}]}])
    assert data.calls[["tool", "turn", "kind"]].values.tolist() == [["search", 0, "function"], ["book", 1, "mcp"]]
    assert data.cases.turns.to_list() == [2]
