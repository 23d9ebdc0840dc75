"""Rank correlations: Kendall, Spearman and the top-weighted tau_AP, in numpy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

# Up to this many pairs of cases Kendall is exact; beyond, that many pairs are drawn at random.
PAIRS = 1_000_000
_BLOCK = 50_000


def average_ranks(values: np.ndarray) -> np.ndarray:
    """Rank from 1, ties sharing their mean rank.

    Examples
    --------
    >>> average_ranks(np.array([0.5, 0.1, 0.5])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: np.ndarray = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return ranks


def spearman(values: np.ndarray) -> np.ndarray:
    """Return the rank correlation of every two columns; NaN where one is constant.

    Parameters
    ----------
    values
        Float of shape (rows, columns), without NaN.

    Returns
    -------
    numpy.ndarray
        Shape (columns, columns).

    Examples
    --------
    >>> spearman(np.array([[1.0, 10.0], [2.0, 30.0], [3.0, 20.0]]))[0, 1]
    np.float64(0.5)
    """
    ranks = np.empty(values.shape)
    for column, into in zip(values.T, ranks.T):
        into[:] = average_ranks(column) - (len(column) + 1) / 2
    product = ranks.T @ ranks
    return _scaled(product, np.diag(product))


def kendall(values: np.ndarray, *, seed: int = 0) -> np.ndarray:
    """Return Kendall's tau-b of every two columns over the rows that both have; NaN where one is constant there.

    Parameters
    ----------
    values
        Float of shape (rows, columns); NaN: the column lacks the row.
    seed
        Used where there are more than a million pairs of rows, see `is_exact`.

    Returns
    -------
    numpy.ndarray
        Shape (columns, columns).

    Notes
    -----
    The sign of the difference of a pair of rows is computed once for all columns, and products of signs are summed by
    one matrix product. Above a million pairs of rows (1,414 rows) it is estimated from a million random pairs: the
    standard error is then at most 0.001 (more where columns lack rows, for only pairs that both have count).

    Examples
    --------
    >>> kendall(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 2.0]]))[0, 1].round(4)
    np.float64(0.8165)
    """
    width = values.shape[1]
    product, untied = np.zeros((width, width)), np.zeros((width, width))
    lacking = np.isnan(values)
    known = (~lacking).astype(np.float32) if lacking.any() else None
    for first, second in _row_pairs(len(values), seed):
        a, b = values[first], values[second]
        signs = (a > b).astype(np.float32) - (a < b)
        product += signs.T @ signs
        if known is not None:
            # Pairs of rows that the one column tells apart, and that the other has.
            untied += np.abs(signs).T @ (known[first] * known[second])
    if known is None:
        return _scaled(product, np.diag(product))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.clip(product / np.sqrt(untied * untied.T), -1, 1))


def is_exact(rows: int) -> bool:
    """Tell whether `kendall` looks at all pairs of so many rows."""
    return rows * (rows - 1) // 2 <= PAIRS


def _scaled(product: np.ndarray, squares: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        found: np.ndarray = np.clip(product / np.sqrt(np.outer(squares, squares)), -1, 1)
    return found


def _row_pairs(rows: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield blocks of pairs of rows: all of them, or a million at random."""
    if rows < 2:
        return
    if is_exact(rows):
        first, second = np.triu_indices(rows, 1)
        for start in range(0, len(first), _BLOCK):
            yield first[start : start + _BLOCK], second[start : start + _BLOCK]
        return
    random = np.random.default_rng(seed)
    for _ in range(0, PAIRS, _BLOCK):
        first = random.integers(rows, size=_BLOCK)
        # Another row than the first, each equally likely.
        yield first, (first + random.integers(1, rows, size=_BLOCK)) % rows


def tau_ap(values: np.ndarray, reference: np.ndarray) -> float:
    """Return the top-weighted rank correlation tau_AP of one order with a reference order.

    Parameters
    ----------
    values, reference
        Float of shape (items,), higher is better, without NaN.

    Notes
    -----
    Of the items above each item, the share that the reference puts above it too, averaged over all but the
    first, and scaled to -1..1: a swap at the top costs more than one at the bottom. Source: E. Yilmaz, J. Aslam
    and S. Robertson, A New Rank Correlation Coefficient for Information Retrieval, SIGIR 2008. A tie counts one
    half on either side.

    Examples
    --------
    >>> tau_ap(np.array([3.0, 2.0, 1.0]), np.array([3.0, 2.0, 1.0]))
    1.0
    >>> round(tau_ap(np.array([3.0, 2.0, 1.0]), np.array([2.0, 3.0, 1.0])), 3)
    0.0
    """
    above = _above(values)
    right = above * _above(reference)
    count = above.sum(axis=0)
    below_some = count > 0
    if not below_some.any():
        return float("nan")
    return float(2 * (right.sum(axis=0)[below_some] / count[below_some]).mean() - 1)


def _above(values: np.ndarray) -> np.ndarray:
    """Return a matrix that is 1 where the row's item is above the column's, one half where they tie."""
    above: np.ndarray = (np.sign(values[:, None] - values[None, :]) + 1) / 2
    np.fill_diagonal(above, 0)
    return above
