"""What every chart shares: a figure outside pyplot, a headline with its n, labels that never overlap."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import blended_transform_factory
from numpy.typing import NDArray

from toolcorrect.charts._style import GREY, INK, SLIDE_SIZE, style
from toolcorrect.charts._text import counted, short_names, text_width, wrapped
from toolcorrect.errors import DataError, check_type, listed
from toolcorrect.statistics import aligning


class ChartAxes(Axes):
    """Axes that show their figure: the last line of a notebook cell is enough, and pyplot is not involved."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        figure = self.get_figure()
        assert isinstance(figure, Figure)
        buffer = io.BytesIO()
        # Twice the pixels at the same size: sharp on any screen.
        figure.savefig(buffer, format="png", dpi=2 * figure.dpi)
        width, height = (figure.get_size_inches() * figure.dpi).astype(int)
        return buffer.getvalue(), {"width": int(width), "height": int(height)}


@contextlib.contextmanager
def canvas(ax: Axes | None, title: str | None, context: str, size: tuple[float, float]) -> Iterator[Axes]:
    """Give the Axes to draw on, in our style: the caller's, or one in a new figure that nobody else holds.

    Parameters
    ----------
    ax : Axes or None
        The caller's Axes; ``size`` is then ignored.
    title : str or None
        What is to stand above the chart; only looked at here, written by `headline`.
    context : {"notebook", "slide"}
        A slide is always 13.33 x 7.5 inches.
    size : (float, float)
        Width and height in inches in a notebook.
    """
    check_type("ax", ax, Axes | None, "matplotlib Axes, or nothing for a new figure")
    check_type("title", title, str | None, "a text")
    with style(context):
        if ax is None:
            figure = Figure(figsize=SLIDE_SIZE if context == "slide" else size, layout="constrained")
            ax = figure.add_subplot(axes_class=ChartAxes)
        else:
            ax.spines[["top", "right"]].set_visible(False)
        yield ax
        for each in ax.figure.axes if own(ax) else [ax]:
            _settle(each)


def own(ax: Axes) -> bool:
    """Return whether the figure was made by us, so that the headline may use all of its width."""
    return isinstance(ax, ChartAxes)


def _settle(ax: Axes) -> None:
    # Texts that were there before, and ticks that drawing makes later, would follow the global style.
    for axis in (ax.xaxis, ax.yaxis):
        if "labelsize" not in axis.get_tick_params():
            axis.set_tick_params(
                labelsize=font(0.83), labelcolor=INK, color=GREY, length=mpl.rcParams["xtick.major.size"],
                width=mpl.rcParams["axes.linewidth"],
            )  # fmt: skip
        for text in [axis.label, *axis.get_ticklabels()]:
            text.set_parse_math(False)


def font(factor: float = 1.0) -> float:
    """Return a text size in points, relative to the size of the context."""
    return float(mpl.rcParams["font.size"]) * factor


def room(ax: Axes) -> tuple[float, float]:
    """Return width and height, in points, of the figure we made or of the Axes we were given."""
    if own(ax):
        width, height = ax.figure.get_size_inches() * 72  # type: ignore[union-attr]
        return float(width), float(height)
    box = ax.get_window_extent()
    scale = 72 / ax.figure.dpi
    return float(box.width * scale), float(box.height * scale)


def headline(ax: Axes, title: str, note: str = "", *, above: float = 0.0) -> None:
    """Write what is seen in bold, and beneath it in grey how much it rests on.

    ``above`` is the height in points of tick labels over the Axes.
    """
    width = room(ax)[0] - (12 if own(ax) else 0)
    lines = wrapped(note, width, font(0.9)) if note else ""
    below = ax.transAxes
    across = ax.figure.transSubfigure if own(ax) else ax.transAxes
    left = 6 / room(ax)[0] if own(ax) else 0.0
    gap = font(0.7)
    if lines:
        text = ax.annotate(
            lines, (left, 1), xycoords=blended_transform_factory(across, below), xytext=(0, gap + above),
            textcoords="offset points", ha="left", va="bottom", fontsize=font(0.9), color=GREY, linespacing=1.3,
            annotation_clip=False, gid="note",
        )  # fmt: skip
        # The title above reserves the room.
        text.set_in_layout(False)
        gap += font(0.9) * 1.36 * (lines.count("\n") + 1) + font(0.35)
    # With y given, the title stays where it is put.
    made = ax.set_title(
        wrapped(title, width, font(1.2), "bold"),
        loc="left",
        y=1.0 if above else None,
        pad=gap + above,
        parse_math=False,
    )
    if own(ax):
        made.set_x(left)
        offset = made.get_transform()
        made.set_transform(blended_transform_factory(across, offset))


def note_of(ax: Axes) -> str:
    """Return the grey text under the title on one line, as tests and pictures' descriptions need it."""
    found = ax.findobj(lambda artist: artist.get_gid() == "note")
    return " ".join(text.get_text().replace("\n", " ") for text in found)  # type: ignore[attr-defined]


def empty(ax: Axes, reason: str, title: str | None, note: str = "") -> Axes:
    """Draw a chart that says why there is nothing to draw."""
    ax.set_axis_off()
    headline(ax, title or "Nothing to draw", note)
    ax.text(
        0.5, 0.5, wrapped(reason, room(ax)[0] * 0.7, font(1.1)), transform=ax.transAxes, ha="center", va="center",
        fontsize=font(1.1), color=GREY, linespacing=1.5,
    )  # fmt: skip
    return ax


