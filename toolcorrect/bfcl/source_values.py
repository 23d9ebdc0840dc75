"""Values of Java's and JavaScript's source text, by the type that the tool's description states.

What is not written as its type demands stays a text, which the check of types then refuses. Collections are
split at every comma and end at the first closing bracket, as upstream does it, nested or not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

_WHOLE = r"-?\d+"
_DECIMAL = _WHOLE + r"(?:\.\d+)?"
_SCIENTIFIC = _DECIMAL + r"(?:[eE][+-]?\d+)?"

# Type: how it must be written, and what makes a value of that text.
_JAVA_SCALARS: dict[str, tuple[str, Callable[[str], Any]]] = {
    **dict.fromkeys(("byte", "short", "integer"), (_WHOLE, int)),
    "long": (_WHOLE + "[lL]", lambda text: int(text[:-1])),
    "float": (_SCIENTIFIC + "[fF]", lambda text: float(text[:-1])),
    "double": (_SCIENTIFIC, float),
    "boolean": ("true|false", lambda text: text == "true"),
}
_JAVASCRIPT_SCALARS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "integer": (_WHOLE, int),
    "float": (_DECIMAL, float),
    "Bigint": (_WHOLE + "n", lambda text: int(text[:-1])),
    "Boolean": ("true|false", lambda text: text == "true"),
}

_LIST_OF = re.compile(r"new\s+ArrayList<\w*>\(Arrays\.asList\((.+?)\)\)")
_LIST_WITH = re.compile(r"new\s+ArrayList<\w*>\(\)\s*\{\{\s*(.+?)\s*\}\}", re.DOTALL)
_LIST_EMPTY = re.compile(r"new\s+ArrayList<\w*>\(\)")
_ADDED = re.compile(r"add\((.+?)\)")
_ARRAY = re.compile(r"new\s+\w+\[\]\s*\{(.*?)\}")
_MAP = re.compile(r"new\s+HashMap<[^>]*>+\s*\(\)")
_MAP_BODY = re.compile(r"\s*\{\s*\{?(.*?)\}", re.DOTALL)
_PUT = re.compile(r"put\(\"(.*?)\",\s*(.*?)\)")

_ROWS = re.compile(r"\[\s*\[(?P<rows>.*?)\]\s*\]|new\s+Array\(\s*\[(?P<more>.*?)\]\s*\)")
_ITEMS = re.compile(r"\[(?P<items>.*?)\]|new\s+Array\((?P<more>.*?)\)")


def java_value(text: str, kind: str, item: str | None = None) -> Any:
    """Return the value of Java source text.

    Parameters
    ----------
    text
        The source text.
    kind
        Its type: ``integer``, ``long``, ``ArrayList``, ``HashMap``, ...
    item
        Type of a collection's items.

    Examples
    --------
    >>> java_value("5L", "long"), java_value("5", "long"), java_value("new int[]{1, 2}", "Array", "integer")
    (5, '5', [1, 2])
    """
    if kind in _JAVA_SCALARS:
        return _scalar(text, *_JAVA_SCALARS[kind])
    if kind == "Array":
        found = _ARRAY.search(text)
        return text if found is None else [_java_item(part, item) for part in _parts(found[1]) if part]
    if kind == "ArrayList":
        return _array_list(text, item)
    return _hash_map(text) if kind == "HashMap" else text


def _java_item(text: str, kind: str | None) -> Any:
    return java_value(text, kind) if kind else _java_literal(text)


def _array_list(text: str, item: str | None) -> Any:
    listed, added = _LIST_OF.search(text), _LIST_WITH.search(text)
    if listed:
        parts = _parts(listed[1])
    elif added:
        parts = [part.strip() for part in _ADDED.findall(added[1])]
    else:
        return [] if _LIST_EMPTY.search(text) else text
    return [part[1:-1] if item in ("char", "String") else _java_item(part, item) for part in parts]


def _hash_map(text: str) -> Any:
    found = _MAP.search(text)
    if found is None:
        return text
    body = _MAP_BODY.match(text, found.end())
    return {key: _java_literal(value.strip()) for key, value in _PUT.findall(body[1])} if body else {}


def _java_literal(text: str) -> Any:
    """Return the value of an item whose type is not stated."""
    for kind in ("boolean", "long", "float"):
        value = java_value(text, kind)
        if not isinstance(value, str):
            return value
    return text[1:-1] if _quoted(text, '"') else _number(text)


def javascript_value(text: str, kind: str, item: str | None = None) -> Any:
    """Return the value of JavaScript source text; parameters as in `java_value`.

    Examples
    --------
    >>> javascript_value("[1, 'a', true]", "array"), javascript_value('{"n": 1, on: false}', "dict")
    ([1, 'a', True], {'n': 1, 'on': False})
    """
    if kind in _JAVASCRIPT_SCALARS:
        return _scalar(text, *_JAVASCRIPT_SCALARS[kind])
    if kind == "String":
        return text[1:-1] if _quoted(text, "\"'") else text
    if kind == "array":
        return _array(text.strip(), item)
    return _object(text.strip()) if kind == "dict" else text


def _array(text: str, item: str | None) -> Any:
    rows = _ROWS.match(text)
    if rows:
        inner = re.split(r"\][^\[]*\[", rows["rows"] if rows["rows"] is not None else rows["more"])
        return [[_javascript_literal(part) for part in _parts(row.strip().removeprefix("["))] for row in inner]
    found = _ITEMS.match(text)
    if found is None:
        return text
    content = (found["items"] if found["items"] is not None else found["more"]).strip()
    parts = _parts(content) if content else []
    return [javascript_value(part, item) if item else _javascript_literal(part) for part in parts]


def _object(text: str) -> Any:
    end = text.find("}")
    if not text.startswith("{") or end < 0 or "\n" in text[:end]:
        return text
    made: dict[str, Any] = {}
    for key, value in _members(text[1:end]):
        key, value = key.strip().strip("'\""), value.strip()
        if value.startswith("[") and value.endswith("]"):
            made[key] = _array(value, None)
        elif value.startswith("{") and value.endswith("}"):
            made[key] = _object(value)
        else:
            made[key] = _javascript_literal(value.strip("'\""))
    return made


def _members(content: str) -> list[tuple[str, str]]:
    """Split an object's text: a comma parts two members where a colon follows before the next comma."""
    members: list[str] = []
    for part in content.split(","):
        if members and ":" not in part[1:]:
            members[-1] += "," + part
        else:
            members.append(part)
    return [(key, value) for key, colon, value in (member.partition(":") for member in members) if key and colon]


def _javascript_literal(text: str) -> Any:
    text = text.strip()
    if text in ("true", "false"):
        return text == "true"
    return text[1:-1] if _quoted(text, "\"'") else _number(text)


def _scalar(text: str, pattern: str, make: Callable[[str], Any]) -> Any:
    return make(text) if re.fullmatch(pattern, text) else text


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def _quoted(text: str, quotes: str) -> bool:
    return any(text.startswith(quote) and text.endswith(quote) for quote in quotes)


def _number(text: str) -> Any:
    for make in (int, float):
        try:
            return make(text)
        except ValueError:
            continue
    return text
