"""What an extra, missing, repeated or swapped call costs under each definition."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from toolcorrect.charts._drawing import canvas, empty, font, headline, need, split
from toolcorrect.charts._lines import end_labels, unnamed_in_grey
from toolcorrect.charts._style import LIGHT, look
from toolcorrect.charts._text import counted, plain
from toolcorrect.variants import registry

_WORDS = {
    "add": "extra calls",
    "drop": "missing calls",
    "repeat": "repeated calls",
    "swap": "swapped calls",
    "change": "changed arguments",
}
# So many formulas are still read in a note.
_FORMULAS = 4


def penalty_data(curve: pd.DataFrame) -> pd.DataFrame:
    """Return the mean change of the score after so many edits.

    Parameters
    ----------
    curve : DataFrame
        Of `penalty_curve`: index (variant, edit, count), columns change and n.

    Returns
    -------
    DataFrame
        Index (edit, count), a column a variant, both in the order given.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "b"], "expected": ["a"]}])
    >>> curve = tc.penalty_curve(data, ["recall", "precision"], edits=["add"], most=2)
    >>> penalty_data(curve).loc["add"].round(2).to_dict("list")
    {'precision': [0.0, -0.17, -0.25], 'recall': [0.0, 0.0, 0.0]}
    """
    need(curve, ["change", "n"], "penalty")
    table = curve["change"].unstack(0)
    pairs = list(dict.fromkeys(zip(curve.index.get_level_values(1), curve.index.get_level_values(2), strict=True)))
    variants = curve.index.get_level_values(0).unique()
    return table.reindex(pd.MultiIndex.from_tuples(pairs, names=["edit", "count"]) if pairs else table.index)[
        list(variants)
    ]


def penalty(
    curve: pd.DataFrame,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    context: str = "notebook",
) -> Axes:
    """Draw how the score falls with every edit of the calls, a panel a kind of edit.

    Parameters
    ----------
    curve : DataFrame
        Of `penalty_curve`.
    ax, title, context
        As in every chart: where to draw, a title instead of the finding, "notebook" or "slide".

    Returns
    -------
    Axes
        The first panel; one line a variant, named at its right end. Beneath each number of edits the number of
        cases that could take so many and were scored by some variant.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "b"], "expected": ["a"]}])
    >>> curve = tc.penalty_curve(data, ["recall", "precision"], edits=["add"], most=2)
    >>> penalty(curve).get_title(loc="left").split(" to ")[0]
    'One extra call changes the score by +0.00 (recall)'
    """
    table = penalty_data(curve)
    edits = list(table.index.get_level_values(0).unique())
    total = int(curve["n_total"].max()) if "n_total" in curve.columns and len(curve) else 0
    note = f"{counted(total, 'case')}; beneath each number of edits, the cases that could take it"
    columns = 2 if len(edits) > 1 else 1
    rows = max(1, -(-len(edits) // columns))
    with canvas(ax, title, context, (10.5 if columns == 2 else 7.5, 1.4 + 3.1 * rows)) as ax:
        if table.isna().all(axis=None):
            return empty(ax, "No case could be edited and scored.", title, note)
        panels = split(ax, heights=[1] * rows, widths=[1] * columns, space=0.05)
        low, high = min(0.0, float(np.nanmin(table))), max(0.0, float(np.nanmax(table)))
        pad = 0.06 * (high - low) or 0.05
        grey = ""
        drawable = [edit for edit in edits if table.loc[edit].notna().any(axis=None)]
        for spare in panels[len(drawable) :]:
            spare.set_axis_off()
        for panel, edit in zip(panels, drawable, strict=False):
            part = table.loc[edit].dropna(how="all")
            n = curve.xs(edit, level=1)["n"].groupby(level=1).max()
            panel.axhline(0, color=LIGHT, lw=font(0.08), zorder=0)
            drawn = [name for name in table.columns if part[name].notna().any()]
            looks = [look(name) for name in drawn]
            lines = [
                panel.plot(part.index, part[name], c=way.colour, ls=way.line, marker=way.marker, ms=font(0.5))[0]
                for name, way in zip(drawn, looks, strict=True)
            ]
            for line, name in zip(lines, drawn, strict=True):
                line.set_label(plain(name))
            panel.set_ylim(low - pad, high + pad)
            panel.set_xlim(part.index.min() - 0.15, part.index.max() + 0.15)
            panel.set_xticks(part.index, labels=[f"{count}\n{n[count]:,}" for count in part.index])
            panel.set_ylabel("change of the score" if panel in panels[::columns] else "")
            panel.set_xlabel(_WORDS.get(edit, plain(edit)))
            share = (1 / columns, 0.85 / rows)
            named = end_labels(panel, part[drawn].to_numpy().T, drawn, looks, part.index.max(), share=share)
            grey = unnamed_in_grey(lines, named) or grey
        if len(table.columns) <= _FORMULAS:
            formulas = []
            for variant in (registry()[name] for name in table.columns if name in registry()):
                notation = variant.notation or (variant.axes.rule.notation if variant.axes else "")
                formulas += [f"{variant.name} = {notation}"] if notation else []
            note += f"; {', '.join(formulas)} (E expected, C called, m matched)" if formulas else ""
        headline(ax, title or _finding(table, drawable[0]), note + ("; lines without a name in grey" if grey else ""))
    return ax


def _finding(table: pd.DataFrame, edit: str) -> str:
    part = table.loc[edit].dropna(how="all")
    count = min((c for c in part.index if c > 0), default=0)
    cost = part.loc[count].dropna()
    what = (
        f"{count} {_WORDS.get(edit, plain(edit))}"
        if count > 1
        else f"One {_WORDS.get(edit, plain(edit)).removesuffix('s')}"
    )
    if cost.max() - cost.min() < 0.005:
        return f"{what} changes every score by {cost.mean():+.2f}"
    least, most = (f"{cost[name]:+.2f} ({plain(name)})" for name in (cost.idxmax(), cost.idxmin()))
    return f"{what} changes the score by {least} to {most}"
