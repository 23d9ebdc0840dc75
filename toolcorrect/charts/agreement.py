"""Which variants agree: a heatmap in clustered order."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from toolcorrect.charts._drawing import (
    canvas,
    empty,
    font,
    headline,
    left_out,
    names_below,
    names_on,
    own,
    room,
    score_frame,
    scored_note,
)
from toolcorrect.charts._style import BLUE, PALE, VERMILLION, on_fill
from toolcorrect.charts._text import plain
from toolcorrect.comparing import agreeing as comparing
from toolcorrect.errors import check_option

# Measure -> (words, lowest value, value at which two variants say the same).
_MEASURES = {
    "kendall": ("Kendall's tau-b", -1.0, 1.0),
    "spearman": ("Spearman's rank correlation", -1.0, 1.0),
    "same_verdict": ("share of cases with the same verdict", 0.0, 1.0),
    "mean_gap": ("mean absolute gap", 0.0, 0.0),
}


def agreement_data(scores: pd.DataFrame, *, measure: str = "kendall", threshold: float = 0.5) -> pd.DataFrame:
    """Return the agreement of every two variants, alike ones beside each other.

    Parameters
    ----------
    scores : DataFrame
        Index case, one float column a variant, NaN = not scored.
    measure : {"kendall", "spearman", "same_verdict", "mean_gap"}
        As in `comparing.agreement`.
    threshold : float
        At or above it a case passes, for ``same_verdict``.

    Returns
    -------
    DataFrame
        Square, variants in clustered order on both sides; NaN where the measure is not defined.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [0.0, 0.5, 1.0], "b": [1.0, 0.5, 0.0], "c": [0.0, 0.6, 1.0]})
    >>> agreement_data(scores).loc["a"].to_dict()
    {'a': 1.0, 'c': 1.0, 'b': -1.0}
    """
    check_option("measure", measure, _MEASURES)
    frame = score_frame(scores)
    table = comparing.agreement(frame, threshold=threshold)
    size = frame.shape[1]
    found = table[measure].to_numpy().reshape(size, size)
    apart = np.nan_to_num(found if measure == "mean_gap" else 1 - found, nan=1.0)
    np.fill_diagonal(apart, 0)
    order = np.argsort(comparing.average_linkage(apart, 0)[1])
    names = frame.columns[order]
    return pd.DataFrame(found[np.ix_(order, order)], index=names, columns=names)


def agreement(
    scores: pd.DataFrame,
    *,
    measure: str = "kendall",
    threshold: float = 0.5,
    ax: Axes | None = None,
    title: str | None = None,
    context: str = "notebook",
) -> Axes:
    """Draw how far every two variants agree, numbers in the cells while they fit.

    Parameters
    ----------
    scores : DataFrame
        Index case, one float column a variant, NaN = not scored.
    measure : {"kendall", "spearman", "same_verdict", "mean_gap"}
        What agreement means.
    threshold : float
        At or above it a case passes, for ``same_verdict``.
    ax, title, context
        As in every chart: where to draw, a title instead of the finding, "notebook" or "slide".

    Returns
    -------
    Axes
        The heatmap; rows and columns in the same, clustered order.

    Examples
    --------
    >>> scores = pd.DataFrame({"recall": [1.0, 0.5, 0.0], "exact": [1.0, 0.0, 0.0]})
    >>> agreement(scores).get_title(loc="left")
    'Agreement of recall and exact (0.82)'
    """
    check_option("measure", measure, _MEASURES)
    frame = score_frame(scores)
    words, lowest, same = _MEASURES[measure]
    note = f"{words}{f' at {threshold:g}' if measure == 'same_verdict' else ''}; {scored_note(frame)}"
    side = float(np.clip(3.2 + 0.42 * frame.shape[1], 4.6, 14))
    with canvas(ax, title, context, (side + 1.2, side)) as ax:
        if frame.empty or frame.isna().all(axis=None):
            return empty(ax, "No variant scored any case, so there is nothing to agree on.", title, note)
        table = agreement_data(frame, measure=measure, threshold=threshold)
        values, count = table.to_numpy(), len(table)
        ends = [VERMILLION, "#ffffff", BLUE] if lowest < 0 else [BLUE, "#ffffff"] if same == 0 else ["#ffffff", BLUE]
        colours = LinearSegmentedColormap.from_list("agreement", ends).with_extremes(bad=PALE)
        edges = np.arange(count + 1) - 0.5
        image = ax.pcolormesh(edges, edges, values, cmap=colours, vmin=lowest, vmax=1)
        image.set(edgecolors="white", linewidth=0.8 if count < 50 else 0)
        square = own(ax) and context == "notebook"
        ax.set(aspect="equal" if square else "auto", xlim=(-0.5, count - 0.5), ylim=(count - 0.5, -0.5))
        high = room(ax)[1] * 0.66 / count
        wide = high if square else room(ax)[0] * 0.68 / count
        digits = min(wide / 2.7, high / 1.3, font(0.85))
        if digits >= font(0.55):
            for (row, column), value in np.ndenumerate(values):
                text = "–" if np.isnan(value) else f"{value:.2f}".replace("-", "−")
                fill = PALE if np.isnan(value) else colours((value - lowest) / (1 - lowest))[:3]
                ax.text(
                    column, row, text, ha="center", va="center", fontsize=digits, color=on_fill(fill), clip_on=True
                )
        else:
            bar = ax.figure.colorbar(image, ax=ax, shrink=0.4, aspect=18, pad=0.02)
            bar.outline.set_visible(False)
        # Every name where it fits, else every second, third, ...
        step = int(np.ceil(font(0.5) * 1.15 / high))
        size = float(np.clip(high * step / 1.2, font(0.5), font(0.85)))
        at = np.arange(0, count, step)
        names_on(ax.yaxis, at, table.index[at], room(ax)[0] * 0.28, size)
        names_below(ax, at, table.index[at], wide * step, size)
        ax.spines[:].set_visible(False)
        note += f"; every {step}. name is written" if step > 1 else ""
        undefined = int(np.isnan(values[np.triu_indices(count, 1)]).sum())
        note += left_out(undefined, "pair", "undefined (–)" if digits >= font(0.55) else "undefined (grey)")
        headline(ax, title or _finding(table, same), note)
    return ax


def _finding(table: pd.DataFrame, same: float) -> str:
    pairs = np.triu_indices(len(table), 1)
    values = table.to_numpy()[pairs]
    if np.isnan(values).all():
        return "No two variants can be compared on these cases"
    apart = np.abs(values - same)
    near, far = int(np.nanargmin(apart)), int(np.nanargmax(apart))

    def named(pair: int) -> str:
        return f"{plain(table.index[pairs[0][pair]])} and {plain(table.index[pairs[1][pair]])} ({values[pair]:.2f})"

    if near == far or apart[near] == apart[far]:
        return f"Agreement of {named(near)}"
    return f"Most alike: {named(near)}; least: {named(far)}"
