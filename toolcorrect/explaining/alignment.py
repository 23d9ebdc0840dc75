"""Which called call answers which expected one, for all cases at once.

Calls are paired one to one in three rounds: equal calls, then calls of the same tool, then calls whose
tool names are the same once normalised. Among equals the first goes with the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from toolcorrect.counting import blocks, padded
from toolcorrect.encoding import Encoding, Match
from toolcorrect.names import LEVELS

# How a pair was found.
EQUAL, SAME_TOOL, SAME_NAME = 1, 2, 3


@dataclass(frozen=True)
class Alignment:
    """The pairs of every list of an encoding.

    Parameters
    ----------
    encoding
        The lists.
    partner_of_expected, partner_of_called
        For each call of a side, its partner's place in the other side, or -1.
    grade
        For each expected call, how its pair was found: `EQUAL`, `SAME_TOOL`, `SAME_NAME`, or 0.
    """

    encoding: Encoding
    partner_of_expected: np.ndarray
    partner_of_called: np.ndarray
    grade: np.ndarray

    @cached_property
    def missing(self) -> np.ndarray:
        """Mark expected calls that nothing answers."""
        return self.partner_of_expected < 0

    @cached_property
    def wrong_arguments(self) -> np.ndarray:
        """Mark expected calls answered by a call of the same tool whose arguments are known to be others."""
        stated = np.append(self.encoding.called.text, -1)[self.partner_of_expected] >= 0
        return (self.grade == SAME_TOOL) & stated

    @cached_property
    def repeated(self) -> np.ndarray:
        """Mark called calls that answer nothing and whose tool was called before."""
        called = self.encoding.called
        before = pd.DataFrame({"owner": called.owner, "tool": called.tool}).duplicated().to_numpy()
        return (self.partner_of_called < 0) & before

    @cached_property
    def extra(self) -> np.ndarray:
        """Mark the other called calls that answer nothing."""
        return (self.partner_of_called < 0) & ~self.repeated

    @cached_property
    def unexpected(self) -> np.ndarray:
        """Mark called calls of tools that their list does not expect at all, repeated or not."""
        expected, called = self.encoding.expected, self.encoding.called
        span = len(self.encoding.tool_names)
        wanted = np.isin(called.owner * span + called.tool, expected.owner * span + expected.tool)
        return (self.partner_of_called < 0) & ~wanted

    @cached_property
    def out_of_order(self) -> np.ndarray:
        """Mark lists whose pairs cross."""
        paired = np.flatnonzero(self.partner_of_expected >= 0)
        owner = self.encoding.expected.owner[paired]
        place = self.partner_of_expected[paired]
        crossing = (owner[1:] == owner[:-1]) & (place[1:] < place[:-1])
        return self.lists(np.concatenate((crossing, [False]))[: len(owner)], owner)

    @cached_property
    def moved(self) -> np.ndarray:
        """Mark the fewest answered expected calls without which the pairs of their list do not cross."""
        owner = self.encoding.expected.owner
        paired = np.flatnonzero((self.partner_of_expected >= 0) & self.out_of_order[owner])
        offsets = np.searchsorted(owner[paired], np.arange(self.encoding.list_count + 1))
        made = np.zeros(len(owner), dtype=bool)
        made[paired] = moved(self.partner_of_expected[paired], offsets)
        return made

    def lists(self, calls: np.ndarray, owner: np.ndarray) -> np.ndarray:
        """Mark the lists that own a marked call."""
        marked = np.zeros(self.encoding.list_count, dtype=bool)
        marked[owner[calls]] = True
        return marked


def align(encoding: Encoding, *, arguments: bool = True) -> Alignment:
    """Pair the calls of every list.

    Parameters
    ----------
    encoding
        The lists.
    arguments
        Whether arguments matter; without them, calls of the same tool are equal.

    Returns
    -------
    Alignment
    """
    expected, called = encoding.expected, encoding.called
    of_expected = np.full(len(expected.row), -1, dtype=np.int64)
    of_called = np.full(len(called.row), -1, dtype=np.int64)
    grade = np.zeros(len(expected.row), dtype=np.int64)
    rounds = [(EQUAL, encoding.codes(Match(arguments="json" if arguments else None)))]
    if arguments:
        rounds.append((SAME_TOOL, (expected.tool, called.tool)))
    normal, names = pd.factorize(np.asarray([LEVELS["galtea"](name) for name in encoding.tool_names], dtype=object))
    if len(names) < len(normal):
        rounds.append((SAME_NAME, (normal[expected.tool], normal[called.tool])))
    for found, codes in rounds:
        free_e, free_c = np.flatnonzero(of_expected < 0), np.flatnonzero(of_called < 0)
        if not len(free_e) or not len(free_c):
            break
        e, c = nth_with_nth(expected.owner[free_e], codes[0][free_e], called.owner[free_c], codes[1][free_c])
        of_expected[free_e[e]] = free_c[c]
        of_called[free_c[c]] = free_e[e]
        grade[free_e[e]] = found
    # A reference that states no arguments is met by any.
    grade[(grade == SAME_TOOL) & (expected.text < 0)] = EQUAL
    return Alignment(encoding, of_expected, of_called, grade)


def reading_order(alignment: Alignment) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lay out each list as the called calls in their order, missing ones where they were due.

    Returns
    -------
    tuple of numpy.ndarray
        For each line: its list, the place of its expected call (-1: none) and of its called call (-1: none).
    """
    encoding = alignment.encoding
    missing = np.flatnonzero(alignment.missing)
    # A missing call is due after the partner of the last answered one before it.
    due = np.where(alignment.missing, -1, alignment.partner_of_expected)
    answered = pd.Series(np.where(due < 0, np.nan, due)).groupby(encoding.expected.owner).ffill().to_numpy()[missing]
    first = encoding.called.offsets[encoding.expected.owner[missing]] - 0.5
    after = np.where(np.isnan(answered), first, np.nan_to_num(answered) + 0.25)
    called = np.arange(len(encoding.called.row))
    owner = np.concatenate((encoding.called.owner, encoding.expected.owner[missing]))
    order = np.lexsort((np.concatenate((called, missing)), np.concatenate((called, after)), owner))
    lines_e = np.concatenate((alignment.partner_of_called, missing))[order]
    lines_c = np.concatenate((called, np.full(len(missing), -1)))[order]
    return owner[order], lines_e, lines_c


