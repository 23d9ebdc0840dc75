"""Pairs of an expected and a called call of the same tool, and ways to choose among them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import lap
import numpy as np
import pandas as pd
import pyarrow as pa

from toolcorrect import counting
from toolcorrect.arguments.items import parse_texts
from toolcorrect.encoding import Encoding, Match, SideName
from toolcorrect.grouping import combined, ranges
from toolcorrect.tables import taken

# Pairs of texts that are taken out of Arrow at a time.
_BLOCK = 4096


@dataclass(frozen=True)
class Pairs:
    """Candidate pairs, those of one expected call together, called calls in their order.

    Parameters
    ----------
    encoding
        The lists.
    expected, called
        For each pair, the places of its calls in ``encoding.expected`` and ``encoding.called``.
    """

    encoding: Encoding
    expected: np.ndarray
    called: np.ndarray

    @property
    def owner(self) -> np.ndarray:
        """For each pair, its list."""
        return self.encoding.expected.owner[self.expected]

    @property
    def texts(self) -> tuple[np.ndarray, np.ndarray]:
        """For each pair, the numbers of both argument texts."""
        return self.encoding.expected.text[self.expected], self.encoding.called.text[self.called]

    def only(self, kept: np.ndarray) -> Pairs:
        """Return the pairs that are marked (or at these places), in their order."""
        return Pairs(self.encoding, self.expected[kept], self.called[kept])


def candidates(encoding: Encoding, match: Match, lists: np.ndarray | None = None) -> Pairs:
    """Pair every expected call with every called call of its list that is the same under ``match``.

    Parameters
    ----------
    encoding
        The lists.
    match
        When two calls may be paired, as a rule by name only.
    lists
        bool, one entry a list: pair in these only.

    Returns
    -------
    Pairs
    """
    match = encoding.simplest(match)
    if lists is None:
        every = slice(None)
        return remembered(encoding, ("candidates", match), lambda: _candidates(encoding, match, every, every))
    return _candidates(encoding, match, lists[encoding.expected.owner], lists[encoding.called.owner])


def remembered(encoding: Encoding, what: Hashable, make: Callable[[], Pairs]) -> Pairs:
    """Return pairs that were made under a name before, or make them.

    Only their places are kept: with the encoding in them, both would keep each other alive.
    """

    def places() -> tuple[np.ndarray, np.ndarray]:
        pairs = make()
        return pairs.expected, pairs.called

    return Pairs(encoding, *encoding.remember(what, places))


def _candidates(encoding: Encoding, match: Match, expected: np.ndarray | slice, called: np.ndarray | slice) -> Pairs:
    """Pair some expected calls with some called ones."""
    expected_code, called_code = encoding.codes(match)
    e, c = np.arange(len(expected_code))[expected], np.arange(len(called_code))[called]
    return _meeting(encoding, e, expected_code[e], c, called_code[c])


def related(encoding: Encoding, expected_tool: np.ndarray, called_tool: np.ndarray) -> Pairs:
    """Pair calls whose names are related otherwise than by being the same, by a pattern for instance.

    Parameters
    ----------
    encoding
        The lists.
    expected_tool, called_tool
        The relation: numbers of tool names (places in ``encoding.tool_names``), one entry a related pair.

    Returns
    -------
    Pairs
    """
    # Each expected call stands once for every name that it accepts.
    order = np.argsort(expected_tool, kind="stable")
    accepted = called_tool[order]
    sizes = np.bincount(expected_tool, minlength=len(encoding.tool_names))
    begins = np.cumsum(sizes) - sizes
    tool = encoding.expected.tool
    call, place = ranges(begins[tool], sizes[tool])
    code = accepted[place]
    made = _meeting(encoding, call, code, np.arange(len(encoding.called.tool)), encoding.called.tool)
    sorted_ = np.lexsort((made.called, made.expected))
    return Pairs(encoding, made.expected[sorted_], made.called[sorted_])


def _meeting(
    encoding: Encoding, e: np.ndarray, expected_code: np.ndarray, c: np.ndarray, called_code: np.ndarray
) -> Pairs:
    """Pair some expected with some called calls where list and code are the same."""
    owner = np.concatenate((encoding.expected.owner[e], encoding.called.owner[c]))
    key_e, key_c = np.split(combined([owner, np.concatenate((expected_code, called_code))]), [len(e)])
    by_key = np.argsort(key_c, kind="stable")
    begins, ends = (np.searchsorted(key_c[by_key], key_e, side) for side in ("left", "right"))
    pair_e, place = ranges(begins, ends - begins)
    return Pairs(encoding, e[pair_e], c[by_key[place]])


def served(pairs: Pairs, usable: np.ndarray | slice) -> np.ndarray:
    """Tell for each expected call whether it is in a usable pair; a called call may serve many.

    Parameters
    ----------
    pairs
        The candidates.
    usable
        bool, one entry a pair.

    Returns
    -------
    numpy.ndarray
        bool, one entry an expected call.
    """
    made = np.zeros(len(pairs.encoding.expected.row), dtype=bool)
    made[pairs.expected[usable]] = True
    return made


def by_position(encoding: Encoding, lists: np.ndarray | None = None) -> Pairs:
    """Pair the calls that stand at the same place of their list.

    Parameters
    ----------
    encoding
        The lists.
    lists
        bool, one entry a list: pair in these only.

    Returns
    -------
    Pairs
    """
    expected, called = encoding.expected, encoding.called
    paired = expected.place < called.lengths[expected.owner]
    if lists is not None:
        paired &= lists[expected.owner]
    e = np.flatnonzero(paired)
    return Pairs(encoding, e, called.offsets[expected.owner[e]] + expected.place[e])


def compare(
    pairs: Pairs,
    function: Callable[[Any, Any], float],
    same: str | None = "python",
) -> np.ndarray:
    """Score the arguments of each pair, each different pair of texts once.

    Parameters
    ----------
    pairs
        The candidates.
    function
        ``(expected value, called value) -> score`` for two decoded values; arguments that are not known are None.
    same
        A relation: values that are the same under it score 1 without being asked about. None asks about all.

    Returns
    -------
    numpy.ndarray
        float64, one entry a pair; NaN where values are nested too deeply to be looked at.
    """
    encoding = pairs.encoding
    scores = np.ones(len(pairs.expected), dtype=np.float64)
    unequal = np.arange(len(scores))
    if same is not None:
        code_e, code_c = encoding.codes(Match(arguments=same))
        unequal = np.flatnonzero(code_e[pairs.expected] != code_c[pairs.called])
    text_e, text_c = (text[unequal] for text in pairs.texts)
    span = len(encoding.texts) + 1
    different, inverse = np.unique((text_e + 1) * span + text_c + 1, return_inverse=True)
    made = np.empty(len(different), dtype=np.float64)
    for begin in range(0, len(different), _BLOCK):
        block = different[begin : begin + _BLOCK]
        numbers, place = np.unique(np.concatenate((block // span, block % span)) - 1, return_inverse=True)
        value = parsed(encoding.texts, numbers)
        expected, called = ([value[at] for at in side.tolist()] for side in np.split(place, 2))
        made[begin : begin + len(block)] = _each(function, expected, called)
    scores[unequal] = made[inverse]
    return scores


def _each(function: Callable[[Any, Any], float], expected: list[Any], called: list[Any]) -> list[float]:
    """Score each pair of values; NaN where they are nested too deeply for it."""
    try:
        return list(map(function, expected, called))
    except RecursionError:
        if len(expected) == 1:
            return [np.nan]
        half = len(expected) // 2
        return _each(function, expected[:half], called[:half]) + _each(function, expected[half:], called[half:])


def satisfied(pairs: Pairs, scored: Callable[[Pairs], np.ndarray], same: str) -> np.ndarray:
    """Tell for each expected call whether some partner satisfies it; one that has an equal partner is done.

    Parameters
    ----------
    pairs
        The candidates.
    scored
        Scores pairs, above 0 where satisfied; see `compare` and `agreeing.by_key`.
    same
        A relation: calls that are the same under it satisfy.

    Returns
    -------
    numpy.ndarray
        bool, one entry an expected call.
    """
    code_e, code_c = pairs.encoding.codes(Match(arguments=same))
    made = served(pairs, code_e[pairs.expected] == code_c[pairs.called])
    rest = pairs.only(~made[pairs.expected])
    return made | served(rest, scored(rest) > 0)


def parsed(texts: pa.ChunkedArray, numbers: np.ndarray) -> list[Any]:
    """Return the values of some texts by their numbers, ascending; -1 is None."""
    known = numbers[numbers >= 0]
    values = [value for chunk in taken(texts, known).chunks for value in parse_texts(chunk)]
    return [None] * (len(numbers) - len(known)) + values


def greedy(
    pairs: Pairs, scores: np.ndarray, slots: np.ndarray, walked: SideName = "expected"
) -> tuple[np.ndarray, np.ndarray]:
    """Give each expected call in order its best free partner, the first among equals.

    Parameters
    ----------
    pairs
        The candidates.
    scores
        float64, one entry a pair; a pair that scores 0 or less is never chosen.
    slots
        For each pair, the number of what choosing it uses up (the called call, or its value).
    walked
        The side whose calls choose in order, one after the other.

    Returns
    -------
    chosen : numpy.ndarray
        Places (in ``pairs``) of the chosen ones.
    met : numpy.ndarray
        bool, one entry a pair: whether its slot was still free when the choosing call looked at it.
    """
    calls: np.ndarray = getattr(pairs, walked)
    rank = getattr(pairs.encoding, walked).place[calls]
    # A call with one candidate that no other one can use need not wait for its turn.
    met = (np.bincount(calls)[calls] == 1) & (np.bincount(slots)[slots] == 1)
    chosen = [np.flatnonzero(met & (scores > 0))]
    used = np.zeros(int(slots.max(initial=-1)) + 1, dtype=bool)
    waiting = np.flatnonzero(~met)
    order = waiting[np.argsort(calls[waiting], kind="stable")]
    order = order[np.argsort(rank[order], kind="stable")]
    for turn in np.split(order, np.flatnonzero(np.diff(rank[order])) + 1) if len(order) else []:
        free = ~used[slots[turn]]
        met[turn] = free
        score = np.where(free, scores[turn], 0.0)
        begins = np.flatnonzero(np.concatenate(([True], calls[turn][1:] != calls[turn][:-1])))
        best = np.repeat(np.maximum.reduceat(score, begins), np.diff(np.append(begins, len(turn))))
        place = np.where((score == best) & (score > 0), np.arange(len(turn)), len(turn))
        first = np.minimum.reduceat(place, begins)
        picked = turn[first[first < len(turn)]]
        used[slots[picked]] = True
        chosen.append(picked)
    made = np.concatenate(chosen)
    # In the order of choosing: in it upstream adds up.
    return made[np.argsort(rank[made], kind="stable")], met


def optimal(pairs: Pairs, scores: np.ndarray) -> np.ndarray:
    """Choose pairs, each call in at most one, so that the sum of their scores is largest.

    Parameters
    ----------
    pairs
        The candidates, each of two calls of one tool.
    scores
        float64, at least 0, one entry a pair.

    Returns
    -------
    numpy.ndarray
        Places (in ``pairs``) of the chosen ones; a pair that scores 0 need not be among them.
    """
    tool = pairs.encoding.expected.tool[pairs.expected]
    group, groups = pd.factorize(combined([pairs.owner, tool]))
    # No choice can be worth more than the best pair of each call of a side; one that is worth that much is best.
    bounds = (_best_of_each(side, scores, group, len(groups)) for side in (pairs.expected, pairs.called))
    bound = np.minimum(*bounds)
    open_ = np.ones(len(groups), dtype=bool)
    chosen: list[np.ndarray] = []
    walks: tuple[SideName, SideName] = ("expected", "called")
    for walked, slots in zip(walks, (pairs.called, pairs.expected)):
        at = np.flatnonzero(open_[group])
        taken = at[greedy(pairs.only(at), scores[at], slots[at], walked)[0]]
        worth = np.bincount(group[taken], weights=scores[taken], minlength=len(groups))
        settled = open_ & (worth >= bound)
        chosen.append(taken[settled[group[taken]]])
        open_ &= ~settled
    if open_.any():
        chosen += _assigned(pairs, scores, np.where(open_[group], group, -1))
    return np.concatenate(chosen)


def _best_of_each(call: np.ndarray, scores: np.ndarray, group: np.ndarray, groups: int) -> np.ndarray:
    """Add up, for each group, the best score of each of its calls."""
    best = np.full(int(call.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(best, call, scores)
    group_of = np.zeros(len(best), dtype=np.int64)
    group_of[call] = group
    calls = np.flatnonzero(best > -np.inf)
    return np.bincount(group_of[calls], weights=best[calls], minlength=groups)


def _assigned(pairs: Pairs, scores: np.ndarray, group: np.ndarray) -> list[np.ndarray]:
    """Choose the best pairs of each group from 0 on: an assignment problem each."""
    order = np.argsort(group, kind="stable")
    begins = np.flatnonzero(np.diff(group[order], prepend=-1))
    chosen = []
    for members in np.split(order, begins)[1:]:
        (row, rows), (column, columns) = (pd.factorize(calls[members]) for calls in (pairs.expected, pairs.called))
        matrix, which = np.zeros((len(rows), len(columns))), np.full((len(rows), len(columns)), -1)
        matrix[row, column], which[row, column] = scores[members], members
        _, column_of, _ = lap.lapjv(-matrix, extend_cost=True)
        found = which[column_of >= 0, column_of[column_of >= 0]]
        chosen.append(found[found >= 0])
    return chosen


def total(pairs: Pairs, chosen: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return, for each list, the sum of the scores of its chosen pairs (float64)."""
    made = np.bincount(pairs.owner[chosen], weights=scores[chosen], minlength=pairs.encoding.list_count)
    return made.astype(np.float64)


