"""AutoGen task results: messages and events of a team."""

from __future__ import annotations

from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.chat import content_text
from toolcorrect.loaders.conversation import Conversation, kind_of_tool
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.telling import objects

# Where nobody wrote a closing message, the summary of the last results is the answer.
_ANSWERS = frozenset(
    {"TextMessage", "StructuredMessage", "ToolCallSummaryMessage", "MultiModalMessage", "StopMessage"}
)


def read(source: Source, rows: Rows) -> None:
    """Read results, a case each, or the bare messages of one."""
    if source.head and all(_is_event(record) for record in source.head):
        with rows.record(""):
            _read_messages([record for _, record in source.records()], rows)
        return
    for label, record in source.records():
        with rows.record(label):
            _read_messages(record["messages"], rows, stop_reason=record.get("stop_reason"))


def _read_messages(messages: list[dict[str, Any]], rows: Rows, **tags: Any) -> None:
    talk = Conversation(rows.case(None, ids_within="step", tags=tags))
    for message in messages:
        _add(talk, message)
    talk.close()


def _add(talk: Conversation, message: dict[str, Any]) -> None:
    kind, content, author = message["type"], message.get("content"), message.get("source")
    if kind == "ToolCallRequestEvent":
        talk.message()
        for call in content or []:
            talk.call(
                call["name"],
                call.get("arguments", ABSENT),
                id=call.get("id"),
                wire=True,
                kind=kind_of_tool(call["name"]),
                agent=author,
                started=message.get("created_at"),
            )
    elif kind == "ToolCallExecutionEvent":
        for result in content or []:
            output, error = result.get("content", ABSENT), result.get("is_error")
            note = output if error else None
            talk.result(output, id=result.get("call_id"), tool=result.get("name"), error=error, error_message=note)
    elif author == "user":
        talk.asked(content_text(content))
    elif kind in _ANSWERS:
        talk.answered(content_text(content))


def _is_event(record: Any) -> bool:
    return isinstance(record, dict) and "source" in record and str(record.get("type")).endswith(("Message", "Event"))


def detect(source: Source) -> tuple[float, str] | None:
    """Recognise results by events of tool calls."""
    if source.shape == "table":
        return None
    for record in objects(source):
        messages = record.get("messages")
        if isinstance(messages, list) and "stop_reason" in record and messages and _is_event(messages[0]):
            return 0.95, "messages of a source and a type, and a stop_reason"
    if source.head and all(_is_event(record) for record in source.head):
        return 0.95, "messages of a source and a type"
    return None


AUTOGEN_TASK_RESULT = Format("autogen_task_result", "AutoGen task results", detect, read)
