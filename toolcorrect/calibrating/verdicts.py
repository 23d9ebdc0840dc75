"""What happened beside what a variant says: the four boxes, and calibration in bins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from toolcorrect.errors import OptionError, check_number
from toolcorrect.statistics.aligning import aligned_numbers, score_frame
from toolcorrect.statistics.resampling import wilson
from toolcorrect.statistics.thresholds import TOLERANCE, passes

BOXES = ("solved_passed", "solved_failed", "unsolved_passed", "unsolved_failed")


def is_solved(outcome: pd.Series | np.ndarray, success: float) -> np.ndarray:
    """Tell which outcomes count as solved; one that is not known does not."""
    check_number("success", success)
    return np.asarray(outcome >= success - TOLERANCE, dtype=bool)


def calibration_bins(
    scores: pd.DataFrame | pd.Series,
    outcome: pd.Series | Sequence[float],
    *,
    bins: int = 10,
    success: float = 1.0,
    level: float = 0.95,
) -> pd.DataFrame:
    """Show what share was solved at each level of a score.

    Parameters
    ----------
    scores, outcome, success
        As in `calibrate`.
    bins
        At most this many bins a variant, of about as many cases each; equal scores share a bin.
    level
        Of the Wilson interval of the share.

    Returns
    -------
    pandas.DataFrame
        Index (variant, bin); columns lowest, highest, mean (of the scores in the bin), solved (share), low, high, n.

    Examples
    --------
    >>> table = calibration_bins(pd.DataFrame({"recall": [0.0, 0.0, 1.0, 1.0]}), [0, 0, 0, 1], bins=2)
    >>> table[["mean", "solved", "n"]].to_dict("list")
    {'mean': [0.0, 1.0], 'solved': [0.0, 0.5], 'n': [2, 2]}
    """
    check_number("bins", bins, whole=True)
    if bins < 1:
        raise OptionError(f"bins={bins} is too few; 10 is usual.")
    frame = score_frame(scores)
    known = aligned_numbers(outcome, frame.index, what="outcome")
    parts = {}
    for variant in frame.columns:
        both = pd.DataFrame({"score": frame[variant], "outcome": known}).dropna()
        cuts = np.arange(1, bins) / bins
        edges = np.unique(np.quantile(both["score"], cuts)) if len(both) else np.zeros(0)
        place = np.searchsorted(edges, both["score"], side="left")
        cut = both.assign(solved=is_solved(both["outcome"], success)).groupby(pd.factorize(place, sort=True)[0])
        table = cut["score"].agg(lowest="min", highest="max", mean="mean")
        count = cut["solved"].agg(["sum", "size"])
        table["solved"] = count["sum"] / count["size"]
        table["low"], table["high"] = wilson(count["sum"].to_numpy(), count["size"].to_numpy(), level=level)
        parts[variant] = table.assign(n=count["size"])
    empty = pd.DataFrame(columns=["lowest", "highest", "mean", "solved", "low", "high", "n"])
    return pd.concat(parts, names=["variant", "bin"]) if parts else empty


def four_boxes(
    scores: pd.DataFrame | pd.Series,
    outcome: pd.Series | Sequence[float],
    *,
    success: float = 1.0,
    threshold: float = 0.5,
) -> pd.DataFrame:
    """Name the box of every case under every variant: what happened beside what the variant says.

    Parameters
    ----------
    scores, outcome, success, threshold
        As in `calibrate`.

    Returns
    -------
    pandas.DataFrame
        The shape of ``scores``, categorical: solved_passed, solved_failed, unsolved_passed, unsolved_failed; missing
        where the score or the outcome is. Count a column, or select the cases of a box with it.

    Examples
    --------
    >>> four_boxes(pd.DataFrame({"recall": [1.0, 0.2]}), [0, 0]).recall.to_list()
    ['unsolved_passed', 'unsolved_failed']
    """
    frame = score_frame(scores)
    known = aligned_numbers(outcome, frame.index, what="outcome")
    unsolved = ~is_solved(known, success)
    made = {}
    for variant, passed in passes(frame, threshold).items():
        code = 2 * unsolved + (~passed.fillna(False)).to_numpy(dtype=bool)
        code = np.where(passed.isna() | known.isna(), -1, code)
        made[variant] = pd.Categorical.from_codes(code, categories=list(BOXES))
    return pd.DataFrame(made, index=frame.index)


def count_boxes(frame: pd.DataFrame, solved: np.ndarray, weight: np.ndarray, threshold: float) -> pd.DataFrame:
    """Sum the weights of the cases in each box; index variant, one column a box."""
    passed = passes(frame, threshold).to_numpy(dtype=np.float64, na_value=np.nan)
    known = ~np.isnan(passed)
    yes, no = np.where(known, passed, 0.0), np.where(known, 1 - passed, 0.0)
    sums = [side * weight @ verdict for side in (solved, ~solved) for verdict in (yes, no)]
    counts = np.column_stack(sums)
    counts = counts if (weight != 1).any() else counts.round().astype(np.int64)
    return pd.DataFrame(counts, index=pd.Index(frame.columns, name="variant"), columns=list(BOXES))


def best_threshold(score: np.ndarray, solved: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Return the threshold with the largest share of verdicts equal to the outcome, and that share.

    The lowest such threshold; infinity stands for passing nothing.
    """
    known = ~np.isnan(score)
    if not known.any():
        return np.nan, np.nan
    values, place = np.unique(score[known], return_inverse=True)
    w, good = weight[known], solved[known]
    solved_at = np.bincount(place, w * good, len(values))
    unsolved_at = np.bincount(place, w * ~good, len(values))
    right = np.append(solved_at[::-1].cumsum()[::-1], 0.0) + np.append(0.0, unsolved_at.cumsum())
    best = int(right.argmax())
    return float(np.append(values, np.inf)[best]), float(right[best] / w.sum())
