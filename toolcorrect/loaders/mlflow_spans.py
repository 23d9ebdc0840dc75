"""MLflow spans, whose attributes are JSON texts."""

from __future__ import annotations

from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.heard import text_of_answer, tool_answer
from toolcorrect.loaders.reading import Reading, request_reading, tool_reading
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.span import Span, decoded

TYPE = "mlflow.spanType"
_KINDS = {f'"{kind}"': kind for kind in ("TOOL", "CHAT_MODEL", "LLM", "AGENT", "CHAIN")}


def read(span: Span, rows: Rows) -> Reading:
    """Read one span."""
    a = span.attributes
    stated = a.get(TYPE)
    kind = (isinstance(stated, str) and _KINDS.get(stated)) or str(decoded(stated) or "")
    given, output = a.get("mlflow.spanInputs", ABSENT), a.get("mlflow.spanOutputs", ABSENT)
    if kind == "TOOL":
        result, call_id, failed = tool_answer(decoded(output))
        name = span.name or decoded(a["mlflow.spanFunctionName"])
        # The text of an object is decoded with those of all calls.
        arguments = given if isinstance(given, str) and given.startswith("{") else decoded(given)
        made = tool_reading(name, arguments, span, id=call_id, output=result, failed=span.failed or failed)
    elif kind in ("CHAT_MODEL", "LLM"):
        tools, model = _first(a, "mlflow.chat.tools", "tools"), _first(a, "mlflow.llm.model", "model")
        made = request_reading(rows, given or None, decoded(output), tools=tools, model=model)
    elif kind == "AGENT":
        made = Reading("agent", agent=span.name)
    else:
        made = Reading()
    if span.parent is None and output is not ABSENT:
        made.answer = made.answer or text_of_answer(decoded(output))
    return made


def _first(attributes: dict[str, Any], *names: str) -> Any:
    """Return the first of some attributes that says anything."""
    for name in names:
        if name in attributes and (found := decoded(attributes[name])):
            return found
    return None
