"""The shared workload as logs of chats: the same cases and calls, told by messages of one family."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from toolcorrect.arguments.decoding import to_json

_ANSWER = "All of it is done. Is there anything else that you need?"
_SAID = '{"status":"ok","id":4711,"note":"done as asked"}'


def write_chats(workload: Path, path: Path, family: str) -> None:
    """Write the JSONL workload as JSONL of one family (a key of `FAMILIES`): one conversation a line, or a session.

    Parameters
    ----------
    workload
        JSONL of ``shared/bench/make_workload.py``.
    """
    told = FAMILIES[family]
    with workload.open(encoding="utf-8") as lines, path.open("w", encoding="utf-8") as made:
        for line in lines:
            record = json.loads(line)
            if family == "claude_code_jsonl":
                made.writelines(to_json(entry) + "\n" for entry in told(record)["lines"])
                continue
            chat = {"id": record["case_id"], "model": record["model"], "suite": record["suite"], **told(record)}
            chat["expected"] = record["expected"]
            made.write(to_json(chat) + "\n")


def _messages(record: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """Yield the calls of each message of the assistant: two at a time are parallel."""
    calls = record["tool_calls"]
    for i in range(0, len(calls), 2):
        yield calls[i : i + 2]


def openai_chat(record: dict[str, Any]) -> dict[str, Any]:
    """Tell a case as a request of OpenAI's chat completions, with the answer as its last message."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": record["input"]}]
    for calls in _messages(record):
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages += ({"role": "tool", "tool_call_id": call["id"], "content": _SAID} for call in calls)
    return {"messages": [*messages, {"role": "assistant", "content": _ANSWER}]}


def anthropic_messages(record: dict[str, Any]) -> dict[str, Any]:
    """Tell a case as Anthropic messages."""
    return {"messages": _blocks(record, _tool_use, _tool_result, _text)}


def bedrock_converse(record: dict[str, Any]) -> dict[str, Any]:
    """Tell a case as messages of Bedrock's Converse."""

    def use(call: dict[str, Any]) -> dict[str, Any]:
        name, arguments = _function(call)
        return {"toolUse": {"toolUseId": call["id"], "name": name, "input": arguments}}

    def result(call: dict[str, Any]) -> dict[str, Any]:
        return {"toolResult": {"toolUseId": call["id"], "content": [{"text": _SAID}], "status": "success"}}

    return {"messages": _blocks(record, use, result, lambda text: {"text": text})}


def gemini_contents(record: dict[str, Any]) -> dict[str, Any]:
    """Tell a case as Gemini contents."""
    contents: list[dict[str, Any]] = [{"role": "user", "parts": [{"text": record["input"]}]}]
    for calls in _messages(record):
        made = [(call["id"], *_function(call)) for call in calls]
        parts = [{"functionCall": {"id": id, "name": name, "args": arguments}} for id, name, arguments in made]
        returned = [
            {"functionResponse": {"id": id, "name": name, "response": {"result": _SAID}}} for id, name, _ in made
        ]
        contents += [{"role": "model", "parts": parts}, {"role": "user", "parts": returned}]
    return {"contents": [*contents, {"role": "model", "parts": [{"text": _ANSWER}]}]}


def openai_responses(record: dict[str, Any]) -> dict[str, Any]:
    """Tell a case as items of OpenAI's responses."""

    def message(role: str, kind: str, text: str) -> dict[str, Any]:
        return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}

    items = [message("user", "input_text", record["input"])]
    for calls in _messages(record):
        items += ({"type": "function_call", "call_id": call["id"], **call["function"]} for call in calls)
        items += ({"type": "function_call_output", "call_id": call["id"], "output": _SAID} for call in calls)
    return {"input": [*items, message("assistant", "output_text", _ANSWER)]}


def langchain_model_dump(record: dict[str, Any]) -> dict[str, Any]:
    """Tell a case as dumped LangChain messages."""
    rest = {"additional_kwargs": {}, "response_metadata": {}}
    messages: list[dict[str, Any]] = [{"type": "human", "content": record["input"], **rest}]
    for calls in _messages(record):
        made = [(call["id"], *_function(call)) for call in calls]
        uses = [{"name": name, "args": arguments, "id": id, "type": "tool_call"} for id, name, arguments in made]
        messages.append({"type": "ai", "content": "", "tool_calls": uses, "invalid_tool_calls": [], **rest})
        messages += (
            {"type": "tool", "content": _SAID, "tool_call_id": id, "name": name, "status": "success", **rest}
            for id, name, _ in made
        )
    answer = {"type": "ai", "content": _ANSWER, "tool_calls": [], "invalid_tool_calls": [], **rest}
    return {"messages": [*messages, answer]}


