"""Where two definitions disagree, and the fault in the run that makes them.

The cause of a gap is found by mending: each kind of fault (an extra call, another argument, ...) is taken
out of the called list, both definitions score the mended run, and the fault whose mending closes most of
the gap is the cause. So a cause is found for every definition, also for those that fit no axis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from toolcorrect.dataset import Dataset
from toolcorrect.encoding import SCOPES
from toolcorrect.errors import OptionError, check_number, check_option
from toolcorrect.explaining.mending import FAULTS, Faults
from toolcorrect.names import Names
from toolcorrect.names import resolve as resolve_names
from toolcorrect.scoring import EmptyRule, Scorer
from toolcorrect.variants import Wanted, resolve, resolve_one
from toolcorrect.variants.definition import Variant

CAUSES = ("empty", *FAULTS, "rule")
CAUSES_IN_WORDS = {
    "extra": "extra calls",
    "missing": "missing calls",
    "repeat": "repeated calls",
    "order": "order",
    "arguments": "arguments",
    "names": "tool names",
    "empty": "an empty side",
    "rule": "how the rules count",
}
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

    def __post_init__(self) -> None:
        check_option("scope", self.scope, SCOPES)
        resolve_names("exact" if self.names is None else self.names)


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
    check_number("minimum", minimum)
    first, second = paired(a, b)
    if first == second:
        raise OptionError(f"A variant does not disagree with itself: give two, not {first.name!r} twice.")
    points = (Point(first, scope, names, empty), Point(second, scope, names, empty))
    scores = scores_of(data, points)
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
            "cause": causes_of(data.select(apart), points, gap[rows]),
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
    check_number("top", top, low=1, whole=True)
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
    return resolve_one(a), resolve_one(b)


def causes_of(data: Dataset, points: Points, gap: np.ndarray) -> pd.Categorical:
    """Return the cause of each gap.

    Parameters
    ----------
    data
        The cases that differ.
    points
        The two definitions, each with the options ``scope``, ``names`` and ``empty``.
    gap
        The gap of each of these cases.
    """
    rule = CAUSES.index("rule")
    made = np.full(len(data), rule)
    if len(data):
        arguments = any(reads_arguments(point.variant) for point in points)
        faults = Faults(data, scope=_widest(points), names=points[0].names or "exact", arguments=arguments)
        case, fault = np.nonzero(faults.have & ~faults.empty[:, None])
        left = _gaps_without(faults, case, np.eye(len(FAULTS), dtype=bool)[fault], points)
        made = _largest(case, fault, np.abs(gap)[case] - np.nan_to_num(left, nan=np.inf), np.zeros(len(data)))
        # All-or-nothing definitions need another look: with two faults, mending either one closes nothing. So which
        # fault opens the widest gap alone, all others mended?
        stuck = np.flatnonzero((made == rule) & ~faults.empty)
        if len(stuck):
            case, fault = np.nonzero(faults.have[stuck])
            every = np.ones((len(stuck), len(FAULTS)), dtype=bool)
            alone = ~np.eye(len(FAULTS), dtype=bool)[fault]
            open_ = _gaps_without(
                faults, stuck[np.concatenate((np.arange(len(stuck)), case))], np.vstack((every, alone)), points
            )
            open_ = np.nan_to_num(open_)
            made[stuck] = _largest(case, fault, open_[len(stuck) :], open_[: len(stuck)])
        # Where a side is empty, that is the cause; mending would only move the question.
        made[faults.empty] = CAUSES.index("empty")
    return pd.Categorical.from_codes(made, list(CAUSES))


def _largest(case: np.ndarray, fault: np.ndarray, size: np.ndarray, least: np.ndarray) -> np.ndarray:
    """Return for each case the cause with the largest size above the least one, the first of equals, or "rule"."""
    sizes = np.full((len(least), len(FAULTS)), -np.inf)
    sizes[case, fault] = size
    made = np.full(len(least), CAUSES.index("rule"))
    best = least + _TIE
    for place, name in enumerate(FAULTS):
        better = sizes[:, place] > best + _TIE
        made[better] = CAUSES.index(name)
        best = np.where(better, sizes[:, place], best)
    return made


def _gaps_without(faults: Faults, case: np.ndarray, mends: np.ndarray, points: Points) -> np.ndarray:
    if _plain(points) and (faults.data.cases["references"] <= 1).all():
        lists = faults.mended_lists(case, mends)
        return np.abs(np.subtract(*_scored(points, lambda point: Scorer.of_lists(lists, empty=point.empty))))
    return np.abs(np.subtract(*scores_of(faults.mended(case, mends), points)))


def _plain(points: Points) -> bool:
    """Tell whether both definitions look at tools and arguments of the same lists, and at nothing else."""
    one, other = points
    return (one.scope, one.names) == (other.scope, other.names) and all(
        variant.axes is not None
        and variant.axes.multiplicity != "values"
        and (variant.formula, variant.reads, variant.rejects) == (None, None, None)
        and (variant.match.kinds, variant.match.outputs) == (False, False)
        and (variant.by, variant.names, variant.scope) == ("case", "exact", "assistant")
        for variant in (one.variant, other.variant)
    )


def scores_of(data: Dataset, points: Points) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of two definitions; with the same options they share the work."""
    return _scored(points, lambda point: Scorer(data, scope=point.scope, names=point.names, empty=point.empty))


def _scored(points: Points, make: Callable[[Point], Scorer]) -> tuple[np.ndarray, np.ndarray]:
    one = make(points[0])
    other = one if replace(points[0], variant=points[1].variant) == points[1] else make(points[1])
    return one.cases(points[0].variant).score, other.cases(points[1].variant).score


def reads_arguments(variant: Variant) -> bool:
    """Tell whether the score can depend on arguments."""
    axes = variant.axes
    plain = axes is not None and axes.multiplicity != "values" and variant.formula is None and variant.reads is None
    return not plain or variant.match.arguments is not None or variant.needs_arguments


def _widest(points: Points) -> str:
    """Return the scope in which the faults of both sides show."""
    return points[0].scope if points[0].scope == points[1].scope else "assistant"
