"""Anthropic messages: bare, requests, responses, and logs of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.conversation import Conversation, unwrapped
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
    words: list[str] = []
    after_tools = 0
    for block in blocks:
        kind = block.get("type")
        if kind in CALLS:
            after_tools = len(words)
            where = {"kind": CALLS[kind], "server": block.get("server_name"), **columns}
            given = block.get("input", ABSENT)
            # Of a stream it is a text.
            talk.call(block["name"], given, id=block.get("id"), wire=isinstance(given, str), **where)
        elif isinstance(kind, str) and kind.endswith("_tool_result"):
            after_tools = len(words)
            _add_result(talk, block)
        elif kind == "text":
            words.append(block.get("text") or "")
    talk.answered("".join(words[after_tools:] or words))


def add_results(talk: Conversation, blocks: Sequence[dict[str, Any]]) -> None:
    """Add the blocks of a user's message; words beside results are no new question."""
    results = [block for block in blocks if block.get("type") == "tool_result"]
    for block in results:
        _add_result(talk, block)
    if not results:
        talk.asked("".join(block.get("text") or "" for block in blocks if block.get("type") == "text"))


def _add_result(talk: Conversation, block: dict[str, Any]) -> None:
    content = block.get("content", "")
    code = content.get("error_code") if isinstance(content, dict) else None
    failed = bool(block.get("is_error")) or code is not None
    output = unwrapped(content)
    message = (code or (output if isinstance(output, str) else None)) if failed else None
    talk.result(output, id=block["tool_use_id"], error=failed, error_message=message)


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
    Family("anthropic_messages", "Anthropic messages, requests and responses", tell, add_message, unfold)
)
