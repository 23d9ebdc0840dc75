"""ShareGPT conversations, and Hermes text, where calls are written between tags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolcorrect.decoding import ABSENT, parse_json
from toolcorrect.loaders.calllike import listed_items, python_literal
from toolcorrect.loaders.conversation import Conversation
from toolcorrect.loaders.format import Format, each_record
from toolcorrect.loaders.message_lists import case_of
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.telling import objects

# What the speakers are called.
_SPEAKERS = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "assistant", "model", "chatgpt"), "assistant"),
    **dict.fromkeys(("function_call", "tool_call"), "call"),
    **dict.fromkeys(("observation", "tool", "function_response", "function", "ipython"), "result"),
    "system": "system",
}
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
# A block that is not closed goes to the next one, or to the end of the text.
_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|(?=<tool_call>)|\Z)", re.DOTALL)
_RESPONSE = re.compile(r"<tool_response>(.*?)(?:</tool_response>|(?=<tool_response>)|\Z)", re.DOTALL)
_TOOLS = re.compile(r"<tools>(.*?)</tools>", re.DOTALL)
_NAME = re.compile(r'"name"\s*:\s*"([^"\\]+)"')
_ARGUMENTS = re.compile(r'"arguments"\s*:\s*(.*)\Z', re.DOTALL)


def read_one(record: Any, rows: Rows) -> None:
    """Read a conversation, with calls as turns of their own or between tags in what the assistant says."""
    turns = list(_turns(record))
    context = {key: value for key, value in record.items() if key not in ("conversations", "messages", "system")}
    if context.get("tools") is None:
        context["tools"] = _tools_in_text([record.get("system"), *(text for who, text in turns if who == "system")])
    talk = Conversation(case_of(context, rows))
    for who, text in turns:
        if who == "user":
            talk.asked(text)
        elif who == "assistant":
            _say(talk, text)
        elif who == "call":
            talk.message()
            _add_text(talk, text)
        elif who == "result":
            for response in _RESPONSE.findall(text) or [text]:
                talk.result(response.strip())
    talk.close()


def _turns(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield speaker and text of each turn."""
    for turn in record.get("conversations") or record["messages"]:
        who = turn.get("from", turn.get("role"))
        if who not in _SPEAKERS:
            raise ValueError(f"nobody knows the speaker {str(who)[:40]!r}")
        yield _SPEAKERS[who], str(turn.get("value", turn.get("content")) or "")


def _say(talk: Conversation, text: str) -> None:
    spoken = _THOUGHT.sub("", text)
    talk.message()
    for block in _CALL.findall(spoken):
        _add_text(talk, block.strip())
    talk.answered(_CALL.sub("", spoken).strip())


def _add_text(talk: Conversation, text: str) -> None:
    """Add the calls that a text holds; one that is cut off keeps its name and the text of its arguments."""
    try:
        for call in listed_items(text) if text.startswith(("[", "{")) else [_value(text)]:
            arguments = call.get("arguments", call.get("parameters", ABSENT))
            talk.call(call["name"], arguments, wire=isinstance(arguments, str))
    except (ValueError, TypeError, AttributeError, KeyError):
        name, rest = _NAME.search(text), _ARGUMENTS.search(text)
        if name is None:
            talk.case.report("unreadable_call", f"a call of which not even the name can be read: {text[:60]!r}")
            return
        talk.call(name[1], rest[1] if rest else ABSENT, wire=True)


def _tools_in_text(texts: list[Any]) -> Any:
    """Return the tools that a system text lists between tags; None where it lists none."""
    # A prompt may name the tags before it uses them.
    listed = [found.strip() for text in texts if isinstance(text, str) for found in _TOOLS.findall(text)]
    for found in filter(None, listed):
        try:
            return listed_items(found)
        except ValueError:
            # One object a line.
            return [_value(line) for line in found.splitlines() if line.strip()]
    return None


def _value(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        return python_literal(text)


def _conversations(source: Source) -> Iterator[list[dict[str, Any]]]:
    for record in objects(source):
        for key in ("conversations", "messages"):
            turns = record.get(key)
            if isinstance(turns, list) and turns and all(isinstance(turn, dict) for turn in turns):
                yield turns


def detect_sharegpt(source: Source) -> tuple[float, str] | None:
    """Recognise turns with a speaker and a value."""
    if any("from" in turns[0] and "value" in turns[0] for turns in _conversations(source)):
        return 0.95, "conversations of from and value"
    return None


def detect_hermes(source: Source) -> tuple[float, str] | None:
    """Recognise calls between tags in what the assistant says."""
    for turns in _conversations(source):
        for turn in turns:
            text = turn.get("value", turn.get("content"))
            speaks = _SPEAKERS.get(str(turn.get("from", turn.get("role")))) == "assistant"
            if speaks and isinstance(text, str) and "<tool_call>" in text and not turn.get("tool_calls"):
                return 0.96, "calls between <tool_call> tags"
    return None


SHAREGPT = Format("sharegpt", "ShareGPT conversations", detect_sharegpt, each_record(read_one))
HERMES_TEXT = Format("hermes_text", "conversations with calls in Hermes text", detect_hermes, each_record(read_one))
