from __future__ import annotations

import json

import toolcorrect as tc


def call(name, arguments, call_id):
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def asks(*calls, **more):
    return {"role": "assistant", "content": None, "tool_calls": list(calls), **more}


def answers(call_id, content):
    return {"role": "tool", "tool_call_id": call_id, "content": content}


USER = {"role": "user", "content": "Which is warmer?"}
RUN = [
    {"role": "system", "content": "You help."},
    USER,
    asks(call("weather", '{"city": "Oslo"}', "1"), call("weather", '{"city": "Rome"}', "2"), function_call=None),
    answers("2", "21"),
    answers("1", [{"type": "text", "text": "1"}, {"type": "text", "text": "2"}]),
    asks(call("book", "", "3")),
    {"role": "assistant", "content": "Rome."},
    {"role": "user", "content": "Sure?"},
    asks(call("weather", '{"city": ', "4")),
]


def test_calls_steps_turns_and_outputs():
    data = tc.load(RUN)
    assert tc.detect(RUN).format == "openai_chat"
    assert data.calls[["tool", "call_id", "turn", "step"]].values.tolist() == [
        ["weather", "1", 0, 0],
        ["weather", "2", 0, 0],
        ["book", "3", 0, 1],
        ["weather", "4", 1, 2],
    ]
    assert data.calls.output.to_list()[:2] == ['"12"', '"21"']
    assert data.calls.output.isna().to_list() == [False, False, True, True]
    assert data.calls.arguments_status.to_list() == ["ok", "ok", "empty", "failed"]
    # The format has no flag: unknown is not False.
    assert data.calls.error.isna().all()
    case = data.cases.iloc[0]
    assert (case.turns, case.input, case.output) == (2, "Which is warmer?", "Rome.")
    assert not case.expected_known


def test_extra_keys_are_columns_and_expectations_are_read(tmp_path):
    path = tmp_path / "runs.jsonl"
    tools = [{"type": "function", "function": {"name": "book", "parameters": {"type": "object"}}}]
    records = [
        {"messages": RUN, "tools": tools, "model": "m", "task": "t", "trial": i, "outcome": i, "tag": {"a": 1},
         "expected": [{"name": "book", "arguments": "{}"}], "temperature": 0}
        for i in range(2)
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, records)))
    data = tc.load(path)
    assert data.cases[["task", "model", "trial", "outcome", "tag"]].values.tolist() == [
        ["t", "m", 0, 0.0, '{"a":1}'],
        ["t", "m", 1, 1.0, '{"a":1}'],
    ]
    # Two trials with the same words are two runs.
    assert len(data.calls) == 8
    assert data.expected.arguments_form.to_list() == ["object", "object"]
    assert data.tools.tool.to_list() == ["book", "book"]
    assert "temperature" not in data.cases


def test_a_log_of_requests_is_one_run(tmp_path):
    path = tmp_path / "log.jsonl"
    requests = [{"model": "m", "messages": RUN[:n]} for n in (2, 5, 6, 8)]
    requests.append({"model": "m", "messages": RUN[:8], "choices": [{"index": 0, "message": RUN[8]}]})
    other = {"model": "m", "messages": [USER, {"role": "assistant", "content": "no"}]}
    path.write_text("\n".join(map(json.dumps, [*requests, other])))
    data = tc.load(path)
    assert len(data) == 2
    assert data.calls.call_id.to_list() == ["1", "2", "3", "4"]
    merged = data.report[data.report.code == "history_merged"]
    assert merged["count"].to_list() == [4]


def test_requests_of_other_models_are_other_runs():
    records = [{"model": name, "messages": RUN[:n]} for n, name in ((6, "a"), (8, "b"))]
    assert len(tc.load(records)) == 2


def test_legacy_functions_and_custom_tools():
    messages = [
        USER,
        {"role": "assistant", "content": None, "function_call": {"name": "weather", "arguments": '{"city": "Oslo"}'}},
        {"role": "function", "name": "weather", "content": "3"},
        asks({"id": "c", "type": "custom", "custom": {"name": "shell", "input": '{"not": "decoded"}'}}),
    ]
    data = tc.load({"messages": messages, "functions": [{"name": "weather", "parameters": {}}]})
    assert data.calls.tool.to_list() == ["weather", "shell"]
    assert data.calls.output[0] == '"3"'
    assert json.loads(data.calls.arguments[1]) == '{"not": "decoded"}'
    assert data.calls.arguments_status[1] == "non_object"
    assert data.tools.tool.to_list() == ["weather"]


def test_reused_ids_answer_in_their_own_step():
    steps = [
        asks(call("a", "{}", "call_0")),
        answers("call_0", "x"),
        asks(call("a", "{}", "call_0")),
        answers("call_0", "y"),
    ]
    assert tc.load([USER, *steps]).calls.output.to_list() == ['"x"', '"y"']


def test_every_choice_of_a_response_is_a_case():
    choices = [{"index": i, "message": asks(call("a", "{}", str(i)))} for i in range(2)]
    response = {"object": "chat.completion", "id": "r", "model": "m", "choices": choices}
    data = tc.load(response)
    assert data.calls.groupby("case").size().to_list() == [1, 1]
    assert data.cases.model.to_list() == ["m", "m"]


def test_other_families_are_not_taken_for_it():
    for messages in (
        [{"role": "user", "parts": [{"text": "hi"}]}],
        [{"role": "user", "content": [{"text": "hi"}]}, {"role": "assistant", "content": [{"toolUse": {}}]}],
        [{"role": "assistant", "content": [{"type": "tool_use", "name": "a", "input": {}}]}],
    ):
        found = tc.detect({"messages": messages})
        assert found.format != "openai_chat"


def test_what_other_families_call_in_the_same_file_is_not_lost():
    text_only = [{"messages": [USER, {"role": "assistant", "content": "No need."}]}] * 60
    use = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
    other = [
        {"messages": [USER, {"role": "assistant", "content": [use]}]},
        {"contents": [{"role": "model", "parts": [{"functionCall": {"name": "g", "args": {}}}]}]},
        {"messages": [USER, {"role": "assistant", "content": '<tool_call>{"name": "h"}</tool_call>'}]},
        {"nothing": "here"},
    ]
    data = tc.load([*text_only, *other])
    assert data.calls.tool.to_list() == ["f", "g", "h"]
    assert len(data.cases) == 63
    assert data.report[data.report.code == "unreadable"].record.to_list() == ["record 63"]


def test_names_of_tools_beside_an_input_are_no_other_family():
    record = {"messages": [{"role": "user", "content": "Hi"}], "tools": ["f", "g"], "input": "q"}
    data = tc.load([record])
    assert data.tools.tool.to_list() == ["f", "g"]


def test_half_characters_in_tools_are_kept_as_escapes():
    tool = {"name": "f\ud83d", "description": "half \ud83d", "parameters": "\ud83d"}
    data = tc.load([{"called": ["f"], "tools": [tool]}])
    assert data.tools[["tool", "description", "parameters"]].to_numpy().tolist() == [
        ["f\\ud83d", "half \\ud83d", "\\ud83d"]
    ]
