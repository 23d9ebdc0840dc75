"""Distinct argument texts as tables of numbers: which key holds which value, each text parsed once.

An object is a few (key, value) pairs, so that two objects are equal if they hold the same pairs, and
how far unequal ones agree is counted without looking at them again.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, count
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from toolcorrect.arguments.decoding import parse_json
from toolcorrect.arguments.equality import RELATIONS, sorted_json
from toolcorrect.errors import check_option
from toolcorrect.grouping import ranges

# What orjson would refuse or round: long integers, NaN and infinities, lone surrogates.
_DELICATE = r"\d{19}|NaN|Infinity|\\u[dD][89abAB]"
# Texts parsed at a time: few enough that their values stay in the processor's cache.
_BLOCK = 256
# The key under which a value stands that is no object.
_WHOLE = None


class _Unreadable(str):
    """A text that holds no JSON value, or one nested beyond reason: equal to the same text only."""


@dataclass(frozen=True)
class Agreement:
    """How far pairs of argument values agree, key by key; one entry a pair.

    Parameters
    ----------
    expected, called
        int64, keys of either side.
    shared, equal
        int64, keys on both sides, and those of them whose values are equal.
    deeper
        bool, whether a shared key has unequal values that are both objects or both lists.
    objects
        bool, whether both sides are objects.
    padded
        bool, whether a key of either side has outer blanks.
    """

    expected: np.ndarray
    called: np.ndarray
    shared: np.ndarray
    equal: np.ndarray
    deeper: np.ndarray
    objects: np.ndarray
    padded: np.ndarray


class Values:
    """Distinct JSON texts, numbered by value under any relation.

    Two values are equal under a relation exactly when their numbers are; a value that holds NaN is equal to
    nothing under the relations that follow Python's ``==``, see `unequal`.

    Parameters
    ----------
    texts
        Arrow strings, each the JSON text of a value; best without repeats. Texts of different chunks are never
        held against each other.

    Examples
    --------
    >>> values = Values(pa.chunked_array([['{"a":1,"b":2}', '{"b":2.0,"a":1}', '{"a":true,"b":2}']]))
    >>> values.codes("json").tolist(), values.codes("python").tolist()
    ([0, 0, 2], [0, 0, 0])
    """

    def __init__(self, texts: pa.ChunkedArray) -> None:
        self._sizes = [len(chunk) for chunk in texts.chunks]
        # Let go of once they are parsed.
        self._texts: pa.ChunkedArray | None = texts

    def __len__(self) -> int:
        return sum(self._sizes)

    def codes(self, relation: str) -> np.ndarray:
        """Number the texts so that equal values have equal numbers.

        Parameters
        ----------
        relation
            One of `RELATIONS`.

        Returns
        -------
        numpy.ndarray
            int64, the position of the first text (of the chunk) with an equal value.

        Raises
        ------
        OptionError
            For an unknown relation.
        """
        check_option("arguments", relation, RELATIONS)
        items = self._items
        pairs = np.empty((len(items.key), 2), dtype=np.int32)
        pairs[:, 0], pairs[:, 1] = items.key, items.atoms.same(relation)[items.atom]
        data, ends = pa.py_buffer(pairs), pa.py_buffer(items.offsets * (2 * pairs.itemsize))
        made, begin = np.empty(len(self), dtype=np.int64), 0
        for size in self._sizes:
            rows = pa.Array.from_buffers(pa.large_binary(), size, [None, ends, data], offset=begin)
            made[begin : begin + size] = begin + _first_places(rows)
            begin += size
        return made

    def unequal(self, relation: str) -> np.ndarray:
        """Mark the values that are not even equal to themselves (they hold NaN)."""
        items = self._items
        marked = np.zeros(len(self), dtype=bool)
        if RELATIONS[relation].nan_differs and items.atoms.holds_nan.any():
            marked[items.held[items.atoms.holds_nan[items.atom]] // items.keys] = True
        return marked

    def agreement(self, relation: str, expected: np.ndarray, called: np.ndarray) -> Agreement:
        """Hold pairs of texts against each other, key by key.

        Parameters
        ----------
        relation
            When two values of one key are equal.
        expected, called
            int64, places of the texts of each pair; -1 is an object without keys.
        """
        check_option("arguments", relation, RELATIONS)
        items = self._items
        # One entry more: what -1 stands for.
        sizes = np.append(np.diff(items.offsets), 0)
        is_object, padded = (
            np.append(marked, last) for marked, last in ((items.is_object, True), (items.padded, False))
        )
        pair, mine = ranges(items.offsets[expected], sizes[expected])
        wanted = called[pair] * items.keys + items.key[mine]
        theirs = np.searchsorted(items.held, wanted)
        met = np.append(items.held, -1)[theirs] == wanted
        pair, mine, theirs = pair[met], items.atom[mine[met]], items.atom[theirs[met]]
        same, nested = items.atoms.same(relation), items.atoms.nesting
        equal = same[mine] == same[theirs]
        if RELATIONS[relation].nan_differs:
            equal &= ~items.atoms.holds_nan[mine]
        deeper = np.zeros(len(expected), dtype=bool)
        deeper[pair[~equal & (nested[mine] > 0) & (nested[mine] == nested[theirs])]] = True
        return Agreement(
            sizes[expected],
            sizes[called],
            np.bincount(pair, minlength=len(expected)),
            np.bincount(pair[equal], minlength=len(expected)),
            deeper,
            is_object[expected] & is_object[called],
            padded[expected] | padded[called],
        )

    @cached_property
    def _items(self) -> _Items:
        assert self._texts is not None
        items = _items_of(self._texts)
        self._texts = None
        return items


@dataclass(frozen=True)
class _Items:
    """The (key, value) pairs of all texts, those of a text together, by number of the key.

    ``offsets`` says where each text begins; ``key`` and ``atom`` are, for each pair, numbers of its key and of its
    value; ``held`` is text and key as one number (text times ``keys``, plus key), ascending;
    ``is_object`` and ``padded`` tell the texts that hold an object, and a key with outer blanks.
    """

    offsets: np.ndarray
    key: np.ndarray
    atom: np.ndarray
    held: np.ndarray
    keys: int
    is_object: np.ndarray
    padded: np.ndarray
    atoms: _Atoms


def _items_of(texts: pa.ChunkedArray) -> _Items:
    keys: dict[str | None, int] = defaultdict(count().__next__)
    atoms = _Atoms()
    blocks = [
        _block(chunk.slice(begin, _BLOCK).to_pylist(), delicate[begin : begin + _BLOCK], keys, atoms)
        for chunk in texts.chunks
        for delicate in [_delicate(chunk)]
        for begin in range(0, len(chunk), _BLOCK)
    ]
    sizes, key, atom = map(np.concatenate, zip(_pairs([], keys, atoms), *blocks))
    width = max(len(keys), 1)
    held = np.repeat(np.arange(len(sizes)) * width, sizes) + key
    order = np.argsort(held, kind="stable")
    is_object, padded = np.ones(len(sizes), dtype=bool), np.zeros(len(sizes), dtype=bool)
    is_object[held[key == keys.get(_WHOLE, -1)] // width] = False
    blank = [number for name, number in keys.items() if name and name != name.strip()]
    padded[held[np.isin(key, blank)] // width] = True
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    return _Items(offsets, key[order], atom[order], held[order], width, is_object, padded, atoms)


def _block(
    texts: list[str], delicate: np.ndarray, keys: dict[str | None, int], atoms: _Atoms
) -> tuple[np.ndarray, ...]:
    """Return the number of pairs of each text, and their keys and values."""
    try:
        return _pairs(_parse(texts, delicate), keys, atoms)
    except (ValueError, RecursionError):
        return _pairs(list(map(_parsed, texts)), keys, atoms)


def _pairs(values: list[Any], keys: dict[str | None, int], atoms: _Atoms) -> tuple[np.ndarray, ...]:
    # What is no object stands under one key of its own.
    objects = [value if type(value) is dict else {_WHOLE: value} for value in values]
    sizes = np.fromiter(map(len, objects), np.int32, len(objects))
    total = int(sizes.sum())
    key = np.fromiter(map(keys.__getitem__, chain.from_iterable(objects)), np.int32, total)
    held = chain.from_iterable(map(dict.values, objects))
    return sizes, key, np.array(atoms.numbers(held), dtype=np.int32)


def _parsed(text: str) -> Any:
    """Parse one text, be it no JSON at all."""
    try:
        value = parse_json(text)
        # Some levels deeper than it will be written.
        sorted_json([[[[[[[[value]]]]]]]])
    except (ValueError, RecursionError):
        return _Unreadable(text)
    return value


class _Atoms:
    """Numbers of argument values; values of different type or spelling are different ones."""

    def __init__(self) -> None:
        number = count().__next__
        kinds: tuple[type, ...] = (str, int, float, bool, type(None), dict, list, bytes, _Unreadable)
        self._tables: dict[type, defaultdict[Any, int]] = {kind: defaultdict(number) for kind in kinds}
        self._number_of = {kind: table.__getitem__ for kind, table in self._tables.items()}
        self._same: dict[str, np.ndarray] = {}
        for kind, key in _KEYS.items():
            self._number_of[kind] = partial(_keyed, self._tables[kind], key)

    def __len__(self) -> int:
        return sum(map(len, self._tables.values()))

    def numbers(self, values: Iterable[Any]) -> list[int]:
        """Return the numbers of values."""
        number_of = self._number_of
        return [number_of[type(value)](value) for value in values]

    def same(self, relation: str) -> np.ndarray:
        """Return for each number that of the value it is the same as."""
        if relation not in self._same:
            changed = []
            for kind, change in RELATIONS[relation].change.items():
                table = self._tables[kind]
                # Changing may add values to the table, which are as they should be.
                numbers = list(table.values())
                changed.append((numbers, self._changed(list(table), kind, change)))
            made = np.arange(len(self))
            for before, after in changed:
                made[before] = after
            self._same[relation] = made
        return self._same[relation]

    def _changed(self, keys: list[Any], kind: type, change: Callable[[Any], Any]) -> list[int]:
        values = map(_READ[kind], keys) if kind in _READ else keys
        return self.numbers([_if_shallow(change, value) for value in values])

    @cached_property
    def holds_nan(self) -> np.ndarray:
        """Mark the numbers of values that hold NaN."""
        made = np.zeros(len(self), dtype=bool)
        made[[number for key, number in self._tables[float].items() if key == "nan"]] = True
        for kind in (dict, list):
            made[[number for key, number in self._tables[kind].items() if b"NaN" in key and _has_nan(key)]] = True
        return made

    @cached_property
    def nesting(self) -> np.ndarray:
        """Return for each number 1 for an object, 2 for a list, else 0."""
        made = np.zeros(len(self), dtype=np.int8)
        for code, kind in enumerate((dict, list), 1):
            made[list(self._tables[kind].values())] = code
        return made


def _keyed(table: defaultdict[Any, int], key: Callable[[Any], Any], value: Any) -> int:
    return table[key(value)]


def _float_key(value: float) -> float | str:
    """Keep both zeros apart, and make NaN one value."""
    return value if value and value == value else repr(value)


def _nested_key(value: Any) -> bytes:
    """Return the JSON text of an object or list as it is: the order of keys is kept apart."""
    try:
        text = orjson.dumps(value)
        # orjson writes NaN as null: only then look again.
        return text if b"null" not in text else json.dumps(value).encode()
    except TypeError:
        return json.dumps(value).encode()


# What values of some types are known by, and the way back.
_KEYS: dict[type, Callable[[Any], Any]] = {float: _float_key, dict: _nested_key, list: _nested_key}
_READ: dict[type, Callable[[Any], Any]] = {float: float, dict: json.loads, list: json.loads}


def _if_shallow(change: Callable[[Any], Any], value: Any) -> Any:
    """Change a value, unless it is nested beyond reason."""
    try:
        return change(value)
    except RecursionError:
        return value


def _has_nan(text: bytes) -> bool:
    found: list[str] = []
    json.loads(text, parse_constant=found.append)
    return "NaN" in found


def _first_places(rows: pa.Array) -> np.ndarray:
    """Give each value the position of the first value equal to it."""
    codes = rows.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    # Numbers are given in the order of appearance.
    first = np.flatnonzero(np.diff(np.maximum.accumulate(codes), prepend=-1))
    return np.asarray(first[codes], dtype=np.int64)


def parse_texts(texts: pa.Array) -> list[Any]:
    """Parse JSON texts without loss.

    Raises
    ------
    ValueError
        Where one is not JSON.
    """
    return _parse(texts.to_pylist(), _delicate(texts))


def _delicate(texts: pa.Array) -> np.ndarray:
    return np.asarray(pc.match_substring_regex(texts, _DELICATE).to_numpy(zero_copy_only=False), dtype=bool)


def _parse(texts: list[str], delicate: np.ndarray) -> list[Any]:
    loads, apart = orjson.loads, np.flatnonzero(delicate).tolist()
    quick = texts.copy()
    for place in apart:
        quick[place] = "null"
    try:
        values = [loads(text) for text in quick]
    except orjson.JSONDecodeError:
        # Nested too deeply for it, or no JSON.
        values = [parse_json(text) for text in quick]
    for place in apart:
        values[place] = parse_json(texts[place])
    return values
