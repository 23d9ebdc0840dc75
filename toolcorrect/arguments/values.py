"""Distinct argument texts, numbered by value under any relation, and held against each other key by key.

An object is a few (key, value) pairs, so that two objects are equal if they hold the same pairs, and
how far unequal ones agree is counted without looking at them again.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
import pyarrow as pa

from toolcorrect.arguments.equality import RELATIONS
from toolcorrect.arguments.items import Items, items_of
from toolcorrect.errors import check_option
from toolcorrect.grouping import ranges

# Pairs held against each other at a time: few enough that what is made of them stays in the processor's cache.
_BLOCK = 1 << 15


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
            marked[items.held[:-1][items.atoms.holds_nan[items.atom]] // items.keys] = True
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
        begins = range(0, max(len(expected), 1), _BLOCK)
        blocks = [tuple(side[begin : begin + _BLOCK] for side in (expected, called)) for begin in begins]
        made = [self._agreement(relation, *block) for block in blocks]
        return Agreement(*(np.concatenate([getattr(one, field.name) for one in made]) for field in fields(Agreement)))

    def _agreement(self, relation: str, expected: np.ndarray, called: np.ndarray) -> Agreement:
        """Hold a block of pairs against each other."""
        items = self._items
        pair, mine = ranges(items.offsets[expected], items.sizes[expected])
        wanted = called[pair] * items.keys + items.key[mine]
        theirs = np.searchsorted(items.held, wanted)
        met = items.held[theirs] == wanted
        pair, mine, theirs = pair[met], items.atom[mine[met]], items.atom[theirs[met]]
        same, nested = items.atoms.same(relation), items.atoms.nesting
        equal = same[mine] == same[theirs]
        if RELATIONS[relation].nan_differs:
            equal &= ~items.atoms.holds_nan[mine]
        deeper = np.zeros(len(expected), dtype=bool)
        deeper[pair[~equal & (nested[mine] > 0) & (nested[mine] == nested[theirs])]] = True
        return Agreement(
            items.sizes[expected],
            items.sizes[called],
            np.bincount(pair, minlength=len(expected)),
            np.bincount(pair[equal], minlength=len(expected)),
            deeper,
            items.is_object[expected] & items.is_object[called],
            items.padded[expected] | items.padded[called],
        )

    @cached_property
    def _items(self) -> Items:
        assert self._texts is not None
        items = items_of(self._texts)
        self._texts = None
        return items


def _first_places(rows: pa.Array) -> np.ndarray:
    """Give each value the position of the first value equal to it."""
    codes = rows.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    # Numbers are given in the order of appearance.
    first = np.flatnonzero(np.diff(np.maximum.accumulate(codes), prepend=-1))
    return np.asarray(first[codes], dtype=np.int64)
