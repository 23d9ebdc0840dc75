"""When two argument values are the same: the relations, as canonical texts of JSON values.

Two values are equal under a relation exactly when their canonical texts are equal; a value that holds
NaN is equal to nothing under the relations that follow Python's ``==``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from toolcorrect.errors import check_option

# What orjson would refuse or round: long integers, NaN and infinities, lone surrogates.
_DELICATE = r"\d{19}|NaN|Infinity|\\u[dD][89abAB]"
_SIGNED_ZERO = r"-0"
_FRACTION = r"\d\.\d|\d[eE]|-0"
_FRACTION_OR_TRUTH = r"\d\.\d|\d[eE]|-0|true|false"


@dataclass(frozen=True)
class Relation:
    """One meaning of "the same arguments".

    Parameters
    ----------
    name
        What users write in ``arguments=``.
    rule
        The meaning in words.
    change
        JSON value to the value whose sorted JSON text is canonical; None leaves values as they are.
    touches
        Pattern of texts that ``change`` can alter; all others skip it.
    nan_differs
        Whether a value that holds NaN equals nothing, itself included.
    """

    name: str
    rule: str
    change: Callable[[Any], Any] | None
    touches: str
    nan_differs: bool


def _tree(leaf: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Apply a function to every leaf of a JSON value."""

    def change(value: Any) -> Any:
        kind = type(value)
        if kind is dict:
            return {key: change(item) for key, item in value.items()}
        if kind is list:
            return [change(item) for item in value]
        return leaf(value)

    return change


def _whole(value: Any) -> Any:
    """Write a float without fraction as the integer it equals."""
    return int(value) if type(value) is float and value.is_integer() else value


def _number(value: Any) -> Any:
    return int(value) if type(value) is bool else _whole(value)


def _stripped(value: Any) -> Any:
    return value.strip() if type(value) is str else _number(value)


def _positive_zero(value: Any) -> Any:
    return 0.0 if type(value) is float and value == 0 else value


def _python_text(value: Any) -> Any:
    return {key: str(item) for key, item in value.items()} if type(value) is dict else str(value)


def _azure_text(value: Any) -> Any:
    def text(item: Any) -> str:
        if isinstance(item, str):
            return item
        return json.dumps(item, sort_keys=True) if isinstance(item, dict | list) else str(item)

    return {key: text(item) for key, item in value.items()} if type(value) is dict else text(value)


RELATIONS: Mapping[str, Relation] = {
    relation.name: relation
    for relation in (
        Relation("python", "Python's ==: 1 = 1.0 = true", _tree(_number), _FRACTION_OR_TRUTH, True),
        Relation("json", "by JSON meaning: 1 = 1.0, true is no number", _tree(_whole), _FRACTION, False),
        Relation("dump", "the same JSON text with sorted keys: 1 and 1.0 differ", None, "", False),
        Relation("typed", "equal and of equal types at every depth", _tree(_positive_zero), _SIGNED_ZERO, True),
        Relation("str", "the same keys, and values with the same Python text", _python_text, "", False),
        Relation("azure", "texts as they are, objects as JSON text, the rest as Python text", _azure_text, "", False),
        Relation("lenient", "Python's ==, texts without outer blanks", _tree(_stripped), "", True),
    )
}


