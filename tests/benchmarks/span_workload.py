"""The shared workload as traces: the same cases and calls, told by spans of one family."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import md5
from pathlib import Path
from typing import Any, NamedTuple

from toolcorrect.arguments.decoding import to_json

_ANSWER = "All of it is done. Is there anything else that you need?"
_SAID = '{"status":"ok","id":4711,"note":"done as asked"}'
_BEGUN = 1_790_000_000_000_000_000
_SECOND = 10**9


class _Call(NamedTuple):
    id: str
    name: str
    arguments: Any

    @property
    def text(self) -> str:
        return to_json(self.arguments)


class _Node(NamedTuple):
    """A span before it is written in a dialect; ``history`` and ``calls`` are those of a model's."""

    kind: str
    number: int
    history: list[list[_Call]]
    calls: list[_Call]

    @property
    def times(self) -> tuple[int, int]:
        begun = _BEGUN + self.number * _SECOND
        return begun, begun + (1000 if self.kind == "agent" else 1) * _SECOND // 2


class _Run(NamedTuple):
    trace: str
    model: str
    question: str
    nodes: list[_Node]


Writer = Callable[[_Run], dict[str, Any]]


def write_spans(workload: Path, path: Path, family: str) -> None:
    """Write the JSONL workload as traces of one family (a key of `SPAN_FAMILIES`): one a line, or one document.

    Parameters
    ----------
    workload
        JSONL of ``shared/bench/make_workload.py``. What it expects is left out: spans hold none.
    """
    told = SPAN_FAMILIES[family]
    with workload.open(encoding="utf-8") as lines, path.open("w", encoding="utf-8") as made:
        written = (told(_run(json.loads(line), number)) for number, line in enumerate(lines, 1))
        if family.endswith("_document"):
            made.write(to_json({"resourceSpans": [one["resourceSpans"][0] for one in written]}))
        else:
            made.writelines(to_json(one) + "\n" for one in written)


def _run(record: dict[str, Any], number: int) -> _Run:
    """Tell a case as spans in the order they end: a model announces two calls at a time, tools execute them."""
    calls = [_call(item) for item in record["tool_calls"]]
    steps = [calls[i : i + 2] for i in range(0, len(calls), 2)]
    nodes: list[_Node] = []
    for place, step in enumerate([*steps, []]):
        nodes.append(_Node("llm", len(nodes) + 2, steps[:place], step))
        for call in step:
            nodes.append(_Node("tool", len(nodes) + 2, [], [call]))
    nodes.append(_Node("agent", 1, [], []))
    return _Run(md5(str(number).encode()).hexdigest(), record["model"], record["input"], nodes)


def _call(item: dict[str, Any]) -> _Call:
    """Return a call; spans hold objects or their texts, and the workload's broken texts as they are."""
    function = item["function"]
    try:
        arguments = json.loads(function["arguments"])
    except ValueError:
        arguments = {"text": function["arguments"]}
    return _Call(item["id"], function["name"], arguments)


def otlp_genai(run: _Run) -> dict[str, Any]:
    """Tell a run as a request of OTLP/JSON with the GenAI conventions."""

    def attributes(node: _Node) -> dict[str, Any]:
        if node.kind == "agent":
            return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"}
        if node.kind == "llm":
            return {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "openai",
                "gen_ai.request.model": run.model,
                "gen_ai.conversation.id": run.trace,
                "gen_ai.input.messages": to_json(_parts_history(run, node)),
                "gen_ai.output.messages": to_json([_parts_answer(node.calls)]),
                "gen_ai.usage.input_tokens": 512,
                "gen_ai.usage.output_tokens": 64,
                "gen_ai.response.finish_reasons": ["tool_calls" if node.calls else "stop"],
            }
        (call,) = node.calls
        return {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.name,
            "gen_ai.tool.call.id": call.id,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.arguments": call.text,
            "gen_ai.tool.call.result": _SAID,
        }

    return _otlp(run, attributes)


def otlp_openinference(run: _Run) -> dict[str, Any]:
    """Tell a run as a request of OTLP/JSON with the attributes of OpenInference."""
    return _otlp(run, lambda node: _openinference(run, node))


