"""One run in every dialect of spans: two calls at once, one that fails, one that works, an answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.loaders.span_cases import otlp, span

Call = tuple[str, str, dict[str, Any]]

QUESTION = "Which is warmer, Málaga or Porto? Book it."
ANSWER = "Porto; your trip is booked: BK-77."
STEPS: list[list[Call]] = [
    [("A1", "get_weather", {"city": "Málaga"}), ("A2", "get_weather", {"city": "Porto"})],
    [("B1", "book_trip", {"city": "Porto", "nights": 2})],
    [("C1", "book_trip", {"city": "Porto", "nights": 1})],
]
OUTPUTS = {"A1": '{"temp": 18}', "A2": '{"temp": 21}', "B1": "no vacancies", "C1": '{"booking_id": "BK-77"}'}
CALLS = [call for step in STEPS for call in step]
TOOLS = ["get_weather", "book_trip", "cancel_trip"]

Chat = Callable[[list[Call], list[list[Call]]], Any]


def text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def run(
    chat: Callable[[int, list[list[Call]], list[Call]], dict[str, Any]],
    tool: Callable[[int, Call], dict[str, Any]] | None,
    root: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The run as spans, written as they end: of parallel calls the second starts, and ends, first."""
    spans, number = [], 10
    for place, step in enumerate([*STEPS, []]):
        spans.append(chat(number, STEPS[:place], step))
        for offset, call in enumerate(reversed(step), 1):
            if tool:
                spans.append(tool(number + offset, call))
        number += 10
    spans.append(span(1, root or {}, start=0, end=900, name="root"))
    return otlp(*spans)


def openai_messages(history: list[list[Call]]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": QUESTION}]
    for step in history:
        messages.append(openai_answer(step))
        messages += [{"role": "tool", "tool_call_id": i, "content": OUTPUTS[i]} for i, _, _ in step]
    return messages


def openai_answer(step: list[Call]) -> dict[str, Any]:
    if not step:
        return {"role": "assistant", "content": ANSWER}
    calls = [{"id": i, "type": "function", "function": {"name": n, "arguments": json.dumps(a)}} for i, n, a in step]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def openai_tools() -> list[dict[str, Any]]:
    return [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in TOOLS]


def _parts(history: list[list[Call]]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]
    for step in history:
        messages.append(_parts_answer(step))
        messages.append(
            {
                "role": "tool",
                "parts": [{"type": "tool_call_response", "id": i, "result": OUTPUTS[i]} for i, _, _ in step],
            }
        )
    return messages


def _parts_answer(step: list[Call]) -> dict[str, Any]:
    parts = [{"type": "tool_call", "id": i, "name": n, "arguments": a} for i, n, a in step]
    return {"role": "assistant", "parts": parts or [{"type": "text", "content": ANSWER}]}


def traceloop() -> dict[str, Any]:
    """No tool spans: what came back is in the next request only."""

    def chat(number: int, history: list[list[Call]], step: list[Call]) -> dict[str, Any]:
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "m",
            "gen_ai.input.messages": text(_parts(history)),
            "gen_ai.output.messages": text([_parts_answer(step)]),
            "gen_ai.tool.definitions": text(openai_tools()),
        }
        return span(number, attributes, parent=1)

    return run(chat, None, {"traceloop.span.kind": "workflow", "traceloop.entity.name": "trip"})


def traceloop_numbered() -> dict[str, Any]:
    """Before there were messages: numbered names, and decorated tools."""

    def chat(number: int, history: list[list[Call]], step: list[Call]) -> dict[str, Any]:
        attributes: dict[str, Any] = {"llm.request.type": "chat", "gen_ai.request.model": "m"}
        for i, message in enumerate(openai_messages(history)):
            attributes |= _numbered(f"gen_ai.prompt.{i}", message)
        attributes |= _numbered("gen_ai.completion.0", openai_answer(step))
        for i, name in enumerate(TOOLS):
            attributes |= {f"llm.request.functions.{i}.name": name, f"llm.request.functions.{i}.parameters": "{}"}
        return span(number, attributes, parent=1)

    def tool(number: int, call: Call) -> dict[str, Any]:
        attributes = {
            "traceloop.span.kind": "tool",
            "traceloop.entity.name": call[1],
            "traceloop.entity.input": text({"args": [], "kwargs": call[2]}),
            "traceloop.entity.output": text(OUTPUTS[call[0]]),
        }
        return span(number, attributes, parent=1, error="no vacancies" if call[0] == "B1" else None)

    return run(chat, tool)


