"""Traces of OpenTelemetry: OTLP/JSON and the console exporter, each span in the dialect it is written in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from toolcorrect.loaders import genai, langfuse_spans, mlflow_spans, openinference, vercel_spans
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.reading import Reading
from toolcorrect.loaders.rows import MALFORMED, Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.span import Span, log_spans, otlp_spans, read_span
from toolcorrect.loaders.telling import objects
from toolcorrect.loaders.traces import Traces, combine

_REQUESTS = ("resourceSpans", "resource_spans", "resourceLogs", "resource_logs")
# Detection looks at the names of attributes of so many spans.
_SPANS = 2000

# The first whose mark a span has reads it.
_DIALECTS: tuple[tuple[str, Callable[[Span, Rows], Reading]], ...] = (
    (openinference.KIND, openinference.read),
    (langfuse_spans.TYPE, langfuse_spans.read),
    (mlflow_spans.TYPE, mlflow_spans.read),
    (vercel_spans.OPERATION, vercel_spans.read),
)


def reading_of(span: Span, rows: Rows) -> Reading:
    """Read a span in its dialect."""
    attributes = span.attributes
    for mark, read in _DIALECTS:
        if mark in attributes:
            return read(span, rows).of(span)
    other = openinference.read if openinference.has_messages(attributes) else genai.read
    return other(span, rows).of(span)


def read(source: Source, rows: Rows) -> None:
    """Read requests of OTLP/JSON, or bare spans; of each span only what it says of calls is kept."""
    traces = Traces(rows)
    for label, record in source.records():
        with rows.record(label):
            requests = any(key in record for key in _REQUESTS)
            for number, written in enumerate(otlp_spans(record) if requests else [record]):
                try:
                    span = read_span(written)
                    traces.add(span.trace, reading_of(span, rows))
                except MALFORMED:
                    # A bad span loses none of the others.
                    with rows.record(f"{label} span {number}".strip() if requests else label):
                        raise
            for span in log_spans(record):
                traces.add(span.trace, reading_of(span, rows))


def _written(source: Source) -> Iterator[Any]:
    for record in objects(source):
        yield from otlp_spans(record)


def _detect(source: Source) -> str | None:
    """Return which conventions the spans of OTLP/JSON follow; empty for none of those known."""
    if not any(key in record for record in objects(source) for key in _REQUESTS):
        return None
    names: set[str] = set()
    for written in islice(_written(source), _SPANS):
        try:
            names.update(_names(written))
        except MALFORMED:
            continue
    for start, dialect in _MARKS:
        if any(str(name).startswith(start) for name in names):
            return dialect
    return ""


def _names(written: Any) -> Iterator[Any]:
    """Yield the names of a span's attributes, of its events and of theirs."""
    for event in [written, *(written.get("events") or ())]:
        if event is not written:
            yield event.get("name")
        attributes = event.get("attributes") or ()
        yield from attributes if isinstance(attributes, dict) else (item["key"] for item in attributes)


_MARKS = (
    ("openinference.span.kind", "openinference"),
    ("langfuse.observation.", "langfuse"),
    ("mlflow.span", "mlflow"),
    ("gen_ai.", "genai"),
    ("ai.", "genai"),
    ("llm.", "genai"),
    ("traceloop.", "genai"),
)


def _format(dialect: str, title: str) -> Format:
    def detect(source: Source) -> tuple[float, str] | None:
        found = _detect(source)
        if found != dialect:
            return None
        return 0.97, f"resourceSpans with attributes of {title}" if dialect else "resourceSpans"

    name = f"otlp_{dialect}" if dialect else "otlp"
    return Format(name, f"OTLP/JSON, {title}", detect, read, combine)


OTLP = (
    _format("openinference", "OpenInference"),
    _format("langfuse", "Langfuse"),
    _format("mlflow", "MLflow"),
    _format("genai", "the GenAI conventions"),
    _format("", "no conventions of its own"),
)


def detect_console(source: Source) -> tuple[float, str] | None:
    """Recognise spans of the console exporter by their context and their kind."""
    for record in objects(source):
        context = record.get("context")
        if isinstance(context, dict) and "span_id" in context and str(record.get("kind")).startswith("SpanKind."):
            return 0.96, "spans with a context and a SpanKind"
    return None


OTEL_CONSOLE = Format("otel_console", "OpenTelemetry's console exporter", detect_console, read, combine)
