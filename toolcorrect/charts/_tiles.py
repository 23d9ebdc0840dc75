"""Rows of tiles, each row named by the variants that share it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from toolcorrect.charts._drawing import fitting_rows, font, names_on, room
from toolcorrect.charts._style import GREY, LIGHT, on_fill
from toolcorrect.charts._text import short_names, shortened, wrapped


class Tile(NamedTuple):
    """What a tile says, on which colour; None: no number, so only an outline (``line`` is its style)."""

    text: str
    fill: Any
    line: Any = (0, (2, 2))


def tiles(
    ax: Axes, rows: Sequence[tuple[Sequence[object], Sequence[Tile]]], columns: Sequence[str], share: float
) -> tuple[int, float]:
    r"""Draw rows of tiles under named columns.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    rows : sequence of (names, tiles)
        Names that share a row, and a tile for each column.
    columns : sequence of str
        What stands above; ``\n`` breaks the line, and a longer text is wrapped.
    share : float
        Part of the width that names may take.

    Returns
    -------
    (int, float)
        How many rows were left out for want of room, and the height in points of what stands above.
    """
    kept, size = fitting_rows(len(rows), room(ax)[1] * 0.7, font(0.66), font(0.9))
    shown = [rows[i] for i in kept]
    for y, (_, cells) in enumerate(shown):
        for x, (text, fill, line) in enumerate(cells):
            tile = Rectangle((x - 0.47, y - 0.43), 0.94, 0.86, facecolor=fill or "#ffffff", linewidth=0.8)
            tile.set(edgecolor="none" if fill else LIGHT, linestyle=line)
            ax.add_patch(tile)
            colour = on_fill(fill) if fill else GREY
            ax.text(x, y, text, ha="center", va="center", clip_on=True, fontsize=size, color=colour)
    names = [_together(names, room(ax)[0] * share, size) for names, _ in shown]
    names_on(ax.yaxis, range(len(shown)), names, 1e9, size)
    pitch, head = room(ax)[0] * (0.94 - share) / len(columns), font(0.83)
    above = [_heading(text, pitch, head) for text in columns]
    ax.xaxis.tick_top()
    ax.set_xticks(range(len(columns)), labels=above)
    ax.tick_params(axis="x", length=0, labelsize=head)
    ax.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(shown) - 0.5, -0.5))
    ax.spines[:].set_visible(False)
    lines = max(text.count("\n") + 1 for text in above)
    return len(rows) - len(shown), head * 1.2 * lines + 3.5


def _heading(text: str, pitch: float, size: float) -> str:
    """Break a text into at most four lines that are ``pitch`` points wide."""
    return "\n".join(wrapped(shortened(line, pitch * 2.5, size), pitch, size) for line in text.split("\n"))


def _together(names: Sequence[object], points: float, size: float) -> str:
    """Name as many variants as fit beside a row."""
    for shown in range(min(len(names), 4), 0, -1):
        rest = f" and {len(names) - shown} more" if len(names) > shown else ""
        texts = short_names(names[:shown], points, size)
        text = ", ".join(texts) + rest
        if shown == 1 or short_names([text], points, size) == [text]:
            return text
    return ""