def vercel_ai_messages(record: dict[str, Any]) -> dict[str, Any]:
    """Tell a case as messages of the Vercel AI SDK."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": record["input"]}]
    for calls in _messages(record):
        made = [({"toolCallId": call["id"], "toolName": _function(call)[0]}, _function(call)[1]) for call in calls]
        uses = [{"type": "tool-call", **who, "input": arguments} for who, arguments in made]
        output = {"type": "text", "value": _SAID}
        messages.append({"role": "assistant", "content": uses})
        messages.append(
            {"role": "tool", "content": [{"type": "tool-result", **who, "output": output} for who, _ in made]}
        )
    return {"messages": [*messages, {"role": "assistant", "content": [_text(_ANSWER)]}]}


def pydantic_ai_messages(record: dict[str, Any]) -> dict[str, Any]:
    """Tell a case as messages of pydantic-ai."""

    def message(kind: str, parts: list[dict[str, Any]]) -> dict[str, Any]:
        return {"kind": kind, "parts": parts}

    messages = [message("request", [{"part_kind": "user-prompt", "content": record["input"]}])]
    for calls in _messages(record):
        made = [({"tool_call_id": call["id"], "tool_name": _function(call)[0]}, _function(call)[1]) for call in calls]
        messages += [
            message("response", [{"part_kind": "tool-call", **who, "args": arguments} for who, arguments in made]),
            message("request", [{"part_kind": "tool-return", **who, "content": _SAID} for who, _ in made]),
        ]
    return {"messages": [*messages, message("response", [{"part_kind": "text", "content": _ANSWER}])]}


def adk_session(record: dict[str, Any]) -> dict[str, Any]:
    """Tell a case as a session of Google's ADK."""
    events = [
        {
            "author": "user" if content is None or content["parts"][0].get("text") == record["input"] else "agent",
            "content": content,
            "timestamp": 1_700_000_000.5 + i,
            "partial": False,
        }
        for i, content in enumerate(gemini_contents(record)["contents"])
    ]
    return {"appName": "shop", "userId": "someone", "events": events}


def sharegpt(record: dict[str, Any]) -> dict[str, Any]:
    """Tell a case as a ShareGPT conversation."""
    turns = [{"from": "human", "value": record["input"]}]
    for call in record["tool_calls"]:
        name, arguments = _function(call)
        turns += [
            {"from": "function_call", "value": to_json({"name": name, "arguments": arguments})},
            {"from": "observation", "value": _SAID},
        ]
    return {"conversations": [*turns, {"from": "gpt", "value": _ANSWER}]}


def claude_code_jsonl(record: dict[str, Any]) -> dict[str, Any]:
    """Tell a case as the lines of a Claude Code session: a line a block."""
    case, lines = record["case_id"], list[dict[str, Any]]()
    for i, message in enumerate(_blocks(record, _tool_use, _tool_result, _text)):
        for block in message["content"]:
            said = {
                **message,
                "content": [block],
                **({"id": f"{case}-{i}"} if message["role"] == "assistant" else {}),
            }
            lines.append(
                {
                    "sessionId": case,
                    "uuid": f"{case}/{len(lines)}",
                    "parentUuid": f"{case}/{len(lines) - 1}" if lines else None,
                    "type": message["role"],
                    "isSidechain": False,
                    "timestamp": "2026-01-01T12:00:00.000Z",
                    "message": said,
                }
            )
    return {"lines": lines}


FAMILIES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    told.__name__: told
    for told in (
        *(openai_chat, anthropic_messages, bedrock_converse, gemini_contents, openai_responses),
        *(langchain_model_dump, vercel_ai_messages, pydantic_ai_messages, adk_session, sharegpt, claude_code_jsonl),
    )
}


def _blocks(
    record: dict[str, Any],
    use: Callable[[dict[str, Any]], dict[str, Any]],
    result: Callable[[dict[str, Any]], dict[str, Any]],
    text: Callable[[str], dict[str, Any]],
) -> list[dict[str, Any]]:
    def message(role: str, blocks: Iterable[dict[str, Any]]) -> dict[str, Any]:
        return {"role": role, "content": list(blocks)}

    messages = [message("user", [text(record["input"])])]
    for calls in _messages(record):
        messages += [message("assistant", map(use, calls)), message("user", map(result, calls))]
    return [*messages, message("assistant", [text(_ANSWER)])]


def _tool_use(call: dict[str, Any]) -> dict[str, Any]:
    name, arguments = _function(call)
    return {"type": "tool_use", "id": call["id"], "name": name, "input": arguments}


def _tool_result(call: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call["id"], "content": _SAID}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _function(call: dict[str, Any]) -> tuple[str, Any]:
    """Return name and arguments; these families hold objects, and the workload's broken texts as they are."""
    try:
        arguments = json.loads(call["function"]["arguments"])
    except ValueError:
        arguments = {"text": call["function"]["arguments"]}
    return call["function"]["name"], arguments
