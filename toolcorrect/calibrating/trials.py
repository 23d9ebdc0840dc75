"""Several trials of a task: how often it is solved, and how reliably."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from toolcorrect.errors import DataError, OptionError, check_number, check_type, listed
from toolcorrect.statistics.aligning import aligned, score_frame
from toolcorrect.statistics.resampling import RESAMPLES, interval, resampled_totals
from toolcorrect.statistics.thresholds import passes

Counts: TypeAlias = "np.ndarray | int | Sequence[int]"


def pass_at_k(n: Counts, c: Counts, k: int) -> np.ndarray:
    """Return the chance that at least one of k trials passes, estimated without bias from c passes of n.

    Parameters
    ----------
    n, c
        Trials, and how many of them passed; arrays of one shape.
    k
        Trials drawn.

    Returns
    -------
    numpy.ndarray
        1 - C(n - c, k) / C(n, k); NaN where n < k: fewer trials than k cannot tell.

    Notes
    -----
    M. Chen et al., Evaluating Large Language Models Trained on Code (2021), equation 1.

    Examples
    --------
    >>> pass_at_k([5, 3], [3, 0], 2).tolist()
    [0.9, 0.0]
    """
    return np.asarray(1 - pass_hat_k(n, np.asarray(n) - np.asarray(c), k))


def pass_hat_k(n: Counts, c: Counts, k: int) -> np.ndarray:
    """Return the chance that all of k trials pass (pass^k), estimated without bias from c passes of n.

    Parameters
    ----------
    n, c, k
        As in `pass_at_k`.

    Returns
    -------
    numpy.ndarray
        C(c, k) / C(n, k); NaN where n < k.

    Notes
    -----
    S. Yao et al., tau-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains (2024).

    Examples
    --------
    >>> pass_hat_k([5, 3], [3, 3], 2).tolist()
    [0.3, 1.0]
    """
    trials, passed = np.asarray(n, dtype=np.float64), np.asarray(c, dtype=np.float64)
    # Numerator and denominator apart: one division, so that 6 / 20 is 0.3.
    above, below = np.ones(trials.shape), np.ones(trials.shape)
    for drawn in range(k):
        above, below = above * np.maximum(passed - drawn, 0), below * (trials - drawn)
        # Rescaled, so that hundreds of trials do not overflow.
        scale = np.where(np.abs(below) > 1e100, below, 1.0)
        above, below = above / scale, below / scale
    enough = trials >= k
    return np.where(enough, above / np.where(enough, below, 1.0), np.nan)


def pass_hat_k_power(n: Counts, c: Counts, k: int) -> np.ndarray:
    """Return (c / n) ** k: pass^k as if the rate were known; defined for fewer trials than k, but biased upwards.

    Examples
    --------
    >>> pass_hat_k_power([5], [3], 2).round(2).tolist()
    [0.36]
    """
    trials = np.asarray(n, dtype=np.float64)
    return np.asarray((np.asarray(c) / np.where(trials > 0, trials, np.nan)) ** k)


@dataclass(frozen=True)
class Repeated:
    """What repeated trials show.

    Attributes
    ----------
    summary
        Index variant: rate (mean over tasks of their pass rates), low, high, spread (mean over tasks of the standard
        deviation of their scores), flaky (tasks neither always nor never passed), tasks, trials (fewest and most),
        note.
    by_k
        Index (variant, k): pass_at_k, pass_hat_k with low and high, pass_hat_k_power, tasks_used (with at least k
        scored trials), tasks.
    tasks
        Index (variant, task): n (scored trials), passed, rate, mean (score), spread, flaky.

    Examples
    --------
    >>> found = repeated(pd.DataFrame({"exact": [1, 0, 1, 1]}), ["t1", "t1", "t2", "t2"])
    >>> found.tasks[["n", "passed", "flaky"]].to_dict("index")
    {('exact', 't1'): {'n': 2, 'passed': 1, 'flaky': True}, ('exact', 't2'): {'n': 2, 'passed': 2, 'flaky': False}}
    """

    summary: pd.DataFrame
    by_k: pd.DataFrame
    tasks: pd.DataFrame

    def flaky(self, variant: str) -> list[Any]:
        """Return the tasks that this variant neither always nor never passes.

        Examples
        --------
        >>> found = repeated(pd.DataFrame({"recall": [1, 1, 0, 0], "exact": [1, 0, 0, 0]}), ["t1", "t1", "t2", "t2"])
        >>> found.flaky("recall"), found.flaky("exact")
        ([], ['t1'])
        """
        table = self.tasks.xs(variant, level="variant")
        return list(table.index[table["flaky"]])


def repeated(
    scores: pd.DataFrame | pd.Series,
    task: pd.Series | Sequence[Any],
    trial: pd.Series | Sequence[Any] | None = None,
    *,
    k: Iterable[int] | None = None,
    threshold: float = 1.0,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Repeated:
    """Summarise trials of the same tasks by one agent: ability (pass@k) and reliability (pass^k).

    Parameters
    ----------
    scores
        One row a case, one float column a variant (or outcome), NaN = not scored.
    task
        The task of each case.
    trial
        The number of each trial; only to refuse two runs of one trial, as two agents in one frame would give.
    k
        Numbers of trials; by default 1 to the most that any task has.
    threshold
        A score of at least this is a pass.
    level, resamples, seed
        Of the bootstrap over tasks.

    Returns
    -------
    Repeated
        Frames ``summary``, ``by_k`` and ``tasks``.

    Raises
    ------
    DataError
        Where a trial of a task comes twice, or a case has no task.

    Examples
    --------
    >>> found = repeated(pd.DataFrame({"solved": [1, 0, 1, 1]}), ["t1", "t1", "t2", "t2"])
    >>> found.by_k[["pass_at_k", "pass_hat_k", "pass_hat_k_power", "tasks_used"]].to_dict("index")[("solved", 2)]
    {'pass_at_k': 1.0, 'pass_hat_k': 0.5, 'pass_hat_k_power': 0.625, 'tasks_used': 2}
    >>> found.flaky("solved")
    ['t1']
    """
    frame = score_frame(scores)
    tasks = aligned(task, frame.index, what="task").rename("task")
    if tasks.isna().any():
        raise DataError(f"Cases without a task: {listed(frame.index[tasks.isna()])}. Give every case one.")
    if trial is not None:
        number = aligned(trial, frame.index, what="trial").rename("trial")
        twice = pd.concat([tasks, number], axis="columns").dropna()
        twice = twice[twice.duplicated()]
        if len(twice):
            one = twice.iloc[0]
            raise DataError(
                f"Task {one['task']} has trial {one['trial']} more than once; select one agent's runs at a time."
            )
    by_task = frame.groupby(tasks.to_numpy())
    n, mean = by_task.count(), by_task.mean()
    spread = by_task.std(ddof=1)
    passed = passes(frame, threshold).astype("Float64").groupby(tasks.to_numpy()).sum().astype("float64")
    most = int(n.to_numpy().max(initial=0))
    check_type("k", k, Iterable | None, "numbers of trials, such as [1, 2, 4]")
    every = list(range(1, most + 1) if k is None else k)
    for size in every:
        check_number("k", size, whole=True)
    sizes = sorted(set(every))
    if any(size < 1 for size in sizes):
        raise OptionError(f"k={sizes[0]} draws no trial; give 1 or more.")
    counts, good = n.to_numpy(), passed.to_numpy()
    settings: dict[str, Any] = {"level": level, "resamples": resamples, "seed": seed}
    parts = {}
    for size in sizes:
        hat = pass_hat_k(counts, good, size)
        rate, low, high = _mean_over_tasks(hat, **settings)
        parts[size] = pd.DataFrame(
            {
                "pass_at_k": _mean_over_tasks(pass_at_k(counts, good, size), **settings)[0],
                "pass_hat_k": rate,
                "low": low,
                "high": high,
                "pass_hat_k_power": _mean_over_tasks(pass_hat_k_power(counts, good, size), **settings)[0],
                "tasks_used": (counts >= size).sum(axis=0),
                "tasks": len(n),
            },
            index=pd.Index(frame.columns, name="variant"),
        )
    by_k = pd.concat(parts, names=["k"]).swaplevel() if parts else pd.DataFrame()
    rate, low, high = _mean_over_tasks(pass_hat_k(counts, good, 1), **settings)
    flaky = (good > 0) & (good < counts)
    unscored = frame.isna().sum().to_numpy()
    summary = pd.DataFrame(
        {
            "rate": rate,
            "low": low,
            "high": high,
            "spread": spread.mean().to_numpy(),
            "flaky": flaky.sum(axis=0),
            "tasks": (counts > 0).sum(axis=0),
            "fewest_trials": n.min().to_numpy(),
            "most_trials": n.max().to_numpy(),
            "note": [_note(int(missing), column) for missing, column in zip(unscored, counts.T)],
        },
        index=pd.Index(frame.columns, name="variant"),
    )
    names = pd.MultiIndex.from_product([frame.columns, n.index], names=["variant", "task"])
    wide = {
        "n": counts,
        "passed": good.astype(np.int64),
        "rate": pass_hat_k(counts, good, 1),
        "mean": mean.to_numpy(),
    }
    wide |= {"spread": spread.to_numpy(), "flaky": flaky}
    per_task = pd.DataFrame({name: values.T.ravel() for name, values in wide.items()}, index=names)
    order = {name: place for place, name in enumerate(frame.columns)}
    by_k = by_k.sort_index(level="variant", key=lambda level: level.map(order), sort_remaining=False, kind="stable")
    return Repeated(summary, by_k, per_task)


def _mean_over_tasks(
    values: np.ndarray, *, level: float, resamples: int, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Average each column over the tasks that have a value, with its interval over tasks."""
    known = ~np.isnan(values)
    filled = np.where(known, values, 0.0)
    parts: list[tuple[np.ndarray | None, np.ndarray]] = [(None, filled), (None, known.astype(np.float64))]
    drawn = resampled_totals(parts, len(values), resamples=resamples, seed=seed)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean, draws = filled.sum(axis=0) / known.sum(axis=0), drawn[0] / drawn[1]
    low, high = interval(draws, level=level, units=len(values))
    return mean, low, high


def _note(missing: int, trials: np.ndarray) -> str:
    notes = []
    if missing:
        notes.append(f"{missing} runs not scored and not counted as trials")
    if trials.max(initial=0) <= 1:
        notes.append("one run a task: reliability cannot be told")
    elif trials.min() != trials.max():
        notes.append("numbers of trials differ between tasks")
    return "; ".join(notes)
