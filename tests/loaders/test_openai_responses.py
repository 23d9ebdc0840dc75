from __future__ import annotations

import toolcorrect as tc
from tests.loaders.plain import cells

ASKED = {"role": "user", "content": "Weather?"}


def call(identity, name="weather", arguments="{}"):
    return {
        "type": "function_call",
        "id": f"fc_{identity}",
        "call_id": identity,
        "name": name,
        "arguments": arguments,
    }


def output(identity, text="21"):
    return {"type": "function_call_output", "call_id": identity, "output": text}


def test_items_of_one_answer_are_one_step_and_reasoning_does_not_part_them():
    items = [ASKED, call("1"), {"type": "reasoning", "summary": []}, call("2"), output("2"), output("1"), call("3")]
    data = tc.load(items)
    assert tc.detect(items).format == "openai_responses"
    assert data.calls.step.to_list() == [0, 0, 1]
    assert data.calls.output.isna().to_list() == [False, False, True]
    assert data.calls.error.isna().all()


def test_built_in_custom_and_remote_tools():
    items = [
        ASKED,
        {"type": "mcp_list_tools", "server_label": "crm", "tools": [{"name": "lookup", "input_schema": {}}]},
        {"type": "web_search_call", "id": "ws", "status": "completed", "action": {"type": "search", "query": "Oslo"}},
        {"type": "file_search_call", "id": "fs", "status": "failed", "queries": ["Oslo"], "results": None},
        {
            "type": "mcp_call",
            "id": "m",
            "name": "lookup",
            "server_label": "crm",
            "arguments": '{"id": 7}',
            "output": "x",
        },
        {"type": "mcp_call", "id": "n", "name": "lookup", "server_label": "crm", "arguments": "{}", "error": "down"},
        {"type": "custom_tool_call", "call_id": "c", "name": "shell", "input": "ls {"},
        {"type": "custom_tool_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "files"}]},
    ]
    calls = tc.load(items).calls
    assert calls.tool.to_list() == ["web_search", "file_search", "lookup", "lookup", "shell"]
    assert calls.kind.to_list() == ["server", "server", "mcp", "mcp", "function"]
    assert calls.arguments.to_list()[:2] == ['{"type":"search","query":"Oslo"}', '{"queries":["Oslo"]}']
    assert cells(calls.error) == [False, True, False, True, None]
    assert calls.error_message.to_list()[3] == "down"
    assert calls.arguments.to_list()[4] == '"ls {"'
    assert calls.output.to_list()[4] == '"files"'
    assert calls.step.nunique() == 1
    assert tc.load(items).tools.tool.to_list() == ["lookup"]


def test_a_call_that_waited_for_approval_is_one_call():
    asked = {"type": "mcp_approval_request", "id": "a", "name": "drop", "server_label": "db", "arguments": "{}"}
    done = {"type": "mcp_call", "id": "m", "approval_request_id": "a", "name": "drop", "server_label": "db"}
    never = {**asked, "id": "b"}
    calls = tc.load([ASKED, asked, never, {**done, "arguments": "{}", "output": "ok"}]).calls
    assert calls.call_id.to_list() == ["a", "b"]
    assert calls.output.isna().to_list() == [False, True]


def test_responses_that_continue_each_other_are_one_run():
    first = {"id": "r1", "object": "response", "model": "m", "output": [call("1")], "tools": []}
    second = {"id": "r2", "object": "response", "previous_response_id": "r1", "output": [call("2")], "tools": []}
    log = [
        {"request": {"input": "Weather?"}, "response": first},
        {"id": "other", "object": "response", "output": [call("9")]},
        {"request": {"input": [output("1")], "previous_response_id": "r1"}, "response": second},
    ]
    data = tc.load(log)
    assert data.calls.groupby("case").call_id.agg(list).to_dict() == {"other": ["9"], "r2": ["1", "2"]}
    whole = data.calls[data.calls.case == "r2"]
    assert whole.step.to_list() == [0, 1]
    assert data.cases.loc["r2", "input"] == "Weather?"
    assert data.cases.loc["r2", "model"] == "m"


def test_tools_of_openai_have_their_type_as_name():
    tools = [{"type": "web_search_preview"}, {"type": "function", "name": "f", "parameters": {}}, {"type": "mcp"}]
    data = tc.load({"id": "r", "object": "response", "output": [], "tools": tools})
    assert data.tools.tool.to_list() == ["web_search_preview", "f"]
    assert data.cases.called_known.all()
    assert data.calls.empty


def test_streams_whole_and_broken_off():
    def stream(identity, *calls, done):
        response = {"id": identity, "object": "response", "output": []}
        items = [{"type": "response.output_item.done", "item": item} for item in calls]
        end = [{"type": "response.completed", "response": {**response, "output": list(calls)}}] if done else []
        return [{"type": "response.created", "response": response}, {"type": "response.in_progress"}, *items, *end]

    events = [*stream("r1", call("1"), done=True), *stream("r2", call("2"), call("3"), done=False)]
    data = tc.load(events)
    assert data.calls.groupby("case").call_id.agg(list).to_dict() == {"r1": ["1"], "r2": ["2", "3"]}
    assert "unreadable" not in data.report.code.to_list()
