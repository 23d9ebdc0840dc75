"""OpenTelemetry's GenAI conventions, with what their emitters add or spell otherwise, and what came before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.conversation import unwrapped
from toolcorrect.loaders.gemini import failure
from toolcorrect.loaders.heard import offered, request_messages, text_of_answer, tool_answer
from toolcorrect.loaders.openinference import subtree
from toolcorrect.loaders.reading import Reading, model_reading, tool_reading
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.span import Event, Span, decoded

_MODEL = frozenset({"chat", "text_completion", "generate_content", "completion"})
_AGENT = frozenset({"invoke_agent", "create_agent", "invoke_workflow"})
# google-adk closes parallel calls with a span that is no call.
_PHANTOM = "(merged tools)"
_SESSION = (
    *("gen_ai.conversation.id", "session.id", "gcp.vertex.agent.session_id"),
    *("traceloop.association.properties.session_id", "traceloop.association.properties.thread_id"),
)
# The name of the tool, its arguments and its result, under the names of every age.
_TOOL = ("gen_ai.tool.name", "traceloop.entity.name")
_ID = ("gen_ai.tool.call.id", "gen_ai.tool.id")
_ARGUMENTS = ("gen_ai.tool.call.arguments", "tool_arguments", "gcp.vertex.agent.tool_call_args")
_RESULT = ("gen_ai.tool.call.result", "tool_response", "gcp.vertex.agent.tool_response")
_OFFER = ("gen_ai.tool.definitions", "model_request_parameters", "gcp.vertex.agent.llm_request", "gen_ai.agent.tools")
_FUNCTIONS = "llm.request.functions"
_ROLE_OF_EVENT = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "assistant",
}


def read(span: Span, rows: Rows) -> Reading:
    """Read one span; one that is nothing of these conventions only stands between others."""
    a = _with_details(span) if span.events else span.attributes
    operation, kind = a.get("gen_ai.operation.name"), a.get("traceloop.span.kind")
    if operation == "execute_tool" or kind == "tool" or (operation is None and "gen_ai.tool.name" in a):
        made = _tool(span, a, rows)
    elif operation in _AGENT or kind in ("agent", "workflow") or "pydantic_ai.all_messages" in a:
        made = _agent(span, a)
    elif operation in _MODEL or (operation is None and _is_model(a)) or (not span.id and span.events):
        made = _model(span, a, rows)
    else:
        made = Reading()
    made.agent = made.agent or a.get("gen_ai.agent.name")
    made.session = _first(a, _SESSION)
    return made


def _is_model(a: dict[str, Any]) -> bool:
    keys = ("gen_ai.request.model", "gen_ai.response.model", "gcp.vertex.agent.llm_response")
    return any(key in a for key in keys) or a.get("llm.request.type") == "chat"


def _with_details(span: Span) -> dict[str, Any]:
    """Return the attributes, with those that some emitters put into events; the last of each counts."""
    made = span.attributes
    for event in span.events:
        if event.name.startswith("gen_ai.client.inference.operation"):
            made = {**made, **event.attributes}
    return made


def _agent(span: Span, a: dict[str, Any]) -> Reading:
    made = Reading("agent", agent=a.get("gen_ai.agent.name") or a.get("agent_name"))
    if made.agent is None:
        made.agent = a.get("traceloop.entity.name") or span.name.removeprefix("invoke_agent ")
    made.answer = a.get("final_result") or text_of_answer(a.get("gen_ai.output.messages"))
    return _offering(a, made)


def _offering(a: dict[str, Any], made: Reading) -> Reading:
    """Add the tools that a span says were offered."""
    made.offer = next(filter(None, map(a.get, _OFFER)), None)
    # One text is searched faster than many.
    if made.offer is None and _FUNCTIONS in " ".join(a):
        made.offer = subtree(a, _FUNCTIONS)
    made.show = _tools
    return made


def _tools(offer: Any) -> list[dict[str, Any]]:
    """Return the tools of a list, or of the settings of a request."""
    value = decoded(offer)
    if isinstance(value, dict):
        value = value.get("function_tools") or (value.get("config") or {}).get("tools")
    return offered(value)


def _model(span: Span, a: dict[str, Any], rows: Rows) -> Reading:
    given, said = a.get("gen_ai.input.messages"), a.get("gen_ai.output.messages")
    if not given and not said:
        given, said = _of_events(span, a)
    if not given and not said:
        given, said = _indexed(a, "gen_ai.prompt"), _indexed(a, "gen_ai.completion")
    if not given and not said:
        given = request_messages(_body(a, "gcp.vertex.agent.llm_request"))
        said = a.get("gcp.vertex.agent.llm_response")
    model = a.get("gen_ai.request.model") or a.get("gen_ai.response.model")
    return _offering(a, model_reading(rows, given, said, model=model))


def _tool(span: Span, a: dict[str, Any], rows: Rows) -> Reading:
    name = _first(a, _TOOL) or span.name.removeprefix("execute_tool ").removeprefix("running tool: ")
    if name == _PHANTOM or span.name.endswith(_PHANTOM):
        rows.report("phantom_left_out", f"spans {_PHANTOM} are no calls", record="")
        return Reading()
    arguments, output = _first(a, _ARGUMENTS, ABSENT), _first(a, _RESULT, ABSENT)
    if _ARGUMENTS[0] not in a and arguments == "{}" and output in ("{}", "<not specified>", ABSENT):
        # What google-adk writes where contents are not recorded.
        arguments = output = ABSENT
    if "traceloop.entity.input" in a and arguments is ABSENT:
        arguments, output = _of_entity(a, output)
    identity = _first(a, _ID)
    told = _told_in_events(span, a) if span.events or "gen_ai.output.messages" in a else None
    if told:
        arguments = told.get("arguments", ABSENT) if arguments is ABSENT else arguments
        output = told.get("output", ABSENT) if output is ABSENT else output
        identity = identity or told.get("id")
    output, inner_id, inner_failed = tool_answer(_unpacked(output))
    if "gcp.vertex.agent.tool_response" in a:
        # google-adk says so in the response alone.
        inner_failed, _ = failure(decoded(output))
    status = a.get("gen_ai.tool.status", a.get("tool.status"))
    failed = span.failed or bool(inner_failed) or status == "error"
    kind = "mcp" if "mcp" in str(a.get("gen_ai.tool.type", a.get("mcp.method.name", ""))).lower() else "function"
    message = output if failed and isinstance(output, str) else None
    return tool_reading(
        name,
        arguments,
        span,
        id=identity or inner_id,
        output=output,
        failed=failed,
        message=span.message or message,
        kind=kind,
    )


def _unpacked(output: Any) -> Any:
    """Return what is in the only block of a result, where it is a list of texts."""
    if isinstance(output, str) and output.lstrip().startswith("["):
        inner = unwrapped(decoded(output))
        return inner if isinstance(inner, str) else output
    return unwrapped(output)


def _of_entity(a: dict[str, Any], output: Any) -> tuple[Any, Any]:
    """Return arguments and result from what Traceloop records of a decorated tool."""
    given = decoded(a["traceloop.entity.input"])
    if isinstance(given, dict):
        inner = given.get("inputs", given.get("kwargs") if not given.get("args") else None)
        given = given if inner is None else inner
    result = decoded(a.get("traceloop.entity.output", output))
    if isinstance(result, dict) and "output" in result:
        result = result["output"]
    return given, result


def _told_in_events(span: Span, a: dict[str, Any]) -> dict[str, Any]:
    """Return what only the events of a tool's span say: of a call and what it returned."""
    found: dict[str, Any] = {}
    answer = decoded(a.get("gen_ai.output.messages"))
    for message in answer if isinstance(answer, list) else []:
        for part in message.get("parts") or []:
            if part.get("type") == "tool_call_response":
                found["output"] = unwrapped(part.get("response", part.get("result", ABSENT)))
                found["id"] = part.get("id")
    for event in span.events:
        e = event.attributes
        if event.name == "gen_ai.tool.message" and "content" in e:
            found["arguments"], found["id"] = e["content"], e.get("id")
        elif event.name == "gen_ai.choice" and "message" in e:
            found["output"], found["id"] = e["message"], e.get("id")
    return found


