"""JSON Schemas as validators: built once a distinct schema, never fetching, never raising from the depths."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import jsonschema_rs

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
        schema = json.loads(text)
    except (ValueError, RecursionError) as cause:
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
