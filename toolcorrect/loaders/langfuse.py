"""Langfuse exports: observations, alone or inside their traces (JSON, JSONL, CSV)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.heard import only_text, text_of_answer
from toolcorrect.loaders.langfuse_spans import observation
from toolcorrect.loaders.rows import MALFORMED, Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.span import Span, nanoseconds
from toolcorrect.loaders.telling import objects
from toolcorrect.loaders.traces import Traces, combine

_TYPES = frozenset(
    {
        *("SPAN", "GENERATION", "EVENT", "TOOL", "AGENT", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING"),
        "GUARDRAIL",
    }
)


def read(source: Source, rows: Rows) -> None:
    """Read observations of all traces, in any order."""
    traces = Traces(rows)
    for label, record in source.records():
        with rows.record(label):
            for item in _unfolded(record):
                if isinstance(item.get("observations"), list):
                    _read_trace(item, traces)
                else:
                    _read_observation(item, _either(item, "trace_id", "traceId"), traces)


def _unfolded(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what an answer of the interface holds under data, else the record itself."""
    data = record.get("data")
    yield from data if isinstance(data, list) else [record]


def _read_trace(trace: dict[str, Any], traces: Traces) -> None:
    columns = {"session": _either(trace, "session_id", "sessionId"), "input": only_text(trace.get("input"))}
    output = trace.get("output")
    columns["output"] = None if output is None else text_of_answer(output) or only_text(output)
    tags = {key: trace[key] for key in ("name", "tags", "metadata", "release", "version") if trace.get(key)}
    identity = str(trace["id"])
    traces.columns[identity] = {key: value for key, value in columns.items() if value} | {"tags": tags}
    traces.trace(identity)
    for number, item in enumerate(trace["observations"]):
        try:
            _read_observation(item, identity, traces)
        except MALFORMED:
            with traces.rows.record(f"{identity}, observation {number}"):
                raise


def _read_observation(item: dict[str, Any], trace: Any, traces: Traces) -> None:
    if trace is None:
        raise ValueError("an observation has no trace id")
    span = Span(
        str(trace),
        str(item["id"]),
        _either(item, "parent_observation_id", "parentObservationId") or None,
        str(item.get("name") or ""),
        nanoseconds(_either(item, "start_time", "startTime")),
        nanoseconds(_either(item, "end_time", "endTime")),
        item.get("level") == "ERROR",
        _either(item, "status_message", "statusMessage"),
    )
    given, output = (ABSENT if item.get(key) is None else item[key] for key in ("input", "output"))
    made = observation(str(item["type"]), span, traces.rows, given, output).of(span)
    made.model = item.get("model") or _either(item, "provided_model_name", "providedModelName")
    made.session = _either(item, "session_id", "sessionId")
    traces.add(trace, made)


def _either(value: dict[str, Any], snake: str, camel: str) -> Any:
    found = value.get(snake)
    return value.get(camel) if found is None else found


def _is_observation(record: Any) -> bool:
    return (
        isinstance(record, dict)
        and record.get("type") in _TYPES
        and _either(record, "trace_id", "traceId") is not None
        and _either(record, "start_time", "startTime") is not None
    )


def detect(source: Source) -> tuple[float, str] | None:
    """Recognise observations by their type, trace and start."""
    if source.shape == "table" and any(_is_observation(record) for record in source.head):
        return 0.94, "columns type, trace_id and start_time of observations"
    for record in objects(source):
        for item in list(_unfolded(record))[:5]:
            inner = item.get("observations") if isinstance(item, dict) else None
            if _is_observation(item) or (isinstance(inner, list) and any(map(_is_observation, inner[:20]))):
                return 0.94, "observations with a type and a trace"
    return None


LANGFUSE_OBSERVATIONS = Format(
    "langfuse_observations", "Langfuse exports of observations and traces", detect, read, combine
)
