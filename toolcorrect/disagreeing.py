"""Where two definitions disagree, and the fault in the run that makes them.

The cause of a gap is found by mending: each kind of fault (an extra call, another argument, ...) is taken
out of the called list, both definitions score the mended run, and the fault whose mending closes most of
the gap is the cause. So it holds for every definition, also for those that fit no axis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from toolcorrect.alignment import SAME_NAME, SAME_TOOL, Alignment, align, closest_reference, reading_order
from toolcorrect.dataset import Dataset
from toolcorrect.encoding import Encoding
from toolcorrect.errors import OptionError
from toolcorrect.names import Names
from toolcorrect.scoring import EmptyRule, Scorer
from toolcorrect.variants import Wanted, resolve
from toolcorrect.variants.definition import Variant

CAUSES = ("empty", "names", "arguments", "order", "repeat", "extra", "missing", "rule")
_TIE = 1e-9


@dataclass(frozen=True)
class Point:
    """A definition with the options it is used with: everything a score depends on.

    Parameters
    ----------
    variant
        The definition.
    scope, names, empty
        As in `toolcorrect.score`.
    """

    variant: Variant
    scope: str = "assistant"
    names: str | Names | None = None
    empty: EmptyRule | None = None


Points = tuple[Point, Point]


def disagreements(
    data: Dataset,
    a: str | Variant,
    b: str | Variant,
    *,
    minimum: float = 0.0,
    scope: str = "assistant",
    names: str | Names | None = None,
    empty: EmptyRule | None = None,
) -> pd.DataFrame:
    """List the cases that two definitions score differently, with the cause.

    Parameters
    ----------
    data
        The runs.
    a, b
        Two variants, by name or as `Variant` objects.
    minimum
        Leave out gaps below this, in score units. With 0, all gaps above rounding are listed.
    scope, names, empty
        As in `toolcorrect.score`.

    Returns
    -------
    pandas.DataFrame
        Index case, widest gap first: ``task``, ``model``, a column for each variant, ``gap`` (a minus b) and
        ``cause``: ``empty`` (a side is empty), ``names`` (of tools, the same once normalised), ``arguments``,
        ``order``, ``repeat`` (a tool called again), ``extra``, ``missing``, or ``rule`` (no fault of the run closes
        the gap: the definitions count differently). Cases that either does not score are left out.

    Raises
    ------
    OptionError
        Where both are the same variant.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["set_thermostat", "notify"], "expected": ["set_thermostat"]}])
    >>> tc.disagreements(data, "deepeval", "notebook.jaccard").cause.item()
    'extra'
    """
    first, second = paired(a, b)
    if first == second:
        raise OptionError(f"A variant does not disagree with itself: give two, not {first.name!r} twice.")
    scorer = Scorer(data, scope=scope, names=names, empty=empty)
    scores = [scorer.cases(variant).score for variant in (first, second)]
    points = (Point(first, scope, names, empty), Point(second, scope, names, empty))
    gap = scores[0] - scores[1]
    apart = np.abs(np.nan_to_num(gap)) > _TIE
    if minimum > 0:
        apart &= np.abs(gap) >= minimum - _TIE
    rows = np.flatnonzero(apart)
    cases = data.cases
    found = pd.DataFrame(
        {
            "task": cases["task"].array[rows],
            "model": cases["model"].array[rows],
            first.name: scores[0][rows],
            second.name: scores[1][rows],
            "gap": gap[rows],
            "cause": causes_of(data, rows, points, gap[rows]),
        },
        index=cases.index[rows],
    )
    order = np.lexsort((np.arange(len(rows)), -np.abs(gap[rows]).round(9)))
    return found.iloc[order]


def disagreeing_pairs(
    data: Dataset,
    *,
    variants: Wanted = "core",
    scope: str = "assistant",
    names: str | Names | None = None,
    empty: EmptyRule | None = None,
    top: int = 5,
) -> pd.DataFrame:
    """Rank the pairs of definitions by how far apart they score, with the main cause.

    Parameters
    ----------
    data
        The runs.
    variants, scope, names, empty
        As in `toolcorrect.score`.
    top
        How many pairs.

    Returns
    -------
    pandas.DataFrame
        One row a pair, widest apart first: ``a``, ``b``, ``mean_gap`` (mean absolute gap over the cases both
        score), ``differ`` and ``cases`` (how many of how many), ``cause`` (the most frequent) and ``share`` (its
        share of the differing cases).

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "b"], "expected": ["a"]}])
    >>> tc.disagreeing_pairs(data, variants=["recall", "exact", "f1"], top=1)[["a", "b", "cause"]].iloc[0].to_list()
    ['recall', 'exact', 'extra']
    """
    chosen = resolve(variants)
    scorer = Scorer(data, scope=scope, names=names, empty=empty)
    scores = np.column_stack([scorer.cases(v).score for v in chosen]) if chosen else np.empty((len(data), 0))
    pairs = []
    for i in range(len(chosen)):
        for j in range(i + 1, len(chosen)):
            gap = np.abs(scores[:, i] - scores[:, j])
            both = ~np.isnan(gap)
            if (gap[both] > _TIE).any():
                pairs.append((chosen[i], chosen[j], gap[both].mean(), int((gap[both] > _TIE).sum()), int(both.sum())))
    pairs.sort(key=lambda pair: -pair[2])
    rows = []
    for one, other, mean, differ, both in pairs[:top]:
        causes = disagreements(data, one, other, scope=scope, names=names, empty=empty)["cause"].value_counts()
        rows.append((one.name, other.name, mean, differ, both, causes.index[0], causes.iloc[0] / differ))
    return pd.DataFrame(rows, columns=["a", "b", "mean_gap", "differ", "cases", "cause", "share"])


def paired(a: str | Variant, b: str | Variant) -> tuple[Variant, Variant]:
    """Return two variants by name or as they are; they may be the same."""
    (one,), (other,) = resolve([a]), resolve([b])
    return one, other


def causes_of(data: Dataset, rows: np.ndarray, points: Points, gap: np.ndarray) -> pd.Categorical:
    """Return the cause of each gap.

    Parameters
    ----------
    data
        The runs.
    rows
        The positions of the cases that differ.
    points
        The two definitions, each with its ``variant`` and the options ``scope``, ``names`` and ``empty``.
    gap
        The gap of each of these cases.
    """
    made = np.full(len(rows), CAUSES.index("rule"))
    if len(rows):
        part = data.select(data.cases.index[rows])
        encoding = Encoding(part, scope=_widest(points), names=points[0].names or "exact")
        pairs = align(encoding)
        chosen = closest_reference(pairs)
        empty = (encoding.expected.lengths[chosen] == 0) | (encoding.called.lengths[chosen] == 0)
        closed = np.full(len(rows), _TIE)
        mending = Mending(part, pairs, chosen)
        for cause, (faulty, mend) in mending.faults.items():
            # Where a side is empty, that is the cause; mending would only move the question.
            asked = np.flatnonzero(faulty() & ~empty)
            if not len(asked):
                continue
            mended = mend().select(part.cases.index[asked])
            left = np.subtract(*(_scores(mended, point) for point in points))
            gain = np.abs(gap[asked]) - np.abs(np.nan_to_num(left, nan=np.inf))
            better = gain > closed[asked] + _TIE
            made[asked[better]] = CAUSES.index(cause)
            closed[asked[better]] = gain[better]
        made[empty] = CAUSES.index("empty")
    return pd.Categorical.from_codes(made, list(CAUSES))


def _scores(data: Dataset, point: Point) -> np.ndarray:
    return Scorer(data, scope=point.scope, names=point.names, empty=point.empty).cases(point.variant).score


def _widest(points: Points) -> str:
    """Return the scope in which the faults of both sides show."""
    return points[0].scope if points[0].scope == points[1].scope else "assistant"


class Mending:
    """Runs without one kind of fault.

    Parameters
    ----------
    data
        The runs.
    alignment
        Their alignment.
    lists
        The list (reference) of each case that is held against it.
    """

    def __init__(self, data: Dataset, alignment: Alignment, lists: np.ndarray) -> None:
        encoding = alignment.encoding
        self.data = data
        self.pairs = alignment
        self._lists = lists
        self._mine_e = np.isin(encoding.expected.owner, lists)
        self._mine_c = np.isin(encoding.called.owner, lists)
        grade = np.where(self._mine_e, alignment.grade, 0)
        self._wrong_name = grade == SAME_NAME
        self._wrong_arguments = grade == SAME_TOOL
        extra = alignment.extra | alignment.unexpected
        self.faults: dict[str, tuple[Callable[[], np.ndarray], Callable[[], Dataset]]] = {
            "names": (lambda: self._of_expected(self._wrong_name), self.without_wrong_names),
            "arguments": (lambda: self._of_expected(self._wrong_arguments), self.without_wrong_arguments),
            "order": (lambda: alignment.out_of_order[lists], self.in_order),
            "repeat": (lambda: self._of_called(alignment.repeated), lambda: self._without(alignment.repeated)),
            "extra": (lambda: self._of_called(extra), lambda: self._without(extra)),
            "missing": (lambda: self._of_expected(alignment.missing & self._mine_e), self.with_missing),
        }

    def without_wrong_names(self) -> Dataset:
        """Call tools by the name the reference uses."""
        return self._answered(self._wrong_name, ("tool",))

    def without_wrong_arguments(self) -> Dataset:
        """Call with the arguments the reference states."""
        return self._answered(self._wrong_arguments, ("arguments", "arguments_form"))

    def in_order(self) -> Dataset:
        """Put answering calls into the order of what they answer; the others keep their places."""
        answering = np.flatnonzero((self.pairs.partner_of_called >= 0) & self._mine_c)
        owner = self.pairs.encoding.called.owner[answering]
        order = np.lexsort((self.pairs.partner_of_called[answering], owner))
        row = self.pairs.encoding.called.row
        calls = self.data.calls
        position = calls["position"].to_numpy().copy()
        position[row[answering[order]]] = calls["position"].to_numpy()[row[answering]]
        return self.data.replace(calls=calls.assign(position=position))

    def with_missing(self) -> Dataset:
        """Add the calls that were not made, where they were due."""
        encoding = self.pairs.encoding
        owner, line_e, line_c = reading_order(self.pairs)
        mine = np.isin(owner, self._lists)
        line_e, line_c, owner = line_e[mine], line_c[mine], owner[mine]
        made = line_c >= 0
        calls, expected = self.data.calls, self.data.expected
        added = expected.iloc[encoding.expected.row[line_e[~made]]]
        shared = [name for name in expected.columns if name in calls.columns]
        both = pd.concat([calls.iloc[encoding.called.row[line_c[made]]], added[shared]])
        position = np.arange(len(line_c))
        both["position"] = np.concatenate((position[made], position[~made]))
        both["actor"] = both["actor"].fillna("assistant")
        both["depth"] = both["depth"].fillna(0).astype("int64")
        return self.data.replace(calls=both)

    def _answered(self, which: np.ndarray, columns: tuple[str, ...]) -> Dataset:
        """Give calls the values of the expected calls they answer."""
        e = np.flatnonzero(which)
        row_e = self.pairs.encoding.expected.row[e]
        row_c = self.pairs.encoding.called.row[self.pairs.partner_of_expected[e]]
        calls, expected = self.data.calls.copy(), self.data.expected
        for name in columns:
            values = calls[name].array.copy()
            values[row_c] = expected[name].array[row_e]
            calls[name] = values
        return self.data.replace(calls=calls)

    def _without(self, which: np.ndarray) -> Dataset:
        kept = np.ones(len(self.data.calls), dtype=bool)
        kept[self.pairs.encoding.called.row[which & self._mine_c]] = False
        return self.data.replace(calls=self.data.calls[kept])

    def _of_expected(self, calls: np.ndarray) -> np.ndarray:
        return self.pairs.lists(calls, self.pairs.encoding.expected.owner)[self._lists]

    def _of_called(self, calls: np.ndarray) -> np.ndarray:
        return self.pairs.lists(calls, self.pairs.encoding.called.owner)[self._lists]
