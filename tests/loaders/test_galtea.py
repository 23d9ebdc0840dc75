from __future__ import annotations

import json

import toolcorrect as tc
from tests.shared import shared


def test_tool_spans_only():
    data = tc.load(shared("samples/galtea/spans_batch.json"))
    assert data.cases.index.to_list() == ["ir_1"]
    assert data.calls.tool.to_list() == ["track_order", "lf_tool"]
    assert data.calls.output.isna().to_list() == [False, True]
    assert data.cases.input.to_list() == ["hi"]


def span(name, kind, start, parent=None, result="r", **more):
    return {"inferenceResultId": result, "id": f"id-{name}", "name": name, "type": kind, "parentTraceId": parent,
            "startTime": f"2026-01-01T00:00:0{start}Z", **more}  # fmt: skip


def test_finish_order_is_put_right_across_batches(tmp_path):
    late = span("late", "TOOL", 3, "id-sub", inputData={"a": 1}, error="down")
    batches = [
        {"traces": [late, span("early", "TOOL", 1, "id-root")]},
        {"traces": [span("other", "TOOL", 0, result="s"), span("sub", "AGENT", 2, "id-root")]},
        {"traces": [span("root", "AGENT", 0, inputData={"q": "why"}, outputData="so")]},
    ]
    path = tmp_path / "spans.jsonl"
    path.write_text("\n".join(map(json.dumps, batches)))
    data = tc.load(path)
    assert data.calls[["case", "tool", "depth"]].values.tolist() == [
        ["r", "early", 0],
        ["r", "late", 1],
        ["s", "other", 0],
    ]
    assert data.calls.agent.to_list()[:2] == ["root", "sub"]
    assert data.calls.error.to_list() == [False, True, False]
    assert data.cases.loc["r", ["input", "output"]].to_list() == ["why", "so"]