def phoenix(run: _Run) -> dict[str, Any]:
    """Tell a run as a page of spans of Phoenix's interface."""
    return {"data": [_phoenix_span(run, node) for node in run.nodes], "next_cursor": None}


def mlflow(run: _Run) -> dict[str, Any]:
    """Tell a run as a trace of MLflow."""
    kinds = {"agent": "AGENT", "llm": "CHAT_MODEL", "tool": "TOOL"}
    spans = []
    for node in run.nodes:
        given, said = _input_output(run, node)
        begun, ended = node.times
        spans.append(
            {
                "trace_id": run.trace,
                "span_id": _id(run, node.number),
                "parent_span_id": None if node.kind == "agent" else _id(run, 1),
                "name": _name(node),
                "start_time_unix_nano": begun,
                "end_time_unix_nano": ended,
                "events": [],
                "status": {"code": "STATUS_CODE_OK", "message": ""},
                "attributes": {
                    "mlflow.traceRequestId": to_json(f"tr-{run.trace}"),
                    "mlflow.spanType": to_json(kinds[node.kind]),
                    "mlflow.spanInputs": to_json(given),
                    "mlflow.spanOutputs": to_json(said),
                },
                "links": [],
            }
        )
    info = {
        "trace_id": f"tr-{run.trace}",
        "request_time": "2026-11-30T08:06:41.687Z",
        "state": "OK",
        "trace_metadata": {"mlflow.traceInputs": to_json({"question": run.question}), "mlflow.user": "user"},
        "tags": {"mlflow.traceName": "helper"},
    }
    return {"info": info, "data": {"spans": spans}}


def langfuse(run: _Run) -> dict[str, Any]:
    """Tell a run as a trace of Langfuse with its observations."""
    kinds = {"agent": "AGENT", "llm": "GENERATION", "tool": "TOOL"}
    observations = []
    for node in run.nodes:
        given, said = _input_output(run, node)
        observations.append(
            {
                "id": _id(run, node.number),
                "traceId": run.trace,
                "parentObservationId": None if node.kind == "agent" else _id(run, 1),
                "type": kinds[node.kind],
                "name": _name(node),
                "startTime": _moment(node.times[0]),
                "endTime": _moment(node.times[1]),
                "level": "DEFAULT",
                "statusMessage": None,
                "model": run.model if node.kind == "llm" else None,
                "input": given,
                "output": said,
                "metadata": {"attributes": {"scope": "helper"}},
            }
        )
    return {"id": run.trace, "name": "helper", "input": run.question, "output": _ANSWER, "observations": observations}


def galtea(run: _Run) -> dict[str, Any]:
    """Tell a run as a batch of spans as Galtea's SDK posts them."""
    kinds = {"agent": "AGENT", "llm": "GENERATION", "tool": "TOOL"}
    traces = []
    for node in run.nodes:
        given, said = _input_output(run, node)
        traces.append(
            {
                "inferenceResultId": run.trace,
                "name": _name(node),
                "id": f"trace_{_id(run, node.number)}",
                "type": kinds[node.kind],
                "inputData": given,
                "outputData": said,
                "latencyMs": 12.5,
                "parentTraceId": None if node.kind == "agent" else f"trace_{_id(run, 1)}",
                "startTime": _moment(node.times[0]),
                "endTime": _moment(node.times[1]),
            }
        )
    return {"traces": traces}


SPAN_FAMILIES: dict[str, Writer] = {
    **{told.__name__: told for told in (otlp_genai, otlp_openinference, phoenix, mlflow, langfuse, galtea)},
    "otlp_genai_document": otlp_genai,
}


def _otlp(run: _Run, attributes: Callable[[_Node], dict[str, Any]]) -> dict[str, Any]:
    spans = []
    for node in run.nodes:
        begun, ended = node.times
        made = {
            "traceId": run.trace,
            "spanId": _id(run, node.number),
            "parentSpanId": _id(run, 1),
            "flags": 256,
            "name": _name(node),
            "kind": 1,
            "startTimeUnixNano": str(begun),
            "endTimeUnixNano": str(ended),
            "attributes": [{"key": key, "value": _value(value)} for key, value in attributes(node).items()],
            "status": {},
        }
        if node.kind == "agent":
            del made["parentSpanId"]
        spans.append(made)
    names = {"telemetry.sdk.language": "python", "telemetry.sdk.name": "opentelemetry", "service.name": "helper"}
    resource = {"attributes": [{"key": key, "value": _value(value)} for key, value in names.items()]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "helper"}, "spans": spans}]}]}


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(item) for item in value]}}
    return {"stringValue": value}


