"""RAGAS multi-turn samples: JSONL, JSON, CSV, and bare lists of their messages."""

from __future__ import annotations

from typing import Any

from toolcorrect.loaders.calllike import add_expected, listed_items
from toolcorrect.loaders.conversation import Conversation
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.langchain import add_message
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.telling import objects

_KEYS = ("user_input", "messages", "response", "reference_tool_calls")
_TYPES = frozenset({"human", "ai", "tool"})


def read(source: Source, rows: Rows) -> None:
    """Read samples, or one list of messages."""
    if _are_messages(source.head):
        with rows.record(""):
            _read_sample({"user_input": [message for _, message in source.records()]}, rows)
        return
    for label, record in source.records():
        with rows.record(label):
            _read_sample(record, rows)


def _read_sample(record: dict[str, Any], rows: Rows) -> None:
    given = record["user_input"] if "user_input" in record else record["messages"]
    # A cell of CSV holds what Python printed; a sample of a single turn holds the question alone.
    printed = isinstance(given, str) and given.lstrip().startswith("[{")
    messages = listed_items(given) if printed or isinstance(given, list) else None
    tags = {key: value for key, value in record.items() if key not in _KEYS and value is not None}
    case = rows.case(None, tags=tags, called_known=messages is not None)
    talk = Conversation(case)
    if messages is None:
        talk.asked(given)
    for message in messages or []:
        add_message(talk, message)
    talk.answered(record.get("response"))
    talk.close()
    expected = record.get("reference_tool_calls")
    if expected is not None:
        case.columns["expected_known"] = True
        for item in listed_items(expected):
            add_expected(case, item)


def _are_messages(records: Any) -> bool:
    return (
        isinstance(records, list)
        and bool(records)
        and all(isinstance(r, dict) and r.get("type") in _TYPES and "content" in r for r in records)
    )


def detect(source: Source) -> tuple[float, str] | None:
    """Recognise samples by user_input and what belongs to it, or messages without any id."""
    beside = {"reference", "response", "reference_tool_calls"}
    if source.shape == "table":
        columns = set(source.columns)
        return (0.95, "columns user_input and reference") if "user_input" in columns and beside & columns else None
    for record in objects(source):
        if isinstance(record.get("user_input"), list) or ("user_input" in record and beside & record.keys()):
            return 0.95, "user_input and what belongs to it"
    # Behind LangChain, whose messages have ids.
    lists = [source.head, *(record.get("messages") for record in objects(source))]
    return (0.88, "messages of type human, ai and tool without ids") if any(map(_are_messages, lists)) else None


RAGAS_MULTITURN = Format("ragas_multiturn", "RAGAS samples", detect, read)
