"""`Histories`: of requests that repeat each other's messages, only what is new in each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import orjson

from toolcorrect.arguments.decoding import to_json

# Of so many histories, those of as many agents that talk in one trace, the ends are remembered.
_MOST = 16


class Histories:
    """Remembers how far each history of a trace was read: its length and a hash, not the messages."""

    def __init__(self) -> None:
        self._read: list[tuple[int, int, Counter[Any]]] = []

    def new_part(self, given: Any) -> tuple[Any, Counter[Any]]:
        """Return what a history adds to the one it repeats; all of it where it repeats none.

        Parameters
        ----------
        given
            The JSON text of a list, or a list. Anything else comes back as it is.

        Returns
        -------
        part
            Of the kind of ``given``.
        told
            A counter for the caller's use, which goes with the history for as long as it grows.

        Examples
        --------
        >>> histories = Histories()
        >>> histories.new_part('[{"a": 1}]')[0], histories.new_part('[{"a": 1}, {"b": 2}]')[0]
        ('[{"a": 1}]', '[ {"b": 2}]')
        >>> histories.new_part('[{"b": 3}]')[0]
        '[{"b": 3}]'
        """
        if isinstance(given, str):
            body = given.rstrip()
            if body.startswith("[") and body.endswith("]"):
                body = body[:-1]
                known, told = self._grows(body, hash)
                rest = body[known:].lstrip()
                return (f"[{rest[1:]}]" if known else given), told
        elif isinstance(given, list) and given:
            known, told = self._grows(given, _hash_of)
            return given[known:], told
        return given, Counter()

    def _grows(self, body: Any, digest: Callable[[Any], int]) -> tuple[int, Counter[Any]]:
        """Return how much of a history was read before, and remember how far it goes now."""
        known: tuple[int, int, Counter[Any]] = 0, 0, Counter()
        for place, one in enumerate(self._read):
            if one[0] <= len(body) and digest(body[: one[0]]) == one[1] and _ends_there(body, one[0]):
                known = self._read.pop(place)
                break
        self._read.insert(0, (len(body), digest(body), known[2]))
        del self._read[_MOST:]
        return known[0], known[2]


def _ends_there(body: Any, length: int) -> bool:
    """Tell whether a message ends at a place in a text: only the next can follow."""
    return not isinstance(body, str) or body[length : length + 50].lstrip()[:1] in ("", ",")


def _hash_of(values: list[Any]) -> int:
    try:
        return hash(orjson.dumps(values))
    except TypeError:
        return hash(to_json(values))
