from __future__ import annotations

import toolcorrect as tc
from tests.loaders.plain import cells, rows

ASKED = {"role": "user", "content": "Weather?"}


def use(identity, name="weather", kind="tool_use", **more):
    return {"type": kind, "id": identity, "name": name, "input": {"city": identity}, **more}


def result(identity, content="21", **more):
    return {"type": "tool_result", "tool_use_id": identity, "content": content, **more}


def assistant(*blocks):
    return {"role": "assistant", "content": list(blocks)}


def user(*blocks):
    return {"role": "user", "content": list(blocks)}


def test_results_join_by_id_and_words_beside_them_are_no_new_turn():
    messages = [
        ASKED,
        assistant({"type": "text", "text": "Let me see"}, use("a"), use("b")),
        user(result("b", is_error=True), result("a", [{"type": "image"}]), {"type": "text", "text": "Hurry"}),
        assistant({"type": "text", "text": "Sunny"}),
        {"role": "user", "content": "And tomorrow?"},
        assistant(use("c")),
    ]
    data = tc.load(messages)
    assert tc.detect(messages).format == "anthropic_messages"
    assert rows(data.calls, "call_id", "turn", "step", "output", "error", "error_message") == [
        ["a", 0, 0, '[{"type":"image"}]', False, None],
        ["b", 0, 0, '"21"', True, "21"],
        ["c", 1, 1, None, None, None],
    ]
    assert data.cases[["turns", "input", "output"]].values.tolist() == [[2, "Weather?", "Sunny"]]


def test_a_server_tool_that_failed():
    blocks = [
        use("s", "web_search", "server_tool_use"),
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": {"error_code": "max_uses_exceeded"}},
    ]
    calls = tc.load([ASKED, assistant(*blocks)]).calls
    assert rows(calls, "kind", "error", "error_message") == [["server", True, "max_uses_exceeded"]]


def test_a_log_of_requests_is_one_run_and_another_model_is_another():
    def logged(model, messages, *answer, identity):
        response = {"id": identity, "type": "message", "role": "assistant", "content": list(answer), "model": model}
        return {
            "request": {"model": model, "messages": messages, "tools": [{"name": "weather"}]},
            "response": response,
        }

    first = [ASKED]
    # Marks of caching move from request to request.
    second = [ASKED, assistant(use("a")), user(result("a", cache_control={"type": "ephemeral"}))]
    third = [ASKED, assistant(use("a")), user(result("a")), assistant(use("b")), user(result("b"))]
    log = [
        logged("m", first, use("a"), identity="1"),
        logged("m", second, use("b"), identity="2"),
        logged("other", first, use("z"), identity="3"),
        logged("m", third, {"type": "text", "text": "Done"}, identity="4"),
    ]
    data = tc.load(log)
    assert data.calls.groupby("case").call_id.agg(list).to_dict() == {"3": ["z"], "4": ["a", "b"]}
    assert cells(data.cases.output) == ["Done", None]
    assert data.report[data.report.code == "history_merged"]["count"].sum() == 2
    assert data.tools.tool.to_list() == ["weather", "weather"]


def test_records_of_other_families_in_one_file_are_not_lost():
    log = [
        {"messages": [ASKED, assistant(use("a"))]},
        {"contents": [{"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}]},
        {"messages": [ASKED, {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "g"}}]}]},
        {"messages": [ASKED, {"role": "assistant", "content": "No need."}]},
    ]
    data = tc.load(log)
    assert data.calls.tool.to_list() == ["weather", "f"]
    assert len(data.cases) == 3
    assert data.report.code.to_list().count("other_format") == 1
    unread = data.report[data.report.code == "unreadable"]
    assert unread.record.to_list() == ["record 2"]
    assert "openai_chat" in unread.note.iloc[0]


def test_expected_calls_and_tags_beside_messages():
    record = {"id": "x", "messages": [ASKED, assistant(use("a"))], "expected_tools": ["weather"], "suite": "s"}
    data = tc.load([record])
    assert data.expected.tool.to_list() == ["weather"]
    assert data.cases.loc["x", "suite"] == "s"


def test_streamed_messages():
    def event(kind, **more):
        return {"type": kind, **more}

    def piece(index, kind, key, text):
        return event("content_block_delta", index=index, delta={"type": kind, key: text})

    def started(index, **block):
        return event("content_block_start", index=index, content_block=block)

    first = [
        event("message_start", message={"id": "m1", "role": "assistant", "model": "m", "content": []}),
        started(0, type="text", text=""),
        piece(0, "text_delta", "text", "One "),
        piece(0, "text_delta", "text", "moment"),
        started(1, **{**use("a"), "input": {}}),
        piece(1, "input_json_delta", "partial_json", '{"x": '),
        piece(1, "input_json_delta", "partial_json", "1}"),
        started(2, **{**use("b"), "input": {}}),
        event("message_stop"),
    ]
    second = [
        event("message_start", message={"id": "m2", "role": "assistant"}),
        started(0, **{**use("c"), "input": {}}),
        piece(0, "input_json_delta", "partial_json", '{"x": '),
    ]
    data = tc.load([*first, *second])
    assert rows(data.calls, "case", "call_id", "arguments", "arguments_status", "step") == [
        ["m1", "a", '{"x": 1}', "ok", 0],
        ["m1", "b", "{}", "ok", 0],
        ["m2", "c", None, "failed", 0],
    ]
    assert cells(data.cases.output) == ["One moment", None]
    assert tc.load([{"event": e["type"], "data": e} for e in first]).calls.call_id.to_list() == ["a", "b"]
