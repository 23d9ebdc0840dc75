"""Spans of the Vercel AI SDK."""

from __future__ import annotations

from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.reading import Reading, model_reading, tool_reading
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.span import Span, decoded

OPERATION = "ai.operationId"
_TOOL = "ai.toolCall"


def read(span: Span, rows: Rows) -> Reading:
    """Read one span: a tool call, or a generation (the outer one repeats what the last inner one said)."""
    a = span.attributes
    if a.get(OPERATION) == _TOOL or "ai.toolCall.name" in a:
        name = a["ai.toolCall.name"]
        arguments, output = (a.get(f"ai.toolCall.{key}", ABSENT) for key in ("args", "result"))
        identity = a.get("ai.toolCall.id")
        made = tool_reading(name, arguments, span, id=identity, output=output)
    elif any(key in a for key in ("ai.response.toolCalls", "ai.response.text", "ai.prompt.messages", "ai.prompt")):
        made = _generation(a, rows)
    else:
        made = Reading()
    made.session = a.get("ai.telemetry.metadata.sessionId") or a.get("session.id")
    return made


def _generation(a: dict[str, Any], rows: Rows) -> Reading:
    given = a.get("ai.prompt.messages", a.get("ai.prompt"))
    calls = decoded(a.get("ai.response.toolCalls"))
    parts = [{"type": "tool-call", **call} for call in calls] if isinstance(calls, list) else []
    text = a.get("ai.response.text")
    if text:
        parts.insert(0, {"type": "text", "text": text})
    made = model_reading(rows, given, [{"role": "assistant", "content": parts}] if parts else [])
    made.captured = calls is not None or text is not None
    made.model = a.get("ai.model.id")
    made.offer = a.get("ai.prompt.tools")
    return made
