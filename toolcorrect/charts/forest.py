"""Which definition tracks the outcome: AUC pooled and within task, null rows beside them."""

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
from toolcorrect.charts._style import GREY, LIGHT, PALE, look, readable
from toolcorrect.charts._text import counted, plain

_COLUMNS = ["auc", "auc_low", "auc_high", "auc_within", "within_low", "within_high"]


def forest_data(calibration: pd.DataFrame) -> pd.DataFrame:
    """Return the AUCs in the order they are drawn.

    Parameters
    ----------
    calibration : DataFrame
        Of `calibrate`: index variant, columns null, auc, auc_low, auc_high, auc_within, within_low, within_high,
        pairs, mixed_tasks, n_scored, n.

    Returns
    -------
    DataFrame
        The same columns, from the highest AUC within tasks (pooled where none is known) to the lowest; null rows
        last.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> scores = pd.DataFrame({"recall": ([1] * 4 + [0] * 4) * 5, "f1": [0.5, 0.5, 0.5, 0, 0.5, 0.5, 0.5, 1] * 5})
    >>> calibration = tc.calibrate(scores, [1, 1, 1, 0, 0, 0, 0, 1] * 5, task=list("aaaabbbb") * 5)
    >>> forest_data(calibration)[["auc", "auc_within"]].round(2).head(2).to_dict("index")
    {'f1': {'auc': 0.72, 'auc_within': 1.0}, 'recall': {'auc': 0.75, 'auc_within': 0.5}}
    """
    need(calibration, ["null", *_COLUMNS, "pairs", "mixed_tasks", "n_scored", "n"], "forest")
    table = calibration[["null", *_COLUMNS, "pairs", "mixed_tasks", "n_scored", "n"]]
    key = table["auc_within"] if table["auc_within"].notna().any() else table["auc"]
    order = np.lexsort([-key.fillna(-1).to_numpy(dtype=np.float64), table["null"].to_numpy(dtype=bool)])
    return table.iloc[order]


def forest(
    calibration: pd.DataFrame,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    context: str = "notebook",
) -> Axes:
    """Draw how well every variant tells solved from unsolved runs, over all runs and within tasks.

    Parameters
    ----------
    calibration : DataFrame
        Of `calibrate`.
    ax, title, context
        As in every chart: where to draw, a title instead of the finding, "notebook" or "slide".

    Returns
    -------
    Axes
        One row a variant: filled mark and interval within tasks, hollow mark pooled; rows that know nothing of
        the expected calls are grey and hatched apart. Where no task has both outcomes, only the pooled AUC.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> calibration = tc.calibrate(pd.DataFrame({"recall": [1.0, 0.5] * 20}), [1, 0] * 20)
    >>> forest(calibration).get_title(loc="left").split(";")[0]
    'recall tracks the outcome best over all runs (1.00)'
    """
    table = forest_data(calibration)
    within = bool(table["auc_within"].notna().any())
    n = int(table["n"].max()) if len(table) else 0
    unscored = int((table["n"] - table["n_scored"]).max()) if len(table) else 0
    note = f"{counted(n, 'case')} with an outcome, {unscored_words(unscored, 'by some variant')}; "
    if within:
        pairs, tasks = int(table["pairs"].max()), int(table["mixed_tasks"].max())
        note += f"{counted(pairs, 'solved-unsolved pair')} within {counted(tasks, 'task')}"
    else:
        note += "no task has both outcomes: within tasks cannot be told"
    with canvas(ax, title, context, (8.6, float(np.clip(1.7 + 0.36 * len(table), 2.8, 30)))) as ax:
        if table[["auc", "auc_within"]].isna().all(axis=None):
            return empty(ax, "No variant was scored on enough cases with an outcome for an AUC.", title, note)
        rows, size = fitting_rows(len(table), room(ax)[1] * 0.78, font(0.66), font(0.9))
        drawn = table.iloc[rows]
        ax.axvline(0.5, color=LIGHT, lw=font(0.12), zorder=0)
        for y, (name, row) in enumerate(drawn.iterrows()):
            colour = GREY if row["null"] else look(name).colour
            low, high, filled = (
                (row.within_low, row.within_high, row.auc_within) if within else (row.auc_low, row.auc_high, row.auc)
            )
            ax.plot([low, high], [y, y], color=colour, lw=size * 0.3, alpha=0.4, zorder=2)
            if within:
                ax.plot(row.auc, y, "o", mfc="white", mec=colour, ms=size * 0.72, mew=size * 0.13, zorder=3)
            ax.plot(filled, y, "o", color=colour, ms=size * 0.78, zorder=4)
            text = f"{row.auc:.2f} → {row.auc_within:.2f}" if within else f"{row.auc:.2f}"
            beside(ax, y, text.replace("nan", "–"), size, indent=1, color=readable(colour))
            if row["null"]:
                ax.axhspan(y - 0.5, y + 0.5, color="#f5f5f5", zorder=0)
        variant_names(ax, drawn.index, drawn["null"], size)
        ax.set_ylim(len(drawn) - 0.5, -0.5)
        found = drawn[_COLUMNS].to_numpy(dtype=np.float64)
        low, high = min(0.4, float(np.nanmin(found))), max(0.6, float(np.nanmax(found)))
        ax.set_xlim(low - 0.02, high + 0.02)
        ax.grid(axis="x", color=PALE)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel(
            "AUC:  ○ pooled   ● within tasks, 95 % interval;  0.5 = a coin"
            if within
            else "AUC, pooled, 95 % interval;  0.5 = a coin"
        )
        column = "auc_within" if within else "auc"
        real = table[~table["null"].astype(bool)]
        best = real[column].idxmax() if real[column].notna().any() else None
        lower = real["within_low" if within else "auc_low"]
        finding = "Only null rows could be measured"
        if best is not None:
            above = int((lower > 0.5).sum())
            where = "within tasks" if within else "over all runs"
            finding = f"{plain(best)} tracks the outcome best {where} ({real[column].max():.2f}); "
            finding += f"{above} of {counted(len(real), 'interval')} above 0.5"
        headline(ax, title or finding, note + left_out(len(table) - len(drawn), "row", "between left out"))
    return ax
