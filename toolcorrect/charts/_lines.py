"""Lines named at their ends, never one label upon another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from toolcorrect.charts._drawing import font, left_out, own, room
from toolcorrect.charts._style import INK, LIGHT, Look, readable
from toolcorrect.charts._text import short_names, spread, text_width


def end_labels(
    ax: Axes,
    paths: NDArray[np.float64],
    names: Sequence[object],
    looks: Sequence[Look],
    x: float,
    *,
    share: tuple[float, float] = (1.0, 1.0),
) -> list[int]:
    """Name lines at their right end, labels moved apart, each with a thin line to its end.

    Lines that are the same all along share a label. Where labels do not fit, those evenly spaced in rank are kept.

    Parameters
    ----------
    ax : Axes
        With its limits set.
    paths : array of float, shape (lines, points)
        The heights of each line; the last one known is its end.
    names, looks : sequence
        One a line.
    x : float
        Where the lines end.
    share : (float, float)
        The part of the figure's width and height that the panel has.

    Returns
    -------
    list of int
        The lines that are named; the caller draws the others in grey and says how many.
    """
    size = font(0.85)
    width, height = room(ax)[0] * share[0], room(ax)[1] * share[1]
    height *= 0.62 if own(ax) else 0.95
    bottom, top = ax.get_ylim()
    gap = size * 1.25 / height
    alike: dict[tuple[float, ...], list[int]] = {}
    for i, path in enumerate(np.round(paths, 9)):
        known = path[np.isfinite(path)]
        if len(known):
            alike.setdefault((known[-1], *np.nan_to_num(path, nan=-1e9)), []).append(i)
    lines = sorted(alike)
    fit = max(2, int(1 / gap))
    if len(lines) > fit:
        lines = [lines[i] for i in np.linspace(0, len(lines) - 1, fit).round().astype(int)]
    values = [line[0] for line in lines]
    # Places as shares of the Axes, whichever way up it is.
    wanted = (np.array(values) - bottom) / (top - bottom)
    left, right = ax.get_xlim()
    start = (x - left) / (right - left)
    heights = spread(wanted, gap, gap / 2, 1)
    leaders = [[(start + 0.008, at_end), (1.03, y)] for at_end, y in zip(wanted, heights, strict=True)]
    ax.add_collection(
        LineCollection(leaders, colors=LIGHT, linewidths=0.7, transform=ax.transAxes, clip_on=False, zorder=0),
        autolim=False,
    ).set_in_layout(False)
    named = []
    for line, y in zip(lines, heights, strict=True):
        members = alike[line]
        texts = short_names([names[i] for i in members[:3]], width * 0.3, size)
        label = ", ".join(texts)
        if len(members) > 3 or text_width(label, size) > width * 0.32:
            label = texts[0] + (f" and {len(members) - 1} more" if len(members) > 1 else "")
        colours = {looks[i].colour for i in members}
        colour = readable(colours.pop()) if len(colours) == 1 else INK
        ax.text(1.035, y, label, transform=ax.transAxes, va="center", fontsize=size, color=colour, gid="end")
        named += members
    return named


def unnamed_in_grey(lines: Sequence[Line2D], named: Sequence[int]) -> str:
    """Draw the lines without a label in grey, behind the others; returns the words for the note."""
    others = [line for i, line in enumerate(lines) if i not in set(named)]
    for line in others:
        line.set(color=LIGHT, alpha=0.6, zorder=1, linewidth=line.get_linewidth() / 2, linestyle="-")
    return left_out(len(others), "line", "not named, in grey")
