"""Where does it hurt: the whole distribution of a variant by group, not only its mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from toolcorrect.charts._drawing import (
    beside,
    canvas,
    empty,
    fitting_rows,
    font,
    headline,
    left_out,
    names_on,
    room,
    score_frame,
    split,
    unscored_words,
)
from toolcorrect.charts._style import INK, LIGHT, group_looks
from toolcorrect.charts._text import counted, plain
from toolcorrect.errors import DataError
from toolcorrect.statistics.aligning import group_codes

# More distinct scores than this are rounded onto a grid: dots would hide each other anyway.
_VALUES = 60
# Beyond this colours repeat: only the outermost groups keep theirs in the cumulative chart.
_COLOURED = 7


def strip_data(scores: pd.Series | pd.DataFrame, by: pd.Series | Sequence[Any]) -> pd.DataFrame:
    """Count the cases of every group at every score.

    Parameters
    ----------
    scores : Series or DataFrame of one column
        Index case, NaN = not scored.
    by : Series or sequence
        The group of each case; a case without one is left out.

    Returns
    -------
    DataFrame
        One row a group and distinct score, in order; columns group, value, cases, share (of the group's scored
        cases at or below the value: the ECDF), scored and unscored (cases of the group). A group without any
        score has one row with NaN. More than 60 distinct scores are rounded onto a grid of 60 steps.

    Examples
    --------
    >>> found = strip_data(pd.Series([0.0, 1.0, 1.0, None]), ["a", "a", "b", "b"])
    >>> found[["group", "value", "cases", "share"]].values.tolist()
    [['a', 0.0, 1, 0.5], ['a', 1.0, 1, 1.0], ['b', 1.0, 1, 1.0]]
    """
    frame = score_frame(scores)
    if frame.shape[1] != 1:
        raise DataError(
            f"charts.strip draws one variant, but was given {frame.shape[1]}; choose one, as in scores['recall']."
        )
    values = frame.iloc[:, 0].to_numpy()
    codes, groups = group_codes(by, frame.index)
    known = np.isfinite(values)
    grid = np.unique(values[known & (codes >= 0)])
    if len(grid) > _VALUES:
        grid = np.linspace(grid[0], grid[-1], _VALUES + 1)
        values = np.where(
            known, grid[np.abs(np.searchsorted((grid[1:] + grid[:-1]) / 2, values)).clip(0, _VALUES)], np.nan
        )
    counts = np.zeros((len(groups), len(grid)), dtype=np.int64)
    inside = known & (codes >= 0)
    np.add.at(counts, (codes[inside], np.searchsorted(grid, values[inside])), 1)
    scored = counts.sum(axis=1)
    total = np.bincount(codes[codes >= 0], minlength=len(groups))
    parts = []
    for group, row in enumerate(counts):
        hit = np.flatnonzero(row)
        part = pd.DataFrame(
            {"value": grid[hit], "cases": row[hit], "share": row[hit].cumsum() / max(scored[group], 1)}
        )
        if not len(hit):
            part = pd.DataFrame({"value": [np.nan], "cases": [0], "share": [np.nan]})
        parts.append(part.assign(group=groups[group], scored=scored[group], unscored=total[group] - scored[group]))
    columns = ["group", "value", "cases", "share", "scored", "unscored"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def strip(
    scores: pd.Series | pd.DataFrame,
    by: pd.Series | Sequence[Any],
    *,
    ax: Axes | None = None,
    title: str | None = None,
    context: str = "notebook",
) -> Axes:
    """Draw every group's scores as dots, and beside them its cumulative distribution.

    Parameters
    ----------
    scores : Series or DataFrame of one column
        Index case, NaN = not scored.
    by : Series or sequence
        The group of each case, such as ``data.cases.model``.
    ax, title, context
        As in every chart: where to draw, a title instead of the finding, "notebook" or "slide".

    Returns
    -------
    Axes
        The dots, a row a group, sorted by mean (the black mark); the ECDF is the second Axes of the figure.

    Examples
    --------
    >>> recall = pd.Series([1.0, 0.5, 0.0], name="recall")
    >>> strip(recall, ["a", "a", "b"]).get_title(loc="left")
    'recall by group: mean 0.75 (a) down to 0.00 (b)'
    """
    table = strip_data(scores, by)
    name = plain(score_frame(scores).columns[0])
    each = table.drop_duplicates("group")
    scored, unscored = int(each["scored"].sum()), int(each["unscored"].sum())
    note = f"{counted(scored + unscored, 'case')} in {counted(len(each), 'group')}, {unscored_words(unscored)}"
    with canvas(ax, title, context, (9.6, float(np.clip(1.8 + 0.5 * len(each), 3.4, 16)))) as ax:
        if not scored:
            return empty(ax, f"No case of any group was scored by {name}.", title, note)
        means = (table["value"] * table["cases"]).groupby(table["group"]).sum() / each.set_index("group")[
            "scored"
        ].replace(0, np.nan)
        order = means.sort_values(ascending=False, kind="stable").index
        rows, size = fitting_rows(len(order), room(ax)[1] * 0.74, font(0.7), font(0.9))
        shown = order[rows]
        looks = group_looks(order)
        dots, steps = split(ax, widths=[1.5, 1], space=0.04)
        thick = room(ax)[1] * 0.72 / len(shown)
        per_dot = int(np.ceil(table["cases"].max() / max(3, int(0.84 * thick / font(0.42)))))
        step = min(0.84 / np.ceil(table["cases"].max() / per_dot), font(0.55) / thick)
        dot = max(step * thick * 0.92, font(0.2))
        edge = shown if len(shown) <= _COLOURED else [*shown[:3], *shown[-3:]]
        for y, group in enumerate(shown):
            part, way = table[table["group"] == group], looks[group]
            row = each.loc[each["group"] == group].iloc[0]
            beside(dots, y, f"{row.scored:,}" + (f" (−{row.unscored:,})" if row.unscored else ""), size * 0.92)
            if not row.scored:
                continue
            at, offsets = _stacks(part, per_dot, step)
            dots.plot(at, y + offsets, "o", color=way.colour, ms=dot, alpha=0.6, mew=0)
            dots.plot(
                means[group],
                y,
                way.marker,
                color=INK,
                ms=max(font(0.75), dot * 1.3),
                mec="white",
                mew=font(0.1),
                zorder=4,
            )
            strong = {
                "color": way.colour,
                "ls": way.line,
                "marker": way.marker,
                "ms": font(0.5),
                "label": plain(group),
            }
            weak = {"color": LIGHT, "lw": font(0.07), "alpha": 0.6, "zorder": 1, "label": plain(group)}
            x, share = np.r_[part["value"].iloc[0], part["value"]], np.r_[0, part["share"]]
            steps.plot(x, share, drawstyle="steps-post", **(strong if group in edge else weak))
        names_on(dots.yaxis, range(len(shown)), shown, room(ax)[0] * 0.22, size)
        dots.set_ylim(len(shown) - 0.5, -0.5)
        dots.spines["left"].set_visible(False)
        dots.set_xlabel(f"{name}: one dot is {'1 case' if per_dot == 1 else f'up to {per_dot:,} cases'}; black: mean")
        steps.set_ylim(-0.02, 1.02)
        steps.yaxis.tick_right()
        steps.spines[["left"]].set_visible(False)
        steps.spines["right"].set_visible(True)
        steps.yaxis.set_label_position("right")
        steps.set_ylabel("share of cases at or below")
        steps.set_xlabel(name)
        low, high = table["value"].min(), table["value"].max()
        pad = 0.04 * (high - low) or 0.5
        for panel in (dots, steps):
            panel.set_xlim(low - pad, high + pad)
        finding = f"{name} by group: mean {means[order[0]]:.2f} ({plain(order[0])})"
        known = means.dropna()
        if len(known) > 1:
            finding += f" down to {known.min():.2f} ({plain(known.idxmin())})"
        note += "; at the right scored cases" + (" (and unscored)" if unscored else "")
        headline(
            dots,
            title or finding,
            note
            + (f"; the {len(shown) - len(edge):,} groups between in grey" if len(edge) < len(shown) else "")
            + left_out(len(order) - len(shown), "group", "between left out"),
        )
    return dots


def _stacks(part: pd.DataFrame, per_dot: int, step: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where the dots of a group lie: those of one score above each other, around the row's middle."""
    counts = np.ceil(part["cases"].to_numpy() / per_dot).astype(int)
    nth = np.arange(counts.sum()) - np.repeat(counts.cumsum() - counts, counts)
    return np.repeat(part["value"].to_numpy(), counts), (nth - np.repeat(counts - 1, counts) / 2) * step
