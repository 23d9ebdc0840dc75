"""How much the definition decides: every variant by its value, its choices as dots beneath."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from toolcorrect.charts._drawing import (
    beside,
    canvas,
    empty,
    font,
    headline,
    left_out,
    names_below,
    names_on,
    need,
    room,
    split,
)
from toolcorrect.charts._style import BLUE, INK, LIGHT, ORANGE, PALE, look
from toolcorrect.charts._text import counted, plain
from toolcorrect.errors import DataError, check_name

# The values that can be drawn, each with its interval and its words; the first that is there is the default.
_VALUES = {
    "auc_within": ("within_low", "within_high", "AUC within task"),
    "auc": ("auc_low", "auc_high", "AUC, pooled"),
    "mean": ("low", "high", "mean score"),
}
CHOICES = ("arguments", "matching", "multiplicity", "order", "formula", "empty", "names", "scope", "by")
_OPTIONS = 7


def specification_data(
    values: pd.DataFrame | pd.Series, variants: pd.DataFrame | None = None, *, value: str | None = None
) -> pd.DataFrame:
    """Return the variants from the lowest value to the highest, with the choices each of them makes.

    Parameters
    ----------
    values : DataFrame or Series
        Index variant: of `calibrate` or `summarise`, or a plain series of numbers; or of `specifications`, which
        holds the choices itself. Rows without a value are left out, null rows too.
    variants : DataFrame, optional
        Of `variants`: index name; its columns arguments, multiplicity, order, formula, names, scope and by are the
        choices. Not needed where ``values`` has such columns.
    value : str, optional
        Column to draw: by default auc_within where any is known, else auc, else mean.

    Returns
    -------
    DataFrame
        Index variant; columns value, low, high, then one column a choice that differs between the variants.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> table = specification_data(pd.Series({"recall": 1.0, "recall.args": 0.5}), tc.variants())
    >>> table.drop(columns=["low", "high"]).to_dict("index")
    {'recall.args': {'value': 0.5, 'arguments': 'json'}, 'recall': {'value': 1.0, 'arguments': 'ignored'}}
    """
    frame = values.to_frame("value") if isinstance(values, pd.Series) else need(values, [], "specification")
    chosen = _chosen(frame, value)
    low, high, _ = _VALUES.get(chosen, ("", "", ""))
    if "null" in frame.columns:
        frame = frame[~frame["null"].astype(bool)]
    table = pd.DataFrame(index=pd.Index(frame.index.astype(str), name="variant"))
    for name, column in (("value", chosen), ("low", low), ("high", high)):
        table[name] = frame[column].to_numpy(dtype=np.float64, na_value=np.nan) if column in frame.columns else np.nan
    made = frame if variants is None else need(variants, [], "variants")
    choices = made[[name for name in CHOICES if name in made.columns]].astype(object)
    choices = choices.set_axis(table.index) if variants is None else choices.reindex(table.index)
    choices = choices.where(choices.notna(), "not told")
    table = table.join(choices) if table.index.is_unique else pd.concat([table, choices], axis=1)
    table = table[np.isfinite(table["value"])].sort_values("value", kind="stable")
    return table.loc[:, [*table.columns[:3], *(name for name in choices.columns if table[name].nunique() > 1)]]


def _chosen(frame: pd.DataFrame, value: str | None) -> str:
    """Return the column to draw."""
    if value is not None:
        check_name("column", value, frame.columns)
    there = [name for name in ("value", *_VALUES) if name in frame.columns]
    if value is None and not there:
        raise DataError("charts.specification finds no column auc_within, auc or mean; name one by value=.")
    known = [name for name in there if frame[name].notna().any()]
    return value or (known or there)[0]


def specification(
    values: pd.DataFrame | pd.Series,
    variants: pd.DataFrame | None = None,
    *,
    value: str | None = None,
    by: str | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    context: str = "notebook",
) -> Axes:
    """Draw every variant by its value, and beneath it the choices it makes.

    Parameters
    ----------
    values, variants, value
        As in `specification_data`.
    by : str, optional
        A choice whose two options colour the points, such as ``"arguments"``; by default every point has the colour
        of its variant.
    ax, title, context
        As in every chart: where to draw, a title instead of the finding, "notebook" or "slide".

    Returns
    -------
    Axes
        The values; the choices are the second Axes of the figure, one row an option.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "b"], "expected": ["a"]}])
    >>> specification(tc.specifications(data)).get_title(loc="left")
    'From 0.00 to 1.00, by the choices of the definition alone'
    """
    table = specification_data(values, variants, value=value)
    given = len(values)
    words = _value_words(values, value)
    note = f"{counted(len(table), 'definition')} by {words}"
    note += left_out(given - len(table), "row", "without a value or null")
    if isinstance(values, pd.DataFrame) and {"n_scored", "n"} & set(values.columns) and len(values):
        n = values["n"] if "n" in values.columns else values["n_total"]
        note += f"; {counted(int(n.max()), 'case')}, at least {int(values['n_scored'].min()):,} scored"
    with canvas(ax, title, context, (float(np.clip(4.5 + 0.17 * len(table), 8, 11.5)), 7.2)) as ax:
        if table.empty:
            return empty(ax, f"No variant has a value ({words}).", title, note)
        rows, gaps = _rows(table)
        if by is not None:
            check_name("choice", by, table.columns[3:], "It must differ between the variants.")
        places = np.arange(len(rows)) + np.cumsum(gaps) * 0.5
        tall = max(0.2, (places[-1] + 1) * 0.1 if len(rows) else 0.2)
        top, low = split(ax, heights=[1.1, min(tall, 1.7)], space=0.02)
        x = np.arange(len(table))
        mark = float(np.clip(room(ax)[0] * 0.62 / len(table) * 0.6, font(0.3), font(0.65)))
        coloured = [BLUE] * len(table) if variants is None and by is None else _colours(table, by)
        top.vlines(x, table["low"], table["high"], color=coloured, alpha=0.35, lw=mark * 0.35)
        top.scatter(x, table["value"], s=mark**2, color=coloured, zorder=3)
        top.grid(axis="y")
        top.set_xlim(-1, len(table))
        top.set_xticks([])
        top.set_ylabel(words)
        top.spines["bottom"].set_visible(False)
        _choices(low, table, rows, places, mark, named=variants is not None)
        first, last = table.index[0], table.index[-1]
        low_value, high_value = (f"{table['value'].iloc[end]:.2f}" for end in (0, -1))
        finding = f"From {low_value} ({plain(first)}) to {high_value} ({plain(last)}), by definition alone"
        if variants is None:
            finding = f"From {low_value} to {high_value}, by the choices of the definition alone"
        if len(table) == 1:
            finding = f"{plain(first)}: {low_value}"
        headline(top, title or finding, note)
    return top


def _value_words(values: pd.DataFrame | pd.Series, value: str | None) -> str:
    if isinstance(values, pd.Series):
        return plain(values.name or "value")
    chosen = _chosen(values, value)
    return _VALUES[chosen][2] if chosen in _VALUES else plain(chosen)


def _rows(table: pd.DataFrame) -> tuple[list[tuple[str, str, set[str]]], list[int]]:
    """Return one row an option (choice, words, options it stands for); rare options of a choice share the last."""
    rows: list[tuple[str, str, set[str]]] = []
    gaps = []
    for choice in table.columns[3:]:
        counts = table[choice].astype(str).value_counts(sort=True)
        options = list(counts.index)
        kept = options if len(options) <= _OPTIONS else options[: _OPTIONS - 1]
        for i, option in enumerate(kept):
            rows.append((choice, option, {option}))
            gaps.append(int(i == 0 and len(rows) > 1))
        if len(kept) < len(options):
            rows.append((choice, f"{len(options) - len(kept)} others", set(options[len(kept) :])))
            gaps.append(0)
    return rows, gaps


def _colours(table: pd.DataFrame, by: str | None) -> list[str]:
    if by is None:
        return [look(name).colour for name in table.index]
    commonest = table[by].astype(str).value_counts().index[0]
    return [ORANGE if str(option) == commonest else BLUE for option in table[by]]


def _choices(
    ax: Axes,
    table: pd.DataFrame,
    rows: list[tuple[str, str, set[str]]],
    places: np.ndarray,
    mark: float,
    *,
    named: bool,
) -> None:
    x = np.arange(len(table))
    tall = room(ax)[1] * 0.42 / max(places[-1] + 1, 1) if len(rows) else np.inf
    size = max(min(font(0.72), tall / 1.1), font(0.5))
    for y, (choice, _, options) in zip(places, rows, strict=True):
        hit = table[choice].astype(str).isin(options).to_numpy()
        ax.plot(x, np.full(len(x), y), "o", color=PALE, ms=mark * 0.55, mew=0)
        ax.plot(x[hit], np.full(int(hit.sum()), y), "o", color=INK, ms=mark * 0.85, mew=0)
        beside(ax, y, f"{table['value'].to_numpy()[hit].mean():.2f}", size)
    names = [f"{choice}: {option}" for choice, option, _ in rows]
    names_on(ax.yaxis, places, names, room(ax)[0] * 0.26, size)
    ax.set_xlim(-1, len(x))
    ax.set_ylim((places[-1] if len(places) else 0) + 0.7, -0.7)
    ax.spines[:].set_visible(False)
    pitch = room(ax)[0] * 0.62 / len(x)
    if named and pitch >= font(0.62):
        names_below(ax, x, list(table.index), pitch, float(np.clip(pitch / 1.25, font(0.5), font(0.75))))
    else:
        ax.set_xticks([])
    if rows:
        ax.annotate("mean", (1, places[0]), xycoords=("axes fraction", "data"), xytext=(size * 0.5, size * 1.2),
                    textcoords="offset points", fontsize=size, color=LIGHT, annotation_clip=False)  # fmt: skip