def _id(run: _Run, number: int) -> str:
    return md5(f"{run.trace}{number}".encode()).hexdigest()[:16]


def _name(node: _Node) -> str:
    return {"agent": "helper", "llm": "chat"}.get(node.kind) or node.calls[0].name


def _moment(nanoseconds: int) -> str:
    seconds = (nanoseconds - _BEGUN) // _SECOND
    return f"2026-11-30T08:{seconds // 60 % 60:02}:{seconds % 60:02}.{nanoseconds // 1_000_000 % 1000:03}Z"


def _input_output(run: _Run, node: _Node) -> tuple[Any, Any]:
    """Return what a span was given and what it gave, for the families that record bodies."""
    if node.kind == "agent":
        return {"question": run.question}, _ANSWER
    if node.kind == "llm":
        return {"model": run.model, "messages": _chat_history(run, node)}, _chat_answer(node.calls)
    return node.calls[0].arguments, _SAID


def _parts_history(run: _Run, node: _Node) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "parts": [{"type": "text", "content": run.question}]}]
    for calls in node.history:
        messages.append(_parts_answer(calls))
        for call in calls:
            returned = {"type": "tool_call_response", "id": call.id, "response": _SAID}
            messages.append({"role": "tool", "parts": [returned]})
    return messages


def _parts_answer(calls: list[_Call]) -> dict[str, Any]:
    parts = [{"type": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments} for call in calls]
    return {"role": "assistant", "parts": parts or [{"type": "text", "content": _ANSWER}]}


def _chat_history(run: _Run, node: _Node) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": run.question}]
    for calls in node.history:
        messages.append(_chat_answer(calls))
        messages += ({"role": "tool", "tool_call_id": call.id, "content": _SAID} for call in calls)
    return messages


def _chat_answer(calls: list[_Call]) -> dict[str, Any]:
    if not calls:
        return {"role": "assistant", "content": _ANSWER}
    made = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.text}} for call in calls
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


def _openinference(run: _Run, node: _Node) -> dict[str, Any]:
    given, said = _input_output(run, node)
    made = {"openinference.span.kind": node.kind.upper()}
    if node.kind == "llm":
        made |= {"llm.model_name": run.model, "input.mime_type": "application/json"}
        for i, message in enumerate(_chat_history(run, node)):
            made |= _dotted(f"llm.input_messages.{i}.message", message)
        made |= _dotted("llm.output_messages.0.message", _chat_answer(node.calls))
    else:
        made |= {"input.value": to_json(given), "output.value": said}
    if node.kind == "tool":
        made |= {"tool.name": node.calls[0].name, "tool_call.id": node.calls[0].id}
    return made


def _dotted(prefix: str, message: dict[str, Any]) -> dict[str, str]:
    made = {f"{prefix}.{key}": message[key] for key in ("role", "content", "tool_call_id") if message.get(key)}
    for i, call in enumerate(message.get("tool_calls", ())):
        start = f"{prefix}.tool_calls.{i}.tool_call"
        made[f"{start}.id"] = call["id"]
        made[f"{start}.function.name"] = call["function"]["name"]
        made[f"{start}.function.arguments"] = call["function"]["arguments"]
    return made


def _phoenix_span(run: _Run, node: _Node) -> dict[str, Any]:
    return {
        "id": f"U3Bhbjo{node.number}",
        "name": _name(node),
        "context": {"trace_id": run.trace, "span_id": _id(run, node.number)},
        "span_kind": node.kind.upper(),
        "parent_id": None if node.kind == "agent" else _id(run, 1),
        "start_time": _moment(node.times[0]),
        "end_time": _moment(node.times[1]),
        "status_code": "OK",
        "status_message": "",
        "attributes": _openinference(run, node),
        "events": [],
    }
