"""Phoenix: the spans frame (JSON records, CSV, Parquet, DataFrame) and the spans of its REST interface."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcorrect.loaders import openinference
from toolcorrect.loaders.cells import rows as table_rows
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.otlp import reading_of
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.span import read_span
from toolcorrect.loaders.telling import objects
from toolcorrect.loaders.traces import Traces, combine

_ID = "context.span_id"


def read(source: Source, rows: Rows) -> None:
    """Read spans, newest first or in any order."""
    traces = Traces(rows)
    for label, record in _records(source):
        with rows.record(label):
            span = read_span(record)
            kind = record.get("span_kind")
            if kind and kind != "UNKNOWN" and openinference.KIND not in span.attributes:
                span.attributes = {openinference.KIND: kind, **span.attributes}
            traces.add(span.trace, reading_of(span, rows))


def _records(source: Source) -> Iterator[tuple[str, Any]]:
    """Yield the spans; in a frame the ids may be the index, in an answer of the interface they lie under data."""
    if source.shape == "table" and source.document.index.name == _ID and _ID not in source.columns:
        yield from table_rows(source.document.reset_index())
        return
    for label, record in source.records():
        if isinstance(record, dict) and _is_answer(record):
            yield from ((f"data {i}", span) for i, span in enumerate(record["data"]))
        else:
            yield label, record


def _is_answer(record: dict[str, Any]) -> bool:
    data = record.get("data")
    return isinstance(data, list) and any(isinstance(span, dict) and _is_span(span) for span in data[:5])


def _is_span(record: dict[str, Any]) -> bool:
    context = record.get("context")
    return isinstance(context, dict) and "span_id" in context and "span_kind" in record


def detect_frame(source: Source) -> tuple[float, str] | None:
    """Recognise the columns of the frame, in a table or as keys."""
    if source.shape == "table" and (_ID in source.columns or "context.trace_id" in source.columns):
        return 0.97, f"columns {_ID} and attributes.*"
    if any(_ID in record for record in objects(source)):
        return 0.96, f"records with {_ID}"
    return None


def detect_interface(source: Source) -> tuple[float, str] | None:
    """Recognise spans with a context and a span_kind."""
    if any(_is_span(record) or _is_answer(record) for record in objects(source)):
        return 0.96, "spans with a context and a span_kind"
    return None


PHOENIX_FRAME = Format(
    "phoenix_dataframe", "Phoenix spans frame (JSON, CSV, Parquet, DataFrame)", detect_frame, read, combine
)
PHOENIX_SPANS = Format("phoenix_spans", "Phoenix spans of its REST interface", detect_interface, read, combine)
