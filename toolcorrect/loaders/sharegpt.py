"""ShareGPT conversations, and Hermes text, where calls are written between tags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from toolcorrect.arguments.decoding import ABSENT, decode_text, parse_json
from toolcorrect.loaders.calllike import add_offered_list, listed_items, python_literal
from toolcorrect.loaders.conversation import Conversation
from toolcorrect.loaders.message_lists import Family, Unfolded, message_format

# What the speakers are called.
SPEAKERS = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "assistant", "model", "chatgpt"), "assistant"),
    **dict.fromkeys(("function_call", "tool_call"), "call"),
    **dict.fromkeys(("observation", "tool", "function_response", "function", "ipython"), "result"),
    "system": "system",
}
CALL_TAG = "<tool_call>"
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
# A block that is not closed goes to the next one, or to the end of the text.
_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|(?=<tool_call>)|\Z)", re.DOTALL)
_RESPONSE = re.compile(r"<tool_response>(.*?)(?:</tool_response>|(?=<tool_response>)|\Z)", re.DOTALL)
_TOOLS = re.compile(r"<tools>(.*?)</tools>", re.DOTALL)
# A call in its plainest form, for Python's and for Arrow's expressions: arguments stand last, if they are an object.
PLAIN_CALL = (
    r'(?s:[ \t\r\n]*\{[ \t\r\n]*"name"[ \t\r\n]*:[ \t\r\n]*"(?P<name>[^"\\\x00-\x1f]*)"[ \t\r\n]*,'
    r'[ \t\r\n]*"arguments"[ \t\r\n]*:[ \t\r\n]*(?P<arguments>\{.*\})[ \t\r\n]*\}[ \t\r\n]*)'
)
_PLAIN_CALL = re.compile(PLAIN_CALL)
_NAME = re.compile(r'"name"\s*:\s*"([^"\\]+)"')
_ARGUMENTS = re.compile(r'"arguments"\s*:\s*(.*)\Z', re.DOTALL)


def add_turn(talk: Conversation, turn: dict[str, Any]) -> None:
    """Add one turn; calls may be turns of their own, or be between tags in what the assistant says."""
    who, text = _speaker(turn), str(turn.get("value", turn.get("content")) or "")
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
    elif who == "system" and not talk.case.columns.get("tools_known"):
        add_offered_list(talk.case, _tools_in_text(text))
    elif who is None:
        raise ValueError(f"nobody knows the speaker {str(turn.get('from', turn.get('role')))[:40]!r}")


def _speaker(turn: dict[str, Any]) -> str | None:
    return SPEAKERS.get(str(turn.get("from", turn.get("role"))))


def _say(talk: Conversation, text: str) -> None:
    spoken = _THOUGHT.sub("", text)
    talk.message()
    for block in _CALL.findall(spoken):
        _add_text(talk, block.strip())
    talk.answered(_CALL.sub("", spoken).strip())


def _add_text(talk: Conversation, text: str) -> None:
    """Add the calls that a text holds; one that is cut off keeps its name and the text of its arguments."""
    plain = _PLAIN_CALL.fullmatch(text)
    if plain is not None and decode_text(plain["arguments"])[0] == "ok":
        talk.call(plain["name"], plain["arguments"], wire=True)
        return
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


def _tools_in_text(text: str) -> Any:
    """Return the tools that a system text lists between tags; None where it lists none."""
    # A prompt may name the tags before it uses them.
    for listed in filter(None, map(str.strip, _TOOLS.findall(text))):
        try:
            return listed_items(listed)
        except ValueError:
            # One object a line.
            return [_value(line) for line in listed.splitlines() if line.strip()]
    return None


def _value(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        return python_literal(text)


def unfold(record: dict[str, Any]) -> Iterator[Unfolded]:
    """Yield the turns of a record, which may have the system text beside them."""
    turns = record.get("conversations") or record.get("messages")
    if isinstance(turns, list) and turns:
        before = [{"role": "system", "content": record["system"]}] if record.get("system") else []
        yield [*before, *turns], record


def _tell_sharegpt(turns: Sequence[Any]) -> str | None:
    if any(isinstance(turn, dict) and "from" in turn and "value" in turn for turn in turns):
        return "a from and a value"
    return None


def _tell_hermes(turns: Sequence[Any]) -> str | None:
    for turn in turns:
        text = turn.get("value", turn.get("content")) if isinstance(turn, dict) else None
        if isinstance(text, str) and CALL_TAG in text and _speaker(turn) == "assistant":
            # With calls of its own beside the text, a message needs no tags.
            return None if turn.get("tool_calls") else "calls between <tool_call> tags"
    return None


BESIDE = frozenset({"conversations", "system"})
HERMES_TEXT = message_format(
    Family("hermes_text", "conversations with calls in Hermes text", _tell_hermes, add_turn, unfold, BESIDE)
)
SHAREGPT = message_format(Family("sharegpt", "ShareGPT conversations", _tell_sharegpt, add_turn, unfold, BESIDE))
