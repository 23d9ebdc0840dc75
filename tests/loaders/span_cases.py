"""Spans written down by hand: OTLP/JSON of attributes, and the neutral spans of the field cases in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

_TRACE = "0af7651916cd43dd8448eb211c80319c"


def otlp(*spans: dict[str, Any]) -> dict[str, Any]:
    """One request of OTLP/JSON."""
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "test"}, "spans": list(spans)}]}]}


def span(
    number: int,
    attributes: dict[str, Any],
    *,
    parent: int | None = None,
    events: list[tuple[str, dict[str, Any]]] = (),  # type: ignore[assignment]
    start: int | None = None,
    end: int | None = None,
    name: str = "span",
    error: str | None = None,
    trace: str = _TRACE,
) -> dict[str, Any]:
    """A span; its times, in seconds, follow its number unless given."""
    start = number * 10 if start is None else start
    end = start + 5 if end is None else end
    made = {
        "traceId": trace,
        "spanId": f"{number:016x}",
        "name": name,
        "startTimeUnixNano": str(1_790_000_000_000_000_000 + start * 10**9),
        "endTimeUnixNano": str(1_790_000_000_000_000_000 + end * 10**9),
        "attributes": listed(attributes),
        "status": {} if error is None else {"code": 2, "message": error},
    }
    if parent is not None:
        made["parentSpanId"] = f"{parent:016x}"
    if events:
        made["events"] = [{"name": event, "attributes": listed(values)} for event, values in events]
    return made


def listed(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in attributes.items()]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(item) for item in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": listed(value)}}
    return {"stringValue": value}


def _neutral(payload: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The neutral spans of the field cases as OpenInference."""
    numbers = {item["span_id"]: number for number, item in enumerate(payload, 1)}
    return [otlp(*(_neutral_span(item, numbers) for item in payload))]


def _neutral_span(item: dict[str, Any], numbers: dict[str, int]) -> dict[str, Any]:
    attributes = {"openinference.span.kind": item["kind"]}
    for place, call in enumerate(item.get("output_tool_calls", [])):
        prefix = f"llm.output_messages.0.message.tool_calls.{place}.tool_call"
        attributes[f"{prefix}.id"] = call["id"]
        attributes[f"{prefix}.function.name"] = call["name"]
        attributes[f"{prefix}.function.arguments"] = json.dumps(call["arguments"])
    stated = {
        "tool.name": item.get("tool_name"),
        "tool_call.id": item.get("tool_call_id"),
        "session.id": item.get("session"),
        "input.value": None if item.get("input") is None else json.dumps(item["input"]),
        "output.value": item.get("output"),
    }
    attributes.update({key: value for key, value in stated.items() if value is not None})
    number = numbers[item["span_id"]]
    parent = numbers.get(item["parent_id"])
    # A call within another takes place while that one lasts.
    return span(number, attributes, parent=parent, name=item.get("name", ""), end=1000 - number)


def _attributes(payload: dict[str, Any]) -> list[dict[str, Any]]:
    return [otlp(span(1, {"openinference.span.kind": "LLM", **payload}))]


ADAPTERS: dict[str, Callable[[Any], Any]] = {"spans": _neutral, "openinference_attributes": _attributes}
