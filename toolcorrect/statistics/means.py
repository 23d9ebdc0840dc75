"""Mean scores with what stands behind them: how many were scored, and how far chance reaches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from toolcorrect.errors import check_option
from toolcorrect.statistics.aligning import gap_patterns, score_frame, sums_by, task_codes
from toolcorrect.statistics.resampling import RESAMPLES, interval, resampled_totals

# Above this share of unscored cases a mean speaks for other cases than its reader thinks.
UNSCORED = 0.05


@dataclass(frozen=True)
class GroupMeans:
    """Means of every group under every variant, with the same means of every resample.

    ``mean``, ``scored`` have the shape (groups, variants), ``draws`` (resamples, groups, variants), ``cases`` and
    ``tasks`` (groups,).
    """

    mean: np.ndarray
    draws: np.ndarray
    scored: np.ndarray
    cases: np.ndarray
    tasks: np.ndarray

    def bounds(self, level: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the interval of every mean, two matrices of shape (groups, variants)."""
        low, high = np.full(self.mean.shape, np.nan), np.full(self.mean.shape, np.nan)
        for group, tasks in enumerate(self.tasks):
            low[group], high[group] = interval(self.draws[:, group], level=level, units=int(tasks))
        return low, high


def group_means(
    frame: pd.DataFrame,
    groups: np.ndarray,
    n_groups: int,
    tasks: np.ndarray,
    *,
    missing: str = "leave_out",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> GroupMeans:
    """Average scores by group, and again over tasks drawn with replacement; all groups share the draws.

    Parameters
    ----------
    frame
        Scores as `score_frame` returns them.
    groups
        Code of each case's group; -1 leaves the case out.
    n_groups
        Number of groups.
    tasks
        Code of each case's task.
    missing
        ``"leave_out"`` averages over what was scored; ``"zero"`` counts an unscored case as 0.
    """
    check_option("missing", missing, ("leave_out", "zero"))
    kept = groups >= 0
    groups = groups[kept]
    values = frame.to_numpy(dtype=np.float64, na_value=np.nan)[kept]
    _, tasks = np.unique(tasks[kept], return_inverse=True)
    known = ~np.isnan(values)
    counted = np.ones_like(known) if missing == "zero" else known
    filled = np.where(known, values, 0.0)
    # Columns with the same gaps share their counts, which are then summed and resampled once.
    first, pattern = gap_patterns(counted)
    parts: list[tuple[np.ndarray | None, np.ndarray]] = []
    shape = (n_groups, values.shape[1])
    total, count, scored = np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=np.int64)
    cases, n_tasks = np.zeros(n_groups, dtype=np.int64), np.zeros(n_groups, dtype=np.int64)
    for group in range(n_groups):
        rows = np.flatnonzero(groups == group)
        present, local = np.unique(tasks[rows], return_inverse=True)
        sums = sums_by(local, filled[rows], len(present))
        counts = sums_by(local, counted[np.ix_(rows, first)].astype(np.float64), len(present))
        parts += [(present, sums), (present, counts)]
        total[group], count[group] = sums.sum(axis=0), counts.sum(axis=0)[pattern]
        scored[group], cases[group], n_tasks[group] = known[rows].sum(axis=0), len(rows), len(present)
    drawn = resampled_totals(parts, int(tasks.max(initial=-1)) + 1, resamples=resamples, seed=seed)
    draws = np.full((resamples, *shape), np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        for group in range(n_groups):
            draws[:, group] = drawn[2 * group] / drawn[2 * group + 1][:, pattern]
        mean = total / count
    return GroupMeans(mean, draws, scored, cases, n_tasks)


def coverage_note(scored: int, cases: int, missing: str = "leave_out") -> str:
    """Warn where more than 5 % of the cases were not scored; else say nothing.

    Examples
    --------
    >>> coverage_note(9, 10)
    '10 % not scored'
    """
    if not cases or (cases - scored) / cases <= UNSCORED:
        return ""
    return f"{1 - scored / cases:.0%} not scored".replace("%", " %") + (", counted as 0" if missing == "zero" else "")


def summarise(
    scores: pd.DataFrame | pd.Series,
    *,
    task: pd.Series | Sequence[Any] | None = None,
    missing: str = "leave_out",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> pd.DataFrame:
    """Average every variant, with its interval and how much of the data it speaks for.

    Parameters
    ----------
    scores
        One row a case, one float column a variant, NaN = not scored.
    task
        The task of each case; its trials are resampled together. Without it every case is its own task.
    missing
        ``"leave_out"`` (the default) or ``"zero"``, for unscored cases in ``mean`` and its interval.
    level
        Of the interval.
    resamples, seed
        Of the bootstrap over tasks.

    Returns
    -------
    pandas.DataFrame
        Index variant; columns mean, low, high, n_scored, n_total, coverage, n_zero (scores of exactly 0),
        mean_missing_as_zero, note (a warning where over 5 % are unscored).

    Examples
    --------
    >>> table = summarise(pd.DataFrame({"recall": [0.8, None, None]}))
    >>> table[["mean", "n_scored", "n_total", "mean_missing_as_zero", "note"]].round(2).to_dict("records")
    [{'mean': 0.8, 'n_scored': 1, 'n_total': 3, 'mean_missing_as_zero': 0.27, 'note': '67 % not scored'}]
    """
    frame = score_frame(scores)
    one = np.zeros(len(frame), dtype=np.int64)
    tasks = task_codes(task, frame.index)
    means = group_means(frame, one, 1, tasks, missing=missing, resamples=resamples, seed=seed)
    low, high = means.bounds(level)
    n = len(frame)
    n_scored = means.scored[0]
    return pd.DataFrame(
        {
            "mean": means.mean[0],
            "low": low[0],
            "high": high[0],
            "n_scored": n_scored,
            "n_total": n,
            "coverage": n_scored / n if n else np.nan,
            "n_zero": (frame == 0).sum().to_numpy(),
            "mean_missing_as_zero": frame.sum().to_numpy() / n if n else np.nan,
            "note": [coverage_note(int(k), n, missing) for k in n_scored],
        },
        index=pd.Index(frame.columns, name="variant"),
    )
