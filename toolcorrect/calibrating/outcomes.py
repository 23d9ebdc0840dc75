"""Which definition tracks what happened: variants against an outcome, with null rows beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from toolcorrect.calibrating.discriminating import Discrimination, discrimination
from toolcorrect.calibrating.labelling import refuse_biased_labels
from toolcorrect.calibrating.verdicts import best_threshold, count_boxes, is_solved
from toolcorrect.errors import DataError, OptionError, check_number
from toolcorrect.statistics.aligning import (
    aligned,
    aligned_numbers,
    directions,
    known_groups,
    score_frame,
    task_codes,
)
from toolcorrect.statistics.correlating import spearman
from toolcorrect.statistics.means import coverage_note
from toolcorrect.statistics.resampling import RESAMPLES, interval

# Fewer labels leave an AUC so wide that it says nothing.
LABELS = 30


def calibrate(
    scores: pd.DataFrame | pd.Series,
    outcome: pd.Series | Sequence[float],
    *,
    by: pd.Series | Sequence[Any] | None = None,
    task: pd.Series | Sequence[Any] | None = None,
    nulls: pd.DataFrame | None = None,
    weight: pd.Series | Sequence[float] | None = None,
    success: float = 1.0,
    threshold: float = 0.5,
    wrong: float = 0.05,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> pd.DataFrame:
    """Measure how well every variant tells solved runs from unsolved ones.

    Parameters
    ----------
    scores
        One row a case, one float column a variant, NaN = not scored. Where a lower score is better it is turned
        round, so that an AUC above one half always speaks for the variant.
    outcome
        What happened, a finite number a case: a label (1 solved, 0 not), a reward, which may be a fraction of 1, or a
        rating on another scale with a ``success`` of its own; NaN = not known.
    by
        A group a case (agent, domain), to see whether a variant means the same in each of them.
    task
        The task of each case. Only with several runs a task can the AUC *within* tasks be told: the pooled one also
        rises where a variant merely knows which tasks are easy.
    nulls
        Columns that know nothing of the expected calls, see `null_scores`. A row for the constant score is always
        there.
    weight
        How many cases each labelled case stands for, from `sample_for_labels`; without it labels must be a random
        sample of the cases, and are refused where they visibly are not.
    success
        An outcome of at least this counts as solved; fractions of a reward of 1 do not by default.
    threshold
        A score of at least this counts as passed, for ``agreement`` and the four boxes.
    wrong
        Share of outcomes supposed wrong, for ``auc_if_wrong``.
    level, resamples, seed
        Of the bootstrap over tasks.

    Returns
    -------
    pandas.DataFrame
        Index variant, null rows last. Columns: null; auc, auc_low, auc_high (pooled); auc_within, within_low,
        within_high, pairs, mixed_tasks (share of solved-unsolved pairs of one task that are rightly ordered, ties
        one half; NaN where no task has both); spearman; best_threshold, best_agreement (found on this data, so
        flattering); threshold, agreement, constant_agreement (that of always guessing the commoner outcome);
        solved_passed, solved_failed, unsolved_passed, unsolved_failed (weighted where weights are given);
        auc_if_wrong (the AUC with the true outcomes, if ``wrong`` of the recorded ones were wrong at random); with
        ``by``: auc_group (pairs within groups), group_lowest, group_highest, sign_differs (see `auc_by_group`);
        n_scored, n, coverage, note.

    Raises
    ------
    DataError
        Where under 30 cases have an outcome, all outcomes are the same, or the labelled cases are visibly no random
        sample.

    Notes
    -----
    The pooled AUC is the Mann-Whitney statistic over its maximum, ties one half. If a share e of outcomes is wrong
    independently of the score, the AUC against recorded outcomes lies nearer to one half by the factor a + b - 1,
    a and b being the shares of recorded solved and unsolved cases that are truly so.

    Examples
    --------
    >>> scores = pd.DataFrame({"recall": [1.0, 0.5] * 20, "precision": [0.5] * 40})
    >>> calibrate(scores, [1, 0] * 20)[["null", "auc", "note"]].to_dict("index")["recall"]
    {'null': False, 'auc': 1.0, 'note': 'one run a task: within tasks cannot be told'}
    """
    check_number("wrong", wrong)
    if not 0 <= wrong < 0.5:
        raise OptionError(f"wrong={wrong} must be a share of outcomes from 0 to below 0.5.")
    frame = score_frame(scores)
    columns = pd.concat([frame, _null_frame(nulls, frame.index)], axis="columns")
    is_null = np.arange(columns.shape[1]) >= frame.shape[1]
    runs = _labelled(columns, outcome, task, success, weight)
    n = len(runs.solved)
    if n < LABELS:
        raise DataError(
            f"Only {n} cases have an outcome; {LABELS} are needed to say anything. Label more (sample_for_labels)."
        )
    if runs.solved.all() or not runs.solved.any():
        raise DataError(
            f"Every outcome is {'solved' if runs.solved.all() else 'unsolved'} (success={success:g}), so no variant "
            "can be told from another; give cases of both kinds or another success."
        )
    if weight is None:
        refuse_biased_labels(frame, runs.mask)
    settings: dict[str, Any] = {"weight": runs.weight, "level": level, "resamples": resamples, "seed": seed}
    everything = np.zeros(n, dtype=np.int64)
    pooled = discrimination(runs.values, runs.solved, runs.tasks, stratum=everything, **settings)
    within = discrimination(runs.values, runs.solved, runs.tasks, stratum=runs.tasks, **settings)
    best = [best_threshold(column, runs.solved, runs.weight) for column in runs.values.T]
    boxes = count_boxes(columns.loc[runs.mask], runs.solved, runs.weight, threshold)
    right = boxes["solved_passed"] + boxes["unsolved_failed"]
    share = float(runs.weight[runs.solved].sum() / runs.weight.sum())
    measured: dict[str, Any] = {
        "null": is_null,
        "auc": pooled.auc,
        "auc_low": pooled.low,
        "auc_high": pooled.high,
        "auc_within": within.auc,
        "within_low": within.low,
        "within_high": within.high,
        "pairs": within.pairs if weight is not None else within.pairs.round().astype(np.int64),
        "mixed_tasks": within.tasks,
        "spearman": [_spearman(column, runs.outcome) for column in runs.values.T],
        "best_threshold": directions(columns.columns) * [value for value, _ in best],
        "best_agreement": [agreed for _, agreed in best],
        "threshold": threshold,
        "agreement": right / boxes.sum(axis="columns").replace(0, np.nan),
        "constant_agreement": max(share, 1 - share),
        **boxes,
    }
    table = pd.DataFrame(measured, index=pd.Index(columns.columns, name="variant"))
    table["auc_if_wrong"] = auc_if_wrong(table["auc"], solved=share, wrong=wrong)
    if by is not None:
        groups, names = known_groups(aligned(by, frame.index, what="by")[runs.mask], frame.index[runs.mask])
        each = [
            discrimination(runs.values, runs.solved, runs.tasks, stratum=np.where(groups == g, 0, -1), **settings)
            for g in range(len(names))
        ]
        inside = discrimination(runs.values, runs.solved, runs.tasks, stratum=groups, **settings)
        table = table.assign(**_group_columns(pooled, inside, each, level))
    scored = (~np.isnan(runs.values)).sum(axis=0)
    table["n_scored"], table["n"], table["coverage"] = scored, n, scored / n
    repeats = len(np.unique(runs.tasks)) < n
    table["note"] = [_note(int(k), n, int(p), repeats) for k, p in zip(scored, within.pairs)]
    said = [c for c in table.columns if c.startswith(("auc", "within", "group", "spearman", "best"))]
    table.loc[scored < LABELS, said] = np.nan
    return table


def auc_by_group(
    scores: pd.DataFrame | pd.Series,
    outcome: pd.Series | Sequence[float],
    *,
    by: pd.Series | Sequence[Any],
    task: pd.Series | Sequence[Any] | None = None,
    success: float = 1.0,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> pd.DataFrame:
    """Measure the AUC of every variant in every group by itself.

    Parameters
    ----------
    scores, outcome, by, task, success, level, resamples, seed
        As in `calibrate`.

    Returns
    -------
    pandas.DataFrame
        Index (variant, group); columns auc, low, high (NaN where a group has one kind of outcome), n_scored, solved.

    Notes
    -----
    `calibrate` raises its flag ``sign_differs`` where one group's interval lies above one half and another's below,
    or where the pooled AUC's does and the pairs within groups do not bear it out: their AUC differs from the pooled
    one beyond noise, and does not lie on the same side of one half beyond noise.

    Examples
    --------
    >>> scores = pd.DataFrame({"recall": [1.0, 0.0, 0.0, 1.0] * 5})
    >>> auc_by_group(scores, [1, 0, 1, 0] * 5, by=["a", "a", "b", "b"] * 5).auc.to_list()
    [1.0, 0.0]
    """
    frame = score_frame(scores)
    runs = _labelled(frame, outcome, task, success, None)
    groups, names = known_groups(aligned(by, frame.index, what="by")[runs.mask], frame.index[runs.mask])
    parts = []
    for group, name in enumerate(names):
        inside = groups == group
        stratum = np.where(inside, 0, -1)
        found = discrimination(
            runs.values, runs.solved, runs.tasks, stratum=stratum, level=level, resamples=resamples, seed=seed
        )
        parts.append(
            pd.DataFrame(
                {
                    "variant": frame.columns,
                    "group": name,
                    "auc": found.auc,
                    "low": found.low,
                    "high": found.high,
                    "n_scored": (~np.isnan(runs.values[inside])).sum(axis=0),
                    "solved": int(runs.solved[inside].sum()),
                }
            )
        )
    table = pd.concat(parts) if parts else pd.DataFrame(columns=["variant", "group"])
    index = pd.MultiIndex.from_product([frame.columns, names], names=["variant", "group"])
    return table.set_index(["variant", "group"]).reindex(index)


def auc_if_wrong(auc: pd.Series, *, solved: float, wrong: float) -> pd.Series:
    """Return the AUC with the true outcomes, were a share of the recorded ones wrong at random.

    Parameters
    ----------
    auc
        Against the recorded outcomes.
    solved
        Share recorded as solved.
    wrong
        Share of records that are wrong, independently of the score.

    Returns
    -------
    pandas.Series
        NaN where so many errors are impossible: fewer cases than that are solved, or unsolved.

    Examples
    --------
    >>> auc_if_wrong(pd.Series([0.7]), solved=0.5, wrong=0.1).round(3).item()
    0.75
    """
    if min(solved, 1 - solved) <= wrong:
        return auc * np.nan
    truly = (solved - wrong) / (1 - 2 * wrong)
    kept = truly * (1 - wrong) / solved + (1 - truly) * (1 - wrong) / (1 - solved) - 1
    return (0.5 + (auc - 0.5) / kept).clip(0, 1)


@dataclass(frozen=True)
class _Labelled:
    """The cases with an outcome: ``mask`` over all cases, the rest over those in it."""

    mask: np.ndarray
    values: np.ndarray
    outcome: np.ndarray
    solved: np.ndarray
    weight: np.ndarray
    tasks: np.ndarray


def _labelled(
    frame: pd.DataFrame,
    outcome: pd.Series | Sequence[float],
    task: pd.Series | Sequence[Any] | None,
    success: float,
    weight: pd.Series | Sequence[float] | None,
) -> _Labelled:
    known = aligned_numbers(outcome, frame.index, what="outcome")
    mask = known.notna().to_numpy()
    found = known.to_numpy()[mask]
    weights = np.ones(len(found))
    if weight is not None:
        weights = aligned_numbers(weight, frame.index, what="weight").to_numpy()[mask]
        if not (weights > 0).all():
            raise DataError("Some labelled cases have no weight above 0; take the weights of sample_for_labels.")
    tasks = np.unique(task_codes(task, frame.index)[mask], return_inverse=True)[1]
    values = frame.to_numpy()[mask] * directions(frame.columns)
    return _Labelled(mask, values, found, is_solved(found, success), weights, tasks)


def _null_frame(nulls: pd.DataFrame | None, index: pd.Index) -> pd.DataFrame:
    """Return the null columns, and the score that is the same for every run."""
    constant = pd.DataFrame({"null.constant": 1.0}, index=index)
    if nulls is None:
        return constant
    frame = score_frame(nulls)
    given = {name: aligned(column, index, what="nulls") for name, column in frame.items()}
    return pd.concat([pd.DataFrame(given, index=index), constant], axis="columns")


def _spearman(score: np.ndarray, outcome: np.ndarray) -> float:
    known = ~np.isnan(score)
    return float(spearman(np.column_stack([score[known], outcome[known]]))[0, 1])


def _group_columns(
    pooled: Discrimination, inside: Discrimination, each: Sequence[Discrimination], level: float
) -> dict[str, np.ndarray]:
    aucs = np.array([found.auc for found in each])
    some = ~np.isnan(aucs).all(axis=0)
    lowest, highest = np.full(aucs.shape[1:], np.nan), np.full(aucs.shape[1:], np.nan)
    lowest[some], highest[some] = np.nanmin(aucs[:, some], axis=0), np.nanmax(aucs[:, some], axis=0)
    above = np.array([found.low > 0.5 for found in each]).any(axis=0)
    below = np.array([found.high < 0.5 for found in each]).any(axis=0)
    low, high = interval(pooled.draws - inside.draws, level=level)
    moved = (low > 0) | (high < 0)
    borne_out = np.where(pooled.auc > 0.5, inside.low > 0.5, inside.high < 0.5)
    firm = (pooled.low > 0.5) | (pooled.high < 0.5)
    return {
        "auc_group": inside.auc,
        "group_lowest": lowest,
        "group_highest": highest,
        "sign_differs": (above & below) | (firm & moved & ~borne_out),
    }


def _note(scored: int, n: int, pairs: int, repeats: bool) -> str:
    notes = []
    if scored < LABELS:
        notes.append(f"only {scored} scored cases have an outcome: {LABELS} are needed")
    if not repeats:
        notes.append("one run a task: within tasks cannot be told")
    elif not pairs:
        notes.append("no task has both a solved and an unsolved run: within tasks cannot be told")
    notes.append(coverage_note(scored, n))
    return "; ".join(note for note in notes if note)
