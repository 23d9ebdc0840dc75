"""MLflow spans, whose attributes are JSON texts."""

from __future__ import annotations

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.heard import request_messages, text_of_answer, tool_answer
from toolcorrect.loaders.reading import Reading, model_reading, tool_reading
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.span import Span, decoded

TYPE = "mlflow.spanType"


def read(span: Span, rows: Rows) -> Reading:
    """Read one span."""
    a = {key: decoded(value) for key, value in span.attributes.items()}
    kind = str(a.get(TYPE) or "")
    given, output = a.get("mlflow.spanInputs", ABSENT), a.get("mlflow.spanOutputs", ABSENT)
    if kind == "TOOL":
        result, call_id, failed = tool_answer(output)
        name = span.name or a["mlflow.spanFunctionName"]
        made = tool_reading(name, given, span, id=call_id, output=result, failed=span.failed or failed)
    elif kind in ("CHAT_MODEL", "LLM"):
        tools = a.get("mlflow.chat.tools") or a.get("tools")
        if tools is None and isinstance(given, dict):
            tools = given.get("tools")
        model = a.get("mlflow.llm.model") or a.get("model")
        made = model_reading(rows, request_messages(given or None), output, tools=tools, model=model)
    elif kind == "AGENT":
        made = Reading("agent", agent=span.name)
    else:
        made = Reading()
    if span.parent is None and output is not ABSENT:
        made.answer = made.answer or text_of_answer(output)
    return made
