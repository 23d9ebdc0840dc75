"""pydantic-ai, LlamaIndex, AutoGen, smolagents and CrewAI, beyond their samples."""

from __future__ import annotations

import toolcorrect as tc
from tests.loaders.plain import rows


def test_pydantic_ai_retries_answers_and_built_in_tools():
    def part(kind, **fields):
        return {"part_kind": kind, **fields}

    messages = [
        {"kind": "request", "parts": [part("user-prompt", content=["Go", {"kind": "image-url"}])]},
        {"kind": "response", "conversation_id": "c", "model_name": "m", "parts": [
            part("builtin-tool-call", tool_name="web_search", args={"q": 1}, tool_call_id="b"),
            part("builtin-tool-return", tool_name="web_search", content=[1], tool_call_id="b"),
            part("tool-call", tool_name="f", args="{}", tool_call_id="1"),
            part("tool-call", tool_name="g", args={"a": 1}, tool_call_id="2"),
        ]},
        {"kind": "request", "parts": [
            part("retry-prompt", tool_name="f", content="again", tool_call_id="1"),
            part("tool-return", tool_name="g", content={"x": 1}, tool_call_id="2", outcome="denied"),
            part("retry-prompt", tool_name=None, content="plain text is not an answer"),
        ]},
        {"kind": "response", "parts": [
            part("tool-call", tool_name="final_result", args='{"city": "Porto"}', tool_call_id="3"),
        ]},
        {"kind": "request", "parts": [part("tool-return", tool_name="final_result", content="ok", tool_call_id="3")]},
    ]  # fmt: skip
    data = tc.load(messages)
    assert rows(data.calls, "tool", "kind", "step", "output", "error") == [
        ["web_search", "server", 0, "[1]", False],
        ["f", "function", 0, '"again"', True],
        ["g", "function", 0, '{"x":1}', True],
        ["final_result", "pseudo", 1, '"ok"', False],
    ]
    case = data.cases.iloc[0]
    assert (case.input, case.output, case.session, case.model) == ("Go", '{"city": "Porto"}', "c", "m")


def test_llamaindex_of_the_older_form():
    messages = [
        {"role": "user", "blocks": [{"block_type": "text", "text": "Go"}]},
        {"role": "assistant", "blocks": [], "additional_kwargs": {
            "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": '{"a": 1}'}}]}},
        {"role": "tool", "content": "21", "additional_kwargs": {"tool_call_id": "1"}},
    ]  # fmt: skip
    assert rows(tc.load(messages).calls, "tool", "arguments", "output", "error") == [["f", '{"a": 1}', '"21"', None]]


def test_autogen_handoffs_teams_and_summaries():
    def message(kind, author, content):
        return {"type": kind, "source": author, "content": content, "created_at": "2026-01-01T00:00:00Z"}

    def request(author, name, identity):
        return message("ToolCallRequestEvent", author, [{"id": identity, "name": name, "arguments": "{}"}])

    def executed(author, identity, failed):
        result = {"content": "x", "name": "f", "call_id": identity, "is_error": failed}
        return message("ToolCallExecutionEvent", author, [result])

    messages = [
        message("TextMessage", "user", "Go"),
        request("planner", "transfer_to_worker", "1"),
        executed("planner", "1", False),
        message("HandoffMessage", "planner", "over to you"),
        # This client counts its calls from 0 in every answer.
        request("worker", "f", "0"),
        executed("worker", "0", True),
        request("worker", "f", "0"),
        executed("worker", "0", False),
        message("ToolCallSummaryMessage", "worker", "x"),
    ]
    for source in ([{"messages": messages, "stop_reason": None}], messages):
        assert tc.detect(source).format == "autogen_task_result"
        data = tc.load(source)
        assert rows(data.calls, "tool", "agent", "kind", "step", "error") == [
            ["transfer_to_worker", "planner", "handoff", 0, False],
            ["f", "worker", "function", 1, True],
            ["f", "worker", "function", 2, False],
        ]
        assert data.cases.output.to_list() == ["x"]


def test_smolagents_code_and_failures_among_parallel_calls():
    def call(name, arguments, identity="1"):
        return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}

    def step(number, calls, **more):
        return {"step_number": number, "tool_calls": calls, "model_output_message": {"tool_calls": None}, **more}

    steps = [
        {"task": "Go"},
        step(1, [call("python_interpreter", "x = {1: 2")], observations="None", error=None),
        step(2, [call("f", {}, "2"), call("f", {"a": 1}, "3")], observations=None, error={"message": "one failed"}),
        step(3, [call("final_answer", {"answer": 7}, "4")], error=None),
    ]
    data = tc.load(steps)
    assert rows(data.calls, "tool", "arguments", "step", "output", "error") == [
        ["python_interpreter", '"x = {1: 2"', 0, '"None"', False],
        ["f", "{}", 1, None, None],
        ["f", '{"a":1}', 1, None, None],
    ]
    assert data.cases.output.to_list() == ["7"]
    assert {"pseudo_tool", "outputs_joined"} <= set(data.report.code)
    assert len(tc.load([{"steps": steps}, {"steps": steps}]).cases) == 2


def test_crewai_tasks_without_messages_are_unknown():
    data = tc.load({"raw": "Done", "tasks_output": [{"description": "Go", "raw": "Done", "agent": "a"}]})
    assert not data.cases.called_known.any()
    assert data.cases.output.to_list() == ["Done"]


def test_crewai_agents_of_several_tasks_and_failures_by_arguments():
    def task(agent, *calls, failures=()):
        made = [{"id": i, "function": {"name": "f", "arguments": a}} for i, a in calls]
        results = [{"role": "tool", "tool_call_id": i, "content": "x"} for i, _ in calls]
        messages = [{"role": "user", "content": "Go"}, {"role": "assistant", "tool_calls": made}, *results]
        return {"agent": agent, "raw": "r", "messages": messages, "tool_failures": list(failures)}

    failure = {"tool_name": "f", "tool_args": {"n": 2}, "failure": {"message": "no"}}
    tasks = [
        task("one", ("1", '{"n": 1}'), ("2", '{"n": 2}'), failures=[failure, failure]),
        task("two", ("1", "{}")),
    ]
    data = tc.load({"raw": "end", "tasks_output": tasks})
    assert rows(data.calls, "agent", "step", "error", "error_message") == [
        ["one", 0, False, None],
        ["one", 0, True, "no"],
        ["two", 1, False, None],
    ]
    assert "failure_without_call" in data.report.code.to_list()


def test_crewai_events_by_their_sequence():
    def event(kind, number, **more):
        return {
            "type": f"tool_usage_{kind}",
            "tool_name": "f",
            "emission_sequence": number,
            "agent_role": "a",
            **more,
        }

    events = [
        event("finished", 3, started_event_id="e2", output="two", tool_args="{'n': 2}"),
        event("started", 1, event_id="e1", tool_args="{'n': 1, 'flag': True}"),
        event("started", 2, event_id="e2", tool_args='{"n": 2}'),
        {"type": "agent_execution_started"},
        event("error", 4, error="down", tool_args={"n": 1, "flag": True}),
        event("started", 5, event_id="e5", tool_args={}),
        event("finished", 6, output="alone", tool_args={"n": 9}),
    ]
    data = tc.load(events)
    assert tc.detect(events).format == "crewai_events"
    assert rows(data.calls, "arguments", "output", "error", "source", "agent") == [
        ['{"n":1,"flag":true}', None, True, "both", "a"],
        ['{"n":2}', '"two"', False, "both", "a"],
        ["{}", None, None, "llm", "a"],
        ['{"n":9}', '"alone"', False, "tool", "a"],
    ]
