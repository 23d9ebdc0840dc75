"""pydantic-ai messages, as ``all_messages_json`` writes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.chat import content_text
from toolcorrect.loaders.conversation import Conversation
from toolcorrect.loaders.message_lists import Family, blocks_of, message_format

# The tool by which a structured answer is given.
_ANSWER = "final_result"


def add_message(talk: Conversation, message: dict[str, Any]) -> None:
    """Add one request or response."""
    case = talk.case
    for column, key in (("session", "conversation_id"), ("model", "model_name")):
        if case.columns.get(column) is None and message.get(key):
            case.columns[column] = message[key]
    if message["kind"] == "response":
        talk.message()
    texts = [str(part["content"]) for part in message["parts"] if part["part_kind"] == "text"]
    talk.answered("".join(texts))
    for part in message["parts"]:
        _add_part(talk, part)


def _add_part(talk: Conversation, part: dict[str, Any]) -> None:
    kind = part["part_kind"]
    if kind == "user-prompt":
        talk.asked(content_text(part.get("content")))
    elif kind in ("tool-call", "builtin-tool-call"):
        name = part["tool_name"]
        as_answer = isinstance(name, str) and name.startswith(_ANSWER)
        word = "server" if kind.startswith("builtin") else "pseudo" if as_answer else "function"
        arguments = part.get("args", ABSENT)
        call = talk.call(name, arguments, id=part.get("tool_call_id"), wire=isinstance(arguments, str), kind=word)
        if as_answer:
            talk.answered(call.arguments)
    elif kind in ("tool-return", "builtin-tool-return"):
        # Before there were outcomes, a return was a success.
        failed = part.get("outcome") not in (None, "success")
        _add_result(talk, part, failed)
    elif kind == "retry-prompt" and part.get("tool_name"):
        _add_result(talk, part, True)


def _add_result(talk: Conversation, part: dict[str, Any], failed: bool) -> None:
    content = part.get("content", ABSENT)
    message = content if failed and content is not ABSENT else None
    where = {"id": part.get("tool_call_id"), "tool": part.get("tool_name")}
    talk.result(content, error=failed, error_message=message, **where)


def tell(messages: Sequence[Any]) -> str | None:
    """Recognise parts by their kind."""
    if any("part_kind" in part for message in messages for part in blocks_of(message, "parts")):
        return "parts of a part_kind"
    return None


PYDANTIC_AI = message_format(Family("pydantic_ai_messages", "pydantic-ai messages", tell, add_message))
