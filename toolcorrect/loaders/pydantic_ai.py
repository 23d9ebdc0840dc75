"""pydantic-ai messages, as ``all_messages_json`` writes them."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.chat import content_text
from toolcorrect.loaders.conversation import Conversation
from toolcorrect.loaders.gathering import Blocks, Gathered, Layout
from toolcorrect.loaders.message_lists import Family, blocks_of, message_format

# The tool by which a structured answer is given.
_ANSWER = "final_result"
# What messages say of their case.
_COLUMNS = {"session": "conversation_id", "model": "model_name"}


def add_message(talk: Conversation, message: dict[str, Any]) -> None:
    """Add one request or response."""
    case = talk.case
    for column, key in _COLUMNS.items():
        if case.columns.get(column) is None and message.get(key):
            case.columns[column] = message[key]
    if message["kind"] == "response":
        talk.message()
    talk.answered(_words(message["parts"]))
    for part in message["parts"]:
        _add_part(talk, part)


def _add_part(talk: Conversation, part: dict[str, Any]) -> None:
    kind = part["part_kind"]
    if kind == "user-prompt":
        talk.asked(content_text(part.get("content")))
    elif kind in ("tool-call", "builtin-tool-call"):
        name = part["tool_name"]
        arguments = part.get("args", ABSENT)
        id = part.get("tool_call_id")
        call = talk.call(name, arguments, id=id, wire=isinstance(arguments, str), kind=_kind(part))
        if _is_answer(name):
            talk.answered(call.arguments)
    elif _is_result(part):
        content, failed, message = _returned(part)
        where = {"id": part.get("tool_call_id"), "tool": part.get("tool_name")}
        talk.result(content, error=failed, error_message=message, **where)


def _words(parts: Sequence[dict[str, Any]]) -> str:
    return "".join(str(part["content"]) for part in parts if part["part_kind"] == "text")


def _is_answer(name: Any) -> bool:
    return isinstance(name, str) and name.startswith(_ANSWER)


def _kind(part: dict[str, Any]) -> str:
    if part["part_kind"].startswith("builtin"):
        return "server"
    return "pseudo" if _is_answer(part["tool_name"]) else "function"


def _is_result(part: dict[str, Any]) -> bool:
    kind = part["part_kind"]
    return kind in ("tool-return", "builtin-tool-return") or (kind == "retry-prompt" and bool(part.get("tool_name")))


def _returned(part: dict[str, Any]) -> tuple[Any, bool, Any]:
    """Return what came back, whether it is an error, and the message of that."""
    # Before there were outcomes, a return was a success.
    failed = part["part_kind"] == "retry-prompt" or part.get("outcome") not in (None, "success")
    content = part.get("content", ABSENT)
    return content, failed, content if failed and content is not ABSENT else None


def _gather(talks: Sequence[list[Any]], gathered: Gathered) -> set[int]:
    """Say what `add_message` says, of several conversations at once."""
    messages = [message for talk in talks for message in talk]
    parts = [message["parts"] for message in messages]
    if not {*map(type, parts)} <= {list}:
        raise TypeError("parts is a list")
    begins = [message["kind"] == "response" for message in messages]
    said = [content if type(content := part.get("content")) is str else None for some in parts for part in some]
    blocks = Blocks(gathered, list(map(len, talks)), parts, begins, said)
    kinds = [part["part_kind"] for part in blocks.all]
    asking = [blocks.message[row] for row, kind in enumerate(kinds) if kind == "user-prompt"]
    if len({*asking}) < len(asking):
        raise ValueError("several questions in a message")
    made = [row for row, kind in enumerate(kinds) if kind in ("tool-call", "builtin-tool-call")]
    calls = [blocks.all[row] for row in made]
    shown = blocks.calls(
        made,
        [call["tool_name"] for call in calls],
        [call.get("args", ABSENT) for call in calls],
        [call.get("tool_call_id") for call in calls],
        list(map(_kind, calls)),
    )
    returned = [row for row, part in enumerate(blocks.all) if _is_result(part)]
    results = [blocks.all[row] for row in returned]
    blocks.results(
        returned,
        list(map(_returned, results)),
        [result.get("tool_call_id") for result in results],
        [result.get("tool_name") for result in results],
    )
    asks = [False] * len(messages)
    for message in asking:
        asks[message] = True
    blocks.asked(asks, _question)
    blocks.answered([True] * len(messages), _words)
    for column, key in _COLUMNS.items():
        blocks.named(column, [message.get(key) for message in messages])
    return shown


def _question(parts: Sequence[dict[str, Any]]) -> str | None:
    return next(content_text(part.get("content")) for part in parts if part["part_kind"] == "user-prompt")


def tell(messages: Sequence[Any]) -> str | None:
    """Recognise parts by their kind."""
    if any("part_kind" in part for message in messages for part in blocks_of(message, "parts")):
        return "parts of a part_kind"
    return None


PYDANTIC_AI = message_format(
    Family(
        "pydantic_ai_messages",
        "pydantic-ai messages",
        tell,
        add_message,
        layout=Layout(itemgetter("messages"), _gather, wire=True),
    )
)
