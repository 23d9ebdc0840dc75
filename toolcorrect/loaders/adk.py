"""Google ADK sessions: events in order, each by an agent."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from toolcorrect.loaders.conversation import Conversation
from toolcorrect.loaders.gathering import Gathered, Layout
from toolcorrect.loaders.gemini import add_gathered, add_parts, either, gather_parts, words
from toolcorrect.loaders.message_lists import Family, Unfolded, message_format
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.span import nanoseconds
from toolcorrect.loaders.telling import objects

# What ADK itself writes beside the events; under other keys a record may hold what any record may.
_PLUMBING = frozenset({"events", "state", "lastUpdateTime", "last_update_time"})
_NAMES = frozenset({"id", "appName", "app_name", "userId", "user_id"})


def add_event(talk: Conversation, event: dict[str, Any]) -> None:
    """Add one event: what the user said, or an agent's calls, words and responses."""
    # Pieces of a streamed event, which the whole event repeats.
    if event.get("partial"):
        return
    parts = _parts(event)
    author = event.get("author")
    if author == "user":
        talk.asked(words(parts))
    else:
        talk.message()
        talk.answered(words(parts))
    add_parts(talk, parts, agent=author, depth=_depth(event), started=_started(event))


def _parts(event: dict[str, Any]) -> Any:
    return (event.get("content") or {}).get("parts") or []


def _depth(event: dict[str, Any]) -> int:
    """Count by the branch, which names the agents from the root down to the one that speaks."""
    return str(event.get("branch") or "").count(".")


def _started(event: dict[str, Any]) -> int | None:
    return nanoseconds(event.get("timestamp"))


def _gather(talks: Sequence[list[Any]], gathered: Gathered) -> set[int]:
    """Say what `add_event` says, of several sessions at once."""
    events = list(itertools.chain.from_iterable(talks))
    if any(event.get("partial") for event in events):
        raise ValueError("pieces of events")
    authors = [event.get("author") for event in events]
    agents = [author != "user" for author in authors]
    blocks = gather_parts(talks, list(map(_parts, events)), agents, gathered)
    blocks.asked([not agent for agent in agents], words)
    blocks.answered(agents, words)
    columns = {"agent": authors, "depth": list(map(_depth, events)), "started": list(map(_started, events))}
    return add_gathered(blocks, **columns)


def beside(record: dict[str, Any]) -> dict[str, Any]:
    """Return what a record says beside its events."""
    names = {"session": record.get("id"), **{name: either(record, name) for name in ("app_name", "user_id")}}
    stated = {key: value for key, value in names.items() if value is not None}
    rest = {key: value for key, value in record.items() if key not in _NAMES}
    return {**({"id": record["id"]} if "id" in record else {}), **stated, **rest}


def unfold(record: dict[str, Any]) -> Iterator[Unfolded]:
    """Yield the events of a session."""
    events = record.get("events")
    if isinstance(events, list) and events:
        yield events, beside(record)


def tell(events: Sequence[Any]) -> str | None:
    """Recognise events by their author and their parts."""
    for event in events:
        content = event.get("content") if isinstance(event, dict) and "author" in event else None
        if isinstance(content, dict) and "parts" in content:
            return "an author and parts"
    return None


def detect(source: Source) -> tuple[float, str] | None:
    """Recognise sessions by their events and the name of the app, or by the events alone."""
    for record in objects(source):
        if isinstance(record.get("events"), list) and not {"appName", "app_name"}.isdisjoint(record):
            return 0.95, "events and an app name"
    return _FAMILY.detect(source)


_FAMILY = Family(
    "adk_session",
    "Google ADK sessions",
    tell,
    add_event,
    unfold,
    _PLUMBING,
    Layout(lambda record: record["events"], _gather, beside=beside),
)
ADK_SESSION = replace(message_format(_FAMILY), detect=detect)
