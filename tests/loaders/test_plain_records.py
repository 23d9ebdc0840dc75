from __future__ import annotations

import json

import pandas as pd
import pytest

import toolcorrect as tc
from tests.shared import shared
from toolcorrect.errors import LoadError, OptionError, UnknownNameError


def calls_of(record, **options):
    return tc.load([record], format="records", **options).calls


@pytest.mark.parametrize("called", ["called", "tools_called", "tool_calls", "toolsCalled", "called_tools", "calls"])
@pytest.mark.parametrize("name", ["name", "tool_name", "toolName", "tool", "function"])
@pytest.mark.parametrize("arguments", ["arguments", "args", "input_parameters", "inputParameters", "kwargs", "input"])
def test_every_alias_is_understood(called, name, arguments):
    data = tc.load([{"case_id": "x", called: [{name: "search", arguments: {"q": 1}}], "expected_tools": ["search"]}])
    assert data.cases.index.to_list() == ["x"]
    assert data.calls[["tool", "arguments"]].values.tolist() == [["search", '{"q":1}']]
    assert data.expected.tool.to_list() == ["search"]
    assert data.report.empty


def test_alternatives_nested_too_deep_leave_the_case_without_a_reference(tmp_path):
    record = {"case": "x", "called": ["a"], "expected": {"any_of": [[[{"name": "a"}, {"name": "b"}]]]}}
    (tmp_path / "runs.jsonl").write_text(json.dumps(record))
    for source in ([record], tmp_path / "runs.jsonl"):
        data = tc.load(source)
        assert data.calls.tool.to_list() == ["a"]
        assert data.cases.expected_known.to_list() == [False]
        assert data.report[["case", "code"]].to_numpy().tolist() == [["x", "alternatives_nested_too_deep"]]


def test_everything_a_call_can_say():
    call = {
        "name": "search", "arguments": None, "output": {"n": 1}, "error": "down", "id": 7, "actor": "user",
        "turn": 1, "step": 2, "type": "MCP", "server": "shop", "reasoning": "because", "strange": 1,
    }  # fmt: skip
    data = tc.load([{"case": "x", "called": [call], "expected": [{"name": "a", "role": "optional", "turn": 1}]}])
    found = data.calls.iloc[0]
    assert found[["turn", "step", "call_id", "output", "actor", "kind", "server"]].to_list() == [
        1, 2, "7", '{"n":1}', "user", "mcp", "shop",
    ]  # fmt: skip
    assert (found.error, found.error_message, found.arguments_status) == (True, "down", "null")
    assert data.expected.iloc[0][["role", "turn"]].to_list() == ["optional", 1]
    assert data.report[["code", "note"]].values.tolist() == [["ignored_keys", "'strange' of calls"]]


def test_null_empty_and_missing_lists_stay_apart():
    data = tc.load(
        [
            {"case": "none", "called": [], "expected": []},
            {"case": "null", "called": None, "expected": None},
            {"case": "missing"},
        ],
        format="records",
    )
    assert data.cases.called_known.to_list() == [True, False, False]
    assert data.cases.expected_known.to_list() == [True, False, False]


@pytest.mark.parametrize(
    ("written", "meant", "value"),
    [("caled", "called", ["a"]), ("expcted", "expected", None), ("tool_cals", "tool_calls", ["a"])],
)
def test_keys_that_are_nearly_those_of_lists_are_reported_once_a_file(tmp_path, written, meant, value):
    other = {"expected": ["a"]} if meant != "expected" else {"called": ["a"]}
    records = [{"case": str(i), written: value, **other} for i in range(3)]
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    for source in (records, path):
        report = tc.load(source).report
        assert report["note"].to_list() == [f"{written!r} is not understood; is {meant!r} meant?"]
        assert report[["code", "count"]].to_numpy().tolist() == [["unknown_key", 3]]