def _numbered(prefix: str, message: dict[str, Any]) -> dict[str, Any]:
    made = {f"{prefix}.role": message["role"]}
    if message.get("content"):
        made[f"{prefix}.content"] = message["content"]
    if message.get("tool_call_id"):
        made[f"{prefix}.tool_call_id"] = message["tool_call_id"]
    for i, call in enumerate(message.get("tool_calls") or []):
        made[f"{prefix}.tool_calls.{i}.id"] = call["id"]
        made[f"{prefix}.tool_calls.{i}.name"] = call["function"]["name"]
        made[f"{prefix}.tool_calls.{i}.arguments"] = call["function"]["arguments"]
    return made


def _blocks(step: list[Call]) -> list[dict[str, Any]]:
    calls = [{"toolUse": {"toolUseId": i, "name": n, "input": a}} for i, n, a in step]
    return calls or [{"text": ANSWER}]


def strands_default() -> dict[str, Any]:
    """Messages, arguments and results in events, as Bedrock's blocks; the cycle repeats its messages."""

    def chat(number: int, history: list[list[Call]], step: list[Call]) -> dict[str, Any]:
        events: list[tuple[str, dict[str, Any]]] = [("gen_ai.user.message", {"content": text([{"text": QUESTION}])})]
        for before in history:
            results = [
                {"toolResult": {"toolUseId": i, "status": "success", "content": [{"text": OUTPUTS[i]}]}}
                for i, _, _ in before
            ]
            events.append(("gen_ai.assistant.message", {"content": text(_blocks(before))}))
            events.append(("gen_ai.tool.message", {"content": text(results)}))
        events.append(("gen_ai.choice", {"finish_reason": "tool_use", "message": text(_blocks(step))}))
        return span(number, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}, parent=1, events=events)

    def tool(number: int, call: Call) -> dict[str, Any]:
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call[1],
            "gen_ai.tool.call.id": call[0],
            "tool.status": "error" if call[0] == "B1" else "success",
        }
        events: list[tuple[str, dict[str, Any]]] = [
            ("gen_ai.tool.message", {"role": "tool", "content": text(call[2]), "id": call[0]}),
            ("gen_ai.choice", {"message": text([{"text": OUTPUTS[call[0]]}]), "id": call[0]}),
        ]
        return span(number, attributes, parent=1, events=events)

    events = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "trip", "gen_ai.agent.tools": text(TOOLS)}
    return run(chat, tool, events)


def pydantic_ai_events() -> dict[str, Any]:
    """Messages as a list of events in an attribute."""

    def chat(number: int, history: list[list[Call]], step: list[Call]) -> dict[str, Any]:
        names = {
            "user": "gen_ai.user.message",
            "assistant": "gen_ai.assistant.message",
            "tool": "gen_ai.tool.message",
        }
        events: list[dict[str, Any]] = []
        for message in openai_messages(history):
            event = {**message, "event.name": names[message["role"]]}
            if message["role"] == "tool":
                event["id"] = event.pop("tool_call_id")
            events.append(event)
        events.append({"event.name": "gen_ai.choice", "index": 0, "message": openai_answer(step)})
        attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "events": text(events)}
        tools = {"function_tools": [{"name": name, "parameters_json_schema": {}} for name in TOOLS]}
        return span(number, {**attributes, "model_request_parameters": text(tools)}, parent=1)

    def tool(number: int, call: Call) -> dict[str, Any]:
        attributes = {
            "gen_ai.tool.name": call[1],
            "gen_ai.tool.call.id": call[0],
            "tool_arguments": text(call[2]),
            "tool_response": OUTPUTS[call[0]],
        }
        return span(number, attributes, parent=1, error="no vacancies" if call[0] == "B1" else None)

    return run(chat, tool, {"agent_name": "trip", "pydantic_ai.all_messages": "[]"})


