"""How often a score puts a solved run above an unsolved one: the AUC, pooled, within tasks, within groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toolcorrect.statistics.aligning import gap_patterns, sums_by
from toolcorrect.statistics.resampling import interval, resampled_totals


def pair_counts(
    score: np.ndarray, solved: np.ndarray, weight: np.ndarray, stratum: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Count, for each case, the cases of the other class in its stratum, and those it is rightly ordered with.

    Parameters
    ----------
    score
        Float of shape (cases,), without NaN.
    solved
        Bool of shape (cases,).
    weight
        Float of shape (cases,): how many cases each stands for.
    stratum
        int64 of shape (cases,): only cases of one stratum are compared.

    Returns
    -------
    reached, possible : numpy.ndarray
        Float of shape (cases,). A tie is one half right. The sum of ``reached`` over that of ``possible`` is the
        AUC of pairs within strata, each pair counted from both its ends.

    Examples
    --------
    >>> score, solved = np.array([0.9, 0.4, 0.4]), np.array([True, True, False])
    >>> pair_counts(score, solved, np.ones(3), np.zeros(3, dtype=int))
    (array([1. , 0.5, 1.5]), array([1., 1., 2.]))
    """
    strata = int(stratum.max(initial=-1)) + 1
    totals = [np.bincount(stratum, np.where(side, weight, 0.0), strata) for side in (solved, ~solved)]
    values, level = np.unique(score, return_inverse=True)
    key, place = np.unique(stratum * len(values) + level, return_inverse=True)
    at = [np.bincount(place, np.where(side, weight, 0.0), len(key)) for side in (solved, ~solved)]
    # Unsolved weight below (and half at) each level; solved weight above it, within the stratum of the level.
    of = key // max(len(values), 1)
    before = [np.concatenate([[0.0], np.cumsum(total)[:-1]])[of] if strata else total for total in totals]
    below = np.cumsum(at[1]) - at[1] / 2 - before[1]
    above = totals[0][of] - (np.cumsum(at[0]) - at[0] / 2 - before[0])
    reached = weight * np.where(solved, below[place], above[place])
    possible = weight * np.where(solved, totals[1][stratum], totals[0][stratum])
    return reached, possible


@dataclass(frozen=True)
class Discrimination:
    """The AUC of every variant, its interval over tasks, and the number of pairs and tasks behind it.

    ``auc, low, high, pairs, tasks`` have the shape (variants,), ``draws`` (resamples, variants).
    """

    auc: np.ndarray
    low: np.ndarray
    high: np.ndarray
    pairs: np.ndarray
    tasks: np.ndarray
    draws: np.ndarray


def discrimination(
    values: np.ndarray,
    solved: np.ndarray,
    tasks: np.ndarray,
    *,
    stratum: np.ndarray,
    weight: np.ndarray | None = None,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Discrimination:
    """Measure how well each column of scores tells solved from unsolved cases of the same stratum.

    Parameters
    ----------
    values
        Float of shape (cases, variants), NaN = not scored.
    solved
        Bool of shape (cases,).
    tasks
        int64 of shape (cases,), codes of the units that are resampled.
    stratum
        int64 of shape (cases,): all 0 for the pooled AUC, the task for the AUC within tasks, a group for the AUC
        within groups; -1 leaves a case out.
    weight
        How many cases each stands for; 1 by default.

    Notes
    -----
    A resample reweights whole tasks. Within tasks its AUC is then exact: the sum of each drawn task's rightly ordered
    pairs over that of its pairs. Across tasks the AUC is quadratic in the weights, and the resamples use its linear
    expansion about the data (the influence of each task), so that 1,000 resamples of 100 variants over 100,000 cases
    are one matrix product.
    """
    weights = np.ones(len(values)) if weight is None else weight
    n_tasks = int(tasks.max(initial=-1)) + 1
    width = values.shape[1]
    reached, possible = np.zeros((n_tasks, width)), np.zeros((n_tasks, width))
    pairs, used = np.zeros(width), np.zeros(width, dtype=np.int64)
    within_tasks = np.array_equal(stratum, tasks)
    # A stratum of one class has no pair: leaving it out keeps sets with one run a task cheap.
    candidates = np.flatnonzero((stratum >= 0) & _mixed(stratum, solved))
    for column in range(width):
        rows = candidates[~np.isnan(values[candidates, column])]
        got, could = pair_counts(values[rows, column], solved[rows], weights[rows], stratum[rows])
        both = sums_by(tasks[rows], np.column_stack([got, could]), n_tasks)
        reached[:, column], possible[:, column] = both.T
        pairs[column] = could.sum() / 2
        used[column] = (both[:, 1] > 0).sum()
    total, whole = reached.sum(axis=0), possible.sum(axis=0)
    # The pairs that are possible depend on the gaps of a column alone.
    first, pattern = gap_patterns(~np.isnan(values))
    drawn, drawn_whole = resampled_totals(
        [(None, reached), (None, possible[:, first])], n_tasks, resamples=resamples, seed=seed
    )
    drawn_whole = drawn_whole[:, pattern]
    if not within_tasks:
        # Each pair joins two tasks, so to first order its weight changes twice: once from either end.
        drawn, drawn_whole = 2 * drawn - total, 2 * drawn_whole - whole
    with np.errstate(invalid="ignore", divide="ignore"):
        auc = total / whole
        draws = np.clip(np.where(drawn_whole > 0, drawn / drawn_whole, np.nan), 0, 1)
    low, high = np.full(width, np.nan), np.full(width, np.nan)
    for units in np.unique(used):
        same = used == units
        low[same], high[same] = interval(draws[:, same], level=level, units=int(units))
    return Discrimination(auc, low, high, pairs, used, draws)


def _mixed(stratum: np.ndarray, solved: np.ndarray) -> np.ndarray:
    """Tell which cases lie in a stratum with both solved and unsolved cases."""
    size = int(stratum.max(initial=-1)) + 1
    inside = stratum >= 0
    sides = [np.bincount(stratum[inside & side], minlength=size) > 0 for side in (solved, ~solved)]
    both = sides[0] & sides[1]
    return np.where(inside, both[np.where(inside, stratum, 0)], False) if size else np.zeros(len(stratum), dtype=bool)