def _of_events(span: Span, a: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """Return the messages that events hold, one each, and the one that is the answer."""
    given: list[Any] = []
    said: list[Any] = []
    for event in [*span.events, *_written_events(a)]:
        role = _ROLE_OF_EVENT.get(event.name)
        if role is None:
            continue
        message = _of_event(event.attributes, role)
        (said if event.name == "gen_ai.choice" else given).append(message)
    return given, said


def _written_events(a: dict[str, Any]) -> Iterator[Event]:
    """Yield the events that pydantic-ai wrote into an attribute."""
    found = decoded(a.get("events"))
    for item in found if isinstance(found, list) else []:
        if isinstance(item, dict) and isinstance(item.get("event.name"), str):
            yield Event(item["event.name"], item)


def _of_event(e: dict[str, Any], role: str) -> dict[str, Any]:
    """Return the message of an event: its body may be the message, or lie under a key as JSON."""
    body = decoded(e.get("message"))
    body = {**e, **body} if isinstance(body, dict) else {**e, "content": e.get("content", body)}
    content = decoded(body.get("content"))
    body["content"] = content if isinstance(content, list) else body.get("content")
    calls = decoded(body.get("tool_calls"))
    if isinstance(calls, list):
        body["tool_calls"] = calls
    if role == "tool":
        if isinstance(content, list) and any(isinstance(b, dict) and "toolResult" in b for b in content):
            return {"role": "user", "content": content}
        return {"role": "tool", "tool_call_id": body.get("id"), "content": body.get("content")}
    return {"role": role, "content": body.get("content"), "tool_calls": body.get("tool_calls")}


def _indexed(a: dict[str, Any], prefix: str) -> list[Any]:
    """Return messages from numbered names, as Traceloop wrote them."""
    found = subtree(a, prefix)
    made = []
    for item in found if isinstance(found, list) else []:
        calls = item.get("tool_calls")
        message = {**item, "role": item.get("role") or "assistant"}
        message["tool_calls"] = calls if isinstance(calls, list) else None
        content = decoded(item.get("content"))
        message["content"] = content if isinstance(content, list) else item.get("content")
        made.append(message)
    return made


def _body(a: dict[str, Any], key: str) -> dict[str, Any]:
    found = decoded(a.get(key))
    return found if isinstance(found, dict) else {}


def _first(a: dict[str, Any], keys: tuple[str, ...], default: Any = None) -> Any:
    for key in keys:
        value = a.get(key)
        if value is not None:
            return value
    return default
