"""Galtea: spans as its SDK posts them, in the order they finished."""

from __future__ import annotations

from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.rows import Case, Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.span import nanoseconds
from toolcorrect.loaders.spans import ancestry


def read(source: Source, rows: Rows) -> None:
    """Read the TOOL spans of every turn, by their start; the root AGENT gives input and output."""
    spans: dict[str, list[dict[str, Any]]] = {}
    for label, record in source.records():
        with rows.record(label):
            # One batch holds many spans, or the spans stand alone.
            for span in record.get("traces", [record]):
                spans.setdefault(str(span["inferenceResultId"]), []).append(span)
    for result, found in spans.items():
        with rows.record(result):
            _read_turn(rows.case(result), sorted(found, key=_start))


def _read_turn(case: Case, spans: list[dict[str, Any]]) -> None:
    above = ancestry(spans, identity="id", parent="parentTraceId")
    for span in spans:
        if span.get("type") == "AGENT" and not above(span):
            case.columns.setdefault("input", _only_text(span.get("inputData")))
            case.columns["output"] = _only_text(span.get("outputData"))
        if span.get("type") != "TOOL":
            continue
        agents = [a for a in above(span) if a.get("type") == "AGENT"]
        case.execution(
            span["name"],
            span.get("inputData", ABSENT),
            output=span.get("outputData", ABSENT),
            error=span.get("error") is not None,
            error_message=span.get("error"),
            agent=agents[0].get("name") if agents else None,
            depth=max(len(agents) - 1, 0),
            started=_time(span.get("startTime")),
        )


def _time(value: Any) -> Any:
    """Return a written time as nanoseconds, which are cheaper to store; anything else as it is."""
    known = nanoseconds(value) if isinstance(value, str) and not value.isdigit() else None
    return value if known is None else known


def _start(span: dict[str, Any]) -> str:
    return str(span.get("startTime") or "")


def _only_text(value: Any) -> Any:
    """Return the one text of an object with one entry: an agent's question under whatever name."""
    if isinstance(value, dict) and len(value) == 1:
        (only,) = value.values()
        return only
    return value


def detect(source: Source) -> tuple[float, str] | None:
    """Recognise a batch of spans by Galtea's own keys."""
    for record in source.head:
        spans = record.get("traces") if isinstance(record, dict) else None
        if isinstance(spans, list) and spans and isinstance(spans[0], dict) and "inferenceResultId" in spans[0]:
            return 0.95, "traces with inferenceResultId"
        if isinstance(record, dict) and {"inferenceResultId", "type", "name"} <= record.keys():
            return 0.9, "spans with inferenceResultId"
    return None


GALTEA_SPANS = Format("galtea_spans", "spans posted by the Galtea SDK", detect, read)
