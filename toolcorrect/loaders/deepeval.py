"""DeepEval: test cases and goldens (JSON, JSONL, CSV), test-run files, traces."""

from __future__ import annotations

from typing import Any

from toolcorrect.arguments.decoding import ABSENT, to_json
from toolcorrect.loaders.calllike import add_called
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.plain_records import add_lists
from toolcorrect.loaders.rows import Case, Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.spans import ancestry
from toolcorrect.loaders.telling import mostly

_CALLED = ("tools_called", "toolsCalled")
_EXPECTED = ("expected_tools", "expectedTools")
_OUTPUT = ("actual_output", "actualOutput")
_READ = frozenset({*_CALLED, *_EXPECTED, *_OUTPUT, "input", "name", "metricsData", "turns", "available_tools"})
# One file of a run, perhaps wrapped: the lists of cases in it.
_RUN_LISTS = ("testCases", "conversationalTestCases")


def read(source: Source, rows: Rows) -> None:
    """Read test cases, goldens, a run's results, or traces."""
    run = _run(source.document) if source.shape == "object" else None
    if run is not None:
        for name in _RUN_LISTS:
            for i, record in enumerate(run.get(name) or []):
                with rows.record(f"{name} {i}"):
                    _read_case(record, rows)
        return
    for label, record in source.records():
        with rows.record(label):
            if "toolSpans" in record:
                _read_trace(record, rows)
            else:
                _read_case(record, rows)


def _read_case(record: dict[str, Any], rows: Rows) -> None:
    # Of the many columns that are nearly always empty only those that say something are kept.
    tags = {str(key): value for key, value in record.items() if key not in _READ and value is not None}
    turns = record.get("turns")
    case = rows.case(
        record.get("name"),
        input=record.get("input"),
        output=_first(record, _OUTPUT, None),
        tags={**tags, **_metrics(record.get("metricsData") or [])},
    )
    called, expected = _first(record, _CALLED, ABSENT), _first(record, _EXPECTED, ABSENT)
    for side, value in (("calls", called), ("expected calls", expected)):
        if value is None or (value is ABSENT and rows.source.container == "csv"):
            rows.report("none_or_unknown", f"{side}: an empty list and no list are saved alike", record="")
    tools = record.get("available_tools")
    add_lists(case, None if called is ABSENT else called, None if expected is ABSENT else expected, tools)
    if isinstance(turns, list):
        _read_turns(case, turns)


def _read_turns(case: Case, turns: list[Any]) -> None:
    """Read a conversation: the calls of each assistant turn."""
    said = 0
    case.columns["called_known"] = True
    for turn in turns:
        said += turn.get("role") == "user"
        for item in _first(turn, _CALLED, None) or []:
            add_called(case, item, turn=max(said - 1, 0))
    case.columns["turns"] = said


def _metrics(metrics: list[Any]) -> dict[str, Any]:
    """Return the scores that the run recorded, a column each; names repeat, since flags are not recorded."""
    scores: dict[str, Any] = {}
    for metric in metrics:
        name = str(metric.get("name"))
        number = 2
        column = name
        while column in scores:
            column, number = f"{name}#{number}", number + 1
        scores[column] = metric.get("score")
    return scores


def _read_trace(record: dict[str, Any], rows: Rows) -> None:
    """Read one trace: its tool spans, newest first in the file, or the calls that it states itself."""
    case = rows.case(
        record.get("uuid") or None,
        input=record.get("input"),
        output=record.get("output"),
        session=record.get("threadId"),
        tags={key: record[key] for key in ("name", "tags", "environment", "metadata") if record.get(key)},
    )
    spans = [span for kind in ("baseSpans", "agentSpans", "llmSpans", "retrieverSpans", "toolSpans")
             for span in record.get(kind) or []]  # fmt: skip
    above = ancestry(spans, identity="uuid", parent="parentUuid")
    stated = record.get("toolsCalled")
    tools = list(record.get("toolSpans") or [])
    if stated:
        for item in stated:
            add_called(case, item)
        if tools:
            case.report("spans_left_out", "the trace states its calls itself", count=len(tools))
    else:
        # Times are in milliseconds and tie; the file's order, reversed, settles them.
        tools.reverse()
        tools.sort(key=lambda span: str(span.get("startTime") or ""))
        for span in tools:
            agents = [a for a in above(span) if a.get("type") == "agent"]
            case.execution(
                span["name"],
                span.get("input", ABSENT),
                output=span.get("output", ABSENT),
                error=span.get("status") == "ERRORED" or bool(span.get("error")),
                error_message=span.get("error"),
                agent=agents[0].get("name") if agents else None,
                depth=max(len(agents) - 1, 0),
                started=span.get("startTime"),
            )
    offered = [n for span in record.get("agentSpans") or [] for n in span.get("availableTools") or []]
    add_lists(case, None, record.get("expectedTools"), list(dict.fromkeys(offered)) or None, called_known=True)


def _first(record: dict[str, Any], keys: tuple[str, ...], default: Any) -> Any:
    return next((record[key] for key in keys if key in record), default)


def _run(document: Any) -> dict[str, Any] | None:
    """Return the results in a run's file, which may be wrapped in one more object."""
    for value in [document, *(document.values() if isinstance(document, dict) else [])]:
        if isinstance(value, dict) and isinstance(value.get("testCases"), list):
            return value
    return None


def _records(source: Source) -> list[dict[str, Any]]:
    return [record for record in source.head if isinstance(record, dict)]


def detect_testcases(source: Source) -> tuple[float, str] | None:
    """Recognise test cases by both lists of tools and an input; runs and traces by their own keys."""
    if source.shape == "object":
        run = _run(source.document)
        if run is not None and ("metricsScores" in run or "metricsData" in to_json(run["testCases"][:3])):
            return 0.95, "testCases with metrics"
    records = _records(source)
    if mostly("toolSpans" in r and "agentSpans" in r for r in records):
        return 0.95, "traces with toolSpans and agentSpans"
    keys = {str(key) for record in records for key in record} | set(source.columns)
    if any(isinstance(r.get("turns"), list) for r in records) and '"tools_called"' in to_json(records[:5]):
        return 0.9, "conversational test cases with tools_called in turns"
    if {"toolsCalled", "input"} <= keys or {"tools_called", "expected_tools", "input"} <= keys:
        return 0.9, "records with an input, tools called and tools expected"
    return None


def detect_goldens(source: Source) -> tuple[float, str] | None:
    """Recognise goldens: test cases of which none has an actual output yet."""
    found = detect_testcases(source)
    records = _records(source)
    if found is None or source.shape == "object" or "toolSpans" in (records[0] if records else {}):
        return None
    columns = {key for record in records for key in record} | set(source.columns)
    if columns.isdisjoint(_OUTPUT) or any(record.get(key) for record in records for key in _OUTPUT):
        return None
    return 0.92, "test cases of which none has an actual output"


DEEPEVAL_TESTCASES = Format("deepeval_testcases", "DeepEval test cases, test runs and traces", detect_testcases, read)
DEEPEVAL_GOLDENS = Format("deepeval_goldens", "DeepEval goldens", detect_goldens, read)
