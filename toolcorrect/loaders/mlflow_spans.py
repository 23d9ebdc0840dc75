"""MLflow spans, whose attributes are JSON texts."""

from __future__ import annotations

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
        made = tool_reading(name, decoded(given), span, id=call_id, output=result, failed=span.failed or failed)
    elif kind in ("CHAT_MODEL", "LLM"):
        tools = decoded(a.get("mlflow.chat.tools")) or decoded(a.get("tools"))
        model = decoded(a.get("mlflow.llm.model")) or decoded(a.get("model"))
        made = request_reading(rows, given or None, decoded(output), tools=tools, model=model)
    elif kind == "AGENT":
        made = Reading("agent", agent=span.name)
    else:
        made = Reading()
    if span.parent is None and output is not ABSENT:
        made.answer = made.answer or text_of_answer(decoded(output))
    return made
