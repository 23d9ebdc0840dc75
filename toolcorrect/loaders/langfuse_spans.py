"""Langfuse observations, as attributes of spans."""

from __future__ import annotations

from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.heard import only_text, text_of_answer, tool_answer
from toolcorrect.loaders.reading import Reading, request_reading, tool_reading
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.span import Span, decoded

TYPE = "langfuse.observation.type"
_PREFIX = "langfuse.observation."


def read(span: Span, rows: Rows) -> Reading:
    """Read one span."""
    a = span.attributes
    level = a.get(_PREFIX + "level")
    span.failed = span.failed or level == "ERROR"
    span.message = a.get(_PREFIX + "status_message") or span.message
    given, output = a.get(_PREFIX + "input", ABSENT), a.get(_PREFIX + "output", ABSENT)
    made = observation(str(a[TYPE]), span, rows, given, output)
    made.model = a.get(_PREFIX + "model.name")
    made.session = a.get("session.id") or a.get("langfuse.session.id")
    return made


def observation(kind: str, span: Span, rows: Rows, given: Any, output: Any) -> Reading:
    """Read one observation, whether it was a span or comes from an export.

    Parameters
    ----------
    kind
        Its type; before there were tools, these were spans, which only their name tells.
    given, output
        As recorded: values, or their JSON text.
    """
    kind = kind.lower()
    if kind in ("tool", "span"):
        result, call_id, failed = tool_answer(output)
        arguments = _arguments(given, rows)
        made = tool_reading(span.name, arguments, span, id=call_id, output=result, failed=span.failed or failed)
        made.kind = "tool" if kind == "tool" else "plain"
    elif kind == "generation":
        made = request_reading(rows, given or None, output)
    elif kind == "agent":
        made = Reading("agent", agent=span.name)
    else:
        made = Reading()
    if span.parent is None:
        made.question = only_text(given) or made.question
        made.answer = (text_of_answer(output) if output is not ABSENT else None) or made.answer
    return made


def _arguments(given: Any, rows: Rows) -> Any:
    """Return what a decorated function was given; positional arguments have lost their names."""
    value = decoded(given)
    if isinstance(value, dict) and set(value) == {"args", "kwargs"} and isinstance(value["kwargs"], dict):
        if not value["args"]:
            return value["kwargs"]
        rows.report("positional_arguments", "arguments whose names were not recorded", record="")
    return given
