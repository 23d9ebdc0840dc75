"""Which variants agree: pairwise agreement of their scores, and the families they fall into."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from toolcorrect.errors import OptionError, check_number, check_option
from toolcorrect.statistics.aligning import gap_patterns, score_frame
from toolcorrect.statistics.correlating import is_exact, kendall, spearman
from toolcorrect.statistics.thresholds import passes

MEASURES = ("kendall", "spearman", "same_verdict", "mean_gap")
_LARGEST = 500
# Entries of one block of differences: bounds the memory for a million cases.
_BLOCK = 2**20


def agreement(scores: pd.DataFrame, *, threshold: float = 0.5, seed: int = 0) -> pd.DataFrame:
    """Compare every two variants over the cases that both of them score.

    Parameters
    ----------
    scores
        One row a case, one float column a variant, NaN = not scored.
    threshold
        At or above it a case passes, for ``same_verdict``.
    seed
        Of the pairs of cases drawn where Kendall is estimated (above 1,414 cases, see `statistics.correlating`).

    Returns
    -------
    pandas.DataFrame
        Index (variant, other), all ordered pairs; columns kendall (tau-b), spearman, same_verdict (share of cases
        where both pass or both fail), mean_gap (mean absolute difference), n (cases both score). NaN where it is not
        defined, such as the correlation of a constant column. ``agreement(s).kendall.unstack()`` is the matrix.

    Examples
    --------
    >>> scores = pd.DataFrame({"recall": [1.0, 0.5, 0.0], "exact": [1.0, 0.0, 0.0]})
    >>> agreement(scores).loc[("recall", "exact")].round(3).to_dict()
    {'kendall': 0.816, 'spearman': 0.866, 'same_verdict': 0.667, 'mean_gap': 0.167, 'n': 3.0}
    """
    frame = score_frame(scores)
    values = frame.to_numpy()
    passed = passes(frame, threshold).to_numpy(dtype=np.float64, na_value=np.nan)
    width = frame.shape[1]
    found = {name: np.full((width, width), np.nan) for name in MEASURES}
    n = np.zeros((width, width), dtype=np.int64)
    # Of many cases pairs are drawn, which must not be lost to gaps.
    at_once = is_exact(len(values))
    if at_once:
        found["kendall"] = kendall(values)
    for rows, left, right in _blocks(~np.isnan(values)):
        block, mirrored = np.ix_(left, right), np.ix_(right, left)
        n[block], n[mirrored] = len(rows), len(rows)
        if not len(rows):
            continue
        columns = left if left is right else np.concatenate([left, right])
        shared, verdicts = values[np.ix_(rows, columns)], passed[np.ix_(rows, columns)]
        same = (verdicts.T @ verdicts + (1 - verdicts).T @ (1 - verdicts)) / len(rows)
        measured = {"spearman": spearman(shared), "same_verdict": same, "mean_gap": _mean_gaps(shared)}
        if not at_once:
            measured["kendall"] = kendall(shared, seed=seed)
        for name, matrix in measured.items():
            part = matrix[: len(left), -len(right) :]
            found[name][block], found[name][mirrored] = part, part.T
    index = pd.MultiIndex.from_product([frame.columns, frame.columns], names=["variant", "other"])
    return pd.DataFrame({**{name: matrix.ravel() for name, matrix in found.items()}, "n": n.ravel()}, index=index)


def families(
    scores: pd.DataFrame, *, measure: str = "kendall", distance: float = 0.1, threshold: float = 0.5, seed: int = 0
) -> pd.DataFrame:
    """Group the variants that behave alike on these cases.

    Parameters
    ----------
    scores
        One row a case, one float column a variant, NaN = not scored.
    measure
        What counts as alike: ``"kendall"``, ``"spearman"`` or ``"same_verdict"`` (distance: 1 minus it), or
        ``"mean_gap"`` (distance: itself). Where it is not defined the distance is 1.
    distance
        Families are merged up to this average distance.
    threshold, seed
        As in `agreement`.

    Returns
    -------
    pandas.DataFrame
        Index variant in the order of the columns; columns family (1 is the largest), order (the place along which
        neighbours are alike: sort a heatmap by it), nearest (the most similar other variant), nearest_distance.

    Raises
    ------
    OptionError
        Where there are more than 500 variants.

    Notes
    -----
    Average linkage (UPGMA): R. Sokal and C. Michener, A Statistical Method for Evaluating Systematic Relationships
    (1958).

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [1.0, 0.5, 0.0], "b": [0.9, 0.4, 0.1], "c": [0.0, 0.5, 1.0]})
    >>> families(scores).family.to_dict()
    {'a': 1, 'b': 1, 'c': 2}
    """
    check_option("measure", measure, MEASURES)
    check_number("distance", distance)
    names = score_frame(scores).columns
    if len(names) > _LARGEST:
        raise OptionError(f"{len(names)} variants are too many to group; choose {_LARGEST} or fewer columns.")
    found = agreement(scores, threshold=threshold, seed=seed)[measure].to_numpy().reshape(len(names), len(names))
    apart = np.where(np.isnan(found), 1.0, found if measure == "mean_gap" else 1 - found)
    apart[np.diag_indices(len(names))] = 0
    members, order = average_linkage(apart, distance)
    others = apart + np.diag(np.full(len(names), np.inf))
    nearest = others.argmin(axis=1) if len(names) > 1 else np.full(len(names), -1)
    return pd.DataFrame(
        {
            "family": members,
            "order": order,
            "nearest": [names[place] if place >= 0 else None for place in nearest],
            "nearest_distance": [others[row, place] if place >= 0 else np.nan for row, place in enumerate(nearest)],
        },
        index=pd.Index(names, name="variant"),
    )


def inclusion(scores: pd.DataFrame, *, threshold: float = 1.0) -> pd.DataFrame:
    """Say of every two variants how far what passes the one also passes the other.

    Parameters
    ----------
    scores
        One row a case, one float column a variant, NaN = not scored.
    threshold
        At or above it a case passes.

    Returns
    -------
    pandas.DataFrame
        Index (variant, other), all ordered pairs of two; columns inside (share of the cases passing ``variant`` that
        pass ``other`` too; 1 means that ``variant`` is the stricter), h (Loevinger's H: 1 where no case passes
        ``variant`` alone, 0 where as many do as chance has it), passed (cases passing ``variant``), exceptions (cases
        passing ``variant`` but not ``other``), n (cases both score).

    Notes
    -----
    J. Loevinger, The technic of homogeneous tests compared with some aspects of scale analysis and factor analysis,
    Psychological Bulletin 45 (1948).

    Examples
    --------
    >>> scores = pd.DataFrame({"exact": [1.0, 0.0, 0.0], "recall": [1.0, 1.0, 0.0]})
    >>> inclusion(scores).loc[("exact", "recall")].to_dict()
    {'inside': 1.0, 'h': 1.0, 'passed': 1.0, 'exceptions': 0.0, 'n': 3.0}
    """
    frame = score_frame(scores)
    known = frame.notna().to_numpy(dtype=np.float64)
    passed = passes(frame, threshold).to_numpy(dtype=np.float64, na_value=0.0)
    n = known.T @ known
    first = passed.T @ known
    second = known.T @ passed
    exceptions = first - passed.T @ passed
    with np.errstate(invalid="ignore", divide="ignore"):
        inside = 1 - exceptions / first
        h = 1 - exceptions * n / (first * (n - second))
    index = pd.MultiIndex.from_product([frame.columns, frame.columns], names=["variant", "other"])
    counts = {"passed": first, "exceptions": exceptions, "n": n}
    table = pd.DataFrame(
        {
            "inside": inside.ravel(),
            "h": h.ravel(),
            **{name: matrix.ravel().astype(np.int64) for name, matrix in counts.items()},
        },
        index=index,
    )
    return table[~np.eye(frame.shape[1], dtype=bool).ravel()]


def _blocks(known: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield (rows, columns, columns): the rows that all of both sets of columns have; each two sets once.

    Columns with the same gaps are taken together, so a pair is compared on exactly its shared cases without a loop
    over pairs.
    """
    first, pattern_of = gap_patterns(known)
    patterns = known[:, first]
    columns = [np.flatnonzero(pattern_of == p) for p in range(len(first))]
    for a, left in enumerate(columns):
        for b in range(a, len(columns)):
            yield np.flatnonzero(patterns[:, a] & patterns[:, b]), left, columns[b]


