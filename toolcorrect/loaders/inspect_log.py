"""Inspect AI logs: one JSON document, or the archive of them (`.eval`)."""

from __future__ import annotations

import re
from typing import Any
from zipfile import ZipFile

from toolcorrect.arguments.decoding import ABSENT, parse_json
from toolcorrect.loaders.calls import Call
from toolcorrect.loaders.chat import content_text
from toolcorrect.loaders.conversation import Conversation, kind_of_tool, unwrapped
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.heard import offered
from toolcorrect.loaders.rows import Case, Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.spans import ancestry
from toolcorrect.loaders.telling import objects
from toolcorrect.loaders.zstd_members import read_member

_HEADERS = ("header.json", "_journal/start.json")
_SAMPLE = re.compile(r"samples/.+\.json")
# What the message of a parse error quotes of the model's text.
_QUOTED = re.compile(r"arguments:\s*(.*?)\s*Error details:", re.DOTALL)
_ATTACHMENT = "attachment://"
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


def read(source: Source, rows: Rows) -> None:
    """Read every sample, one at a time, into a case: its id, and its epoch from the second on."""
    if source.archive is not None:
        _read_archive(source.archive, rows)
        return
    for label, log in source.records():
        with rows.record(label):
            for number, sample in enumerate(log["samples"] or []):
                with rows.record(f"{label} sample {number}".strip()):
                    _read_sample(sample, (log["eval"] or {}).get("model"), rows)


def _read_archive(archive: ZipFile, rows: Rows) -> None:
    members = {member.filename: member for member in archive.infolist()}
    header = parse_json(read_member(archive, next(members[name] for name in _HEADERS if name in members)))
    for name, member in members.items():
        if _SAMPLE.fullmatch(name):
            with rows.record(name):
                _read_sample(parse_json(read_member(archive, member)), (header["eval"] or {}).get("model"), rows)


def _read_sample(sample: dict[str, Any], model: Any, rows: Rows) -> None:
    sample = _attached(sample)
    identity, epoch = str(sample["id"]), sample.get("epoch", 1)
    output = sample.get("output") or {}
    case = rows.case(
        identity if epoch == 1 else f"{identity}#{epoch}",
        ids_within="step",
        tags=_tags(sample),
        task=identity,
        trial=epoch - 1,
        model=output.get("model") or model,
        outcome=_outcome(sample.get("scores") or {}),
    )
    talk = Conversation(case)
    for message in sample.get("messages") or []:
        _add_message(talk, message)
    talk.close()
    given = sample.get("input")
    if isinstance(given, str):
        case.columns["input"] = given
    case.columns["output"] = output.get("completion") or case.columns.get("output")
    _add_events(case, [event for event in sample.get("events") or [] if isinstance(event, dict)])


def _add_message(talk: Conversation, message: dict[str, Any]) -> None:
    role, words = message["role"], content_text(message.get("content"))
    if role == "user":
        talk.asked(words)
    elif role == "assistant":
        talk.message()
        talk.answered(words)
        for call in message.get("tool_calls") or []:
            name, failure = call["function"], call.get("parse_error")
            arguments = call.get("arguments", ABSENT) if failure is None else _unparsed(failure)
            kind = "mcp" if call.get("type") == "mcp" else kind_of_tool(name)
            talk.call(name, arguments, id=call.get("id"), wire=failure is not None, kind=kind)
    elif role == "tool":
        error = message.get("error") or {}
        talk.result(
            unwrapped(message.get("content")),
            id=message.get("tool_call_id"),
            tool=message.get("function"),
            error=bool(error),
            error_message=error.get("message"),
        )


def _unparsed(failure: str) -> str:
    """Return the text that could not be parsed, as the error quotes it."""
    quoted = _QUOTED.search(failure)
    return quoted[1] if quoted else failure


def _add_events(case: Case, events: list[dict[str, Any]]) -> None:
    """Add what only events tell: the tools offered, and the calls of agents whose messages are not the sample's."""
    spans = [event for event in events if event.get("event") == "span_begin"]
    above = ancestry(spans, identity="id", parent="parent_id")
    tools: dict[str, dict[str, Any]] = {}
    after: dict[int, int] = {}
    known = {id(call): place for place, call in enumerate(case.calls)}
    last = -1
    for event in events:
        if event.get("event") == "model":
            tools.update({tool["name"]: tool for tool in offered(event.get("tools"))})
        elif event.get("event") == "tool":
            around = above({"id": None, "parent_id": event.get("span_id")})
            call = _execute(case, event, around)
            last = max(last, known.get(id(call), last))
            after[id(call)] = last
    case.calls.sort(key=lambda call: (known.get(id(call), after.get(id(call), last)), id(call) not in known))
    for tool in tools.values():
        case.tool(tool["name"], description=tool.get("description"), parameters=tool.get("parameters"))


def _execute(case: Case, event: dict[str, Any], around: list[dict[str, Any]]) -> Call:
    error = event.get("error") or {}
    agents = [span.get("name") for span in around if span.get("type") == "agent"]
    return case.execution(
        event["function"],
        event.get("arguments", ABSENT),
        id=event.get("id"),
        output=event.get("result", ABSENT),
        error=bool(error) or bool(event.get("failed")),
        error_message=error.get("message"),
        agent=event.get("agent") or (agents[0] if agents else None),
        depth=sum(span.get("type") == "tool" for span in around),
        started=event.get("timestamp"),
    )


def _tags(sample: dict[str, Any]) -> dict[str, Any]:
    """Return the user's metadata, the target, and each score."""
    tags = dict(sample.get("metadata") or {})
    if sample.get("target") not in (None, ""):
        tags["target"] = sample["target"]
    for name, score in (sample.get("scores") or {}).items():
        tags[f"score.{name}"] = score.get("value")
    return tags


def _outcome(scores: dict[str, Any]) -> Any:
    """Return the only score as a number, by Inspect's grades where it is one of them."""
    values = [score.get("value") for score in scores.values()]
    if len(values) != 1 or isinstance(values[0], dict | list):
        return None
    return _GRADES.get(values[0]) if isinstance(values[0], str) else values[0]


def _attached(sample: dict[str, Any]) -> dict[str, Any]:
    """Put long texts back in their place, from where the log keeps each once."""
    attachments = sample.get("attachments")
    if not isinstance(attachments, dict) or not attachments:
        return sample

    def whole(value: Any) -> Any:
        if isinstance(value, str):
            return attachments.get(value.removeprefix(_ATTACHMENT), value) if value.startswith(_ATTACHMENT) else value
        if isinstance(value, dict):
            return {key: whole(item) for key, item in value.items()}
        return [whole(item) for item in value] if isinstance(value, list) else value

    parts = ("input", "target", "messages", "output", "events", "metadata", "scores")
    return {**sample, **{key: whole(sample[key]) for key in parts if key in sample}}


def detect(source: Source) -> tuple[float, str] | None:
    """Recognise the archive by its members, the document by its keys."""
    if source.archive is not None:
        names = set(source.archive.namelist())
        return (0.99, "an archive with a header and samples") if names & set(_HEADERS) else None
    if any({"eval", "plan", "samples"} <= record.keys() for record in objects(source)):
        return 0.97, "eval, plan and samples"
    return None


INSPECT_LOG = Format("inspect_eval_log", "Inspect AI logs, .json and .eval", detect, read)
