"""What a definition scores where a side is empty: three tiles a variant."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from toolcorrect.charts._drawing import canvas, empty, headline, left_out, need
from toolcorrect.charts._style import BLUE
from toolcorrect.charts._text import counted
from toolcorrect.charts._tiles import Tile, tiles

_SIDES = {
    "empty_both": "nothing expected,\nnothing called",
    "empty_unexpected": "nothing expected,\nsomething called",
    "empty_uncalled": "something expected,\nnothing called",
}
_COLOURS = LinearSegmentedColormap.from_list("score", ["#f3f3f3", BLUE])
_NO_NUMBER = ("rejected", "undefined", "formula")


def empty_sides_data(variants: pd.DataFrame) -> pd.DataFrame:
    """Return what every variant scores where a side is empty, variants with the same rule together.

    Parameters
    ----------
    variants : DataFrame
        Of `variants`: index name, columns empty_both, empty_unexpected, empty_uncalled: a number, NaN (undefined),
        "rejected" or "formula".

    Returns
    -------
    DataFrame
        The three columns as object, rules shared by most variants first.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> empty_sides_data(tc.variants().loc[["recall", "exact", "f1"]]).empty_unexpected.to_dict()
    {'exact': 0.0, 'f1': 0.0, 'recall': nan}
    """
    need(variants, list(_SIDES), "empty_sides")
    table = variants[list(_SIDES)].astype(object)
    rule = table.map(_words).agg("|".join, axis=1) if len(table) else pd.Series(dtype=object)
    shared = rule.map(rule.value_counts())
    order = np.lexsort([np.arange(len(table)), rule.to_numpy(dtype=str), -shared.to_numpy(dtype=np.int64)])
    return table.iloc[order]


def empty_sides(
    variants: pd.DataFrame,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    context: str = "notebook",
) -> Axes:
    """Draw what every variant scores where nothing was expected, nothing called, or neither.

    Parameters
    ----------
    variants : DataFrame
        Of `variants`; index it by the names wanted, as in ``tc.variants().loc[scores.columns]``.
    ax, title, context
        As in every chart: where to draw, a title instead of the finding, "notebook" or "slide".

    Returns
    -------
    Axes
        One row of three tiles a rule; variants with the same rule share a row and are named at its left.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> empty_sides(tc.variants("deepeval*")).get_title(loc="left").split(";")[0]
    '3 rules for empty sides'
    """
    table = empty_sides_data(variants)
    note = f"{counted(len(table), 'variant')}; where both sides hold calls, the formula decides"
    rules: dict[tuple[str, ...], list[Any]] = {}
    for name, row in table.iterrows():
        rules.setdefault(tuple(map(_words, row)), []).append(name)
    with canvas(ax, title, context, (8.6, float(np.clip(2.2 + 0.42 * len(rules), 2.8, 24)))) as ax:
        if not rules:
            return empty(ax, "No variant was given.", title, note)
        made = [(names, [_tile(text) for text in cells]) for cells, names in rules.items()]
        hidden, above = tiles(ax, made, list(_SIDES.values()), 0.46)
        counts = table.map(_words).nunique()
        most = _SIDES[counts.idxmax()].replace("\n", " ")
        finding = (
            "All score empty sides alike"
            if len(rules) == 1
            else f"{len(rules)} rules for empty sides; with {most}, {counts.max()} answers"
        )
        note += left_out(hidden, "rule", "left out")
        headline(ax, title or finding, note, above=above)
    return ax


def _words(value: object) -> str:
    if isinstance(value, str):
        return value if value in _NO_NUMBER else "undefined"
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return "undefined"
    return f"{float(value):g}"  # type: ignore[arg-type]


def _tile(text: str) -> Tile:
    if text in _NO_NUMBER:
        return Tile(text, None, "-" if text == "rejected" else (0, (2, 2)))
    return Tile(text, _COLOURS(min(max(float(text), 0.0), 1.0))[:3])