def _mean_gaps(values: np.ndarray) -> np.ndarray:
    total = np.zeros((values.shape[1], values.shape[1]))
    height = max(1, _BLOCK // max(values.shape[1], 1))
    for start in range(0, len(values), height):
        block = values[start : start + height]
        total += np.array([np.abs(column[:, None] - block).sum(axis=0) for column in block.T])
    return total / len(values)


def average_linkage(apart: np.ndarray, cut: float) -> tuple[np.ndarray, np.ndarray]:
    """Merge the two nearest groups until one is left; return families at the cut and the order of the leaves."""
    size = len(apart)
    between = apart.astype(np.float64).copy()
    np.fill_diagonal(between, np.inf)
    weight = np.ones(size)
    leaves = [[place] for place in range(size)]
    family = np.arange(size)
    for _ in range(size - 1):
        a, b = sorted(np.unravel_index(int(between.argmin()), between.shape))
        if between[a, b] <= cut + 1e-12:
            family[leaves[b]] = family[leaves[a][0]]
        # The ends that touch are the two most alike, so that neighbours in the order are alike.
        leaves[a] = _joined(leaves[a], leaves[b], apart)
        merged = (between[a] * weight[a] + between[b] * weight[b]) / (weight[a] + weight[b])
        between[a], between[:, a] = merged, merged
        between[a, a] = np.inf
        between[b], between[:, b] = np.inf, np.inf
        weight[a] += weight[b]
    order = np.empty(size, dtype=np.int64)
    order[leaves[0] if size else []] = np.arange(size)
    _, first, inverse, counts = np.unique(family, return_index=True, return_inverse=True, return_counts=True)
    number = np.empty(len(counts), dtype=np.int64)
    number[np.lexsort([first, -counts])] = np.arange(1, len(counts) + 1)
    return number[inverse], order


def _joined(left: list[int], right: list[int], apart: np.ndarray) -> list[int]:
    ways = [(left, right), (left, right[::-1]), (left[::-1], right), (left[::-1], right[::-1])]
    first, second = min(ways, key=lambda way: apart[way[0][-1], way[1][0]])
    return first + second
