"""Every sample loads by detection alone, and holds exactly what its ``expected.json`` says."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

import toolcorrect as tc
from tests.loaders.samples import SAMPLES, expectation, files
from toolcorrect.dataset import Dataset


@pytest.mark.parametrize("sample", SAMPLES)
def test_sample_loads_as_stated(sample: str) -> None:
    wanted = expectation(sample)
    paths = files(sample)
    found = [tc.detect(path) for path in paths]
    assert wanted["detect_as"] in [one.format for one in found]
    assert all(one.reason and 0 < one.confidence <= 1 for one in found)
    data = tc.load(paths)
    assert len(data.cases) == len(wanted["cases"])
    for key, case in zip(data.cases.index, wanted["cases"]):
        _check_case(data, key, case)
        _check_calls(data, key, case)
    _check_messages(data, wanted)
    assert not (data.report.code == "unreadable").any() or sample == "claude_code_edge"


def _check_case(data: Dataset, key: str, case: dict[str, Any]) -> None:
    row = data.cases.loc[key]
    if case["case_id"] is not None and len(data.cases) > 1:
        assert key == case["case_id"]
    for column, name in (("input", "input"), ("output", "final_answer"), ("session", "session_id")):
        if case.get(name) is not None:
            assert _value(row[column]) == _value(case[name])
    if "reward" in case:
        assert row["outcome"] == case["reward"]
    if case.get("expected_answer") is not None:
        assert case["expected_answer"] in [value for value in row if isinstance(value, str)]
    assert row["called_known"] == (case["calls"] is not None)
    assert row["expected_known"] == (case["expected_tools"] is not None)
    assert row["tools_known"] == (case["available_tools"] is not None)
    tools = data.tools[data.tools["case"].isna() | (data.tools["case"] == key)]
    assert sorted(tools["tool"]) == sorted(case["available_tools"] or [])
    expected = data.expected[data.expected["case"] == key]
    assert expected["tool"].to_list() == [tool["name"] for tool in case["expected_tools"] or []]
    for text, tool in zip(expected["arguments"], case["expected_tools"] or []):
        if "accepted_arguments" in tool:
            assert _accepted(_value(text)) == tool["accepted_arguments"]
        else:
            assert _value(text) == tool["arguments"]


def _accepted(arguments: dict[str, Any]) -> dict[str, Any]:
    """Matchers as the lists of accepted values that they stand for; "" allows an argument to be absent."""
    return {
        name: [*_listed(value["$match"]), *([""] if value.get("$optional") else [])]
        for name, value in arguments.items()
    }


def _listed(schema: dict[str, Any]) -> list[Any]:
    """The values that a schema lists; of an object, lists for each of its keys."""
    if "properties" in schema:
        return [{name: _listed(inner) for name, inner in schema["properties"].items()}]
    return schema.get("enum", [])


def _check_calls(data: Dataset, key: str, case: dict[str, Any]) -> None:
    calls = data.calls[data.calls["case"] == key].sort_values("position")
    wanted = case["calls"] or []
    assert calls["tool"].to_list() == [call["name"] for call in wanted]
    assert calls["position"].to_list() == list(range(len(wanted)))
    steps = [call.get("step") for call in wanted]
    found = [None if pd.isna(step) else int(step) for step in calls["step"]]
    assert found == steps
    for (_, row), call in zip(calls.iterrows(), wanted):
        _check_call(row, call)


def _check_call(row: pd.Series, call: dict[str, Any]) -> None:
    if call.get("parse_error"):
        assert pd.isna(row["arguments"])
        assert row["arguments_status"] == "failed"
        assert "raw_arguments" not in call or row["arguments_raw"] == call["raw_arguments"]
    elif "arguments" in call:
        assert _value(row["arguments"]) == call["arguments"]
        assert pd.isna(row["arguments"]) == (call["arguments"] is None)
    if call.get("call_id") is not None:
        assert row["call_id"] == call["call_id"]
    if "output" in call:
        assert pd.isna(row["output"]) == (call["output"] is None)
        assert _same_output(_value(row["output"]), _value(call["output"]))
    if "error" in call:
        assert (None if pd.isna(row["error"]) else bool(row["error"])) is call["error"]
    for column in ("kind", "server", "depth", "agent", "turn"):
        if column in call:
            assert row[column] == call[column]


def _same_output(found: Any, wanted: Any) -> bool:
    """Of a search result title and address count, and the envelope of a single text does not."""
    if isinstance(wanted, list) and isinstance(found, list):
        return len(found) == len(wanted) and all(map(_same_output, found, wanted))
    if isinstance(wanted, dict) and isinstance(found, dict) and "url" in wanted:
        return all(found.get(name) == value for name, value in wanted.items())
    if isinstance(wanted, list) and len(wanted) == 1 and isinstance(wanted[0], dict) and set(wanted[0]) == {"text"}:
        return bool(_value(found) == _value(wanted[0]["text"]))
    return bool(found == wanted)


def _check_messages(data: Dataset, wanted: dict[str, Any]) -> None:
    for place, text in (wanted.get("error_contains") or {}).items():
        case, _, position = str(place).rpartition("/")
        calls = data.calls[data.calls["position"] == int(position)]
        row = calls[calls["case"] == case].iloc[0] if case in data.cases.index else calls.iloc[0]
        assert text in row["error_message"]


def _value(text: Any) -> Any:
    """A text as the JSON it may be, even twice; missing as None."""
    if text is None or text is pd.NA:
        return None
    for _ in range(2):
        if isinstance(text, str):
            try:
                text = json.loads(text)
            except ValueError:
                break
    return text
