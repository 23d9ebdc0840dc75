"""Values of arguments as numbers: equal ones of one type have one number, and relations join numbers."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from itertools import count
from typing import Any

import numpy as np
import orjson

from toolcorrect.arguments.equality import RELATIONS

# How Python writes an integer.
_INTEGER = r"0|-?[1-9][0-9]{0,4000}"


class Unreadable(str):
    """A text that holds no JSON value, or one nested beyond reason: equal to the same text only."""


class Atoms:
    """Numbers of argument values; values of different type or spelling are different ones."""

    def __init__(self) -> None:
        number = count().__next__
        kinds: tuple[type, ...] = (str, int, float, bool, type(None), dict, list, bytes, Unreadable)
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

    def numbers_of_integers(self, values: Iterable[int]) -> list[int]:
        """Return the numbers of integers."""
        return list(map(self._number_of[int], values))

    def same(self, relation: str) -> np.ndarray:
        """Return for each number that of the value it is the same as."""
        if relation not in self._same:
            changed = []
            for kind, change in RELATIONS[relation].change.items():
                if (kind, change) == (int, str):
                    changed.append(self._integers_as_texts())
                    continue
                table = self._tables[kind]
                # Changing may add values to the table, which are as they should be.
                numbers = list(table.values())
                changed.append((numbers, self._changed(list(table), kind, change)))
            made = np.arange(len(self))
            for before, after in changed:
                made[before] = after
            self._same[relation] = made
        return self._same[relation]

    def _integers_as_texts(self) -> tuple[list[int], list[int]]:
        """Return the numbers of integers, and of the texts that are written like them.

        Only where there is such a text: integers are many, and most are like no text.
        """
        integers = self._tables[int]
        alike = [(text, number) for text, number in self._tables[str].items() if re.fullmatch(_INTEGER, text)]
        found = [(integers[int(text)], number) for text, number in alike if int(text) in integers]
        return [one for one, _ in found], [other for _, other in found]

    def _changed(self, keys: list[Any], kind: type, change: Callable[[Any], Any]) -> list[int]:
        values = map(_READ[kind], keys) if kind in _READ else keys
        return self.numbers([_if_shallow(change, value) for value in values])

    @property
    def unreadable(self) -> np.ndarray:
        """Mark the numbers of texts that hold no JSON value."""
        made = np.zeros(len(self), dtype=bool)
        made[list(self._tables[Unreadable].values())] = True
        return made

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
