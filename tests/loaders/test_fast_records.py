from __future__ import annotations

import importlib.util
import json
import sys

import pandas as pd
import pytest

import toolcorrect as tc
from tests.shared import shared
from toolcorrect.loaders import fast_records
from toolcorrect.tables import TABLES


def both_ways(path, monkeypatch, **options):
    """Load by columns and record by record; the datasets must be the same in every cell and dtype."""
    fast = tc.load(path, format="records", **options)
    monkeypatch.setattr(fast_records, "plan_of", lambda source: None)
    slow = tc.load(path, format="records", **options)
    for table in TABLES:
        pd.testing.assert_frame_equal(getattr(fast, table), getattr(slow, table))
    return fast


@pytest.fixture(scope="module")
def workload(tmp_path_factory):
    found = importlib.util.spec_from_file_location("make_workload", shared("bench/make_workload.py"))
    module = importlib.util.module_from_spec(found)
    sys.modules["make_workload"] = module
    found.loader.exec_module(module)
    folder = tmp_path_factory.mktemp("workload")
    for form in ("string", "object"):
        module.make(2000, folder / form, tools=80, hazards=0.02, expected_arguments=form)
    return folder


@pytest.mark.parametrize("size", [1 << 16, 4 << 20])
def test_the_workload_is_the_same_by_columns_and_by_records(workload, monkeypatch, size):
    monkeypatch.setattr(fast_records, "BLOCK", size)
    taken = []
    read = fast_records.Plan.read
    monkeypatch.setattr(fast_records.Plan, "read", lambda *a: taken.append(read(*a) is not None) or read(*a))
    data = both_ways(workload / "string.jsonl", monkeypatch)
    assert len(data) == 2000
    assert taken
    assert all(taken)
    assert set(data.calls.arguments_status) == {"ok", "empty", "non_object", "failed", "null"}
    assert data.report.code.to_list() == [
        "arguments_decoded_twice", "arguments_failed", "arguments_not_object",
        "expected_arguments_decoded_twice", "expected_arguments_failed", "expected_arguments_not_object",
    ]  # fmt: skip


def test_arguments_as_objects_fall_back_and_mean_the_same(workload):
    text, objects = (tc.load(workload / f"{form}.jsonl") for form in ("string", "object"))
    assert text.expected.tool.equals(objects.expected.tool)
    regular = text.expected.arguments_form.eq("object") & text.expected.arguments.notna()
    for one, other in zip(text.expected.arguments[regular], objects.expected.arguments[regular]):
        assert repr(json.loads(one)) == repr(json.loads(other))


REGULAR = {
    "id": "x", "model": "m", "suite": "s", "n": 1, "called": [{"name": "a", "arguments": '{"q": 1}'}],
    "expected": [{"name": "a"}],
}  # fmt: skip
IRREGULAR = {
    "another key": {"extra": {"a": [1]}},
    "another type": {"n": "one"},
    "a float among integers": {"n": 1.5},
    "a wide integer": {"n": 2**70},
    "null": {"n": None, "called": None},
    "null arguments": {"called": [{"name": "a", "arguments": None}]},
    "missing arguments": {"called": [{"name": "a"}]},
    "object arguments": {"called": [{"name": "a", "arguments": {"q": 1}}]},
    "names": {"called": ["a", "b"]},
    "a null call": {"called": [None]},
    "a null name": {"called": [{"name": None}]},
    "alternatives": {"expected": {"any_of": [["a"], ["b"]]}},
    "a lone surrogate": {"suite": "\ud800"},
    "another alias": {"case": "y"},
    "a kind": {"called": [{"name": "a", "type": "MCP"}]},
    "empty": {"called": [], "expected": []},
}


@pytest.mark.parametrize("kind", IRREGULAR)
@pytest.mark.parametrize("place", [0, 60])
def test_irregular_records_lose_no_field(tmp_path, monkeypatch, kind, place):
    monkeypatch.setattr(fast_records, "BLOCK", 2000)
    records = [{**REGULAR, "id": str(i)} for i in range(120)]
    records[place] = {**records[place], **IRREGULAR[kind]}
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(map(json.dumps, records)) + "\n")
    data = both_ways(path, monkeypatch)
    assert len(data) + data.report.code.eq("unreadable").sum() == 120


@pytest.mark.parametrize(
    "line",
    [
        b"", b"  ", b'{"id": "a"', b'{"id": "a"} {"id": "b"}', b'{}{"id": "a",', b'"expected": []}', b"[]", b"nul",
        b'{"id": "a", "id": "b"}', b'{"id": "\xff"}', b'{"id": "a"}\r', b'{"n": NaN}', b'{"n": 01}',
        b'{"id": "\x01"}',
        b'{"called": [' + b"[" * 3000 + b"]" * 3000 + b"]}",
    ],
)  # fmt: skip
def test_bad_lines_are_told_in_both_ways(tmp_path, monkeypatch, line):
    monkeypatch.setattr(fast_records, "BLOCK", 2000)
    lines = [json.dumps({**REGULAR, "id": str(i)}).encode() for i in range(120)]
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"\n".join([*lines[:60], line, *lines[60:]]))
    data = both_ways(path, monkeypatch)
    assert len(data) >= 120


def test_renamed_keys_and_rich_calls(tmp_path, monkeypatch):
    call = {
        "tool_name": "a", "args": "{'q': 1}", "output": "out", "error": True, "turn": 1, "step": 0,
        "type": "function",
    }  # fmt: skip
    records = [{"question": str(i), "reward": i, "tools_called": [call, {"tool_name": "b"}]} for i in range(100)]
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    data = both_ways(path, monkeypatch, columns={"question": "case"})
    assert data.cases.index[99] == "99"
    assert data.cases.outcome.iloc[99] == 99
    assert data.calls.iloc[0][["output", "error", "arguments_status", "arguments_form"]].to_list() == [
        '"out"', True, "repaired", "text",
    ]  # fmt: skip
