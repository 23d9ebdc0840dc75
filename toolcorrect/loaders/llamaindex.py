"""LlamaIndex chat messages: blocks, or the older fields beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.chat import content_text
from toolcorrect.loaders.conversation import Conversation, kind_of_tool
from toolcorrect.loaders.message_lists import Family, blocks_of, message_format


def add_message(talk: Conversation, message: dict[str, Any]) -> None:
    """Add one message."""
    blocks = blocks_of(message, "blocks")
    extra = message.get("additional_kwargs") or {}
    text = content_text([b for b in blocks if b.get("block_type") == "text"]) or content_text(message.get("content"))
    role = message["role"]
    if role == "user":
        talk.asked(text)
    elif role in ("tool", "function"):
        identity = extra.get("tool_call_id") or message.get("tool_call_id")
        talk.result(ABSENT if text is None else text, id=identity, tool=extra.get("name"))
    elif role == "assistant":
        talk.message()
        talk.answered(text)
        made = [b for b in blocks if b.get("block_type") == "tool_call"]
        for block in made:
            name = block["tool_name"]
            _add_call(talk, name, block.get("tool_kwargs", ABSENT), block.get("tool_call_id"))
        for call in [] if made else extra.get("tool_calls") or []:
            function = call["function"]
            _add_call(talk, function["name"], function.get("arguments", ABSENT), call.get("id"))


def _add_call(talk: Conversation, name: Any, arguments: Any, identity: Any) -> None:
    talk.call(name, arguments, id=identity, wire=isinstance(arguments, str), kind=kind_of_tool(name))


def tell(messages: Sequence[Any]) -> str | None:
    """Recognise blocks by their block_type."""
    if any("block_type" in block for message in messages for block in blocks_of(message, "blocks")):
        return "blocks of a block_type"
    return None


LLAMAINDEX = message_format(Family("llamaindex_messages", "LlamaIndex chat messages", tell, add_message))
