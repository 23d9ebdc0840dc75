"""What each edit of a run does to its score: a tile an edit, a row a family of variants that behave alike."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from toolcorrect.charts._drawing import canvas, empty, headline, left_out, score_frame
from toolcorrect.charts._style import BLUE, VERMILLION
from toolcorrect.charts._text import counted, plain
from toolcorrect.charts._tiles import Tile, tiles
from toolcorrect.comparing.agreeing import families

_COLOURS = LinearSegmentedColormap.from_list("change", [VERMILLION, "#f3f3f3", BLUE])


def edit_costs_data(changes: pd.DataFrame, *, distance: float = 0.08) -> pd.DataFrame:
    """Return the mean change of each family of variants under each edit.

    Parameters
    ----------
    changes : DataFrame
        Index edit, one float column a variant: how much the edit changes the score; NaN where it is not scored.
    distance : float
        Variants are one family up to this mean gap between their changes.

    Returns
    -------
    DataFrame
        Index members (names with commas between), families that are alike beside each other; a column an edit.
        Variants that score no edit are left out.

    Examples
    --------
    >>> values = {"recall": [0.0, -0.5], "any": [0.0, -0.5], "exact": [-1.0, -1.0]}
    >>> changes = pd.DataFrame(values, ["extra", "missing"])
    >>> edit_costs_data(changes).loc["recall, any"].to_dict()
    {'extra': 0.0, 'missing': -0.5}
    """
    frame = score_frame(changes)
    found = [(", ".join(map(str, names)), frame[names].mean(axis=1)) for names in _alike(frame, distance)]
    table = pd.DataFrame([mean for _, mean in found], columns=frame.index)
    return table.set_axis(pd.Index([members for members, _ in found], name="members", dtype=object))


def edit_costs(
    changes: pd.DataFrame,
    *,
    distance: float = 0.08,
    ax: Axes | None = None,
    title: str | None = None,
    context: str = "notebook",
) -> Axes:
    """Draw how much each edit changes the score, variants that behave alike in one row.

    Parameters
    ----------
    changes : DataFrame
        Index edit, one float column a variant, as ``scores - scores.loc["as it was"]``, a row an edited run.
    distance : float
        Variants share a row up to this mean gap between their changes.
    ax, title, context
        As in every chart: where to draw, a title instead of the finding, "notebook" or "slide".

    Returns
    -------
    Axes
        A row of tiles a family, the mean change in each; families that are alike beside each other.

    Examples
    --------
    >>> changes = pd.DataFrame({"recall": [0.0, -0.5], "exact": [-1.0, -1.0]}, ["extra", "missing"])
    >>> edit_costs(changes).get_title(loc="left").split(";")[0]
    '2 ways to react'
    """
    frame = score_frame(changes)
    scored = int(frame.notna().any().sum())
    note = f"Change of the score under {counted(len(frame), 'edit')}, mean of the variants of a row; "
    note += counted(scored, "variant") + left_out(frame.shape[1] - scored, "variant", "without a score")
    alike = _alike(frame, distance)
    with canvas(ax, title, context, (11.5, float(np.clip(2.4 + 0.27 * len(alike), 2.8, 24)))) as ax:
        if not alike:
            return empty(ax, "No variant scores any of the edited runs.", title, note)
        rows = [(names, [_tile(value) for value in frame[names].mean(axis=1)]) for names in alike]
        hidden, above = tiles(ax, rows, [plain(edit) for edit in frame.index], 0.34)
        note += left_out(hidden, "row", "left out")
        headline(ax, title or _finding(frame, len(alike)), note, above=above)
    return ax


def _alike(frame: pd.DataFrame, distance: float) -> list[list[str]]:
    """Return the families, each a list of names, those that are alike beside each other."""
    frame = frame.loc[:, frame.notna().any()]
    if frame.empty:
        return []
    found = families(frame, measure="mean_gap", distance=distance)
    first = found.groupby("family")["order"].min().sort_values()
    return [found.index[found["family"] == family].to_list() for family in first.index]


def _tile(value: float) -> Tile:
    if np.isnan(value):
        return Tile("–", None)
    return Tile(_number(value), _COLOURS(min(max((value + 1) / 2, 0.0), 1.0))[:3])


def _number(value: float) -> str:
    """Write a change in two digits at most, without a sign where it rounds to nothing."""
    return f"{round(value, 2) + 0.0:g}".replace("-", "−")


def _finding(frame: pd.DataFrame, rows: int) -> str:
    apart = frame.std(axis=1, ddof=0).fillna(0.0).to_numpy()
    edit = frame.iloc[int(apart.argmax())]
    low, high = _number(edit.min()), _number(edit.max())
    ways = counted(rows, "way to react", "ways to react")
    return f"{ways}; most apart on “{plain(edit.name)}”, from {low} to {high}"
