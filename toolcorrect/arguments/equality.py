"""When two argument values are the same: the relations, and canonical texts of JSON values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from toolcorrect.errors import check_option

Change = Callable[[Any], Any]

_sorted_text = json.JSONEncoder(sort_keys=True).encode


@dataclass(frozen=True)
class Relation:
    """One meaning of "the same arguments": the same keys, and for each the same value.

    Parameters
    ----------
    name
        What users write in ``arguments=``.
    rule
        The meaning in words.
    change
        For types of an argument's value, what such a value is the same as; a value of another type is the same as
        its equal of that type only. Arguments that are no object are one value.
    nan_differs
        Whether a value that holds NaN equals nothing, itself included.
    """

    name: str
    rule: str
    change: Mapping[type, Change]
    nan_differs: bool


def _deep(leaves: Mapping[type, Change]) -> Mapping[type, Change]:
    """Change leaves of some types at any depth; objects and lists are the same as their sorted JSON text."""
    touched = {dict, list, *leaves}

    def in_object(value: dict[str, Any]) -> dict[str, Any]:
        return {key: change[type(item)](item) if type(item) in touched else item for key, item in value.items()}

    def in_list(value: list[Any]) -> list[Any]:
        return [change[type(item)](item) if type(item) in touched else item for item in value]

    change: Mapping[type, Change] = {**leaves, dict: in_object, list: in_list}
    return {
        **leaves,
        dict: lambda value: sorted_json(in_object(value)),
        list: lambda value: sorted_json(in_list(value)),
    }


def _whole(value: float) -> int | float:
    """Write a float without fraction as the integer it equals."""
    return int(value) if value.is_integer() else value


def _positive_zero(value: float) -> float:
    return value or 0.0


_AS_PYTHON_TEXT: Mapping[type, Change] = dict.fromkeys((int, float, bool, type(None)), str)

RELATIONS: Mapping[str, Relation] = {
    relation.name: relation
    for relation in (
        Relation("python", "Python's ==: 1 = 1.0 = true", _deep({bool: int, float: _whole}), True),
        Relation("json", "by JSON meaning: 1 = 1.0, true is no number", _deep({float: _whole}), False),
        Relation("dump", "the same JSON text with sorted keys: 1 and 1.0 differ", _deep({}), False),
        Relation("typed", "equal and of equal types at every depth", _deep({float: _positive_zero}), True),
        Relation(
            "str",
            "the same keys, and values with the same Python text",
            {**_AS_PYTHON_TEXT, dict: str, list: str},
            False,
        ),
        Relation(
            "azure",
            "texts as they are, objects as JSON text, the rest as Python text",
            {**_AS_PYTHON_TEXT, dict: _sorted_text, list: _sorted_text},
            False,
        ),
        Relation(
            "lenient",
            "Python's ==, texts without outer blanks",
            _deep({bool: int, float: _whole, str: str.strip}),
            True,
        ),
    )
}


def canonical_text(text: str, relation: str = "json") -> str:
    """Return the canonical text of one JSON text.

    Examples
    --------
    >>> canonical_text('{"b": 1.0, "a": [true]}')
    '{"a":[true],"b":1}'
    """
    check_option("arguments", relation, RELATIONS)
    change = RELATIONS[relation].change

    def canonical(value: Any) -> bytes:
        made = change[type(value)](value) if type(value) in change else value
        return made if isinstance(made, bytes) else sorted_json(made)

    try:
        value = json.loads(text)
        made = _object(value, canonical) if type(value) is dict else canonical(value)
        return made.decode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        # No JSON value, or nested beyond reason: equal to the same text only.
        return "\0" + text


def sorted_json(value: Any) -> bytes:
    """Write a value as JSON with sorted keys, without loss.

    Raises
    ------
    RecursionError
        For a value nested beyond reason.
    """
    try:
        text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        # orjson writes NaN as null: only then look again.
        return text if b"null" not in text else _written(value)
    except TypeError:
        return _written(value)


def _written(value: Any) -> bytes:
    """Write a value as orjson would, sorted, also where orjson cannot."""
    if isinstance(value, dict):
        return _object(value, _written)
    if isinstance(value, list):
        return b"[" + b",".join(map(_written, value)) + b"]"
    if isinstance(value, str):
        return _string(value)
    if type(value) is int:
        return str(value).encode()
    if isinstance(value, float) and not np.isfinite(value):
        return json.dumps(value).encode()
    return orjson.dumps(value)


def _object(value: dict[str, Any], write: Callable[[Any], bytes]) -> bytes:
    keys = sorted(value, key=lambda key: key.encode("utf-8", "surrogatepass"))
    return b"{" + b",".join(_string(key) + b":" + write(value[key]) for key in keys) + b"}"


def _string(text: str) -> bytes:
    try:
        return orjson.dumps(text)
    except TypeError:
        return json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")
