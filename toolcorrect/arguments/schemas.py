"""JSON Schemas as validators: built once a distinct schema, never fetching, never raising from the depths."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

import jsonschema_rs

from toolcorrect.arguments.decoding import parse_json
from toolcorrect.arguments.equality import canonical_text
from toolcorrect.errors import DataError

# The validator walks a value recursively in native code: beyond this depth it is not asked.
DEPTH_LIMIT = 500


class BrokenSchemaError(DataError):
    """A text that is not a usable JSON Schema; the message says why."""


@lru_cache(maxsize=4096)
def validator(text: str, *, formats: bool = True) -> Any:
    """Build the validator of a JSON Schema.

    Parameters
    ----------
    text
        JSON text of the schema. It is read as draft 2020-12 unless its ``$schema`` names another draft.
    formats
        Whether ``format`` is checked; by the letter of the standard it is a note.

    Returns
    -------
    jsonschema_rs.Validator
        References to other documents are never fetched: they make a schema broken.

    Raises
    ------
    BrokenSchemaError
        Where the text is not JSON or not a schema.

    Examples
    --------
    >>> validator('{"type": "string", "format": "date"}').is_valid("2031-02-30")
    False
    """
    try:
        schema = parse_json(text)
    except ValueError as cause:
        raise BrokenSchemaError(f"not JSON: {cause}") from cause
    if not isinstance(schema, dict | bool):
        raise BrokenSchemaError(f"a schema is an object, true or false, not {_kind(schema)}")
    try:
        return jsonschema_rs.validator_for(schema, validate_formats=formats, retriever=_refuse)
    except jsonschema_rs.ValidationError as cause:
        where = ".".join(str(part) for part in cause.instance_path)
        raise BrokenSchemaError(f"{where}: {cause.message}" if where else str(cause.message)) from cause
    except ValueError as cause:
        raise BrokenSchemaError(str(cause)) from cause


def satisfies(schema: Any, value: Any) -> bool:
    """Tell whether a value is valid under a schema, formats checked; under a broken schema none is.

    Examples
    --------
    >>> satisfies({"pattern": "^A"}, "Ada"), satisfies({"type": "nonsense"}, "Ada")
    (True, False)
    """
    try:
        made = validator(json.dumps(schema, sort_keys=True))
    except (BrokenSchemaError, RecursionError, ValueError, TypeError):
        return False
    try:
        return not deeper(value, DEPTH_LIMIT) and bool(made.is_valid(value))
    except ValueError:  # a lone surrogate, which is no Unicode text
        return False


def deeper(value: Any, limit: int) -> bool:
    """Tell whether lists and objects are nested more than ``limit`` deep, without recursion.

    Examples
    --------
    >>> deeper([[1]], 1), deeper({"a": [1]}, 2)
    (True, False)
    """
    stack: list[Iterator[Any]] = [iter((value,))]
    while stack:
        for item in stack[-1]:
            if isinstance(item, dict | list):
                if len(stack) > limit:
                    return True
                stack.append(iter(item.values() if isinstance(item, dict) else item))
                break
        else:
            stack.pop()
    return False


def _refuse(uri: str) -> Any:
    raise ValueError(f"{uri} is outside the schema, and nothing is fetched")


def _kind(value: Any) -> str:
    return {list: "a list", str: "text", type(None): "null"}.get(type(value), "a number")


@dataclass(frozen=True)
class Declared:
    """The arguments a schema names at its top level.

    Parameters
    ----------
    names, patterns
        Keys under ``properties``, and regular expressions under ``patternProperties`` (run by the validator, which
        bounds their cost).
    open
        Whether further arguments are welcome: ``additionalProperties`` (or ``unevaluatedProperties``) is true or
        a schema.
    stated
        Canonical JSON texts of all values under ``enum``, ``const``, ``default`` and ``examples``, at any depth.
    """

    names: frozenset[str]
    patterns: tuple[str, ...]
    open: bool
    stated: frozenset[str]

    def lacks(self, name: str) -> bool:
        """Tell whether an argument of this name is made up."""
        return not (self.open or name in self.names or any(satisfies({"pattern": p}, name) for p in self.patterns))


@lru_cache(maxsize=4096)
def declared(text: str) -> Declared:
    """Read which arguments a schema names, local references and compositions followed.

    Examples
    --------
    >>> declared('{"properties": {"q": {"default": "x"}}}').lacks("color")
    True
    """
    root = _loaded(text)
    names: set[str] = set()
    patterns: list[str] = []
    is_open = root is True
    waiting, seen = [root], set()
    while waiting:
        schema = waiting.pop()
        if not isinstance(schema, dict) or id(schema) in seen:
            continue
        seen.add(id(schema))
        names.update(_mapping(schema, "properties"))
        patterns.extend(_mapping(schema, "patternProperties"))
        for key in ("additionalProperties", "unevaluatedProperties"):
            is_open = is_open or schema.get(key) is True or isinstance(schema.get(key), dict)
        for key in ("allOf", "anyOf", "oneOf"):
            waiting.extend(schema[key] if isinstance(schema.get(key), list) else [])
        waiting.extend(schema.get(key) for key in ("if", "then", "else"))
        waiting.extend(_mapping(schema, "dependentSchemas").values())
        waiting.append(pointed(root, schema.get("$ref")))
    return Declared(frozenset(names), tuple(patterns), is_open, frozenset(_stated(root)))


def pointed(root: Any, reference: Any) -> Any:
    """Return what a local ``$ref`` points at, or None.

    Examples
    --------
    >>> pointed({"$defs": {"a/b": {"type": "null"}}}, "#/$defs/a~1b")
    {'type': 'null'}
    """
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    found = root
    for part in reference[1:].split("/")[1:]:
        part = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict):
            found = found.get(part)
        elif isinstance(found, list) and part.isdigit() and int(part) < len(found):
            found = found[int(part)]
        else:
            return None
    return found


def _stated(root: Any) -> Iterator[str]:
    waiting = [root]
    while waiting:
        schema = waiting.pop()
        if isinstance(schema, list):
            waiting.extend(schema)
        elif isinstance(schema, dict):
            for key, value in schema.items():
                many = key in ("enum", "examples") and isinstance(value, list)
                if many or key in ("const", "default"):
                    yield from map(canonical_text, map(json.dumps, value if many else [value]))
                else:
                    waiting.append(value)


def _loaded(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        return None


def _mapping(schema: dict[str, Any], key: str) -> dict[str, Any]:
    value = schema.get(key)
    return value if isinstance(value, dict) else {}