def moved(places: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Mark the fewest entries of each list whose removal leaves the rest of it increasing.

    Parameters
    ----------
    places
        int64, the lists one behind the other; the entries of a list all different.
    offsets
        Where each list begins; one entry more than there are lists.

    Returns
    -------
    numpy.ndarray
        bool, one entry a place.

    Notes
    -----
    The longest increasing subsequence by patience sorting, for all lists of like length at once. Source: Fredman,
    "On computing the length of longest increasing subsequences" (1975).

    Examples
    --------
    >>> moved(np.array([2, 0, 1, 5, 7]), np.array([0, 3, 5])).tolist()
    [True, False, False, False, False]
    """
    made = np.zeros(len(places), dtype=bool)
    lengths = np.diff(offsets)
    for lanes, width, _ in blocks(lengths, lengths, cell=24):
        values = padded(places, offsets, lanes, width, -1)
        # For each lane: the least end of an increasing run of each length, where it stands, and who came before.
        ends = np.full(values.shape, np.iinfo(np.int64).max)
        stands, before = np.zeros_like(values), np.full_like(values, -1)
        for j in range(int(lengths[lanes].max())):
            live = np.flatnonzero(lengths[lanes] > j)
            value = values[live, j]
            rank = (ends[live] < value[:, None]).sum(axis=1)
            before[live, j] = np.where(rank > 0, stands[live, rank - 1], -1)
            ends[live, rank], stands[live, rank] = value, j
        longest = (ends < np.iinfo(np.int64).max).sum(axis=1)
        at = stands[np.arange(len(lanes)), longest - 1]
        out = np.arange(width) < lengths[lanes][:, None]
        while (live := np.flatnonzero(at >= 0)).size:
            out[live, at[live]] = False
            at[live] = before[live, at[live]]
        lane, place = np.nonzero(out)
        made[offsets[lanes[lane]] + place] = True
    return made


def closest_reference(alignment: Alignment) -> np.ndarray:
    """Return, for each case, the list (reference) that differs least from what was called."""
    encoding = alignment.encoding
    faults = np.bincount(encoding.expected.owner[alignment.missing], minlength=encoding.list_count)
    faults += np.bincount(encoding.called.owner[alignment.partner_of_called < 0], minlength=encoding.list_count)
    faults += np.bincount(encoding.expected.owner[alignment.grade > EQUAL], minlength=encoding.list_count)
    faults = 2 * faults + alignment.out_of_order
    order = np.lexsort((faults, encoding.list_case))
    first = np.ones(len(order), dtype=bool)
    first[1:] = encoding.list_case[order][1:] != encoding.list_case[order][:-1]
    return order[first]


def nth_with_nth(
    owner_e: np.ndarray, code_e: np.ndarray, owner_c: np.ndarray, code_c: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Pair the n-th call of a kind in a list with the n-th of that kind on the other side."""
    split = len(code_e)
    dense, uniques = pd.factorize(np.concatenate((code_e, code_c)))
    group, _ = pd.factorize(np.concatenate((owner_e, owner_c)) * max(len(uniques), 1) + dense)
    nth_e = pd.Series(group[:split]).groupby(group[:split]).cumcount().to_numpy()
    nth_c = pd.Series(group[split:]).groupby(group[split:]).cumcount().to_numpy()
    span = max(len(group), 1)
    place = pd.Index(group[split:] * span + nth_c).get_indexer(pd.Index(group[:split] * span + nth_e))
    e = np.flatnonzero(place >= 0)
    return e, place[e]
