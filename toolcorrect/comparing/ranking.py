"""Which agent is best under which definition, and what of it holds beyond noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from toolcorrect.errors import DataError, OptionError, check_number, unknown_name
from toolcorrect.statistics.aligning import aligned_numbers, directions, known_groups, score_frame, task_codes
from toolcorrect.statistics.correlating import tau_ap
from toolcorrect.statistics.means import GroupMeans, coverage_note, group_means
from toolcorrect.statistics.resampling import RESAMPLES, check_level, interval

# Means that differ by less are rounding, not an order.
_DIGITS = 12
# Entries of one block of pair differences over resamples (64 MiB).
_BLOCK = 2**23


def rankings(
    scores: pd.DataFrame | pd.Series,
    *,
    by: pd.Series | Sequence[Any],
    task: pd.Series | Sequence[Any] | None = None,
    missing: str = "leave_out",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> pd.DataFrame:
    """Rank groups (agents, models, prompts) under every variant.

    Parameters
    ----------
    scores
        One row a case, one float column a variant, NaN = not scored.
    by
        The group of each case; a case without one is left out.
    task
        The task of each case. The bootstrap draws tasks and keeps all runs of a task together, so that agents are
        compared on the same tasks. Without it every case is its own task.
    missing
        ``"leave_out"`` or ``"zero"``, for unscored cases.
    level
        Of the intervals.
    resamples, seed
        Of the bootstrap over tasks.

    Returns
    -------
    pandas.DataFrame
        Index (variant, group), variants in the order of their columns and groups from best to worst; columns mean,
        low, high, rank (1 is best, ties share the better rank), rank_low, rank_high, n_scored, n, coverage, tasks,
        note.

    Examples
    --------
    >>> scores = pd.DataFrame({"recall": [1.0, 0.5, 0.0, 0.5]})
    >>> table = rankings(scores, by=["a", "a", "b", "b"], task=[1, 2, 1, 2])
    >>> table[["mean", "rank"]].to_dict("list")
    {'mean': [0.75, 0.25], 'rank': [1.0, 2.0]}
    """
    frame = score_frame(scores)
    codes, groups = known_groups(by, frame.index)
    tasks = task_codes(task, frame.index)
    means = group_means(frame, codes, len(groups), tasks, missing=missing, resamples=resamples, seed=seed)
    low, high = means.bounds(level)
    way = directions(frame.columns)
    rank = _ranks(way * means.mean[None])[0]
    rank_low, rank_high = interval(_ranks(way * means.draws), level=level)
    scored, cases = means.scored, np.broadcast_to(means.cases[:, None], means.scored.shape)
    # Matrices are (groups, variants); the table runs through the groups of one variant, then the next.
    columns = {
        "mean": means.mean,
        "low": low,
        "high": high,
        "rank": rank,
        "rank_low": np.floor(rank_low),
        "rank_high": np.ceil(rank_high),
        "n_scored": scored,
        "n": cases,
        "coverage": scored / np.maximum(cases, 1),
        "tasks": np.broadcast_to(means.tasks[:, None], scored.shape),
    }
    index = pd.MultiIndex.from_product([frame.columns, groups], names=["variant", "group"])
    table = pd.DataFrame({name: values.T.ravel() for name, values in columns.items()}, index=index)
    table["note"] = [coverage_note(int(k), int(n), missing) for k, n in zip(table["n_scored"], table["n"])]
    order = np.lexsort([table["rank"].to_numpy(), np.repeat(np.arange(frame.shape[1]), len(groups))])
    return table.iloc[order]


def rank_flips(
    scores: pd.DataFrame | pd.Series,
    *,
    by: pd.Series | Sequence[Any],
    against: str | pd.Series | Sequence[float],
    task: pd.Series | Sequence[Any] | None = None,
    missing: str = "leave_out",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> pd.DataFrame:
    """List the pairs of groups that a variant orders the other way round than a reference does.

    Parameters
    ----------
    scores, by, task, missing, level, resamples, seed
        As in `rankings`.
    against
        The reference: a column of ``scores``, or a value a case such as ``data.cases.outcome``.

    Returns
    -------
    pandas.DataFrame
        One row a variant and flipped pair. ``better`` is the group that the reference puts first and the variant
        second. ``against_gap`` (its lead under the reference, > 0) and ``gap`` (under the variant, < 0; where a lower
        score is better the lead is counted that way), each with low and high; ``against_holds`` and ``holds``: shares
        of the paired resamples in which each side has its sign; ``beyond_noise``: both shares reach ``level``. Sorted
        by the smaller share, largest first.

    Examples
    --------
    >>> scores = pd.DataFrame({"recall": [0.9, 0.9, 0.2, 0.2], "exact": [0.0, 0.0, 1.0, 1.0]})
    >>> pairs = rank_flips(scores, by=["a", "a", "b", "b"], task=[1, 2, 1, 2], against="recall")
    >>> pairs[["variant", "better", "worse", "beyond_noise"]].to_dict("records")
    [{'variant': 'exact', 'better': 'a', 'worse': 'b', 'beyond_noise': True}]
    """
    check_level(level)
    frame, groups, means = _with_reference(scores, by, against, task, missing, resamples, seed)
    first, second = np.triu_indices(len(groups), 1)
    lead = np.round(means.mean[first] - means.mean[second], _DIGITS)
    rows: list[pd.DataFrame] = []
    for column, variant in enumerate(frame.columns[1:], start=1):
        pairs = np.flatnonzero(lead[:, 0] * lead[:, column] < 0)
        turned = lead[pairs, 0] < 0
        better = np.where(turned, second[pairs], first[pairs])
        worse = np.where(turned, first[pairs], second[pairs])
        part = pd.DataFrame({"variant": variant, "better": groups[better], "worse": groups[worse]})
        for name, which in (("against_", 0), ("", column)):
            sign = 1 if which == 0 else -1
            bounds = _gap_bounds(means.draws[:, :, which], better, worse, sign, level)
            part[f"{name}gap"] = means.mean[better, which] - means.mean[worse, which]
            part[f"{name}low"], part[f"{name}high"], part[f"{name}holds"] = bounds
        rows.append(part)
    table = pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(columns=["variant", "better", "worse"])
    table["beyond_noise"] = (table["against_holds"] >= level) & (table["holds"] >= level) if rows else []
    strength = table[["against_holds", "holds"]].min(axis="columns") if rows else pd.Series(dtype="float64")
    return table.loc[strength.sort_values(ascending=False, kind="stable").index].reset_index(drop=True)


def order_agreement(
    scores: pd.DataFrame | pd.Series,
    *,
    by: pd.Series | Sequence[Any],
    against: str | pd.Series | Sequence[float],
    task: pd.Series | Sequence[Any] | None = None,
    top: int = 3,
    missing: str = "leave_out",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> pd.DataFrame:
    """Say how well every variant's order of the groups agrees with a reference order.

    Parameters
    ----------
    scores, by, task, missing, level, resamples, seed
        As in `rankings`.
    against
        As in `rank_flips`.
    top
        How many leading groups are compared in ``top_overlap``.

    Returns
    -------
    pandas.DataFrame
        Index variant; columns kendall (tau-b), low, high (bootstrap over tasks), tau_ap (top-weighted), top_overlap
        (share of the reference's leading groups that also lead here; ties at the border all lead), best (the group
        ranked first; tied ones joined by "="), flipped (pairs), flipped_beyond_noise, pairs.

    Examples
    --------
    >>> scores = pd.DataFrame({"recall": [0.9, 0.8, 0.2, 0.1], "exact": [1.0, 1.0, 0.0, 0.0]})
    >>> order_agreement(scores, by=["a", "a", "b", "b"], task=[1, 2, 1, 2], against="recall").kendall.item()
    1.0
    """
    check_number("top", top, whole=True)
    if top < 1:
        raise OptionError(f"top={top} leaves no group to compare; give 1 or more.")
    frame, groups, means = _with_reference(scores, by, against, task, missing, resamples, seed)
    flipped = rank_flips(
        scores, by=by, against=against, task=task, missing=missing, level=level, resamples=resamples, seed=seed
    )
    counts = flipped.groupby("variant")["beyond_noise"].agg(["size", "sum"])
    ranks = _ranks(means.mean[None])[0]
    rows = []
    for column, variant in enumerate(frame.columns[1:], start=1):
        known = ~np.isnan(means.mean[:, [0, column]]).any(axis=1)
        chosen = np.flatnonzero(known)
        draws = _kendall_of_rows(means.draws[:, chosen, column], means.draws[:, chosen, 0])
        low, high = interval(draws[:, None], level=level)
        lead, reference_lead = ranks[:, column] <= top, ranks[:, 0] <= top
        point = np.round(means.mean[chosen], _DIGITS)
        rows.append(
            {
                "kendall": float(_kendall_of_rows(point[None, :, column], point[None, :, 0])[0]),
                "low": low.item(),
                "high": high.item(),
                "tau_ap": tau_ap(point[:, column], point[:, 0]) if len(chosen) > 1 else np.nan,
                "top_overlap": (lead & reference_lead).sum() / max(lead.sum(), reference_lead.sum(), 1),
                "best": " = ".join(str(name) for name in groups[ranks[:, column] == 1]),
                "flipped": int(counts["size"].get(variant, 0)),
                "flipped_beyond_noise": int(counts["sum"].get(variant, 0)),
                "pairs": len(chosen) * (len(chosen) - 1) // 2,
            }
        )
    return pd.DataFrame(rows, index=pd.Index(frame.columns[1:], name="variant"))


def _with_reference(
    scores: pd.DataFrame | pd.Series,
    by: pd.Series | Sequence[Any],
    against: str | pd.Series | Sequence[float],
    task: pd.Series | Sequence[Any] | None,
    missing: str,
    resamples: int,
    seed: int,
) -> tuple[pd.DataFrame, pd.Index, GroupMeans]:
    """Put the reference before the variants as column 0, and average all by group, counted so that more is better."""
    frame = score_frame(scores)
    if isinstance(against, str):
        if against not in frame.columns:
            raise unknown_name("score column", against, map(str, frame.columns))
        reference, frame = frame[against], frame.drop(columns=against)
    else:
        reference = aligned_numbers(against, frame.index, what="against")
    if reference.isna().all():
        raise DataError("against holds no value, so there is no order to compare with; give scores or outcomes.")
    both = pd.concat([reference.rename("against"), frame], axis="columns")
    codes, groups = known_groups(by, frame.index)
    tasks = task_codes(task, frame.index)
    means = group_means(both, codes, len(groups), tasks, missing=missing, resamples=resamples, seed=seed)
    way = np.concatenate([directions(pd.Index([reference.name])), directions(frame.columns)])
    return both, groups, replace(means, mean=means.mean * way, draws=means.draws * way)


def _ranks(values: np.ndarray) -> np.ndarray:
    """Rank along axis 1, highest first, ties sharing the better rank; NaN stays NaN."""
    rounded = -np.round(values, _DIGITS)
    order = np.argsort(rounded, axis=1)
    ordered = np.take_along_axis(rounded, order, axis=1)
    place = np.broadcast_to(np.arange(values.shape[1])[None, :, None], values.shape)
    new = np.ones(values.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(new, place, 0), axis=1)
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, first + 1.0, axis=1)
    return np.where(np.isnan(values), np.nan, ranks)


def _gap_bounds(
    draws: np.ndarray, better: np.ndarray, worse: np.ndarray, sign: int, level: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the interval of each pair's gap over the resamples, and the share of them with a given sign."""
    low, high, holds = (np.full(len(better), np.nan) for _ in range(3))
    width = max(1, _BLOCK // max(len(draws), 1))
    for start in range(0, len(better), width):
        block = slice(start, start + width)
        gaps = draws[:, better[block]] - draws[:, worse[block]]
        low[block], high[block] = interval(gaps, level=level)
        holds[block] = (np.sign(np.round(gaps, _DIGITS)) == sign).mean(axis=0)
    return low, high, holds


def _kendall_of_rows(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return tau-b of each row of two matrices of shape (rows, items)."""
    first, second = np.triu_indices(left.shape[1], 1)
    product, untied_left, untied_right = (np.zeros(len(left)) for _ in range(3))
    width = max(1, _BLOCK // max(len(left), 1))
    for start in range(0, len(first), width):
        i, j = first[start : start + width], second[start : start + width]
        a = np.sign(np.round(left[:, i] - left[:, j], _DIGITS))
        b = np.sign(np.round(right[:, i] - right[:, j], _DIGITS))
        product += np.nansum(a * b, axis=1)
        untied_left += np.nansum(np.abs(a), axis=1)
        untied_right += np.nansum(np.abs(b), axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return product / np.sqrt(untied_left * untied_right)
