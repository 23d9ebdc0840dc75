"""When two argument values are the same: the relations, as canonical texts of JSON values.

Two values are equal under a relation exactly when their canonical texts are equal; a value that holds
NaN is equal to nothing under the relations that follow Python's ``==``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from toolcorrect.errors import check_option

# What orjson would refuse or round: long integers, NaN and infinities, lone surrogates.
DELICATE = r"\d{19}|NaN|Infinity|\\u[dD][89abAB]"
_SIGNED_ZERO = r"-0(\.0*)?([eE][-+]?\d+)?\s*([,}\]]|$)"
_WHOLE = r"\d\.0+([^\d]|$)|\d[eE][-+]?\d|" + _SIGNED_ZERO
_WHOLE_OR_TRUTH = r"(^|[:\[,])\s*(true|false)|" + _WHOLE
_sorted_text = json.JSONEncoder(sort_keys=True).encode
# Texts written at a time: few enough that their bytes are reused, not spread over fresh memory.
_BLOCK = 2048


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


def _tree(leaves: Mapping[type, Callable[[Any], Any]]) -> Callable[[Any], Any]:
    """Change the leaves of some types in a freshly parsed JSON value, in place: most leaves are left alone."""
    touched = {dict, list, *leaves}

    def change(value: Any) -> Any:
        kind = type(value)
        if kind is dict:
            for key, item in value.items():
                if type(item) in touched:
                    value[key] = change(item)
            return value
        if kind is list:
            return [change(item) if type(item) in touched else item for item in value]
        return leaves[kind](value) if kind in leaves else value

    return change


def _whole(value: float) -> int | float:
    """Write a float without fraction as the integer it equals."""
    return int(value) if value.is_integer() else value


def _positive_zero(value: float) -> float:
    return value or 0.0


def _python_text(value: Any) -> Any:
    return {key: str(item) for key, item in value.items()} if type(value) is dict else str(value)


def _azure_text(value: Any) -> Any:
    def text(item: Any) -> str:
        kind = type(item)
        return item if kind is str else _sorted_text(item) if kind is dict or kind is list else str(item)

    return {key: text(item) for key, item in value.items()} if type(value) is dict else text(value)


RELATIONS: Mapping[str, Relation] = {
    relation.name: relation
    for relation in (
        Relation("python", "Python's ==: 1 = 1.0 = true", _tree({bool: int, float: _whole}), _WHOLE_OR_TRUTH, True),
        Relation("json", "by JSON meaning: 1 = 1.0, true is no number", _tree({float: _whole}), _WHOLE, False),
        Relation("dump", "the same JSON text with sorted keys: 1 and 1.0 differ", None, "", False),
        Relation(
            "typed", "equal and of equal types at every depth", _tree({float: _positive_zero}), _SIGNED_ZERO, True
        ),
        Relation("str", "the same keys, and values with the same Python text", _python_text, "", False),
        Relation("azure", "texts as they are, objects as JSON text, the rest as Python text", _azure_text, "", False),
        Relation(
            "lenient",
            "Python's ==, texts without outer blanks",
            _tree({bool: int, float: _whole, str: str.strip}),
            "",
            True,
        ),
    )
}


class Values:
    """Distinct JSON texts, numbered by value under any relation; the shared work is done once.

    Parameters
    ----------
    texts
        Arrow strings, each the JSON text of a value; best without repeats.

    Examples
    --------
    >>> values = Values(pa.array(['{"a":1,"b":2}', '{"b":2.0,"a":1}', '{"a":true,"b":2}']))
    >>> values.codes("json").tolist(), values.codes("python").tolist()
    ([0, 0, 2], [0, 0, 0])
    """

    def __init__(self, texts: pa.Array) -> None:
        self.texts = texts.cast(pa.large_string())

    @cached_property
    def _delicate(self) -> np.ndarray:
        return _matches(self.texts, DELICATE)

    @cached_property
    def _plain(self) -> pa.Array:
        """Sorted JSON text of every value as it is."""
        return self._written(np.arange(len(self.texts)), None)

    def codes(self, relation: str) -> np.ndarray:
        """Number the texts so that equal values have equal numbers.

        Parameters
        ----------
        relation
            One of `RELATIONS`.

        Returns
        -------
        numpy.ndarray
            int64, the position of the first text with an equal value.

        Raises
        ------
        OptionError
            For an unknown relation.
        """
        check_option("arguments", relation, RELATIONS)
        rule = RELATIONS[relation]
        if rule.change is None:
            return _first_places(self._plain)
        touched = _matches(self.texts, rule.touches)
        kept, changed = np.flatnonzero(~touched), np.flatnonzero(touched)
        written = pa.concat_arrays([self._plain.take(pa.array(kept)), self._written(changed, rule.change)])
        return _first_places(_placed(written, np.concatenate((kept, changed))))

    def unequal(self, relation: str) -> np.ndarray:
        """Mark the values that are not even equal to themselves (they hold NaN)."""
        marked = np.zeros(len(self.texts), dtype=bool)
        if RELATIONS[relation].nan_differs:
            for place in np.flatnonzero(_matches(self.texts, "NaN")).tolist():
                marked[place] = _holds_nan(self.texts[place].as_py())
        return marked

    def _written(self, places: np.ndarray, change: Callable[[Any], Any] | None) -> pa.Array:
        """Write some of the values in canonical form."""
        delicate = self._delicate[places]
        quick, slow = np.flatnonzero(~delicate), np.flatnonzero(delicate)
        made = [pa.array([], pa.large_binary())]
        for chosen, write in ((quick, _quickly), (slow, _exactly)):
            texts = self.texts.take(pa.array(places[chosen]))
            blocks = (texts.slice(begin, _BLOCK).to_pylist() for begin in range(0, len(texts), _BLOCK))
            made.extend(pa.array(write(block, change), pa.large_binary()) for block in blocks)
        return _placed(pa.concat_arrays(made), np.concatenate((quick, slow)))


def canonical_text(text: str, relation: str = "json") -> str:
    """Return the canonical text of one JSON text.

    Examples
    --------
    >>> canonical_text('{"b": 1.0, "a": [true]}')
    '{"a":[true],"b":1}'
    """
    check_option("arguments", relation, RELATIONS)
    return _canonical(text, RELATIONS[relation].change).decode("utf-8", "surrogatepass")


def _quickly(texts: list[str], change: Callable[[Any], Any] | None) -> list[bytes]:
    """Write a block of values by orjson alone; by the exact way where it cannot."""
    loads, dumps, sort = orjson.loads, orjson.dumps, orjson.OPT_SORT_KEYS
    try:
        if change is None:
            return [dumps(loads(text), option=sort) for text in texts]
        return [dumps(change(loads(text)), option=sort) for text in texts]
    except (orjson.JSONDecodeError, TypeError, RecursionError):
        return _exactly(texts, change)


def _exactly(texts: list[str], change: Callable[[Any], Any] | None) -> list[bytes]:
    """Write a block of values by the standard library, which keeps what orjson refuses or rounds."""
    return [_canonical(text, change) for text in texts]


def _placed(values: pa.Array, places: np.ndarray) -> pa.Array:
    """Put values, given in the order of some places, into the order of the places."""
    order = np.empty(len(places), dtype=np.int64)
    order[places] = np.arange(len(places))
    return values.take(pa.array(order))


def _matches(texts: pa.Array, pattern: str) -> np.ndarray:
    if not pattern:
        return np.ones(len(texts), dtype=bool)
    return np.asarray(pc.match_substring_regex(texts, pattern).to_numpy(zero_copy_only=False), dtype=bool)


def _canonical(text: str, change: Callable[[Any], Any] | None) -> bytes:
    try:
        value = json.loads(text)
        return _written(change(value) if change else value)
    except (ValueError, RecursionError):
        # No JSON value, or nested beyond reason: equal to the same text only.
        return b"\0" + text.encode("utf-8", "surrogatepass")


def _written(value: Any) -> bytes:
    """Write a value as orjson would, sorted, also where orjson cannot."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-8", "surrogatepass"))
        return b"{" + b",".join(_string(key) + b":" + _written(value[key]) for key in keys) + b"}"
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
