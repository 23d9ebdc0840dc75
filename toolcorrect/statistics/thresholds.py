"""Pass or fail: a score reaches a threshold or it does not, and the text says so plainly."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pandas as pd

from toolcorrect.errors import check_number
from toolcorrect.statistics.aligning import check_scores, directions

# Ten times 0.1, added and divided, must still reach 0.1.
TOLERANCE = 1e-9


def passes(scores: pd.DataFrame | pd.Series, threshold: float) -> Any:
    """Tell which scores reach a threshold; one that lies exactly on it does.

    Parameters
    ----------
    scores
        Floats, NaN = not scored.
    threshold
        The least score that passes, or the greatest where lower is better. Scores are not rounded, and 1e-9 short of
        it counts as reached.

    Returns
    -------
    pandas.DataFrame or pandas.Series
        The same shape, dtype boolean, NA where not scored: an unscored case has neither passed nor failed.

    Examples
    --------
    >>> passes(pd.Series([0.5, 0.4999, None]), 0.5).to_list()
    [True, False, <NA>]
    """
    check_scores(scores)
    check_number("threshold", threshold)
    one = isinstance(scores, pd.Series)
    way = directions(pd.Index([scores.name]))[0] if one else directions(scores.columns)
    reached = (scores * way >= threshold * way - TOLERANCE).astype("boolean")
    return reached.mask(scores.isna())


def verdict(score: float, threshold: float, *, digits: int = 2) -> str:
    """Write a score beside its threshold with as many digits as tell them apart.

    Examples
    --------
    >>> verdict(0.7966, 0.8)
    '0.797 < 0.80'
    >>> verdict(0.5, 0.5)
    '0.50 >= 0.50'
    """
    if score != score:
        return f"not scored (threshold {threshold:.{digits}f})"
    reached = score >= threshold - TOLERANCE
    shown = digits
    # Rounded values must compare as the real ones do.
    while not reached and shown < 17 and Decimal(f"{score:.{shown}f}") >= Decimal(f"{threshold:.{digits}f}"):
        shown += 1
    return f"{score:.{shown}f} {'>=' if reached else '<'} {threshold:.{digits}f}"
