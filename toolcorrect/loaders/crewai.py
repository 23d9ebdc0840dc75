"""CrewAI: the output of a crew, and the events of its tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcorrect.arguments.decoding import ABSENT, parse_json
from toolcorrect.loaders.calllike import python_literal
from toolcorrect.loaders.calls import Call, held, text_of
from toolcorrect.loaders.chat import add_messages
from toolcorrect.loaders.format import Format, each_record
from toolcorrect.loaders.rows import Case, Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.telling import objects


def read_output(record: Any, rows: Rows) -> None:
    """Read the output of one crew: the messages of all its tasks, in order."""
    tasks = record["tasks_output"]
    known = any(task.get("messages") for task in tasks)
    case = rows.case(
        None, ids_within="step", input=tasks[0].get("description") if tasks else None, called_known=known
    )
    add_messages(case, _messages(case, tasks))
    case.columns["turns"] = None
    case.columns["output"] = record.get("raw") or case.columns.get("output")
    for call in case.calls:
        call.error = None if call.output is None else False
    for task in tasks:
        for failure in task.get("tool_failures") or []:
            _mark(case, failure)


def _messages(case: Case, tasks: list[dict[str, Any]]) -> Iterator[Any]:
    """Yield the messages of all tasks; calls made meanwhile are the task's agent's."""
    for task in tasks:
        before = len(case.calls)
        yield from task.get("messages") or []
        for call in case.calls[before:]:
            call.agent = text_of(task.get("agent"))


def _mark(case: Case, failure: dict[str, Any]) -> None:
    """Mark the call that a failure speaks of: the first with its name and arguments not marked yet."""
    probe = Call(failure["tool_name"], *held(failure.get("tool_args", ABSENT)))
    details = failure.get("failure") or {}
    same = [call for call in case.calls if call.tool == probe.tool and call.error is not True]
    found = next((call for call in same if call.same_arguments(probe)), None)
    if found is None:
        case.report("failure_without_call", "a failure of a tool that answers no call in the file")
        return
    found.complete(ABSENT, True, details.get("message"))


def detect_output(source: Source) -> tuple[float, str] | None:
    """Recognise the output of a crew by that of its tasks."""
    for record in objects(source):
        if isinstance(record.get("tasks_output"), list) and "raw" in record:
            return 0.95, "tasks_output and raw"
    return None


def read_events(source: Source, rows: Rows) -> None:
    """Read the events of tools, by their sequence; those that end a call name the one that began it."""
    events: list[dict[str, Any]] = []
    for label, record in source.records():
        with rows.record(label):
            if str(record["type"]).startswith("tool_usage_"):
                _ = record["tool_name"]
                events.append(record)
    events.sort(key=lambda event: event.get("emission_sequence") or 0)
    case = rows.case(None)
    begun: dict[Any, Call] = {}
    for event in events:
        if event["type"] == "tool_usage_started":
            begun[event.get("event_id")] = _begin(case, event)
    for event in events:
        if event["type"] != "tool_usage_started":
            _end(case, event, begun)


def _begin(case: Case, event: dict[str, Any], **columns: Any) -> Call:
    return case.call(
        event["tool_name"],
        _arguments(event),
        agent=event.get("agent_role"),
        started=event.get("timestamp"),
        **columns,
    )


def _end(case: Case, event: dict[str, Any], begun: dict[Any, Call]) -> None:
    output, error = event.get("output"), event.get("error")
    failed = event["type"] != "tool_usage_finished"
    call = begun.get(event.get("started_event_id")) if event.get("started_event_id") else _like(case, event)
    if call is None:
        call = _begin(case, event, source="tool")
    else:
        call.source = "both"
    call.complete(ABSENT if output is None else output, failed, error)


def _like(case: Case, event: dict[str, Any]) -> Call | None:
    """Return the first call without an end that has an event's name and arguments."""
    probe = Call(event["tool_name"], *held(_arguments(event)))
    return next((c for c in case.calls if c.error is None and c.tool == probe.tool and c.same_arguments(probe)), None)


def _arguments(event: dict[str, Any]) -> Any:
    """Return the arguments; where they were printed by Python, or as JSON, what was printed."""
    given = event.get("tool_args", ABSENT)
    for parse in (parse_json, python_literal) if isinstance(given, str) and given.strip() else ():
        try:
            return parse(given)
        except ValueError:
            continue
    return given


def detect_events(source: Source) -> tuple[float, str] | None:
    """Recognise events of tools by their type."""
    for record in objects(source):
        if str(record.get("type")).startswith("tool_usage_") and "tool_name" in record:
            return 0.95, f"events of type {record['type']}"
    return None


CREWAI_OUTPUT = Format("crewai_output", "outputs of CrewAI crews", detect_output, each_record(read_output))
CREWAI_EVENTS = Format("crewai_events", "events of tools in CrewAI", detect_events, read_events)
