"""LangSmith runs: JSONL, what its client posts and patches, and the bulk export (JSON texts in Parquet or CSV)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.heard import (
    only_text,
    request_messages,
    text_of_answer,
    tool_answer,
)
from toolcorrect.loaders.reading import Reading, model_reading, tool_reading
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.span import Span, decoded, nanoseconds
from toolcorrect.loaders.telling import objects
from toolcorrect.loaders.traces import Traces
from toolcorrect.loaders.traces import combine as combine_traces

_MODELS = ("llm", "chat_model")
_SESSION = ("thread_id", "session_id", "conversation_id")


class _Runs(Traces):
    """Traces of runs, of which some are there in pieces.

    Attributes
    ----------
    begun
        Runs by id of which something is missing.
    whole
        Ids of those that were read.
    """

    def __init__(self, rows: Rows) -> None:
        super().__init__(rows)
        self.begun: dict[Any, dict[str, Any]] = {}
        self.whole: set[Any] = set()

    def is_empty(self) -> bool:
        """Tell whether there was neither a run nor a piece of one."""
        return super().is_empty() and not self.begun


def read(source: Source, rows: Rows) -> None:
    """Read runs; those that come in two pieces, as they began and as they ended, are joined."""
    traces = _Runs(rows)
    begun = traces.begun
    for label, record in source.records():
        with rows.record(label):
            for piece in _pieces(record):
                run = _together(begun.pop(piece["id"], {}), piece)
                if "inputs" in run and "run_type" in run and (run.get("outputs") or run.get("error")):
                    _read_run(run, traces)
                    traces.whole.add(piece["id"])
                else:
                    begun[piece["id"]] = run


def _together(run: dict[str, Any], piece: dict[str, Any]) -> dict[str, Any]:
    """Add a piece of a run to what is known of it; what is empty takes nothing away."""
    return {**run, **{key: value for key, value in piece.items() if value not in _EMPTY or key not in run}}


# What a piece holds where it knows nothing yet.
_EMPTY: tuple[Any, ...] = (None, {}, "", [])


def combine(sources: Sequence[Rows]) -> Sequence[Rows]:
    """Read the runs whose pieces are in several sources, then make the cases."""
    held: list[_Runs] = [rows.unfinished for rows in sources]
    whole = {identity for runs in held for identity in runs.whole}
    found: dict[Any, tuple[_Runs, dict[str, Any]]] = {}
    for runs in held:
        for identity, piece in runs.begun.items():
            first, run = found.get(identity, (runs, {}))
            found[identity] = first, _together(run, piece)
    for identity, (runs, run) in found.items():
        if identity not in whole:
            with runs.rows.record(str(identity)):
                _read_run(run, runs)
    return combine_traces(sources)


def _pieces(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the runs of a record: itself, or what was posted and patched together."""
    if "post" in record or "patch" in record:
        for key in ("post", "patch"):
            yield from record.get(key) or []
    else:
        yield record


def _read_run(run: dict[str, Any], traces: Traces) -> None:
    identity, parent = run["id"], run.get("parent_run_id")
    trace = run.get("trace_id") or (identity if parent is None else None)
    if trace is None:
        raise ValueError("a run has no trace_id")
    extra = decoded(run.get("extra")) or {}
    metadata = extra.get("metadata") or {}
    error = run.get("error")
    start, end = nanoseconds(run.get("start_time")), nanoseconds(run.get("end_time"))
    span = Span(str(trace), str(identity), parent and str(parent), str(run["name"]), start, end, bool(error), error)
    inputs, outputs = decoded(run.get("inputs")), decoded(run.get("outputs"))
    if run["run_type"] in _MODELS:
        made = _model(inputs, outputs, extra, traces.rows)
    elif run["run_type"] == "tool":
        made = _tool(span, inputs, outputs, extra)
    else:
        made = Reading()
    made.agent = metadata.get("lc_agent_name")
    made.session = next((metadata[key] for key in _SESSION if metadata.get(key)), None)
    if parent is None:
        made.question = made.question or _question(inputs)
        made.answer = made.answer or text_of_answer(outputs)
        tags = {"project": run.get("session_name"), "task": run.get("reference_example_id")}
        traces.columns[str(trace)] = {key: value for key, value in tags.items() if value}
    traces.add(str(trace), made.of(span))


def _model(inputs: Any, outputs: Any, extra: dict[str, Any], rows: Rows) -> Reading:
    settings = extra.get("invocation_params") or {}
    tools = settings.get("tools") or settings.get("functions")
    if tools is None and isinstance(inputs, dict):
        tools = inputs.get("tools")
    model = (extra.get("metadata") or {}).get("ls_model_name") or settings.get("model")
    return model_reading(rows, request_messages(inputs), outputs, tools=tools, model=model)


def _tool(span: Span, inputs: Any, outputs: Any, extra: dict[str, Any]) -> Reading:
    arguments = ABSENT if inputs is None else inputs
    if isinstance(inputs, dict) and set(inputs) == {"input"} and isinstance(decoded(inputs["input"]), dict):
        # Before the arguments were recorded as an object, their text was.
        arguments = inputs["input"]
    output, call_id, failed = tool_answer(outputs) if outputs else (ABSENT, None, None)
    if isinstance(output, dict) and set(output) == {"output"}:
        output = output["output"]
    return tool_reading(
        span.name,
        arguments,
        span,
        id=extra.get("tool_call_id") or call_id,
        output=output,
        failed=span.failed or failed,
    )


def _question(inputs: Any) -> Any:
    said = [m.get("content") for m in request_messages(inputs) if m.get("role") == "user"]
    return said[-1] if said else only_text(inputs)


def detect(source: Source) -> tuple[float, str] | None:
    """Recognise runs by their type and their place in a trace."""
    if {"run_type", "trace_id"} <= set(source.columns):
        return 0.95, "columns run_type and trace_id"
    for record in objects(source):
        pieces = [record, *(record.get("post") or []), *(record.get("patch") or [])]
        runs = [
            piece for piece in pieces if isinstance(piece, dict) and ("dotted_order" in piece or "trace_id" in piece)
        ]
        if any("run_type" in run or ("dotted_order" in run and "trace_id" in run) for run in runs):
            return 0.96, "runs with their place in a trace"
    return None


LANGSMITH_RUNS = Format(
    "langsmith_runs", "LangSmith runs (JSONL, posts and patches, bulk export)", detect, read, combine
)
