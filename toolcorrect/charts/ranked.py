"""Means in order, each with its interval and what it rests on."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from toolcorrect.charts._drawing import (
    beside,
    canvas,
    empty,
    fitting_rows,
    font,
    headline,
    left_out,
    names_on,
    need,
    room,
    unscored_words,
)
from toolcorrect.charts._style import PALE, group_looks, look, readable
from toolcorrect.charts._text import counted, plain
from toolcorrect.errors import check_name


def ranked_data(means: pd.DataFrame, *, variant: str | None = None) -> pd.DataFrame:
    """Return the means of one variant from highest to lowest.

    Parameters
    ----------
    means : DataFrame
        Of `rankings` (index variant, group) or of `summarise` (index variant); columns mean, low, high, n_scored and
        n or n_total.
    variant : str, optional
        Which variant of a `rankings` frame; the first by default.

    Returns
    -------
    DataFrame
        Index group (or variant), columns mean, low, high, n_scored, n; rows without a mean last.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> means = tc.summarise(pd.DataFrame({"exact": [1.0, 0.0], "recall": [0.8, None]}))
    >>> ranked_data(means)[["mean", "n_scored", "n"]].to_dict("index")
    {'recall': {'mean': 0.8, 'n_scored': 1, 'n': 2}, 'exact': {'mean': 0.5, 'n_scored': 2, 'n': 2}}
    """
    need(means, ["mean", "low", "high", "n_scored"], "ranked")
    frame = means.rename(columns={"n_total": "n"})
    if isinstance(frame.index, pd.MultiIndex):
        known = list(frame.index.get_level_values(0).unique())
        if variant is not None:
            check_name("variant", variant, known)
        if known:
            frame = frame.xs(known[0] if variant is None else variant, level=0)
    return frame[["mean", "low", "high", "n_scored", "n"]].sort_values("mean", ascending=False, kind="stable")


def ranked(
    means: pd.DataFrame,
    *,
    variant: str | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    context: str = "notebook",
) -> Axes:
    """Draw means with their intervals, the highest on top.

    Parameters
    ----------
    means : DataFrame
        Of `rankings` (rows are the groups of one variant) or of `summarise` (rows are variants).
    variant : str, optional
        Which variant of a `rankings` frame; the first by default.
    ax, title, context
        As in every chart: where to draw, a title instead of the finding, "notebook" or "slide".

    Returns
    -------
    Axes
        One row a group, its tick label the name; at the right mean and number of scored cases.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> means = tc.rankings(pd.DataFrame({"recall": [1.0, 0.0], "exact": [0.0, 1.0]}), by=["a", "b"])
    >>> ranked(means, variant="recall").get_title(loc="left")
    'a has the highest mean, 1.00; intervals of all others reach it'
    """
    table = ranked_data(means, variant=variant)
    variants = means.index.get_level_values(0).unique() if isinstance(means.index, pd.MultiIndex) else []
    chosen = variant if variant is not None or not len(variants) else variants[0]
    scored, total = int(table["n_scored"].sum()), int(table["n"].sum())
    with canvas(ax, title, context, (8, float(np.clip(1.5 + 0.3 * len(table), 2.6, 30)))) as ax:
        if chosen is None:
            note = f"each mean over its scored cases of {counted(int(table['n'].max()) if len(table) else 0, 'case')}"
        else:
            note = f"{plain(chosen)}, {counted(total, 'case')}, {unscored_words(total - scored)}"
        if table["mean"].isna().all():
            return empty(ax, "Nothing was scored, so there is no mean to rank.", title, note)
        rows, size = fitting_rows(len(table), room(ax)[1] * 0.8, font(0.66), font(0.9))
        drawn = table.iloc[rows]
        y, looks = list(range(len(drawn))), group_looks(table.index)
        for at, (name, row) in zip(y, drawn.iterrows(), strict=True):
            way = look(name) if chosen is None else looks[name]
            ax.plot([row.low, row.high], [at, at], color=way.colour, lw=size * 0.25, alpha=0.4)
            ax.plot(row["mean"], at, way.marker, color=way.colour, ms=size * 0.7)
            value = "not scored" if np.isnan(row["mean"]) else f"{row['mean']:.2f}"
            beside(ax, at, value, size, indent=0.8, color=readable(way.colour), weight="bold")
            beside(ax, at, f"{row.n_scored:,.0f} of {row.n:,.0f}", size, indent=7.5 if np.isnan(row["mean"]) else 3.9)
        names_on(ax.yaxis, y, drawn.index, room(ax)[0] * 0.32, size)
        ax.set_ylim(len(drawn) - 0.4, -0.6)
        ax.grid(axis="x")
        ax.spines["left"].set_visible(False)
        if len(drawn) < len(table):
            ax.axhline((len(rows) + 1) // 2 - 0.5, color=PALE, ls=(0, (2, 2)))
        ax.set_xlabel("mean with 95 % interval; at the right, cases scored")
        first = table.iloc[0]
        apart = int((table["high"].iloc[1:] < first["low"]).sum())
        where = {0: "intervals of all others reach it", len(table) - 1: "all other intervals lie below its own"}
        finding = f"{plain(table.index[0])} has the highest mean, {first['mean']:.2f}"
        if len(table) > 1:
            finding += f"; {where.get(apart, f'{apart} of {len(table) - 1} other intervals lie below its own')}"
        note += left_out(len(variants) - 1, "other variant", "not drawn") if len(variants) > 1 else ""
        note += left_out(len(table) - len(drawn), "row", "between the highest and the lowest left out")
        headline(ax, title or finding, note)
    return ax
