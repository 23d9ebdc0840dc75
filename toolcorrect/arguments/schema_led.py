"""Argument values changed where their schema asks for it: defaults filled in, texts coerced and decoded.

Each function takes a decoded value, its schema and the whole schema (where ``$ref`` points into), and returns a
new value; what the schema does not speak of stays as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from toolcorrect.arguments.differences import is_matcher
from toolcorrect.arguments.schemas import deeper, pointed

_EVERY = frozenset(["null", "boolean", "integer", "number", "string", "array", "object"])
_DEPTH_LIMIT = 100
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,300})")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,300})(?:\.\d{1,300})?(?:[eE][+-]?\d{1,3})?")
_WORDS: dict[str, tuple[str, Any]] = {"true": ("boolean", True), "false": ("boolean", False), "null": ("null", None)}


def coerce(value: Any, schema: Any, root: Any) -> Any:
    """Turn texts into numbers, truth values and null, and numbers and truth values into texts, where asked.

    Only exactly: ``"5"`` becomes 5, but neither ``"05"`` nor ``" 5"`` does, and 20 becomes ``"20"``.

    Examples
    --------
    >>> schema = {"properties": {"n": {"type": "integer"}, "code": {"type": "string"}}}
    >>> coerce({"n": "5", "code": 20}, schema, schema)
    {'n': 5, 'code': '20'}
    """
    return _walk(value, schema, root, _coerced)


def decode_nested(value: Any, schema: Any, root: Any) -> Any:
    """Decode texts that hold a JSON object or array where the schema asks for one and not for a text.

    Examples
    --------
    >>> schema = {"properties": {"slot": {"type": "object"}, "note": {"type": "string"}}}
    >>> decode_nested({"slot": '{"mins": 20}', "note": "{}"}, schema, schema)
    {'slot': {'mins': 20}, 'note': '{}'}
    """
    return _walk(value, schema, root, _decoded)


def fill_defaults(value: Any, schema: Any, root: Any) -> Any:
    """Add every argument that is absent and has a ``default`` in the schema, at every depth that is there.

    Examples
    --------
    >>> schema = {"properties": {"page": {"default": 1}, "size": {"default": 5}}}
    >>> fill_defaults({"page": 2}, schema, schema)
    {'page': 2, 'size': 5}
    """
    return _walk(value, schema, root, _filled)


def types(schema: Any, root: Any) -> frozenset[str]:
    """Return the JSON types a schema allows, references and compositions followed.

    Examples
    --------
    >>> sorted(types({"anyOf": [{"type": "number"}, {"const": None}]}, {}))
    ['integer', 'null', 'number']
    """
    return _types(schema, root, {}, 0)


def _types(schema: Any, root: Any, known: dict[int, frozenset[str]], depth: int) -> frozenset[str]:
    if not isinstance(schema, dict) or depth > _DEPTH_LIMIT:
        return _EVERY
    if id(schema) in known:
        return known[id(schema)]
    known[id(schema)] = _EVERY  # what a reference to a schema within itself adds
    stated = schema.get("type")
    allowed = frozenset(stated if isinstance(stated, list) else [stated] if isinstance(stated, str) else _EVERY)
    if "number" in allowed:
        allowed |= {"integer"}
    for values in (schema.get("enum"), [schema["const"]] if "const" in schema else None):
        if isinstance(values, list):
            allowed &= frozenset(map(_type, values))
    for one in _every_of(schema, root):
        allowed &= _types(one, root, known, depth + 1)
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            allowed &= frozenset[str]().union(*(_types(one, root, known, depth + 1) for one in schema[key]))
    known[id(schema)] = allowed
    return allowed


def _type(value: Any) -> str:
    kinds = {type(None): "null", bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}
    return kinds.get(type(value), "object")


def _every_of(schema: dict[str, Any], root: Any) -> Iterator[Any]:
    if "$ref" in schema:
        yield pointed(root, schema["$ref"])
    if isinstance(schema.get("allOf"), list):
        yield from schema["allOf"]


def _parts(schema: Any, root: Any, choices: bool = True) -> Iterator[dict[str, Any]]:
    """Yield a schema and all it is composed of, each once; ``choices``: also what it only may be."""
    waiting, seen = [schema], set()
    while waiting:
        part = waiting.pop(0)
        if not isinstance(part, dict) or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        waiting.extend(_every_of(part, root))
        for key in ("anyOf", "oneOf") if choices else ():
            waiting.extend(part[key] if isinstance(part.get(key), list) else [])


def _of_key(schema: Any, root: Any, key: str) -> Any:
    """Return the schema of one argument, composed from all that speak of it; None where none does."""
    found, others = [], []
    for part in _parts(schema, root):
        named = part.get("properties")
        if isinstance(named, dict) and key in named:
            found.append(named[key])
        elif isinstance(part.get("additionalProperties"), dict):
            others.append(part["additionalProperties"])
    found = found or others
    return {"anyOf": found} if len(found) > 1 else found[0] if found else None


def _of_item(schema: Any, root: Any, place: int) -> Any:
    found = []
    for part in _parts(schema, root):
        first = part.get("prefixItems")
        first = first if isinstance(first, list) else []
        if place < len(first):
            found.append(first[place])
        elif "items" in part:
            found.append(part["items"])
    return {"anyOf": found} if len(found) > 1 else found[0] if found else None


def _walk(value: Any, schema: Any, root: Any, change: Callable[[Any, Any, Any], Any]) -> Any:
    return value if deeper(value, _DEPTH_LIMIT) else _changed(value, schema, root, change)


def _changed(value: Any, schema: Any, root: Any, change: Callable[[Any, Any, Any], Any]) -> Any:
    if schema is None or is_matcher(value):
        return value
    # A default that was filled in is not looked into: a schema may refer to itself without end.
    made = change(value, schema, root)
    filled = made.keys() - value.keys() if isinstance(made, dict) and isinstance(value, dict) else ()
    if isinstance(made, dict):
        return {
            key: item if key in filled else _changed(item, _of_key(schema, root, key), root, change)
            for key, item in made.items()
        }
    if isinstance(made, list):
        return [_changed(item, _of_item(schema, root, i), root, change) for i, item in enumerate(made)]
    return made


def _coerced(value: Any, schema: Any, root: Any) -> Any:
    if isinstance(value, dict | list):
        return value
    allowed = types(schema, root)
    if isinstance(value, str):
        if "string" in allowed:
            return value
        kind, word = _WORDS.get(value, ("", None))
        if kind in allowed:
            return word
        if "integer" in allowed and _INTEGER.fullmatch(value):
            return int(value)
        return float(value) if "number" in allowed and _NUMBER.fullmatch(value) else value
    wanted = value is not None and "string" in allowed and _type(value) not in allowed
    return json.dumps(value) if wanted else value


def _decoded(value: Any, schema: Any, root: Any) -> Any:
    if not isinstance(value, str):
        return value
    allowed = types(schema, root)
    if "string" in allowed or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        inner = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return inner if _type(inner) in allowed and not deeper(inner, _DEPTH_LIMIT) else value


def _filled(value: Any, schema: Any, root: Any) -> Any:
    if not isinstance(value, dict):
        return value
    filled = dict(value)
    for part in _parts(schema, root, choices=False):
        named = part.get("properties")
        for key, inner in named.items() if isinstance(named, dict) else ():
            for default in (p["default"] for p in _parts(inner, root, choices=False) if "default" in p):
                filled.setdefault(key, default)
    return filled
