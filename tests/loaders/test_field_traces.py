"""The field cases that hold a trace: what users reported of loaders, retold; see ``field_cases``."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

import toolcorrect as tc
from tests.loaders.span_cases import ADAPTERS as SPAN_ADAPTERS
from tests.shared import shared
from toolcorrect.dataset import Dataset

# Warning of a field case -> code in our report.
CODES = {
    "missing_id": "id_missing",
    "double_encoded": "arguments_decoded_twice",
    "malformed_arguments": "arguments_failed",
    "non_object_arguments": "arguments_not_object",
    "unwrapped": "unwrapped",
    "empty_trace": "empty_trace",
    "arguments_not_captured": "arguments_not_captured",
}


def _event_stream(payload: list[dict[str, Any]]) -> Any:
    """Pieces of a call, each with its id, as the chunks that a server without indices sends."""
    pieces = [
        {"id": event["toolCallId"], "function": {"name": event["name"], "arguments": event["args_delta"]}}
        for event in payload
    ]
    return [{"choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]} for piece in pieces]


ADAPTERS = {
    "openai_messages": lambda payload: payload,
    "openai_stream_chunks": lambda payload: payload,
    "event_stream": _event_stream,
    **SPAN_ADAPTERS,
}


def _cases() -> list[dict[str, Any]]:
    lines = shared("cases/field-cases.jsonl").read_text("utf-8").splitlines()
    return [case for case in map(json.loads, lines) if case.get("trace")]


@pytest.fixture(scope="module")
def cases() -> dict[str, dict[str, Any]]:
    return {case["id"]: case for case in _cases()}


IDS = [
    *(f"trace-arguments-{n}" for n in ("01", "02", "04", "07", "08", "09", "10")),
    *("trace-ids-01", "trace-ids-03", "trace-streaming-01", "trace-streaming-03", "trace-streaming-05"),
    *("trace-duplicates-01", "trace-duplicates-03", "trace-nested-01", "trace-nested-03", "trace-wrapper-01"),
    *("trace-completeness-01", "trace-completeness-03"),
]


def test_no_field_trace_is_left_out(cases):
    assert sorted(cases) == sorted(IDS)


@pytest.mark.parametrize("case_id", IDS)
def test_field_trace(cases, case_id):
    case = cases[case_id]
    right = case["right"]
    data = tc.load(ADAPTERS[case["trace"]["format"]](case["trace"]["payload"]))
    if right["calls"] is None:
        assert not data.cases["called_known"].any()
        assert data.calls.empty
    else:
        calls = data.calls.sort_values(["case", "position"])
        assert len(calls) == right["n_calls"] == len(right["calls"])
        for (_, row), wanted in zip(calls.iterrows(), right["calls"]):
            _check(data, row, wanted)
    assert _warned(data) == {CODES[warning] for warning in right["warnings"]}
    if "n_merged" in right:
        assert (data.calls["source"] == "both").sum() == right["n_merged"]
    if "redundant_calls" in right:
        repeats = data.calls.duplicated(["case", "tool", "arguments"])
        assert repeats.sum() == right["redundant_calls"]
    for view, names in (right.get("views") or {}).items():
        assert _view(data, view) == names


def _check(data: Dataset, row: pd.Series, wanted: dict[str, Any]) -> None:
    assert row["tool"] == wanted["name"]
    # A value that is no object is kept, and marked; as arguments it is not known.
    usable = row["arguments_status"] in ("ok", "empty", "repaired")
    assert (json.loads(row["arguments"]) if usable else None) == wanted["args"]
    if "raw_args" in wanted:
        assert row["arguments_raw"] == wanted["raw_args"]
    if "result" in wanted:
        assert json.loads(row["output"]) == wanted["result"]
    if "session" in wanted:
        assert data.cases.loc[row["case"], "session"] == wanted["session"]
    for column in ("agent", "depth", "turn"):
        if column in wanted:
            assert row[column] == wanted[column]


def _warned(data: Dataset) -> set[str]:
    return set(data.report["code"]) & set(CODES.values())


def _view(data: Dataset, view: str) -> list[str]:
    """Calls of the outermost agent; calls within which no other was made; all."""
    calls = data.calls
    if view == "top_level":
        calls = calls[calls["depth"] == 0]
    elif view == "leaf":
        calls = calls[calls["depth"] == calls["depth"].max()]
    return calls["tool"].to_list()
