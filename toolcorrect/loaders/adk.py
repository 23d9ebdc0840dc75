"""Google ADK sessions: events in order, each by an agent."""

from __future__ import annotations

from typing import Any

from toolcorrect.loaders.conversation import Conversation
from toolcorrect.loaders.format import Format, each_record
from toolcorrect.loaders.gemini import add_parts, either, words
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.telling import objects


def read_session(record: Any, rows: Rows) -> None:
    """Read one session."""
    case = rows.case(
        record.get("id"),
        ids_within="step",
        session=record.get("id"),
        app_name=either(record, "app_name"),
        user_id=either(record, "user_id"),
    )
    talk = Conversation(case)
    for event in record["events"]:
        # Pieces of a streamed event, which the whole event repeats.
        if not event.get("partial"):
            add_event(talk, event)
    talk.close()


def add_event(talk: Conversation, event: dict[str, Any]) -> None:
    """Add one event: what the user said, or an agent's calls, words and responses."""
    parts = (event.get("content") or {}).get("parts") or []
    author = event.get("author")
    if author == "user":
        talk.asked(words(parts))
    else:
        talk.message()
        talk.answered(words(parts))
    seconds = event.get("timestamp")
    started = int(seconds * 1e9) if isinstance(seconds, int | float) else None
    # A branch names the agents from the root down to the one that speaks.
    depth = str(event.get("branch") or "").count(".")
    add_parts(talk, parts, agent=author, depth=depth, started=started)


def detect(source: Source) -> tuple[float, str] | None:
    """Recognise sessions by their events and the name of the app."""
    for record in objects(source):
        if isinstance(record.get("events"), list) and ("appName" in record or "app_name" in record):
            return 0.95, "events and an app name"
    return None


ADK_SESSION = Format("adk_session", "Google ADK sessions", detect, each_record(read_session))
