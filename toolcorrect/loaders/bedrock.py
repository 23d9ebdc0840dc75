"""Bedrock Converse requests and responses; Strands keeps its messages in the same form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.conversation import Conversation
from toolcorrect.loaders.gathering import Blocks, Gathered, Layout, listed_contents
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
    if message["role"] == "assistant":
        talk.message()
        talk.answered(_words(blocks))
    results = [block["toolResult"] for block in blocks if "toolResult" in block]
    if message["role"] == "user" and not results:
        talk.asked(_words(blocks))
    for block in blocks:
        if "toolUse" in block:
            call = block["toolUse"]
            talk.call(call["name"], call.get("input", ABSENT), id=call.get("toolUseId"), kind=_kind(call))
    for result in results:
        output, error, note = _returned(result)
        talk.result(output, id=result.get("toolUseId"), error=error, error_message=note)


def _words(blocks: Sequence[dict[str, Any]]) -> str:
    return "".join(block["text"] for block in blocks if isinstance(block.get("text"), str))


def _kind(call: dict[str, Any]) -> str:
    return "server" if call.get("type") == "server_tool_use" else "function"


def _returned(result: dict[str, Any]) -> tuple[Any, bool | None, str | None]:
    """Return what a result holds, whether it is an error, and the message of that."""
    output = _output(result.get("content") or [])
    error = _ERRORS.get(str(result.get("status")))
    return output, error, output if error and isinstance(output, str) else None


def _output(content: list[dict[str, Any]]) -> Any:
    """Return what is in the one block of a result; several blocks stay a list."""
    values = [block["json"] if "json" in block else block.get("text", block) for block in content]
    return values[0] if len(values) == 1 else values


def _gather(talks: Sequence[list[Any]], gathered: Gathered) -> set[int]:
    """Say what `add_message` says, of several conversations at once."""
    messages = [message for talk in talks for message in talk]
    roles = [message["role"] for message in messages]
    answers = [role == "assistant" for role in roles]
    blocks = Blocks(gathered, list(map(len, talks)), listed_contents(messages), answers)
    made = [row for row, block in enumerate(blocks.all) if "toolUse" in block]
    if any("type" in blocks.all[row] for row in made):
        raise ValueError("blocks of another family too")
    calls = [blocks.all[row]["toolUse"] for row in made]
    told = blocks.calls(
        made,
        [call["name"] for call in calls],
        [call.get("input", ABSENT) for call in calls],
        [call.get("toolUseId") for call in calls],
        list(map(_kind, calls)),
    )
    returned = [row for row, block in enumerate(blocks.all) if "toolResult" in block]
    results = [blocks.all[row]["toolResult"] for row in returned]
    blocks.results(returned, list(map(_returned, results)), [result.get("toolUseId") for result in results])
    brings = {blocks.message[row] for row in returned}
    blocks.asked([role == "user" and row not in brings for row, role in enumerate(roles)], _words)
    blocks.answered(answers, _words)
    return told


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
    Family(
        "bedrock_converse",
        "Bedrock Converse and Strands messages",
        tell,
        add_message,
        unfold,
        layout=Layout(
            itemgetter("messages"),
            _gather,
            frozenset({"request", "response", "modelId", "tools"}),
            frozenset({"toolConfig"}),
        ),
    )
)
