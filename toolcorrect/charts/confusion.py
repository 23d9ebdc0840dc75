"""Which tool is missed, invented or confused: expected against called."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle

from toolcorrect.charts._drawing import canvas, empty, font, headline, left_out, names_below, names_on, room
from toolcorrect.charts._style import BLUE, INK, PALE, VERMILLION, on_fill
from toolcorrect.charts._text import counted
from toolcorrect.errors import DataError

NOTHING = "(nothing)"


def confusion_data(counts: pd.DataFrame) -> pd.DataFrame:
    """Return the counts with the tools in one order on both sides, most used first.

    Parameters
    ----------
    counts : DataFrame
        Index: tools expected, columns: tools called, values: how often. The label NA, None, "" or "(nothing)"
        stands for no call: its column counts missed calls, its row calls that nothing asked for.

    Returns
    -------
    DataFrame
        Tools by use, those on one side only included, "(nothing)" last on both sides.

    Examples
    --------
    >>> confusion_data(pd.DataFrame({"a": [3, 1], "b": [0, 5]}, index=["a", None])).values.tolist()
    [[3, 0, 0], [0, 0, 0], [1, 5, 0]]
    """
    if not isinstance(counts, pd.DataFrame):
        raise DataError(f"charts.confusion draws a DataFrame of counts, not {type(counts).__name__}.")

    def labelled(labels: pd.Index) -> list[str]:
        return [NOTHING if pd.isna(label) or str(label) in ("", NOTHING) else str(label) for label in labels]

    values = counts.to_numpy(dtype=np.float64, na_value=0.0)
    if (values < 0).any() or (values != np.round(values)).any():
        raise DataError("charts.confusion draws counts, but the frame holds negative or broken numbers.")
    table = pd.DataFrame(values.astype(np.int64), index=labelled(counts.index), columns=labelled(counts.columns))
    table = table.groupby(level=0, sort=False).sum().T.groupby(level=0, sort=False).sum().T
    tools = [tool for tool in dict.fromkeys([*table.index, *table.columns]) if tool != NOTHING]
    table = table.reindex(index=[*tools, NOTHING], columns=[*tools, NOTHING], fill_value=0)
    use = table.sum(axis=0) + table.sum(axis=1)
    order = [*sorted(tools, key=lambda tool: -use[tool]), NOTHING]
    return table.loc[order, order]


def confusion(
    counts: pd.DataFrame,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    context: str = "notebook",
) -> Axes:
    """Draw which tool was called where which was expected.

    Parameters
    ----------
    counts : DataFrame
        Index: tools expected, columns: tools called, values: how often; see `confusion_data`.
    ax, title, context
        As in every chart: where to draw, a title instead of the finding, "notebook" or "slide".

    Returns
    -------
    Axes
        Shades are shares of a row; the diagonal (right calls) is blue, every other cell vermillion.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "b"], "expected": ["a"]}])
    >>> confusion(tc.confusion(data)).get_title(loc="left").split(";")[0]
    'Of 2 calls 1 agree'
    """
    table = confusion_data(counts)
    values, size = table.to_numpy(), len(table)
    total, right = int(values.sum()), int(np.trace(values))
    note = f"{counted(total, 'call')}, expected or made; rows: expected, columns: called; shade: share of the row"
    side = float(np.clip(2.6 + 0.42 * size, 4, 13))
    with canvas(ax, title, context, (side + 1.6, side)) as ax:
        if not total:
            return empty(ax, "No call was expected and none was made.", title, note)
        fit = max(3, int(min(room(ax)[1] * 0.62 / font(0.8), room(ax)[0] * 0.66 / font(0.8))))
        kept = np.arange(size) if size <= fit else np.r_[np.arange(fit - 1), size - 1]
        note += left_out(
            size - len(kept), "rarer tool", f"left out ({total - values[np.ix_(kept, kept)].sum():,} calls)"
        )
        values, names, size = values[np.ix_(kept, kept)], list(table.index[kept]), len(kept)
        share = values / np.maximum(values.sum(axis=1, keepdims=True), 1)
        good, bad = (LinearSegmentedColormap.from_list("share", ["#ffffff", colour]) for colour in (BLUE, VERMILLION))
        fills = bad(share)
        fills[np.diag_indices(size)] = good(np.diag(share))
        edges = np.arange(size + 1) - 0.5
        ax.pcolormesh(edges, edges, fills, edgecolors=PALE, linewidth=0.5)
        ax.set(xlim=(-0.5, size - 0.5), ylim=(size - 0.5, -0.5))
        high, wide = room(ax)[1] * 0.64 / size, room(ax)[0] * 0.7 / size
        digits = min(high / 1.5, wide / (0.7 * len(f"{values.max():,}") + 0.6), font(0.85))
        if digits >= font(0.5):
            for row, column in np.argwhere(values):
                colour = on_fill(fills[row, column][:3])
                ax.text(
                    column,
                    row,
                    f"{values[row, column]:,}",
                    ha="center",
                    va="center",
                    clip_on=True,
                    fontsize=digits,
                    color=colour,
                )
        ax.add_patch(
            Rectangle((size - 1.5, -0.5), 1, size, fill=False, ec=INK, lw=0.8, ls=(0, (2, 2)), clip_on=False)
        )
        ax.add_patch(
            Rectangle((-0.5, size - 1.5), size, 1, fill=False, ec=INK, lw=0.8, ls=(0, (2, 2)), clip_on=False)
        )
        text = float(np.clip(min(high, wide) / 1.25, font(0.5), font(0.85)))
        names_on(ax.yaxis, range(size), [*names[:-1], "nothing expected"], room(ax)[0] * 0.3, text)
        names_below(ax, range(size), [*names[:-1], "not called"], wide, text)
        ax.spines[:].set_visible(False)
        missed, invented = int(table[NOTHING].sum()), int(table.loc[NOTHING].sum())
        finding = f"Of {total:,} calls {right:,} agree; {missed:,} were missed, {invented:,} not asked for, "
        finding += f"{total - right - missed - invented:,} confused"
        headline(ax, title or finding, note)
    return ax
