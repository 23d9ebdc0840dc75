"""Bedrock Converse requests and responses; Strands keeps its messages in the same form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.conversation import Conversation
from toolcorrect.loaders.message_lists import (
    Family,
    Unfolded,
    blocks_of,
    message_format,
    request_and_response,
    said,
)

_TELLING = frozenset({"toolUse", "toolResult", "text", "reasoningContent", "cachePoint"})
_ERRORS = {"success": False, "error": True}


def add_message(talk: Conversation, message: dict[str, Any]) -> None:
    """Add one message; its blocks are told apart by their key."""
    blocks = said(message)
    words = "".join(block["text"] for block in blocks if isinstance(block.get("text"), str))
    if message["role"] == "assistant":
        talk.message()
        talk.answered(words)
    results = [block["toolResult"] for block in blocks if "toolResult" in block]
    if message["role"] == "user" and not results:
        talk.asked(words)
    for block in blocks:
        if "toolUse" in block:
            call = block["toolUse"]
            server = call.get("type") == "server_tool_use"
            where = {"id": call.get("toolUseId"), "kind": "server" if server else "function"}
            talk.call(call["name"], call.get("input", ABSENT), **where)
    for result in results:
        output = _output(result.get("content") or [])
        error = _ERRORS.get(str(result.get("status")))
        message_text = output if error and isinstance(output, str) else None
        talk.result(output, id=result.get("toolUseId"), error=error, error_message=message_text)


def _output(content: list[dict[str, Any]]) -> Any:
    """Return what is in the one block of a result; several blocks stay a list."""
    values = [block["json"] if "json" in block else block.get("text", block) for block in content]
    return values[0] if len(values) == 1 else values


def unfold(record: dict[str, Any]) -> Iterator[Unfolded]:
    """Yield the messages of a request, with the message of its response."""
    context = request_and_response(record)
    messages = context.get("messages") or []
    output = context.get("output")
    answer = output.get("message") if isinstance(output, dict) else None
    if isinstance(answer, dict):
        messages = [*messages, answer]
        del context["output"]
    if isinstance(messages, list) and messages:
        tools = (context.get("toolConfig") or {}).get("tools")
        if tools is not None:
            context["tools"] = [_offered(tool["toolSpec"]) for tool in tools if "toolSpec" in tool]
        if "modelId" in context:
            context["model"] = context.pop("modelId")
        yield messages, context


def _offered(tool: dict[str, Any]) -> dict[str, Any]:
    schema = tool.get("inputSchema") or {}
    return {"name": tool["name"], "description": tool.get("description"), "parameters": schema.get("json", schema)}


def tell(messages: Sequence[Any]) -> str | None:
    """Recognise content blocks named by their key instead of a type."""
    for message in messages:
        for block in blocks_of(message):
            if "type" not in block and _TELLING & block.keys():
                return f"blocks {min(_TELLING & block.keys())}"
    return None


BEDROCK_CONVERSE = message_format(
    Family("bedrock_converse", "Bedrock Converse and Strands messages", tell, add_message, unfold)
)
