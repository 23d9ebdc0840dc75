from __future__ import annotations

import json

import pytest

import toolcorrect as tc
from toolcorrect.loaders import Rows
from toolcorrect.loaders.assembling import assemble
from toolcorrect.loaders.parts import part_of, times
from toolcorrect.loaders.source import open_records


@pytest.fixture
def rows():
    return Rows(open_records([]))


def dataset(rows):
    return assemble([part_of(rows)])


def codes(data):
    return data.report.set_index("code")["count"].drop("id_made", errors="ignore").to_dict()


def test_an_execution_joins_its_announcement_by_id(rows):
    case = rows.case("x")
    case.call("search", '{"q": "a"}', id="1", wire=True, step=0)
    case.call("search", '{"q": "b"}', id="2", wire=True, step=0)
    # Executed in the other order, which is not the order of the calls.
    case.execution("search", {"q": "b"}, id="2", output="B", error=False, started="2026-01-01T00:00:00Z")
    case.execution("search", {"q": "a"}, id="1", error=True, error_message="down")
    calls = dataset(rows).calls
    assert calls.arguments.to_list() == ['{"q": "a"}', '{"q": "b"}']
    assert calls.source.to_list() == ["both", "both"]
    assert calls.error.to_list() == [True, False]
    assert calls.error_message[0] == "down"
    assert calls.output[1] == '"B"'
    assert str(calls.started[1]) == "2026-01-01 00:00:00+00:00"


def test_without_ids_equal_arguments_count_before_order(rows):
    case = rows.case("x")
    case.call("search", {"q": "a"})
    case.call("search", {"q": "b", "n": 1})
    case.execution("search", '{"n": 1, "q": "b"}', output=2, wire=True)
    case.execution("search", {"q": "a", "limit": 5}, output=1)
    case.execution("search", {"q": "c"}, output=3)
    calls = dataset(rows).calls
    assert calls.output.to_list() == ["1", "2", "3"]
    assert calls.source.to_list() == ["both", "both", "tool"]


def test_a_call_told_again_is_one_call(rows):
    case = rows.case("x")
    for _ in range(3):
        case.call("search", '{"q": 1}', id="1", wire=True)
    case.execution("search", id="1", output=1)
    case.execution("search", id="1", output=1)
    data = dataset(rows)
    assert len(data.calls) == 1
    assert codes(data) == {"merged": 3} or data.report["count"].sum() == 3


def test_an_id_used_for_another_call_loses_nothing(rows):
    case = rows.case("x")
    case.call("search", {"q": 1}, id="call_0")
    case.call("book", {"q": 2}, id="call_0")
    data = dataset(rows)
    assert data.calls.tool.to_list() == ["search", "book"]
    assert codes(data) == {"id_reused": 1}


def test_ids_within_a_step_answer_in_their_own_step(rows):
    case = rows.case("x", ids_within="step")
    for step, output in enumerate(("first", "second")):
        case.call("search", {"q": 1}, id="call_0", step=step)
        case.result(output, id="call_0")
    calls = dataset(rows).calls
    assert calls.output.to_list() == ['"first"', '"second"']


def test_results_without_ids_go_to_the_oldest_open_call_of_that_tool(rows):
    case = rows.case("x")
    case.call("search", {})
    case.call("book", {})
    case.call("search", {})
    for tool, output in (("book", 1), ("search", 2), ("search", 3), ("search", 4)):
        case.result(output, tool=tool)
    data = dataset(rows)
    assert data.calls.output.to_list() == ["2", "1", "3"]
    assert codes(data) == {"result_without_call": 1}


def test_a_malformed_record_leaves_nothing_behind(rows):
    with rows.record("record 0"):
        rows.case("kept").call("search")
    with rows.record("record 1"):
        case = rows.case("lost")
        case.call("search")
        case.report("noted")
        rows.tool("lost")
        case.call(None)
    data = dataset(rows)
    assert data.cases.index.to_list() == ["kept"]
    assert data.tools.empty
    assert data.report[["record", "code"]].values.tolist() == [["record 1", "unreadable"]]
    assert data.report.note[0].endswith("(a tool name is a text, not null)")


def test_null_empty_and_missing_arguments_stay_apart(rows):
    case = rows.case("x")
    case.call("a")
    case.call("b", None)
    case.call("c", {})
    case.call("d", "")
    calls = dataset(rows).calls
    assert calls.arguments_status.to_list() == ["absent", "null", "ok", "empty"]
    assert calls.arguments.isna().to_list() == [True, True, False, False]


def test_tags_take_the_dtype_that_fits_them(rows):
    rows.case("x", n=1, ratio=1, mixed=1, flag=True, tags={"references": "mine"})
    rows.case("y", n=None, ratio=0.5, mixed="a", flag=None)
    cases = dataset(rows).cases
    assert cases.dtypes[["n", "ratio", "flag"]].astype(str).to_list() == ["Int64", "float64", "boolean"]
    assert cases.mixed.to_list() == ["1", "a"]
    assert cases.references_["x"] == "mine"
    assert cases.references.to_list() == [1, 1]


def test_numbers_that_are_none_are_reported(rows):
    rows.case("x", outcome="good", trial=1.5)
    rows.case("y", outcome="0.5", trial="2")
    data = dataset(rows)
    assert data.cases.outcome["y"] == 0.5
    assert data.cases.trial["y"] == 2
    assert codes(data) == {"not_a_number": 1}
    assert data.report["case"].to_list() == ["x", "x"]


def test_lone_surrogates_become_their_escapes(rows):
    rows.case("x\ud800", model="m\udfff").call("t\ud83d", {"q": "\ud800"})
    data = dataset(rows)
    assert data.calls.tool[0] == "t\\ud83d"
    assert data.calls.arguments[0] == '{"q":"\\ud800"}'


def test_times_of_every_kind(rows):
    case = rows.case("x")
    for started in (
        "2026-01-01T00:00:00.5Z",
        1767225600500000000,
        "1767225600500000000",
        "2926-01-01T00:00:00Z",
        "soon",
        -1e30,
    ):
        case.call("search", started=started)
    found = dataset(rows).calls.started
    assert found[:3].nunique() == 1
    assert str(found[0]) == "2026-01-01 00:00:00.500000+00:00"
    assert found[3].year == 2926
    assert found[4:].isna().all()


@pytest.mark.parametrize("also", [{}, {"case": "b"}])
def test_a_name_that_is_no_unicode_text_is_a_column_by_its_escape(tmp_path, also):
    path = tmp_path / "records.jsonl"
    records = [{"called": ["search"], "expected": [], "half \ud83d": 1}, {"called": [], "expected": [], **also}]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    data = tc.load(path)
    assert data.cases["half \\ud83d"].fillna(0).to_list() == [1, 0]
    data.save(tmp_path / "saved")
    assert "half \\ud83d" in tc.Dataset.open(tmp_path / "saved").cases


def test_times_of_one_spelling_are_those_of_mixed_spellings():
    usual = ["2026-01-01T12:00:00Z", "2026-02-28T23:59:59.123456-03:30", "1969-12-31T23:59:59.5+00:00", None]
    others = ["2026-02-30T12:00:00Z", "2026-01-01T12:00:00.123456789Z", "2026-01-01 12:00", "soon"]
    mixed = times([*usual, *others]).to_pylist()
    assert times(usual).to_pylist() == mixed[: len(usual)]
    assert [time is None for time in mixed[len(usual) :]] == [True, False, False, True]
    assert times(["2026-02-30T12:00:00Z"]).to_pylist() == [None]
