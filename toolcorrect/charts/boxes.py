"""The four boxes: solved or not, passed or not."""

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
    need,
    room,
    unscored_words,
    variant_names,
)
from toolcorrect.charts._style import BLUE, ORANGE, SKY, VERMILLION, on_fill, readable
from toolcorrect.charts._text import counted, plain, text_width

# Column -> (words, colour, hatch): right answers blue, wrong ones warm and hatched.
_BOXES = {
    "solved_passed": ("solved, passed", BLUE, ""),
    "unsolved_failed": ("unsolved, failed", SKY, ""),
    "unsolved_passed": ("unsolved, but passed", ORANGE, "///"),
    "solved_failed": ("solved, but failed", VERMILLION, "\\\\\\"),
}


def boxes_data(calibration: pd.DataFrame) -> pd.DataFrame:
    """Return the four counts of every variant, those that agree with the outcome most often first.

    Parameters
    ----------
    calibration : DataFrame
        Of `calibrate`: index variant, columns null, threshold, solved_passed, solved_failed, unsolved_passed,
        unsolved_failed.

    Returns
    -------
    DataFrame
        The four counts; agreement: the share of solved that passed and unsolved that failed; null, those rows last.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> scores = pd.DataFrame({"recall": [1.0] * 40, "exact": [1.0, 0.0] * 20})
    >>> boxes_data(tc.calibrate(scores, [1, 0] * 20)).agreement.to_dict()
    {'exact': 1.0, 'recall': 0.5, 'null.constant': 0.5}
    """
    need(calibration, [*_BOXES, "null", "threshold"], "boxes")
    table = calibration[list(_BOXES)].astype("float64")
    total = table.sum(axis=1)
    table["agreement"] = (table["solved_passed"] + table["unsolved_failed"]) / total.where(total > 0)
    table["null"] = calibration["null"].astype(bool)
    return table.iloc[np.lexsort([-table["agreement"].fillna(-1).to_numpy(), table["null"].to_numpy()])]


def boxes(
    calibration: pd.DataFrame,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    context: str = "notebook",
) -> Axes:
    """Draw for every variant how many solved runs passed, and how many did not.

    Parameters
    ----------
    calibration : DataFrame
        Of `calibrate`.
    ax, title, context
        As in every chart: where to draw, a title instead of the finding, "notebook" or "slide".

    Returns
    -------
    Axes
        One row a variant of four segments, right ones at the left; the wrong ones are hatched.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> calibration = tc.calibrate(pd.DataFrame({"recall": [1.0, 0.5] * 20}), [1, 0] * 20)
    >>> boxes(calibration).get_title(loc="left").split(":")[0]
    'recall agrees with the outcome most often'
    """
    table = boxes_data(calibration)
    total = table[list(_BOXES)].sum(axis=1)
    most = float(total.max()) if len(table) else 0.0
    threshold = f"; passing is {calibration['threshold'].iloc[0]:g} or more" if len(table) else ""
    unscored = most - float(total.min()) if len(table) else 0.0
    note = f"{counted(round(most), 'case')} with an outcome, {unscored_words(unscored, 'by some variant')}{threshold}"
    with canvas(ax, title, context, (8.6, float(np.clip(1.9 + 0.4 * len(table), 2.8, 30)))) as ax:
        if not most:
            return empty(ax, "No case has both a score and an outcome.", title, note)
        rows, size = fitting_rows(len(table), room(ax)[1] * 0.74, font(0.66), font(0.9))
        drawn = table.iloc[rows]
        y, start = list(range(len(drawn))), np.zeros(len(drawn))
        scale = room(ax)[0] * 0.6 / most
        for box, (_, colour, hatch) in _BOXES.items():
            counts = drawn[box].to_numpy()
            ax.barh(
                y,
                counts,
                left=start,
                height=0.72,
                color=colour,
                hatch=hatch,
                edgecolor="white",
                linewidth=0.6,
                label=box,
            )
            for at, count, left in zip(y, counts, start, strict=True):
                text = f"{count:,.0f}"
                if text_width(text, size) + 4 < count * scale:
                    background = {"facecolor": colour, "edgecolor": "none", "pad": 1} if hatch else None
                    ax.text(
                        left + count / 2,
                        at,
                        text,
                        ha="center",
                        clip_on=True,
                        va="center",
                        fontsize=size,
                        color=on_fill(colour),
                        bbox=background,
                    )
            start = start + counts
        for at, share in zip(y, drawn["agreement"], strict=True):
            beside(ax, at, "–" if np.isnan(share) else f"{share:.0%} right", size)
        variant_names(ax, drawn.index, drawn["null"], size)
        ax.set_ylim(len(drawn) - 0.5, -0.5)
        ax.set_xlim(0, most)
        ax.set_xticks([])
        ax.spines[["left", "bottom"]].set_visible(False)
        _key(ax, drawn.iloc[-1], size)
        finding = _finding(table)
        headline(ax, title or finding, note + left_out(len(table) - len(drawn), "row", "between left out"))
    return ax


def _finding(table: pd.DataFrame) -> str:
    null = table["null"].astype(bool)
    real, blind = table.loc[~null, "agreement"].dropna(), table.loc[null, "agreement"].dropna()
    if real.empty:
        return "Only null rows could be measured"
    words = f"{plain(real.idxmax())} agrees with the outcome most often: {real.max():.0%} of its cases"
    # A constant guess is right as often as the commoner outcome comes.
    return words + (f", but {plain(blind.idxmax())} {blind.max():.0%}" if blind.max() >= real.max() else "")


def _key(ax: Axes, last: pd.Series, size: float) -> None:
    """Name the four segments beneath the last row."""
    x = 0.0
    across = room(ax)[0] * 0.6
    for words, colour, hatch in _BOXES.values():
        ax.annotate(
            ("▨ " if hatch else "■ ") + words, (x, 0), xycoords="axes fraction", xytext=(0, -font(0.5)), va="top",
            textcoords="offset points", fontsize=font(0.85), color=readable(colour), annotation_clip=False,
        )  # fmt: skip
        x += (text_width(f"■ {words}", font(0.85)) + font(1.4)) / across
