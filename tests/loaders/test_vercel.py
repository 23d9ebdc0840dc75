from __future__ import annotations

import toolcorrect as tc
from tests.loaders.plain import rows

COLUMNS = ("tool", "arguments", "step", "output", "error", "error_message", "kind")
ASKED = {"role": "user", "content": "Go"}


def call(identity, **more):
    return {"type": "tool-call", "toolCallId": identity, "toolName": "f", "input": {"n": identity}, **more}


def test_model_messages_of_both_versions():
    messages = [
        ASKED,
        {"role": "assistant", "content": [call("1"), call("2", providerExecuted=True), call("3")]},
        {"role": "tool", "content": [
            {"type": "tool-result", "toolCallId": "1", "toolName": "f", "result": {"x": 1}, "isError": True},
            {"type": "tool-result", "toolCallId": "2", "toolName": "f", "output": {"type": "text", "value": "fine"}},
            {"type": "tool-result", "toolCallId": "3", "toolName": "f",
             "output": {"type": "execution-denied", "reason": "not allowed"}},
        ]},
        {"role": "assistant", "content": [{**call("4"), "input": '{"n": ', "invalid": True}]},
    ]  # fmt: skip
    data = tc.load(messages)
    assert rows(data.calls, *COLUMNS) == [
        ["f", '{"n":"1"}', 0, '{"x":1}', True, '{"x":1}', "function"],
        ["f", '{"n":"2"}', 0, '"fine"', False, None, "server"],
        ["f", '{"n":"3"}', 0, '"not allowed"', True, "not allowed", "function"],
        ["f", None, 1, None, None, None, "function"],
    ]
    assert data.calls.arguments_raw.iloc[3] == '{"n": '


def test_messages_of_the_interface():
    def part(kind, state, identity, **more):
        return {"type": kind, "state": state, "toolCallId": identity, "input": {}, **more}

    messages = [
        {"role": "user", "parts": [{"type": "text", "text": "Go"}]},
        {
            "role": "assistant",
            "parts": [
                {"type": "step-start"},
                part("tool-f", "output-available", "1", output=21),
                part("dynamic-tool", "output-error", "2", toolName="g", errorText="down"),
                {"type": "step-start"},
                part("tool-get-time", "input-available", "3"),
                {"type": "text", "text": "Done"},
            ],
        },
    ]
    data = tc.load({"id": "chat", "messages": messages})
    assert tc.detect({"messages": messages}).format == "vercel_ai_messages"
    assert rows(data.calls, "tool", "step", "output", "error", "error_message") == [
        ["f", 0, "21", False, None],
        ["g", 0, '"down"', True, "down"],
        ["get-time", 1, None, None, None],
    ]
    assert data.cases.loc["chat", ["input", "output"]].to_list() == ["Go", "Done"]


def test_invocations_of_version_4_are_read_once():
    invocation = {"state": "result", "toolCallId": "1", "toolName": "f", "args": {}, "result": "ok"}
    old = {"role": "assistant", "content": "", "toolInvocations": [invocation]}
    both = {**old, "parts": [{"type": "tool-invocation", "toolInvocation": invocation}]}
    for message in (old, both):
        data = tc.load([ASKED, message])
        assert rows(data.calls, "tool", "output", "error") == [["f", '"ok"', False]]


def test_steps_show_failures_only_in_their_content():
    steps = [
        {"text": "", "toolCalls": [call("1"), call("2")], "toolResults": [{"toolCallId": "2", "output": 2}],
         "content": [call("1"), {"type": "tool-error", "toolCallId": "1", "toolName": "f", "error": {}}]},
        {"text": "Done", "toolCalls": [], "toolResults": []},
    ]  # fmt: skip
    for source in (steps, {"text": "Done", "steps": steps, "toolCalls": [], "toolResults": []}):
        assert tc.detect(source).format == "vercel_ai_steps"
        data = tc.load(source)
        assert rows(data.calls, "call_id", "step", "output", "error") == [["1", 0, None, True], ["2", 0, "2", False]]
        assert data.cases.output.to_list() == ["Done"]
