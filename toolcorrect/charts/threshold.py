"""Pass rate against threshold: what a cut-off does to each definition."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from toolcorrect.charts._drawing import canvas, empty, font, headline, left_out, score_frame, scored_note
from toolcorrect.charts._lines import end_labels, unnamed_in_grey
from toolcorrect.charts._style import LIGHT, look
from toolcorrect.charts._text import plain
from toolcorrect.errors import check_number
from toolcorrect.statistics.thresholds import TOLERANCE, passes

_STEPS = 100


def threshold_data(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the share of scored cases that pass at each threshold, a case passing where score >= threshold.

    Parameters
    ----------
    scores : DataFrame
        Index case, one float column a variant, NaN = not scored.

    Returns
    -------
    DataFrame
        Index ``threshold`` (101 values over the range of the scores, at least 0 to 1), a column a variant.

    Examples
    --------
    >>> rates = threshold_data(pd.DataFrame({"recall": [0.0, 0.5, 1.0, None]}))
    >>> rates.loc[[0.0, 0.5, 1.0], "recall"].round(2).tolist()
    [1.0, 0.67, 0.33]
    """
    frame = score_frame(scores)
    values = frame.to_numpy()
    found = values[np.isfinite(values)]
    low, high = min(0.0, found.min(initial=0.0)), max(1.0, found.max(initial=1.0))
    cuts = low + (high - low) * (np.arange(_STEPS + 1) / _STEPS)
    rates = {}
    for name, column in zip(frame.columns, values.T, strict=True):
        scored = column[np.isfinite(column)]
        # The number of cuts a score reaches; passing at a cut = reaching it or a later one.
        reached = np.bincount(np.searchsorted(cuts - TOLERANCE, scored, side="right"), minlength=len(cuts) + 1)
        passing = reached[::-1].cumsum()[::-1][1:]
        rates[name] = passing / len(scored) if len(scored) else np.full(len(cuts), np.nan)
    return pd.DataFrame(rates, index=pd.Index(cuts, name="threshold"))


def threshold(
    scores: pd.DataFrame,
    *,
    at: float = 0.5,
    ax: Axes | None = None,
    title: str | None = None,
    context: str = "notebook",
) -> Axes:
    """Draw the pass rate of every variant against the threshold.

    Parameters
    ----------
    scores : DataFrame
        Index case, one float column a variant, NaN = not scored.
    at : float
        The threshold that the title speaks of.
    ax : Axes, optional
        Where to draw; a new figure by default.
    title : str, optional
        Instead of the finding.
    context : {"notebook", "slide"}
        Sizes of figure and text.

    Returns
    -------
    Axes
        One line a variant, its label the variant's name.

    Examples
    --------
    >>> scores = pd.DataFrame({"recall": [1.0, 0.5, 0.0], "exact": [1.0, 0.0, 0.0]})
    >>> threshold(scores).get_title(loc="left")
    'At 0.5, the pass rate runs from 0.33 (exact) to 0.67 (recall)'
    """
    check_number("at", at)
    frame = score_frame(scores)
    rates = threshold_data(frame)
    drawn = rates.columns[rates.notna().all()]
    note = f"{scored_note(frame)}; each line over the cases its variant scored"
    with canvas(ax, title, context, (8, 4.8)) as ax:
        if not len(drawn):
            return empty(ax, "No variant scored any case, so there is no pass rate.", title, note)
        looks = [look(name) for name in drawn]
        lines = [
            ax.plot(rates.index, rates[name], drawstyle="steps-pre", c=way.colour, ls=way.line, label=plain(name))[0]
            for name, way in zip(drawn, looks, strict=True)
        ]
        ax.axvline(at, color=LIGHT, lw=font(0.1), ls=(0, (2, 2)), zorder=0)
        ax.set_xlim(rates.index[0], rates.index[-1])
        ax.set_ylim(-0.02, 1.02)
        ax.set_xlabel("threshold")
        ax.set_ylabel("share of cases that pass")
        there = passes(frame[drawn], at).mean()
        lowest, highest = there.idxmin(), there.idxmax()
        finding = f"At {at:g}, {plain(lowest)} passes {there[lowest]:.0%} of the cases"
        if len(drawn) > 1:
            ends = [f"{there[name]:.2f} ({plain(name)})" for name in (lowest, highest)]
            finding = f"At {at:g}, the pass rate runs from {' to '.join(ends)}"
        named = end_labels(ax, rates[drawn].to_numpy().T, list(drawn), looks, rates.index[-1])
        note += unnamed_in_grey(lines, named) + left_out(len(rates.columns) - len(drawn), "variant", "scored none")
        headline(ax, title or finding, note)
    return ax