def ordered(pairs: Pairs, scores: np.ndarray) -> np.ndarray:
    """Return, for each list, the largest sum of scores of pairs that do not cross.

    Row by row over the expected calls; inside a row a running maximum settles the called calls that are
    passed over (a weighted longest common subsequence).

    Parameters
    ----------
    pairs
        The candidates.
    scores
        float64, one entry a pair; only scores above 0 count.

    Returns
    -------
    numpy.ndarray
        float64, one entry a list.
    """
    encoding = pairs.encoding
    made = np.zeros(encoding.list_count, dtype=np.float64)
    begins = np.searchsorted(pairs.owner, np.arange(encoding.list_count + 1))
    sizes = np.diff(begins)
    lengths_e = np.where(sizes > 0, encoding.expected.lengths, 0)
    lengths_c = np.where(sizes > 0, encoding.called.lengths, 0)
    for lists, width, depth in counting.blocks(lengths_e, lengths_c, cell=8):
        rows, inside = ranges(begins[lists], sizes[lists])
        dense = np.zeros((len(lists), width, depth), dtype=np.float64)
        i = encoding.expected.place[pairs.expected[inside]]
        j = encoding.called.place[pairs.called[inside]]
        dense[rows, i, j] = np.maximum(scores[inside], 0)
        row = np.zeros((len(lists), depth + 1))
        for step in range(int(lengths_e[lists].max())):
            best = np.maximum(row[:, 1:], row[:, :-1] + dense[:, step])
            np.maximum.accumulate(best, axis=1, out=row[:, 1:])
        made[lists] = row[:, -1]
    return made
