"""Traces of the benchmark: every family tells the calls that the workload holds."""

from __future__ import annotations

import json

import pytest

import toolcorrect as tc
from tests.benchmarks.span_workload import SPAN_FAMILIES, write_spans


def record(number, calls):
    return {
        "case_id": f"case-{number}",
        "suite": "travel",
        "model": "m",
        "input": f"question {number}?",
        "expected": [],
        "tool_calls": [
            {"id": f"c{number}-{i}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for i, (name, arguments) in enumerate(calls)
        ],
    }


RECORDS = [
    record(0, [("search", '{"q":"café"}'), ("book", '{"n":2}'), ("search", '{"q":"café"}')]),
    record(1, []),
    record(2, [("pay", '{"amount":1.5,"to":{"name":"a"}}')]),
]


@pytest.mark.parametrize("family", SPAN_FAMILIES)
def test_every_family_holds_the_calls_of_the_workload(family, tmp_path):
    workload = tmp_path / "workload.jsonl"
    workload.write_text("".join(json.dumps(one) + "\n" for one in RECORDS))
    write_spans(workload, tmp_path / "traces", family)
    data, wanted = tc.load(tmp_path / "traces"), tc.load(RECORDS)
    assert data.report.empty
    for column in ("tool", "arguments"):
        assert data.calls[column].to_list() == wanted.calls[column].to_list()
    assert data.calls.groupby("case", sort=False).size().to_list() == [3, 1]
    assert data.cases["called_known"].all()
    assert data.cases["input"].to_list() == wanted.cases["input"].to_list()
    assert not data.calls["error"].any()
    if family != "galtea":
        assert data.calls["step"].to_list() == [0, 0, 1, 0]
        assert set(data.calls["source"]) == {"both"}
