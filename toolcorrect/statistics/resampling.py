"""Intervals: whole tasks are drawn again, so that the trials of a task stay together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from toolcorrect.errors import OptionError, check_number
from toolcorrect.statistics.aligning import sums_by

RESAMPLES = 1000
# More tasks than this are bundled. The width of an interval is then off by about one per cent (1 / sqrt(2 * 4096)),
# less than by the resamples themselves.
BUNDLES = 4096
# Entries of one block of the weights: bounds the memory (32 MiB) whatever the number of resamples.
_BLOCK = 2**22


def resampled_totals(
    parts: Sequence[tuple[np.ndarray | None, np.ndarray]], tasks: int, *, resamples: int, seed: int
) -> list[np.ndarray]:
    """Total per-task sums over tasks drawn with replacement, all parts with the same draws.

    Parameters
    ----------
    parts
        Pairs (rows, sums): ``sums`` is a float matrix of shape (len(rows), columns) and ``rows`` the tasks it
        belongs to, or None for all.
    tasks
        Number of tasks; as many are drawn each time.
    resamples, seed
        How many draws, and from which seed.

    Returns
    -------
    list of numpy.ndarray
        One matrix a part, shape (resamples, columns).

    Notes
    -----
    How often each task is drawn is one row of a multinomial weights matrix; a block of its rows times the sums
    gives all columns at once, so nothing loops over resamples or columns. Above 4,096 tasks, that many random bundles
    of about equally many tasks are drawn instead: sums over bundles are independent too, and have the same law.

    Examples
    --------
    >>> (total,) = resampled_totals([(None, np.ones((5, 1)))], 5, resamples=3, seed=0)
    >>> total.ravel().tolist()
    [5.0, 5.0, 5.0]
    """
    check_number("resamples", resamples, whole=True)
    check_number("seed", seed, low=0, whole=True)
    if resamples < 1:
        raise OptionError(f"resamples={resamples} is too few; 1000 is usual.")
    totals = [np.zeros((resamples, sums.shape[1])) for _, sums in parts]
    if not tasks:
        return totals
    random = np.random.default_rng(seed)
    units = min(tasks, BUNDLES)
    if tasks > units:
        bundle = random.permutation(tasks) % units
        parts = [(None, sums_by(bundle if rows is None else bundle[rows], sums, units)) for rows, sums in parts]
    height = max(1, _BLOCK // units)
    for first in range(0, resamples, height):
        count = min(height, resamples - first)
        drawn = random.integers(units, size=(count, units))
        drawn += np.arange(count)[:, None] * units
        weights = np.bincount(drawn.ravel(), minlength=count * units).reshape(count, units).astype(np.float64)
        for total, (part, sums) in zip(totals, parts):
            total[first : first + count] = (weights if part is None else weights[:, part]) @ sums
    return totals


def interval(draws: np.ndarray, *, level: float = 0.95, units: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower and upper bound that resampled values give, column by column.

    Parameters
    ----------
    draws
        Float of shape (resamples, ...); NaN draws are left out.
    level
        Share of the truth to be covered.
    units
        Number of tasks drawn from; widens the interval as few tasks need. Under two there is none (NaN).

    Notes
    -----
    The expanded percentile interval: the tails are those at which a normal would lie where Student's t (units - 1
    degrees of freedom) times sqrt(n / (n - 1)) lies. Source: T. Hesterberg, What Teachers Should Know About the
    Bootstrap, The American Statistician 69 (2015), section 5.

    Examples
    --------
    >>> low, high = interval(np.linspace(0, 1, 1001)[:, None], level=0.9)
    >>> round(low.item(), 3), round(high.item(), 3)
    (0.05, 0.95)
    """
    check_level(level)
    missing = np.full(draws.shape[1:], np.nan)
    if units is not None and units < 2:
        return missing, missing.copy()
    tail = _tail(level, units)
    empty = np.isnan(draws).all(axis=0)
    low, high = missing, missing.copy()
    if not empty.all():
        # Columns without a single draw stay NaN, without numpy's warning about them.
        filled = draws[:, ~empty]
        quantile = np.nanquantile if np.isnan(filled).any() else np.quantile
        low[~empty], high[~empty] = quantile(filled, [tail, 1 - tail], axis=0)
    return low, high


def check_level(level: float) -> None:
    """Raise `OptionError` for a level of confidence that is none."""
    check_number("level", level)
    if not 0 < level < 1:
        raise OptionError(f"level={level} is no share; give one between 0 and 1, such as 0.95.")


def _tail(level: float, units: int | None) -> float:
    normal = NormalDist()
    if units is None:
        return (1 - level) / 2
    wide = math.sqrt(units / (units - 1)) * _student_quantile((1 + level) / 2, units - 1)
    return normal.cdf(-wide)


def _student_quantile(share: float, freedom: int) -> float:
    """Return a quantile of Student's t: exact for 1 and 2 degrees of freedom, else a series about the normal.

    The series is 26.7.5 in Abramowitz and Stegun, Handbook of Mathematical Functions.
    """
    if freedom == 1:
        return math.tan(math.pi * (share - 0.5))
    if freedom == 2:
        return (2 * share - 1) / math.sqrt(2 * share * (1 - share))
    z = NormalDist().inv_cdf(share)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return float(z + sum(term / freedom ** (power + 1) for power, term in enumerate(terms)))


def wilson(
    passed: np.ndarray | float, n: np.ndarray | float, *, level: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    """Return the Wilson interval of a rate; NaN where n is 0.

    Notes
    -----
    E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference, JASA 22 (1927).

    Examples
    --------
    >>> low, high = wilson(9, 10)
    >>> round(float(low), 4), round(float(high), 4)
    (0.5958, 0.9821)
    """
    check_level(level)
    count = np.asarray(n, dtype=np.float64)
    n_ = np.where(count > 0, count, np.nan)
    rate = np.asarray(passed, dtype=np.float64) / n_
    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = (rate + z * z / (2 * n_)) / (1 + z * z / n_)
    half = z / (1 + z * z / n_) * np.sqrt(rate * (1 - rate) / n_ + z * z / (4 * n_ * n_))
    return centre - half, centre + half
