from __future__ import annotations

import toolcorrect as tc
from tests.loaders.plain import cells, rows


def span(identity, parent, start, kind, *, error=None, **data):
    return {
        "object": "trace.span",
        "id": identity,
        "trace_id": "t",
        "parent_id": parent,
        "started_at": f"2026-01-01T00:00:{start:02d}+00:00",
        "span_data": {"type": kind, **data},
        "error": error,
    }


def announced(identity, name, arguments="{}"):
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


TRACE = {"object": "trace", "id": "t", "workflow_name": "trip", "group_id": "thread-1"}


def test_announced_calls_are_joined_with_their_spans():
    calls = [announced("1", "f", '{"a": 1}'), announced("2", "f", '{"a": 2}'), announced("3", "never")]
    generation = span("g", "agent", 1, "generation", input=[{"role": "user", "content": "Go"}],
                      output=[{"role": "assistant", "content": "ok", "tool_calls": calls}], model="m")  # fmt: skip
    lines = [
        # Written as they end; the second call began first.
        span("f2", "agent", 2, "function", name="f", input='{"a": 2}', output="two"),
        span("f1", "agent", 3, "function", name="f", input='{"a": 1}', output="one", error={"message": "bad"}),
        generation,
        span("agent", None, 0, "agent", name="planner", tools=["f", "never"]),
        TRACE,
    ]
    data = tc.load(lines)
    assert rows(data.calls, "call_id", "output", "error", "source", "agent", "step") == [
        ["1", '"one"', True, "both", "planner", 0],
        ["2", '"two"', False, "both", "planner", 0],
        ["3", None, None, "llm", "planner", 0],
    ]
    case = data.cases.loc["t"]
    assert (case.session, case.input, case.output, case.model) == ("thread-1", "Go", "ok", "m")
    assert data.calls.error_message.to_list()[0] == "bad"


def test_an_agent_used_as_a_tool_and_a_handoff():
    data = tc.load(
        [
            TRACE,
            span("a", None, 0, "agent", name="root", tools=["research"]),
            span("r", "a", 1, "response"),
            span("f", "a", 2, "function", name="research", input='{"q": "tea"}', output="x"),
            span("b", "f", 3, "agent", name="research", tools=["search"]),
            span("s", "b", 4, "response"),
            span("g", "b", 5, "function", name="search", input="{}", output="y", mcp_data={"server": "web"}),
            span("q", "a", 6, "response"),
            span("h", "a", 7, "handoff", from_agent="root", to_agent="Booking Agent"),
        ]
    )
    assert rows(data.calls, "tool", "agent", "depth", "kind", "step") == [
        ["research", "root", 0, "function", 0],
        ["search", "research", 1, "mcp", 1],
        ["transfer_to_booking_agent", "root", 0, "handoff", 2],
    ]
    assert cells(data.calls.server) == [None, "web", None]
    assert data.tools.tool.to_list() == ["research", "search"]