def vercel() -> dict[str, Any]:
    """The outer span repeats the calls of the last step under the same ids."""

    def chat(number: int, history: list[list[Call]], step: list[Call]) -> dict[str, Any]:
        calls = [{"toolCallId": i, "toolName": n, "input": text(a)} for i, n, a in step]
        messages: list[dict[str, Any]] = [{"role": "user", "content": [{"type": "text", "text": QUESTION}]}]
        attributes = {
            "ai.operationId": "ai.generateText.doGenerate",
            "ai.model.id": "m",
            "ai.prompt.messages": text(messages),
            "ai.prompt.tools": [text({"type": "function", "name": name, "inputSchema": {}}) for name in TOOLS],
            "gen_ai.request.model": "m",
        }
        said = {"ai.response.toolCalls": text(calls)} if step else {"ai.response.text": ANSWER}
        return span(number, {**attributes, **said}, parent=1)

    def tool(number: int, call: Call) -> dict[str, Any]:
        attributes = {
            "ai.operationId": "ai.toolCall",
            "ai.toolCall.name": call[1],
            "ai.toolCall.id": call[0],
            "ai.toolCall.args": text(call[2]),
        }
        failed = call[0] == "B1"
        done = {} if failed else {"ai.toolCall.result": OUTPUTS[call[0]]}
        return span(number, {**attributes, **done}, parent=1, error="no vacancies" if failed else None)

    last = text([{"toolCallId": "C1", "toolName": "book_trip", "input": text(CALLS[-1][2])}])
    return run(
        chat, tool, {"ai.operationId": "ai.generateText", "ai.prompt": QUESTION, "ai.response.toolCalls": last}
    )


def openinference_numbered() -> dict[str, Any]:
    """LangGraph: every level repeats messages; tools return a message."""

    def chat(number: int, history: list[list[Call]], step: list[Call]) -> dict[str, Any]:
        attributes: dict[str, Any] = {"openinference.span.kind": "LLM", "llm.model_name": "m"}
        for i, message in enumerate(openai_messages(history)):
            attributes |= _dotted(f"llm.input_messages.{i}.message", message)
        attributes |= _dotted("llm.output_messages.0.message", openai_answer(step))
        for i, tool in enumerate(openai_tools()):
            attributes[f"llm.tools.{i}.tool.json_schema"] = text(tool)
        return span(number, attributes, parent=1)

    def tool(number: int, call: Call) -> dict[str, Any]:
        message = {
            "type": "tool",
            "data": {"content": OUTPUTS[call[0]], "tool_call_id": call[0], "status": "success"},
        }
        failed = call[0] == "B1"
        attributes = {"openinference.span.kind": "TOOL", "tool.name": call[1], "input.value": text(call[2])}
        done = {} if failed else {"output.value": text(message)}
        return span(number, {**attributes, **done}, parent=1, error="no vacancies" if failed else None)

    return run(chat, tool, {"openinference.span.kind": "CHAIN", "input.value": text({"messages": []})})


def _dotted(prefix: str, message: dict[str, Any]) -> dict[str, Any]:
    made = {f"{prefix}.{key}": message[key] for key in ("role", "content", "tool_call_id") if message.get(key)}
    for i, call in enumerate(message.get("tool_calls") or []):
        start = f"{prefix}.tool_calls.{i}.tool_call"
        made[f"{start}.id"] = call["id"]
        made[f"{start}.function.name"] = call["function"]["name"]
        made[f"{start}.function.arguments"] = call["function"]["arguments"]
    return made


def adk(*, placeholders: bool = False) -> dict[str, Any]:
    """Names and ids only, and a span that is no call."""

    def chat(number: int, history: list[list[Call]], step: list[Call]) -> dict[str, Any]:
        return span(number, {"gen_ai.system": "gcp.vertex.agent", "gen_ai.request.model": "m"}, parent=1)

    def tool(number: int, call: Call) -> dict[str, Any]:
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call[1],
            "gen_ai.tool.call.id": call[0],
            "gen_ai.tool.type": "FunctionTool",
        }
        if placeholders:
            attributes |= {"gcp.vertex.agent.tool_call_args": "{}", "gcp.vertex.agent.tool_response": "{}"}
        return span(number, attributes, parent=1)

    made = run(chat, tool, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "trip"})
    phantom = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "(merged tools)"}
    made["resourceSpans"][0]["scopeSpans"][0]["spans"].append(
        span(14, {**phantom, "gen_ai.tool.call.id": "event"}, parent=1, name="execute_tool (merged)")
    )
    return made


WITH_CONTENT = {
    "traceloop": traceloop,
    "traceloop_numbered": traceloop_numbered,
    "strands_default": strands_default,
    "pydantic_ai_events": pydantic_ai_events,
    "vercel": vercel,
    "openinference": openinference_numbered,
}
