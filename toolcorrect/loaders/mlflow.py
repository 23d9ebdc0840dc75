"""MLflow: traces (2.x and 3.x), the frame of `search_traces`, and records of an evaluation dataset."""

from __future__ import annotations

from typing import Any

from toolcorrect.loaders.calllike import add_expected, listed_items
from toolcorrect.loaders.format import Format, each_record
from toolcorrect.loaders.heard import only_text
from toolcorrect.loaders.mlflow_spans import TYPE
from toolcorrect.loaders.otlp import reading_of
from toolcorrect.loaders.rows import MALFORMED, Case, Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.span import decoded, read_span
from toolcorrect.loaders.telling import objects
from toolcorrect.loaders.trace import Trace
from toolcorrect.loaders.traces import fill_case

# Expectations that hold calls, by convention.
_CALLS = ("expected_tool_calls", "expected_tools", "expected_trajectory")
# Before version 3 these stood beside the attributes.
_BESIDE = {"span_type": TYPE, "inputs": "mlflow.spanInputs", "outputs": "mlflow.spanOutputs"}


def read_trace(record: dict[str, Any], rows: Rows) -> None:
    """Read one trace, or one row of the frame."""
    info, spans = _info_and_spans(record)
    metadata = {**(info.get("request_metadata") or {}), **(info.get("trace_metadata") or {})}
    tags = {key: value for key, value in (info.get("tags") or {}).items() if not key.startswith("mlflow.")}
    identity = info.get("trace_id") or info.get("request_id")
    case = rows.case(identity, ids_within="step", tags=tags, session=metadata.get("mlflow.trace.session"))
    trace = Trace(rows)
    for number, written in enumerate(spans):
        try:
            span = read_span(written)
            if None in span.attributes.values() or not written.keys().isdisjoint(_BESIDE):
                beside = {name: written[key] for key, name in _BESIDE.items() if written.get(key) is not None}
                span.attributes = {**beside, **{k: v for k, v in span.attributes.items() if v is not None}}
            trace.add(reading_of(span, rows))
        except MALFORMED:
            with rows.record(f"{identity}, span {number}"):
                raise
    if not spans:
        case.report("empty_trace", "no spans: what was called is not known")
    fill_case(case, trace, trace.readings)
    for name, keys in (("input", ("mlflow.traceInputs", "request")), ("output", ("mlflow.traceOutputs", "response"))):
        if case.columns.get(name) is None:
            case.columns[name] = only_text(next((metadata.get(k, info.get(k)) for k in keys), None))
    _add_expectations(case, _stated(decoded(info.get("assessments"))))


def _info_and_spans(record: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """Return what a trace says of itself, and its spans; a row of the frame holds it as text, and in parts."""
    whole = decoded(record.get("trace"))
    if isinstance(whole, dict) and "data" in whole:
        record = whole
    if isinstance(record.get("info"), dict):
        data = decoded(record.get("data")) or {}
        return {**{key: data.get(key) for key in ("request", "response")}, **record["info"]}, data.get("spans") or []
    info = {key: decoded(value) if key != "request_id" else value for key, value in record.items()}
    spans = info.get("spans")
    if not isinstance(spans, list):
        raise ValueError("it has neither a trace nor spans")
    return info, spans


def _stated(assessments: Any) -> dict[str, Any]:
    """Return the values of a trace's expectations, and of its feedback, by name."""
    found = {}
    for one in assessments if isinstance(assessments, list) else []:
        name = one.get("assessment_name") or one.get("name")
        inner = one.get("expectation") or one.get("feedback") or {}
        serialized = inner.get("serialized_value") or {}
        if name and one.get("valid") is not False:
            found[str(name)] = decoded(serialized["value"]) if "value" in serialized else inner.get("value")
    return found


def _add_expectations(case: Case, stated: dict[str, Any]) -> None:
    """Add expected calls; what else is expected, or was judged, becomes columns of the case."""
    inner = stated.pop("expectations", None)
    if isinstance(inner, dict):
        stated = {**inner, **stated}
    for name, value in stated.items():
        if name in _CALLS and value is not None:
            case.columns["expected_known"] = True
            for item in listed_items(decoded(value)):
                add_expected(case, item)
        else:
            case.tags[name] = value


def detect_trace(source: Source) -> tuple[float, str] | None:
    """Recognise traces by info and data.spans, the frame by its columns."""
    for record in objects(source):
        data = record.get("data")
        if isinstance(record.get("info"), dict) and isinstance(data, dict) and isinstance(data.get("spans"), list):
            return 0.96, "info and data.spans"
        if {"trace_id", "trace", "spans"} <= record.keys() or {"request_id", "trace", "spans"} <= record.keys():
            return 0.95, "records with trace and spans"
    columns = set(source.columns)
    if "spans" in columns and columns & {"trace_id", "request_id"} and columns & {"trace", "trace_metadata"}:
        return 0.96, "columns trace_id, spans and trace"
    return None


def read_dataset_record(record: dict[str, Any], rows: Rows) -> None:
    """Read one record of an evaluation dataset: inputs, and what is expected."""
    tags = record.get("tags") if isinstance(record.get("tags"), dict) else {}
    inputs, outputs = only_text(record["inputs"]), only_text(record.get("outputs"))
    case = rows.case(record.get("dataset_record_id"), tags=tags, input=inputs, output=outputs, called_known=False)
    _add_expectations(case, dict(decoded(record["expectations"])))


def detect_dataset(source: Source) -> tuple[float, str] | None:
    """Recognise records with inputs and expectations."""
    if {"inputs", "expectations"} <= set(source.columns):
        return 0.9, "columns inputs and expectations"
    if any("inputs" in record and isinstance(record.get("expectations"), dict) for record in objects(source)):
        return 0.9, "records with inputs and expectations"
    return None


MLFLOW_TRACE = Format("mlflow_trace", "MLflow traces and the frame of search_traces", detect_trace,
                      each_record(read_trace))  # fmt: skip
MLFLOW_DATASET = Format("mlflow_dataset", "MLflow evaluation datasets", detect_dataset,
                        each_record(read_dataset_record))  # fmt: skip