def canonical_codes(texts: pa.Array, relation: str) -> tuple[np.ndarray, np.ndarray]:
    """Number JSON texts so that equal values have equal numbers.

    Parameters
    ----------
    texts
        Arrow strings, each the JSON text of a value; best without repeats.
    relation
        One of `RELATIONS`.

    Returns
    -------
    codes : numpy.ndarray
        int64, the position of the first text with an equal value.
    unequal : numpy.ndarray
        bool, True where the value is not even equal to itself (it holds NaN).

    Raises
    ------
    OptionError
        For an unknown relation.

    Examples
    --------
    >>> texts = pa.array(['{"a":1,"b":2}', '{"b":2.0,"a":1}', '{"a":true,"b":2}'])
    >>> canonical_codes(texts, "json")[0].tolist(), canonical_codes(texts, "python")[0].tolist()
    ([0, 0, 2], [0, 0, 0])
    """
    check_option("arguments", relation, RELATIONS)
    rule = RELATIONS[relation]
    delicate = _matches(texts, _DELICATE)
    touched = _matches(texts, rule.touches) if rule.change else np.zeros(len(texts), dtype=bool)
    canonical: list[bytes] = []
    for text, risky, changes in zip(texts.to_pylist(), delicate.tolist(), (touched | delicate).tolist()):
        canonical.append(_canonical(text, rule.change if changes else None, risky))
    unequal = np.zeros(len(texts), dtype=bool)
    if rule.nan_differs:
        for place in np.flatnonzero(_matches(texts, "NaN")):
            unequal[place] = _holds_nan(texts[int(place)].as_py())
    return _first_places(pa.array(canonical, pa.large_binary())), unequal


def canonical_text(text: str, relation: str = "json") -> str:
    """Return the canonical text of one JSON text.

    Examples
    --------
    >>> canonical_text('{"b": 1.0, "a": [true]}')
    '{"a":[true],"b":1}'
    """
    check_option("arguments", relation, RELATIONS)
    risky = re.search(_DELICATE, text) is not None
    return _canonical(text, RELATIONS[relation].change, risky).decode("utf-8", "surrogatepass")


def same(expected: Any, called: Any) -> bool:
    """Tell whether two decoded JSON values are the same under ``json``.

    Examples
    --------
    >>> same({"a": 1}, {"a": 1.0}), same({"a": 1}, {"a": True})
    (True, False)
    """
    change = _tree(_whole)
    return _written(change(expected)) == _written(change(called))


def _matches(texts: pa.Array, pattern: str) -> np.ndarray:
    if not pattern:
        return np.ones(len(texts), dtype=bool)
    return np.asarray(pc.match_substring_regex(texts, pattern).to_numpy(zero_copy_only=False), dtype=bool)


def _canonical(text: str, change: Callable[[Any], Any] | None, risky: bool) -> bytes:
    if not risky:
        try:
            value = orjson.loads(text)
            return orjson.dumps(change(value) if change else value, option=orjson.OPT_SORT_KEYS)
        except (orjson.JSONDecodeError, TypeError, RecursionError):
            pass  # the slow way below knows what orjson does not
    try:
        value = json.loads(text)
        return _written(change(value) if change else value)
    except (ValueError, RecursionError):
        # No JSON value, or nested beyond reason: equal to the same text only.
        return b"\0" + text.encode("utf-8", "surrogatepass")


def _written(value: Any) -> bytes:
    """Write a value as orjson would, sorted, also where orjson cannot."""
    if isinstance(value, dict):
        items = sorted((_string(key), _written(item)) for key, item in value.items())
        return b"{" + b",".join(key + b":" + item for key, item in items) + b"}"
    if isinstance(value, list):
        return b"[" + b",".join(map(_written, value)) + b"]"
    if isinstance(value, str):
        return _string(value)
    if type(value) is int:
        return str(value).encode()
    if isinstance(value, float) and not np.isfinite(value):
        return repr(value).encode()
    return orjson.dumps(value)


def _string(text: str) -> bytes:
    try:
        return orjson.dumps(text)
    except TypeError:
        return json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _holds_nan(text: str) -> bool:
    found: list[str] = []
    try:
        json.loads(text, parse_constant=found.append)
    except (ValueError, RecursionError):
        return False
    return "NaN" in found


def _first_places(values: pa.Array) -> np.ndarray:
    """Give each value the position of the first value equal to it."""
    codes = values.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    first = np.unique(codes, return_index=True)[1]
    return np.asarray(first[codes], dtype=np.int64) if len(codes) else np.empty(0, dtype=np.int64)
