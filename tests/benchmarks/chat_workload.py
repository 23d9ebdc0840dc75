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
    """Write the JSONL workload as JSONL of one family (a key of `FAMILIES`): one conversation a line.

    Parameters
    ----------
    workload
        JSONL of ``shared/bench/make_workload.py``.
    """
    told = FAMILIES[family]
    with workload.open(encoding="utf-8") as lines, path.open("w", encoding="utf-8") as made:
        for line in lines:
            record = json.loads(line)
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


FAMILIES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    told.__name__: told for told in (openai_chat, anthropic_messages, bedrock_converse, gemini_contents)
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
