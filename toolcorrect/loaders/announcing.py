"""What a model said and was asked: the calls it announced, its answer, its question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.calls import Call, held
from toolcorrect.loaders.chat import content_text
from toolcorrect.loaders.heard import (
    CHAT_KEYS,
    PARTS_KEYS,
    add_chat,
    add_parts_message,
    family_of,
    heard,
    words_of,
)

_CALL_KEYS = frozenset({"id", "type", "function", "index"})

_Told = tuple[Any, Any, Any, bool]


def announced(messages: Sequence[Any]) -> tuple[list[Call], Any]:
    """Return the calls that messages of any family announce, and the last answer in them."""
    plain = _plain(messages[0]) if len(messages) == 1 and isinstance(messages[0], dict) else None
    if plain is not None:
        return plain
    after = heard(messages)
    return after.calls, after.columns.get("output")


def asked(messages: Sequence[Any]) -> Any:
    """Return the last question in messages of any family."""
    family = family_of(messages) if messages else None
    if family is add_chat:
        said = (content_text(m.get("content")) for m in reversed(messages) if m.get("role") in ("user", "human"))
    elif family is add_parts_message:
        said = (words_of(m.get("parts") or []) for m in reversed(messages) if m.get("role") == "user")
    else:
        return heard(messages).columns.get("input")
    return next(filter(None, said), None)


def _plain(message: dict[str, Any]) -> tuple[list[Call], Any] | None:
    """Read one message of the two commonest families at once; None where anything about it is special."""
    if message.get("role") != "assistant":
        return None
    if message.keys() <= CHAT_KEYS:
        found = _of_chat(message)
    elif message.keys() <= PARTS_KEYS:
        found = _of_parts(message)
    else:
        return None
    if found is None:
        return None
    told, words = found
    calls: dict[str, Call] = {}
    for identity, name, arguments, wire in told:
        # Calls without an id, or with the same, may be one.
        if not (isinstance(identity, str) and identity and isinstance(name, str)) or identity in calls:
            return None
        calls[identity] = Call(name, *held(arguments), identity, wire, step=0)
    return list(calls.values()), words or None


def _of_chat(message: dict[str, Any]) -> tuple[list[_Told], str | None] | None:
    words, items = message.get("content"), message.get("tool_calls") or []
    if not isinstance(words, str | None) or not isinstance(items, list):
        return None
    told: list[_Told] = []
    for item in items:
        function = item.get("function") if isinstance(item, dict) and item.keys() <= _CALL_KEYS else None
        if not isinstance(function, dict):
            return None
        told.append((item.get("id"), function.get("name"), function.get("arguments", ABSENT), True))
    return told, words


def _of_parts(message: dict[str, Any]) -> tuple[list[_Told], str | None] | None:
    parts = message.get("parts")
    if not isinstance(parts, list):
        return None
    words: list[str] = []
    told: list[_Told] = []
    for part in parts:
        kind = part.get("type") if isinstance(part, dict) and "part_kind" not in part else None
        if kind == "text" and isinstance(part.get("content"), str):
            words.append(part["content"])
        elif kind == "tool_call" and "arguments" in part:
            arguments = part["arguments"]
            told.append((part.get("id"), part.get("name"), arguments, isinstance(arguments, str)))
        else:
            return None
    return told, "".join(words)