def names_on(
    axis: Any, positions: Sequence[float] | NDArray[Any], names: Sequence[object], points: float, size: float
) -> None:
    """Label positions of an axis by names that may hold anything, each within so many points."""
    axis.set_ticks(np.asarray(positions, dtype=float), labels=short_names(names, points, size))
    axis.set_tick_params(length=0, labelsize=size)


def variant_names(ax: Axes, names: Sequence[object], null: Sequence[bool], size: float) -> None:
    """Name the rows of a calibration, those that know nothing of the expected calls in grey and as null."""
    labels = [
        f"null: {name}" if is_null and not str(name).startswith("null") else name
        for name, is_null in zip(names, null, strict=True)
    ]
    names_on(ax.yaxis, range(len(labels)), labels, room(ax)[0] * 0.32, size)
    for label, is_null in zip(ax.get_yticklabels(), null, strict=True):
        label.set_color(GREY if is_null else INK)


def names_below(
    ax: Axes, positions: Sequence[float] | NDArray[Any], names: Sequence[object], pitch: float, size: float
) -> None:
    """Name positions of the x axis, turned where the names do not fit side by side (``pitch`` points apart)."""
    points = room(ax)[1] * 0.28
    names_on(ax.xaxis, positions, names, points, size)
    if max(text_width(text, size) for text in short_names(names, points, size)) < pitch * 0.92:
        return
    steep = pitch < size * 3.2
    ax.tick_params(axis="x", labelrotation=90 if steep else 35)
    for label in ax.get_xticklabels():
        label.set(ha="center" if steep else "right", rotation_mode="default" if steep else "anchor")


def beside(ax: Axes, y: float, text: str, size: float, *, indent: float = 0.5, **options: Any) -> None:
    """Write a text to the right of a row of an Axes; ``indent`` in units of its size."""
    ax.annotate(
        text, (1, y), xycoords=("axes fraction", "data"), xytext=(size * indent, 0), textcoords="offset points",
        va="center", fontsize=size, annotation_clip=False, **{"color": GREY, **options},
    )  # fmt: skip


def fitting_rows(count: int, height: float, smallest: float, largest: float) -> tuple[NDArray[np.int64], float]:
    """Choose which of ``count`` rows are drawn in a height, and the text size they get.

    Returns
    -------
    (array of int, float)
        All rows where the text stays at least ``smallest`` points; else the first and the last that fit.
    """
    size = min(largest, height / max(count, 1) / 1.3)
    if size >= smallest:
        return np.arange(count), size
    fit = max(2, int(height / (smallest * 1.3)) - 1)
    head = (fit + 1) // 2
    return np.r_[np.arange(head), np.arange(count - (fit - head), count)], smallest


def split(
    ax: Axes, *, heights: Sequence[float] = (1,), widths: Sequence[float] = (1,), space: float = 0.04
) -> list[Axes]:
    """Divide the place of an Axes into a grid of panels, given shares of its height and width.

    Returns
    -------
    list of Axes
        Row by row; the first is the Axes itself.
    """
    spec = ax.get_subplotspec()
    if spec is None:
        box = ax.get_position()
        spec = ax.figure.add_gridspec(1, 1, left=box.x0, right=box.x1, bottom=box.y0, top=box.y1)[0]
    cells = spec.subgridspec(
        len(heights), len(widths), height_ratios=list(heights), width_ratios=list(widths), hspace=space, wspace=space
    )
    ax.set_subplotspec(cells[0])
    kind = ChartAxes if own(ax) else Axes
    return [ax] + [ax.figure.add_subplot(cells[i], axes_class=kind) for i in range(1, cells.nrows * cells.ncols)]


def left_out(number: int, word: str, why: str) -> str:
    """Return the end of a note that says what is not shown, or nothing."""
    return f"; {counted(number, word)} {why}" if number else ""


def label_room(names: Sequence[object], size: float) -> float:
    """Return the width in points that the longest of some names takes."""
    return max((text_width(text, size) for text in short_names(names, 1e9, size)), default=0.0)


def need(frame: pd.DataFrame, columns: Sequence[str], chart: str) -> pd.DataFrame:
    """Return the frame if it has the columns a chart draws.

    Raises
    ------
    DataError
        Naming the missing columns.
    """
    if not isinstance(frame, pd.DataFrame):
        raise DataError(f"charts.{chart} draws a DataFrame, not {type(frame).__name__}.")
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise DataError(
            f"charts.{chart} needs the column {listed(map(repr, missing))}; "
            f"the frame has {listed(map(repr, frame.columns))}."
        )
    return frame


def score_frame(scores: pd.DataFrame | pd.Series) -> pd.DataFrame:
    """Return scores as float64, one column a variant; infinite values cannot be drawn and count as not scored."""
    if not isinstance(scores, pd.DataFrame | pd.Series):
        raise DataError(f"This chart draws the frame of tc.score, not {type(scores).__name__}.")
    frame = aligning.score_frame(scores)
    return frame.where(np.isfinite(frame)) if np.isinf(frame.to_numpy()).any() else frame


def scored_note(frame: pd.DataFrame) -> str:
    """Say how many cases there are, and how many of them some variant did not score."""
    who = "by the variant" if frame.shape[1] == 1 else "by at least one variant"
    return f"{counted(len(frame), 'case')}, {unscored_words(int(frame.isna().any(axis=1).sum()), who)}"


def unscored_words(number: float, more: str = "") -> str:
    """Say how many cases were not scored; none is said too.

    Examples
    --------
    >>> unscored_words(0), unscored_words(1200, "by one of the two")
    ('none unscored', '1,200 unscored by one of the two')
    """
    return f"{number:,.0f} unscored {more}".rstrip() if number >= 0.5 else "none unscored"
