"""Which groups of variants pass the same cases: an UpSet chart of pass sets."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, StrMethodFormatter
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
    scored_note,
    split,
)
from toolcorrect.charts._style import GREY, INK, LIGHT, PALE, look
from toolcorrect.charts._text import short_names
from toolcorrect.errors import check_number
from toolcorrect.statistics.thresholds import TOLERANCE

_UNSCORED = 2.0


def upset_data(scores: pd.DataFrame, *, threshold: float = 0.5) -> pd.DataFrame:
    """Count the cases by which variants they pass.

    Parameters
    ----------
    scores : DataFrame
        Index case, one float column a variant, NaN = not scored.
    threshold : float
        A case passes a variant where its score reaches this.

    Returns
    -------
    DataFrame
        One row a pattern, most frequent first; index (pattern, cases), a column a variant: 1 passed, 0 failed,
        NaN not scored.

    Examples
    --------
    >>> upset_data(pd.DataFrame({"recall": [1, 1, 0], "exact": [1, 0, 0]})).reset_index().values.tolist()
    [[0.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 0.0], [2.0, 1.0, 0.0, 0.0]]
    """
    check_number("threshold", threshold)
    frame = score_frame(scores)
    code = np.zeros(len(frame), dtype=np.int64)
    for name in frame.columns:
        values = frame[name].to_numpy()
        state = np.where(np.isnan(values), int(_UNSCORED), values >= threshold - TOLERANCE)
        code = pd.factorize(code * 3 + state)[0]
    counts = np.bincount(code)
    first = np.unique(code, return_index=True)[1]
    order = np.lexsort([first, -counts])
    passed = frame.iloc[first[order]]
    rows = passed.ge(threshold - TOLERANCE).astype("float64").where(passed.notna())
    rows.index = pd.MultiIndex.from_arrays([np.arange(len(order)), counts[order]], names=["pattern", "cases"])
    return rows


def upset(
    scores: pd.DataFrame,
    *,
    threshold: float = 0.5,
    limit: int = 24,
    ax: Axes | None = None,
    title: str | None = None,
    context: str = "notebook",
) -> Axes:
    """Draw how many cases pass exactly which variants.

    Parameters
    ----------
    scores : DataFrame
        Index case, one float column a variant, NaN = not scored.
    threshold : float
        A case passes a variant where its score reaches this.
    limit : int
        Most patterns drawn, the most frequent first; the note says how many are left out.
    ax, title, context
        As in every chart: where to draw, a title instead of the finding, "notebook" or "slide".

    Returns
    -------
    Axes
        The bars; the matrix beneath is the second Axes of the figure, the bars of the variants the third.
        Variants with the same verdict on every case share a row.

    Examples
    --------
    >>> scores = pd.DataFrame({"recall": [1.0, 0.5, 0.0], "exact": [1.0, 0.0, 0.0]})
    >>> upset(scores).get_title(loc="left")
    '33% of the cases pass some of the variants and fail others'
    """
    check_number("limit", limit, low=1, whole=True)
    frame = score_frame(scores)
    patterns = upset_data(frame, threshold=threshold)
    cases = patterns.index.get_level_values("cases").to_numpy()
    states = np.nan_to_num(patterns.to_numpy(), nan=_UNSCORED)
    passed, failed = states == 1, states == 0
    note = f"{scored_note(frame)}; passing is {threshold:g} or more"
    with canvas(ax, title, context, (8.6, 6.2)) as ax:
        if not (passed | failed).any():
            return empty(ax, "No variant scored any case, so no case passes or fails.", title, note)
        # Variants with the same verdicts share a row; the rows by the number of cases that pass.
        _, first, group = np.unique(states, axis=1, return_index=True, return_inverse=True)
        sizes = cases @ passed[:, first]
        ranked = np.lexsort([first, -sizes])
        rows, size = fitting_rows(len(ranked), room(ax)[1] * 0.44, font(0.7), font(0.85))
        shown = ranked[rows]
        members = [list(frame.columns[group.ravel() == row]) for row in shown]
        wide = min(limit, len(patterns), int(room(ax)[0] * 0.6 / font(1.7)))
        bars, matrix = split(ax, heights=[1, len(shown) * size * 1.35 / (room(ax)[1] * 0.4)], space=0.02)
        _draw_bars(bars, cases[:wide])
        _draw_matrix(matrix, states[:wide, first[shown]].T, members, size)
        names = short_names([each[0] for each in members], room(ax)[0] * 0.25, size)
        also = [
            f"{name} +{len(each) - 1}" if len(each) > 1 else name for name, each in zip(names, members, strict=True)
        ]
        names_on(matrix.yaxis, range(len(shown)), also, np.inf, size)
        for y, row in enumerate(shown):
            beside(matrix, y, f"{sizes[row]:,} pass", size)
        matrix.set_xlim(bars.get_xlim())
        depends = int(cases[passed.any(axis=1) & failed.any(axis=1)].sum())
        finding = f"{depends / len(frame):.0%} of the cases pass some of the variants and fail others"
        note += left_out(len(patterns) - wide, "pattern", f"({cases[wide:].sum():,} cases) left out")
        note += left_out(len(ranked) - len(shown), "row", "left out")
        note += "; +n: as many more variants with the same verdicts" if len(first) < frame.shape[1] else ""
        note += "; × not scored" if (states == _UNSCORED).any() else ""
        headline(bars, title or finding, note)
    return bars


def _draw_bars(ax: Axes, cases: NDArray[np.int64]) -> None:
    ax.bar(np.arange(len(cases)), cases, width=0.6, color=INK)
    for x, count in enumerate(cases):
        text = f"{count:,}" if count < 10_000 else f"{count / 1000:,.0f}k"
        ax.annotate(text, (x, count), xytext=(0, 2), textcoords="offset points", ha="center", fontsize=font(0.72))
    ax.set_xlim(-0.6, max(len(cases), 4) - 0.4)
    ax.set_ylim(0, cases.max() * 1.1)
    ax.set_xticks([])
    ax.set_ylabel("cases")
    ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def _draw_matrix(ax: Axes, states: NDArray[np.float64], members: list[list[str]], size: float) -> None:
    x = np.arange(states.shape[1])
    dot = size * 0.75
    for y, (names, line) in enumerate(zip(members, states, strict=True)):
        if y % 2 == 0:
            ax.axhspan(y - 0.5, y + 0.5, color="#f6f6f6", zorder=0)
        for state, marker, colour in ((0, "o", PALE), (1, "o", look(names[0]).colour), (_UNSCORED, "x", GREY)):
            hit = x[line == state]
            ax.plot(hit, np.full(len(hit), y), marker, color=colour, ms=dot * (0.7 if marker == "x" else 1), zorder=3)
    for i, column in zip(x, states.T, strict=True):
        hit = np.flatnonzero(column == 1)
        if len(hit) > 1:
            ax.plot([i, i], [hit.min(), hit.max()], color=LIGHT, lw=size * 0.16, zorder=1)
    ax.set_ylim(len(states) - 0.5, -0.5)
    ax.set_xticks([])
    ax.spines[:].set_visible(False)
