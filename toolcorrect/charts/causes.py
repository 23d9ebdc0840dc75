"""Why two definitions disagree: cases and gap by cause."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from toolcorrect.charts._drawing import (
    canvas,
    empty,
    fitting_rows,
    font,
    headline,
    names_on,
    need,
    room,
    unscored_words,
)
from toolcorrect.charts._style import BLUE, INK, SKY
from toolcorrect.charts._text import counted, plain
from toolcorrect.explaining.disagreeing import CAUSES_IN_WORDS


# The causes of `disagreements`, as a reader would say them.
def causes_data(disagreements: pd.DataFrame) -> pd.DataFrame:
    """Count disagreeing cases by cause.

    Parameters
    ----------
    disagreements : DataFrame
        Of `disagreements`: one row a case, columns gap (NaN where one variant did not score) and cause.

    Returns
    -------
    DataFrame
        Index cause, most frequent first; columns cases, share (of all cases given), mean_gap (of the absolute gaps).
        A missing cause is "unscored" where the gap is NaN, else "not told".

    Examples
    --------
    >>> found = pd.DataFrame({"gap": [0.5, -0.3, 1.0], "cause": ["extra", "extra", "order"]})
    >>> causes_data(found).round(2).values.tolist()
    [[2.0, 0.67, 0.4], [1.0, 0.33, 1.0]]
    """
    need(disagreements, ["gap", "cause"], "causes")
    gap = disagreements["gap"].astype("float64").abs()
    cause = disagreements["cause"].astype("object")
    unknown = cause.isna()
    cause = cause.where(~unknown, pd.Series(np.where(gap.isna(), "unscored", "not told"), index=cause.index))
    grouped = gap.groupby(cause.astype(str))
    table = pd.DataFrame({"cases": grouped.size(), "mean_gap": grouped.mean()})
    table["share"] = table["cases"] / max(len(disagreements), 1)
    table.index.name = "cause"
    return table.sort_values("cases", ascending=False, kind="stable")[["cases", "share", "mean_gap"]]


def causes(
    disagreements: pd.DataFrame,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    context: str = "notebook",
) -> Axes:
    """Draw how many cases each cause sets apart.

    Parameters
    ----------
    disagreements : DataFrame
        Of `disagreements`: one row a case, columns gap and cause.
    ax, title, context
        As in every chart: where to draw, a title instead of the finding, "notebook" or "slide".

    Returns
    -------
    Axes
        One bar a cause, longest on top, with its share and mean gap beside it.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "b"], "expected": ["a"]}])
    >>> causes(tc.disagreements(data, "recall", "exact")).get_title(loc="left")
    'Extra calls: the cause in 100% of the cases'
    """
    table = causes_data(disagreements)
    unscored = int(disagreements["gap"].isna().sum())
    others = [name for name in disagreements.columns if name not in ("task", "model", "gap", "cause")]
    pair = f" between {plain(others[0])} and {plain(others[1])}" if len(others) == 2 else ""
    note = f"{counted(len(disagreements), 'case')} listed as differing{pair}, "
    note += unscored_words(unscored, "by one of the two") if unscored else "unscored ones not among them"
    with canvas(ax, title, context, (7.6, float(np.clip(1.6 + 0.42 * len(table), 2.6, 12)))) as ax:
        if table.empty:
            return empty(ax, "No case differs, so there is no cause.", title, note)
        rows, size = fitting_rows(len(table), room(ax)[1] * 0.75, font(0.7), font(0.95))
        drawn = table.iloc[rows]
        y = np.arange(len(drawn))
        ax.barh(y, drawn["cases"], height=0.62, color=[BLUE if i == 0 else SKY for i in y])
        for at, row in zip(y, drawn.itertuples(), strict=True):
            gap = "" if np.isnan(row.mean_gap) else f", mean gap {row.mean_gap:.2f}"
            ax.annotate(
                f"{row.cases:,} ({row.share:.0%}){gap}", (row.cases, at), xytext=(size * 0.5, 0), va="center",
                textcoords="offset points", fontsize=size, color=INK, annotation_clip=False,
            )  # fmt: skip
        names_on(ax.yaxis, y, [CAUSES_IN_WORDS.get(cause, cause) for cause in drawn.index], room(ax)[0] * 0.3, size)
        ax.set_ylim(len(drawn) - 0.5, -0.5)
        ax.set_xlim(0, table["cases"].max() * 1.02)
        ax.set_xticks([])
        ax.spines[["left", "bottom"]].set_visible(False)
        top = table.index[0]
        words = CAUSES_IN_WORDS[top].capitalize() if top in CAUSES_IN_WORDS else plain(top)
        headline(ax, title or f"{words}: the cause in {table['share'].iloc[0]:.0%} of the cases", note)
    return ax
