"""Anthropic messages: bare, requests, responses, and logs of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.conversation import Conversation, unwrapped
from toolcorrect.loaders.gathering import Blocks, Gathered, Layout, listed_contents
from toolcorrect.loaders.message_lists import (
    Family,
    Unfolded,
    blocks_of,
    message_format,
    request_and_response,
    said,
)

# Block type -> kind of the call. Server and MCP calls are answered within the same message.
CALLS = {"tool_use": "function", "server_tool_use": "server", "mcp_tool_use": "mcp"}
_TELLING = frozenset({*CALLS, "tool_result", "thinking", "redacted_thinking"})


def add_message(talk: Conversation, message: dict[str, Any]) -> None:
    """Add one message: calls of the assistant, results and words of either side."""
    if message["role"] == "assistant":
        talk.message()
        add_answer(talk, said(message))
    else:
        add_results(talk, said(message))


def add_answer(talk: Conversation, blocks: Sequence[dict[str, Any]], **columns: Any) -> None:
    """Add the blocks of an assistant's message; columns of its calls as in `Case.call`."""
    for block in blocks:
        kind = block.get("type")
        if kind in CALLS:
            where = {"kind": CALLS[kind], "server": block.get("server_name"), **columns}
            given = block.get("input", ABSENT)
            # Of a stream it is a text.
            talk.call(block["name"], given, id=block.get("id"), wire=isinstance(given, str), **where)
        elif _is_answer(kind):
            _add_result(talk, block)
    talk.answered(_answer(blocks))


def _is_answer(kind: Any) -> bool:
    """Tell a result that stands in the assistant's own message."""
    return isinstance(kind, str) and kind.endswith("_tool_result")


def _answer(blocks: Sequence[dict[str, Any]]) -> str:
    """Return the words behind the last call or result of a message, or all if there are none."""
    words: list[str] = []
    after_tools = 0
    for block in blocks:
        kind = block.get("type")
        if kind == "text":
            words.append(block.get("text") or "")
        elif kind in CALLS or _is_answer(kind):
            after_tools = len(words)
    return "".join(words[after_tools:] or words)


def add_results(talk: Conversation, blocks: Sequence[dict[str, Any]]) -> None:
    """Add the blocks of a user's message; words beside results are no new question."""
    results = [block for block in blocks if block.get("type") == "tool_result"]
    for block in results:
        _add_result(talk, block)
    if not results:
        talk.asked(_question(blocks))


def _question(blocks: Sequence[dict[str, Any]]) -> str:
    return "".join(block.get("text") or "" for block in blocks if block.get("type") == "text")


def _add_result(talk: Conversation, block: dict[str, Any]) -> None:
    output, failed, message = _returned(block)
    talk.result(output, id=block["tool_use_id"], error=failed, error_message=message)


def _returned(block: dict[str, Any]) -> tuple[Any, bool, Any]:
    """Return what a result holds, whether it is an error, and the message of that."""
    content = block.get("content", "")
    code = content.get("error_code") if isinstance(content, dict) else None
    failed = bool(block.get("is_error")) or code is not None
    output = unwrapped(content)
    return output, failed, (code or (output if isinstance(output, str) else None)) if failed else None


def _gather(talks: Sequence[list[Any]], gathered: Gathered) -> set[int]:
    """Say what `add_message` says, of several conversations at once."""
    messages = [message for talk in talks for message in talk]
    answers = [message["role"] == "assistant" for message in messages]
    blocks = Blocks(gathered, list(map(len, talks)), listed_contents(messages), answers)
    kinds = [block.get("type") for block in blocks.all]
    inside = [answers[row] for row in blocks.message]
    made = [row for row, kind in enumerate(kinds) if kind in CALLS and inside[row]]
    calls = [blocks.all[row] for row in made]
    answering = {"tool_result"}, set(filter(_is_answer, {*kinds}))
    told = blocks.calls(
        made,
        [block["name"] for block in calls],
        [block.get("input", ABSENT) for block in calls],
        [block.get("id") for block in calls],
        [CALLS[block["type"]] for block in calls],
        server=[block.get("server_name") for block in calls],
    )
    returned = [row for row, kind in enumerate(kinds) if kind in answering[inside[row]]]
    results = [blocks.all[row] for row in returned]
    blocks.results(returned, list(map(_returned, results)), [block["tool_use_id"] for block in results])
    brings = {blocks.message[row] for row in returned}
    blocks.asked([not answer and row not in brings for row, answer in enumerate(answers)], _question)
    blocks.answered(answers, _answer)
    return told


def unfold(record: dict[str, Any]) -> Iterator[Unfolded]:
    """Yield the messages of a request with its response, or of a response alone."""
    context = request_and_response(record)
    messages = context.get("messages") or []
    answer = context.get("content")
    if isinstance(messages, list) and context.get("type") == "message" and isinstance(answer, list):
        messages = [*messages, {"role": "assistant", "content": answer}]
        context = {key: value for key, value in context.items() if key != "content"}
    if isinstance(messages, list) and messages:
        yield messages, context


def tell(messages: Sequence[Any]) -> str | None:
    """Recognise blocks of Anthropic's types."""
    for message in messages:
        for block in blocks_of(message):
            if block.get("type") in _TELLING:
                return f"blocks of type {block['type']}"
    return None


ANTHROPIC_MESSAGES = message_format(
    Family(
        "anthropic_messages",
        "Anthropic messages, requests and responses",
        tell,
        add_message,
        unfold,
        layout=Layout(itemgetter("messages"), _gather, frozenset({"request", "response", "content"}), wire=True),
    )
)
