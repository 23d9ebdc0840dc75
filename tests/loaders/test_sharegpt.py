from __future__ import annotations

import json

import toolcorrect as tc
from tests.loaders.plain import rows


def turns(*pairs, **more):
    return {"conversations": [{"from": who, "value": text} for who, text in pairs], **more}


def test_parallel_calls_of_one_turn():
    calls = json.dumps([{"name": "f", "arguments": {"a": 1}}, {"name": "g", "arguments": "{}"}])
    record = turns(
        ("user", "Go"), ("function_call", calls), ("observation", "1"), ("observation", "2"), ("gpt", "Ok")
    )
    data = tc.load([record, turns(("human", "hi"), ("gpt", "hello"), tools="[]")])
    assert tc.detect([record]).format == "sharegpt"
    assert rows(data.calls, "case", "tool", "arguments", "step", "output") == [
        ["0", "f", '{"a":1}', 0, '"1"'],
        ["0", "g", "{}", 0, '"2"'],
    ]
    assert data.cases.tools_known.to_list() == [False, True]


def test_a_call_that_is_no_json_is_kept():
    data = tc.load([turns(("user", "Go"), ("function_call", '{"name": "f", "arguments": {"a": '))])
    assert rows(data.calls, "tool", "arguments", "arguments_status") == [["f", None, "failed"]]


def test_hermes_text_that_breaks_off():
    text = (
        '<think>maybe <tool_call>{"name": "no"}</tool_call></think>One moment'
        '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n'
        '<tool_call>{\'name\': "g", "arguments": {}}</tool_call><tool_call>{"name": "h", "arguments": {"b": "x'
    )
    record = turns(("human", "Go"), ("gpt", text))
    data = tc.load([record])
    assert tc.detect([record]).format == "hermes_text"
    assert rows(data.calls, "tool", "arguments", "arguments_status", "step") == [
        ["f", '{"a": 1}', "ok", 0],
        ["g", "{}", "ok", 0],
        ["h", None, "failed", 0],
    ]
    assert data.cases.output.to_list() == ["One moment"]


def test_hermes_text_in_chat_messages():
    system = "Use <tools>\n{\"name\": \"f\"}\n{\"name\": \"g\"}\n</tools>"  # fmt: skip
    messages = [
        {"role": "system", "content": system},
        {"role": "user", "content": "Go"},
        {"role": "assistant", "content": '<tool_call>{"name": "f", "arguments": {}}</tool_call>'},
        {"role": "tool", "content": '<tool_response>{"x": 1}</tool_response>'},
    ]
    data = tc.load([{"messages": messages, "suite": "s"}])
    assert rows(data.calls, "tool", "output") == [["f", '"{\\"x\\": 1}"']]
    assert data.tools.tool.to_list() == ["f", "g"]
    assert data.cases.suite.to_list() == ["s"]


def test_a_speaker_nobody_knows_does_not_lose_the_others():
    data = tc.load([turns(("human", "a"), ("martian", "b")), turns(("human", "a"))])
    assert len(data.cases) == 1
    assert "martian" in data.report[data.report.code == "unreadable"].note.iloc[0]