def test_keys_that_are_nearly_those_of_lists_are_reported_in_tables_and_beside_messages(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("case,called,expcted\nx,a;b,a\n")
    assert tc.load(path).report["note"].to_list() == ["'expcted' is not understood; is 'expected' meant?"]
    call = {"id": "1", "type": "function", "function": {"name": "a", "arguments": "{}"}}
    chat = {"messages": [{"role": "assistant", "tool_calls": [call]}], "Expected": ["a"], "caled": []}
    assert tc.load([chat]).report["note"].dropna().to_list() == [
        "no id in the file",
        "'Expected' is not understood; is 'expected' meant?",
    ]


def test_keys_of_the_user_are_no_slips():
    tags = {"caled": ["a"], "expected_output": None, "expcted": "soon", "labels": ["a"]}
    assert tc.load([{"case": "x", "called": ["a"], **tags}], format="records").report.empty


def test_alternatives_are_references():
    expected = {"any_of": [["a", "b"], [], ["c"]]}
    data = tc.load([{"case": "x", "called": [], "expected": expected}])
    assert data.cases.references.to_list() == [3]
    assert data.expected[["reference", "position", "tool"]].values.tolist() == [[0, 0, "a"], [0, 1, "b"], [2, 0, "c"]]


def test_arguments_form_follows_the_wire():
    text = '{"q": 1}'
    plain = tc.load([{"case": "x", "called": [{"name": "a", "arguments": text}], "expected": ["a"]}])
    assert plain.calls.arguments_form.to_list() == ["text"]
    wire = {"case": "x", "tool_calls": [{"function": {"name": "a", "arguments": text}}, {"function": {"name": "a"}}]}
    data = tc.load([{**wire, "expected": [{"name": "a", "arguments": text}, {"name": "a", "arguments": "broken"}]}])
    assert data.calls.arguments_form.to_list() == ["object", "absent"]
    assert data.expected.arguments_form.to_list() == ["object", "text"]
    # Under `function` arguments are always texts, whatever the list is called.
    assert calls_of({"called": [{"function": {"name": "a", "arguments": text}}]}).arguments_form.to_list() == [
        "object"
    ]


def test_the_agentarts_form_flat_and_under_input():
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    lists = {
        "context": ["first", "second"],
        "tools_called": [{"name": "get_weather", "reasoning": "asked", "arguments": {"city": "Oslo"}}],
        "tool_list": [{"name": "get_weather", "description": "says", "input_parameters": schema}],
    }
    for record in (lists, {"case_id": "x", "input": lists}):
        data = tc.load([record])
        assert data.cases.input.to_list() == ["first\nsecond"]
        assert data.calls.arguments.to_list() == ['{"city":"Oslo"}']
        assert json.loads(data.tools.parameters[0]) == schema
        assert data.cases.tools_known.to_list() == [True]
        assert not data.cases.expected_known.any()


def test_frames_with_list_columns():
    frame = pd.DataFrame(
        {
            "case": ["x", "y", "z"],
            "called": [["a", {"name": "b", "arguments": {"n": 1}}], [], None],
            "expected": ["a;b", '["a"]', "[{'name': 'a'}]"],
            "outcome": [1.0, float("nan"), 0.0],
            "score": [1, 2, 3],
        }
    )
    data = tc.load(frame)
    assert data.calls.tool.to_list() == ["a", "b"]
    assert data.cases.called_known.to_list() == [True, True, False]
    assert data.expected.tool.to_list() == ["a", "b", "a", "a"]
    assert data.cases.outcome.isna().to_list() == [False, True, False]
    assert data.cases.score.to_list() == [1, 2, 3]


def test_model_run_and_columns():
    records = [{"question_id": "q1", "llm": "m", "called": [], "gold": ["a"]}]
    data = tc.load(records, run="first", columns={"question_id": "case", "llm": "model", "gold": "expected"})
    assert data.cases[["model", "run"]].to_numpy().tolist() == [["m", "first"]]
    assert data.cases.index.to_list() == ["q1"]
    assert data.expected.tool.to_list() == ["a"]
    assert tc.load(records, columns={"gold": "expected"}, model="other").cases.model.to_list() == ["other"]
    with pytest.raises(OptionError, match=r"columns= renames 'gould', which no record"):
        tc.load(records, format="records", columns={"gould": "expected"})


def test_ids_are_made_unique_across_and_inside_files(tmp_path):
    for name in ("a", "b"):
        lines = [{"case": "x", "called": []}, {"case": "x", "called": []}, {"case": name, "called": []}]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    data = tc.load(tmp_path / "*.jsonl", format="records")
    assert data.cases.index.to_list() == ["a/x", "a/x#2", "a", "b/x", "b/x#2", "b"]
    # The same id in two files is the same task, run twice.
    assert data.cases.task.to_list() == ["x", "x", "a", "x", "x", "b"]
    counted = data.report.set_index(["file", "code"])["count"].to_dict()
    assert counted == {
        ("a.jsonl", "id_prefixed"): 2, ("a.jsonl", "id_repeated"): 1,
        ("b.jsonl", "id_prefixed"): 2, ("b.jsonl", "id_repeated"): 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    "record",
    [
        7,
        {"called": {"name": "a"}},
        {"called": [7]},
        {"called": [{"arguments": {}}]},
        {"called": [{"name": "a", "turn": "x"}]},
        {"called": [{"name": "a", "turn": -1}]},
        {"expected": {"any_of": []}},
        {"expected": [{"name": "a", "role": "maybe"}]},
    ],
)
def test_a_malformed_record_loses_only_itself(record):
    data = tc.load([record, {"case": "good", "called": ["a"], "expected": []}], format="records")
    assert data.cases.index.to_list() == ["good"]
    assert data.report.code.to_list() == ["unreadable"]
    assert data.report.record.to_list() == ["record 0"]
    with pytest.raises(LoadError, match="record 0: it is not as this format should be"):
        tc.load([record], format="records", strict=True)


def test_unknown_formats_are_named():
    with pytest.raises(UnknownNameError, match=r"no format 'recordz'"):
        tc.load([{"called": []}], format="recordz")


def test_a_format_of_ones_own():
    mine = tc.loaders.Format(
        "mine", "mine", lambda source: None, tc.loaders.each_record(lambda r, rows: rows.case(r["k"]))
    )
    assert tc.load([{"k": "x"}, {}], format=mine).cases.index.to_list() == ["x"]


def test_the_worked_examples_of_the_seeds():
    data = tc.load([shared("samples/seeds/smart_home.jsonl"), shared("samples/seeds/technest.jsonl")])
    assert data.cases.index.to_list() == ["lights", "music", "thermostat", "order", "ram", "two-part"]
    assert data.calls.groupby("case", sort=False).size().to_list() == [1, 1, 2, 1, 1, 2]
    assert data.expected.arguments.isna().to_list() == [True] * 3 + [False] * 4
