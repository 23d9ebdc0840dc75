"""Two runs of the same cases compared: what changed, and whether chance would do as much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from toolcorrect.errors import (
    DataError,
    OptionError,
    check_number,
    check_option,
    check_type,
    listed,
    shown,
    unknown_name,
)
from toolcorrect.statistics.aligning import aligned, directions, score_frame
from toolcorrect.statistics.means import coverage_note
from toolcorrect.statistics.resampling import RESAMPLES, interval, resampled_totals, wilson
from toolcorrect.statistics.thresholds import TOLERANCE, passes, verdict


@dataclass(frozen=True)
class RunComparison:
    """Two runs side by side.

    Attributes
    ----------
    table
        Index variant: mean_a, mean_b, difference (b - a), low, high (paired bootstrap over tasks), changed (tasks
        whose score differs), beyond_noise (the interval excludes 0 and enough tasks changed for that to be no
        accident: 6 at the 95 % level); rate_a, rate_b (share of passes) with their Wilson bounds, a_only, b_only
        (tasks that only one run passes), p (exact McNemar test), p_adjusted (Holm, over the variants); n_paired,
        note, sentence.
    tasks
        Index (variant, task): a, b (mean score of the task's runs), difference.
    unshared
        Columns task and only_in: tasks that one run lacks. They are not compared.
    note
        What to keep in mind, such as how many variants were tried at once; may be empty.

    Examples
    --------
    >>> found = compare_runs(pd.DataFrame({"recall": [0.0, 1.0, 1.0]}), pd.DataFrame({"recall": [1.0, 1.0]}))
    >>> found.table[["difference", "changed", "beyond_noise"]].to_dict("index")
    {'recall': {'difference': 0.5, 'changed': 1, 'beyond_noise': False}}
    >>> found.unshared.to_dict("records")
    [{'task': 2, 'only_in': 'A'}]
    """

    table: pd.DataFrame
    tasks: pd.DataFrame
    unshared: pd.DataFrame
    note: str

    def __str__(self) -> str:
        lines = [f"{variant}: {sentence}" for variant, sentence in self.table["sentence"].items()]
        if len(self.unshared):
            sides = self.unshared["only_in"].value_counts()
            lines.append("Not compared: " + listed(f"{n} only in {side}" for side, n in sides.items()) + ".")
        return "\n".join([*lines, self.note] if self.note else lines)


def mcnemar(a_only: int, b_only: int) -> float:
    """Return the two-sided exact p-value of a paired comparison from the cases that flip.

    Parameters
    ----------
    a_only, b_only
        Cases that only one of the two passes.

    Notes
    -----
    A sign test: were both equally good, each flip would go either way like a fair coin. Q. McNemar, Psychometrika 12
    (1947), in its exact binomial form.

    Examples
    --------
    >>> mcnemar(5, 0), mcnemar(0, 0)
    (0.0625, 1.0)
    """
    flips = a_only + b_only
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, flips + 1)))])
    fewer = np.arange(min(a_only, b_only) + 1)
    tail = np.exp(logs[flips] - logs[fewer] - logs[flips - fewer] - flips * np.log(2)).sum()
    return float(min(1.0, 2 * tail))


def compare_runs(
    scores_a: pd.DataFrame | pd.Series,
    scores_b: pd.DataFrame | pd.Series,
    *,
    task_a: pd.Series | Sequence[Any] | None = None,
    task_b: pd.Series | Sequence[Any] | None = None,
    names: tuple[str, str] = ("A", "B"),
    missing: str = "leave_out",
    threshold: float = 1.0,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> RunComparison:
    """Compare two runs on the tasks they share.

    Parameters
    ----------
    scores_a, scores_b
        One row a case, one float column a variant, NaN = not scored. Variants in both are compared.
    task_a, task_b
        The task of each case; trials of a task are averaged first. Without it the case ids pair the runs.
    names
        What to call the two.
    missing
        ``"leave_out"``: a task that either run has not scored is left out of the variant; ``"zero"``: it counts as 0.
    threshold
        A score of at least this is a pass.
    level, resamples, seed
        Of the paired bootstrap over tasks.

    Returns
    -------
    RunComparison
        ``table``, ``tasks``, ``unshared``, ``note``; ``str()`` of it is one sentence a variant.

    Raises
    ------
    DataError
        Where the runs share no task or no variant.

    Examples
    --------
    >>> a = pd.DataFrame({"recall": [0.0, 0.5, 0.5, 0.5, 0.0, 0.0]})
    >>> print(compare_runs(a, a + 0.25))
    recall: B is better by 0.25 (0.25 to 0.25) on 6 shared tasks.
    """
    check_option("missing", missing, ("leave_out", "zero"))
    if not (isinstance(names, tuple | list) and len(names) == 2 and all(isinstance(name, str) for name in names)):
        raise OptionError(f"names={shown(names)} must be two texts, one for each run.")
    sides = [
        _by_task(score_frame(scores), task, threshold, missing, f"task_{side}")
        for scores, task, side in ((scores_a, task_a, "a"), (scores_b, task_b, "b"))
    ]
    (mean_a, rate_a, most_a), (mean_b, rate_b, most_b) = sides
    variants = mean_a.columns.intersection(mean_b.columns, sort=False)
    shared = mean_a.index.intersection(mean_b.index, sort=False)
    for kind, found in (("variant", variants), ("task", shared)):
        if not len(found):
            raise DataError(f"The two runs share no {kind}, so nothing can be compared; check names and ids.")
    a, b = mean_a.loc[shared, variants].to_numpy(), mean_b.loc[shared, variants].to_numpy()
    p, q = rate_a.loc[shared, variants].to_numpy(), rate_b.loc[shared, variants].to_numpy()
    known = ~np.isnan(a) & ~np.isnan(b)
    n = known.sum(axis=0)
    gap = np.where(known, b - a, 0.0)
    parts: list[tuple[np.ndarray | None, np.ndarray]] = [(None, gap), (None, known.astype(np.float64))]
    total, count = resampled_totals(parts, len(shared), resamples=resamples, seed=seed)
    single = max(most_a, most_b) <= 1
    with np.errstate(invalid="ignore", divide="ignore"):
        draws = total / count
        table = pd.DataFrame(
            {
                "mean_a": np.where(known, a, 0.0).sum(axis=0) / n,
                "mean_b": np.where(known, b, 0.0).sum(axis=0) / n,
                "difference": gap.sum(axis=0) / n,
            },
            index=pd.Index(variants, name="variant"),
        )
        table["low"], table["high"] = _bounds(draws, n, level)
        for side, rate in (("a", p), ("b", q)):
            passed = np.where(known, rate, 0.0).sum(axis=0)
            table[f"rate_{side}"] = passed / n
            table[f"rate_{side}_low"], table[f"rate_{side}_high"] = wilson(passed, n, level=level)
    table["changed"] = (np.abs(gap) > TOLERANCE).sum(axis=0)
    # Were chance alone at work, m changed tasks would all go one way in 2 of 2**m runs: a few say nothing, however
    # narrow the interval that they give.
    enough = 2 * 0.5 ** table["changed"] <= 1 - level
    table["beyond_noise"] = ((table["low"] > 0) | (table["high"] < 0)) & enough
    table["a_only"] = (known & (p == 1) & (q == 0)).sum(axis=0)
    table["b_only"] = (known & (p == 0) & (q == 1)).sum(axis=0)
    # With several runs a task a flip is no single coin toss: the interval over tasks speaks alone.
    table["p"] = [mcnemar(i, j) if single and k else np.nan for i, j, k in zip(table["a_only"], table["b_only"], n)]
    table["p_adjusted"] = _holm(table["p"].to_numpy())
    table["n_paired"] = n
    table["note"] = [coverage_note(int(k), len(shared), missing) for k in n]
    way = directions(variants)
    table["sentence"] = [_sentence(row, up, names) for (_, row), up in zip(table.iterrows(), way)]
    index = pd.MultiIndex.from_product([variants, shared], names=["variant", "task"])
    tasks = pd.DataFrame({"a": a.T.ravel(), "b": b.T.ravel(), "difference": (b - a).T.ravel()}, index=index)
    return RunComparison(table, tasks, _unshared(mean_a.index, mean_b.index, names), _note(table, single, level))


def failures(
    comparison: RunComparison,
    *,
    fail_under: float | Mapping[str, float] | None = None,
    fail_on_drop: float | None = None,
) -> pd.DataFrame:
    """List what would fail a check of run B, for continuous integration; an empty frame passes.

    Parameters
    ----------
    comparison
        Of a baseline A and a new run B.
    fail_under
        Least mean of B, for every variant or by variant (the greatest where lower is better). Compared unrounded; a
        mean exactly on it passes.
    fail_on_drop
        Fails a variant whose mean is worse in B by more than this *and* beyond noise (see `RunComparison`). 0 is any
        drop beyond noise.

    Returns
    -------
    pandas.DataFrame
        One row a failure: variant, rule (fail_under, fail_on_drop), value, limit, sentence. A variant that could not
        be compared fails whatever rule is set for it: not known is not passed.

    Examples
    --------
    >>> a = pd.DataFrame({"recall": [1.0] * 6})
    >>> failures(compare_runs(a, a - 0.25), fail_under=0.5, fail_on_drop=0.0)[["variant", "rule"]].to_dict("records")
    [{'variant': 'recall', 'rule': 'fail_on_drop'}]
    """
    check_type("comparison", comparison, RunComparison, "what tc.compare_runs returns")
    for limit in fail_under.values() if isinstance(fail_under, Mapping) else [fail_under]:
        if limit is not None:
            check_number("fail_under", limit)
    if fail_on_drop is not None:
        check_number("fail_on_drop", fail_on_drop)
    if fail_on_drop is not None and not fail_on_drop >= 0:
        raise OptionError(f"fail_on_drop={fail_on_drop} must be 0 or more: the size of a drop that is too much.")
    table = comparison.table
    limits = fail_under if isinstance(fail_under, Mapping) else dict.fromkeys(table.index, fail_under)
    strangers = [name for name in limits if name not in table.index]
    if strangers:
        raise unknown_name("compared variant", strangers[0], map(str, table.index))
    rows: list[tuple[Any, str, float, float, str]] = []
    for (variant, row), way in zip(table.iterrows(), directions(table.index)):
        limit, mean, drop = limits.get(variant), row["mean_b"], -way * row["difference"]
        if limit is not None and not way * mean >= way * limit - TOLERANCE:
            said = verdict(mean, limit) if way > 0 else f"{mean:.4g} > {limit:g}"
            rows.append((variant, "fail_under", mean, limit, f"{variant}: {said}."))
        unknown = pd.isna(drop)
        if fail_on_drop is not None and (unknown or (row["beyond_noise"] and drop > fail_on_drop + TOLERANCE)):
            rows.append((variant, "fail_on_drop", drop, fail_on_drop, f"{variant}: {row['sentence']}"))
    return pd.DataFrame(rows, columns=["variant", "rule", "value", "limit", "sentence"])


def _by_task(
    frame: pd.DataFrame, task: pd.Series | Sequence[Any] | None, threshold: float, missing: str, what: str
) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    """Average scores and passes over the runs of a task; return both, and the most runs that a task has."""
    tasks = pd.Series(frame.index, index=frame.index) if task is None else aligned(task, frame.index, what=what)
    if tasks.isna().any():
        raise DataError(f"{what}: cases without a task: {listed(frame.index[tasks.isna()])}. Give every case one.")
    filled = frame.fillna(0.0) if missing == "zero" else frame
    key = tasks.to_numpy()
    passed = passes(filled, threshold).astype("Float64").astype("float64")
    groups = filled.groupby(key, sort=False)
    return groups.mean(), passed.groupby(key, sort=False).mean(), int(groups.size().max()) if len(frame) else 0


def _bounds(draws: np.ndarray, n: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.full(len(n), np.nan), np.full(len(n), np.nan)
    for units in np.unique(n):
        same = n == units
        low[same], high[same] = interval(draws[:, same], level=level, units=int(units))
    return low, high


def _holm(p: np.ndarray) -> np.ndarray:
    """Adjust p-values for looking at several (S. Holm, Scandinavian Journal of Statistics 6, 1979)."""
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    adjusted = np.full(len(p), np.nan)
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def _sentence(row: pd.Series, way: float, names: tuple[str, str]) -> str:
    n = int(row["n_paired"])
    if not n:
        return "no shared task is scored in both runs, so they cannot be compared."
    tasks = f"{n} shared task{'' if n == 1 else 's'}"
    low, high = sorted((abs(row["low"]), abs(row["high"])))
    if row["beyond_noise"]:
        better = names[1] if row["difference"] * way > 0 else names[0]
        return f"{better} is better by {abs(row['difference']):.2f} ({low:.2f} to {high:.2f}) on {tasks}."
    if not row["changed"]:
        return f"{names[0]} and {names[1]} score the same on each of {tasks}."
    span = "" if pd.isna(row["low"]) else f", {row['low']:+.2f} to {row['high']:+.2f}"
    if row["low"] > 0 or row["high"] < 0:
        # The interval alone would say otherwise.
        span = f", but only {row['changed']} changed"
    return f"{tasks} cannot tell them apart (difference {row['difference']:+.2f}{span})."


def _unshared(a: pd.Index, b: pd.Index, names: tuple[str, str]) -> pd.DataFrame:
    only = [(a.difference(b, sort=False), names[0]), (b.difference(a, sort=False), names[1])]
    parts = [pd.DataFrame({"task": tasks, "only_in": side}) for tasks, side in only]
    return pd.concat(parts, ignore_index=True)


def _note(table: pd.DataFrame, single: bool, level: float) -> str:
    notes = []
    if len(table) > 1:
        expected = len(table) * (1 - level)
        allowing = "p_adjusted allows for it, or " if single else ""
        notes.append(
            f"{len(table)} variants at once: by chance alone about {expected:.1f} would seem to differ; "
            f"{allowing}name the one that counts beforehand."
        )
    if not single:
        notes.append("Several runs a task: trials are averaged, and no McNemar test is made.")
    return " ".join(notes)
