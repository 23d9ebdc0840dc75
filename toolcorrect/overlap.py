"""`Overlap`: the few integers a list from which almost every metric follows."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import pandas as pd

from toolcorrect import counting
from toolcorrect.arguments.equality import RELATIONS
from toolcorrect.dataset import Dataset
from toolcorrect.encoding import SIDES, Encoding, Match, Side, SideName, list_index
from toolcorrect.errors import check_option
from toolcorrect.grouping import combined
from toolcorrect.names import Names
from toolcorrect.references.matching import Optional, resolve, treat_optional
from toolcorrect.references.preparing import ArgumentOptions

COLUMNS = (
    "expected",
    "called",
    "distinct_expected",
    "distinct_called",
    "shared",
    "shared_distinct",
    "expected_found",
    "called_wanted",
    "longest",
    "leading",
    "positions",
    "reused",
    "steps_equal",
)


class Overlap:
    """The counts of every list of an encoding under one meaning of "the same call".

    Each attribute is an int64 array, one entry a list (a case and reference). With E the expected and C the
    called list. A formula of a `Variant` gets this object: ``lambda o: o.shared / o.expected``.

    Parameters
    ----------
    encoding
        The lists.
    match
        When two calls are the same.
    """

    def __init__(self, encoding: Encoding, match: Match) -> None:
        self.encoding = encoding
        self.match = match

    @property
    def expected(self) -> np.ndarray:
        """Length of E."""
        return self.encoding.expected.lengths

    @property
    def called(self) -> np.ndarray:
        """Length of C."""
        return self.encoding.called.lengths

    @cached_property
    def distinct_expected(self) -> np.ndarray:
        """Different calls in E."""
        return _distinct(self.encoding.expected.owner, self._codes[0], self.encoding.list_count)

    @cached_property
    def distinct_called(self) -> np.ndarray:
        """Different calls in C."""
        return _distinct(self.encoding.called.owner, self._codes[1], self.encoding.list_count)

    @property
    def shared(self) -> np.ndarray:
        """Calls in both, each used once (multiset intersection)."""
        return self._counts["shared"]

    @property
    def shared_distinct(self) -> np.ndarray:
        """Different calls in both (set intersection)."""
        return self._counts["shared_distinct"]

    @property
    def expected_found(self) -> np.ndarray:
        """Items of E that occur in C."""
        return self._counts["expected_found"]

    @property
    def called_wanted(self) -> np.ndarray:
        """Items of C that occur in E."""
        return self._counts["called_wanted"]

    @property
    def longest(self) -> np.ndarray:
        """Length of the longest common subsequence."""
        return self._counts["longest"]

    @property
    def leading(self) -> np.ndarray:
        """Length of the longest prefix of E that is a subsequence of C."""
        return self._counts["leading"]

    @property
    def positions(self) -> np.ndarray:
        """Equal pairs at the same place."""
        return self._counts["positions"]

    @cached_property
    def edits(self) -> np.ndarray:
        """Levenshtein distance of E and C, in calls."""
        return counting.edits(*self._lists)

    @cached_property
    def reused(self) -> np.ndarray:
        """Sum over (name, kind) of min(times expected, distinct called values).

        A value is name, arguments (Python's ==) and output, as DeepEval consumes them; ``match`` does not
        take part.
        """
        encoding = self.encoding
        asked = encoding.codes(Match(kinds=True))
        value = encoding.codes(Match(kinds=True, arguments="python", outputs=True))[1]
        owner = (encoding.expected.owner, encoding.called.owner)
        first = ~_repeats(owner[1], value)
        key_e, key_c = np.split(combined([np.concatenate(owner), np.concatenate(asked)]), [len(owner[0])])
        # Of each (list, name, kind) as many expected calls count as there are different values.
        values = np.sort(key_c[first], kind="stable")
        order = np.argsort(key_e, kind="stable")
        nth = np.arange(len(order)) - np.searchsorted(key_e[order], key_e[order])
        begins, ends = (np.searchsorted(values, key_e[order], side) for side in ("left", "right"))
        return encoding.expected.count(order[nth < ends - begins])

    @cached_property
    def steps_equal(self) -> np.ndarray:
        """1 where both sides have the same steps one by one, the order within a step free; else 0.

        A call whose step is not known stands alone.
        """
        equal = (self.expected == self.called) & (self.shared == self.expected)
        sides = []
        for name, codes in zip(SIDES, self._codes):
            owner = getattr(self.encoding, name).owner
            kept = np.flatnonzero(equal[owner])
            rank = step_ranks(self.encoding, name)[kept]
            order = np.lexsort((codes[kept], rank, owner[kept]))
            sides.append((owner[kept], rank[order], codes[kept][order]))
        (owner, e_rank, e_code), (_, c_rank, c_code) = sides
        equal[owner[(e_rank != c_rank) | (e_code != c_code)]] = False
        return equal.astype(np.int64)

    def frame(self) -> pd.DataFrame:
        """Return the counts as a frame, index (case, reference)."""
        return pd.DataFrame({name: getattr(self, name) for name in COLUMNS}, index=list_index(self.encoding))

    @property
    def _codes(self) -> tuple[np.ndarray, np.ndarray]:
        return self.encoding.codes(self.match)

    @property
    def _lists(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        expected, called = self._codes
        return expected, self.encoding.expected.offsets, called, self.encoding.called.offsets

    @cached_property
    def _counts(self) -> dict[str, np.ndarray]:
        encoding, match = self.encoding, self.match
        if match.arguments is None:
            return counting.count(*self._lists)
        # Most lists compare alike under all relations: those need not be counted again.
        values = encoding.argument_values(match.arguments)
        known = encoding.origin.remember(("counts", replace(match, arguments="any")), dict[str, Any])
        if not known:
            known.update(values=values, counts=counting.count(*self._lists))
            return cast(dict[str, np.ndarray], known["counts"])
        other = np.zeros(encoding.list_count, dtype=bool)
        other[np.concatenate((encoding.expected.owner, encoding.called.owner))[values != known["values"]]] = True
        anew = counting.count(*self._lists, other)
        return {name: np.where(other, anew[name], before) for name, before in known["counts"].items()}


def overlap(
    data: Dataset,
    *,
    names: str | Names = "exact",
    arguments: str | None = None,
    scope: str = "assistant",
    options: ArgumentOptions | None = None,
    optional: Optional = "counted",
) -> pd.DataFrame:
    """Count what the expected and the called list of every case have in common.

    Parameters
    ----------
    data
        The runs.
    names
        When two tool names are the same: ``"exact"``, ``"format"``, ``"galtea"``, ``"loose"`` or `Names`.
    arguments
        A relation (``"json"``, ``"python"``, ...), or None: arguments do not matter.
    scope
        Which calls count: ``"assistant"``, ``"effect"``, ``"succeeded"`` or ``"everyone"``.
    options, optional
        As in `toolcorrect.score`.

    Returns
    -------
    pandas.DataFrame
        Index (case, reference), int64 columns; see `Overlap` for each. Cases of which a list (or, in scope
        ``"effect"``, the effect of a tool) is not known are left out, and with ``arguments`` those with a call
        whose arguments are not known.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "b", "a"], "expected": ["b", "a"]}])
    >>> tc.overlap(data)[["shared", "longest", "leading", "positions"]].iloc[0].to_list()
    [2, 2, 2, 0]
    """
    if arguments is not None:
        check_option("arguments", arguments, RELATIONS)
    if options is not None:
        data = resolve(data, options=options, scope=scope, names=names)
    encoding = treat_optional(Encoding(data, scope=scope, names=names), optional)
    known = encoding.called_known & encoding.expected_known & encoding.effect_known
    shown = known[encoding.list_case]
    if arguments is not None:
        shown = shown & encoding.arguments_known
    return Overlap(encoding, Match(arguments=arguments)).frame()[shown]


def step_ranks(encoding: Encoding, side: SideName) -> np.ndarray:
    """Return for each call of a side which step of its list it belongs to, from 0; unknown steps stand alone."""
    part: Side = getattr(encoding, side)
    number = encoding.column(side, "step").fillna(-1).to_numpy(dtype=np.int64)
    if not len(number):
        return number
    begins = np.ones(len(number), dtype=bool)
    begins[1:] = (part.owner[1:] != part.owner[:-1]) | (number[1:] != number[:-1]) | (number[1:] < 0)
    running = np.cumsum(begins)
    return running - running[part.offsets[part.owner]]


def _repeats(owner: np.ndarray, code: np.ndarray) -> np.ndarray:
    """Mark calls that are equal to an earlier one of their list."""
    key = combined([owner, code])
    order = np.argsort(key, kind="stable")
    marked = np.zeros(len(key), dtype=bool)
    marked[order[1:]] = key[order[1:]] == key[order[:-1]]
    return marked


def _distinct(owner: np.ndarray, code: np.ndarray, lists: int) -> np.ndarray:
    return np.bincount(owner[~_repeats(owner, code)], minlength=lists).astype(np.int64)
