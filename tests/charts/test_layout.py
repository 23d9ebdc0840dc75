"""Every chart, small and large, friendly names and hostile: nothing cut off, no text upon another."""

from __future__ import annotations

import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from tests.charts import frames
from toolcorrect import charts
from toolcorrect.charts._drawing import ChartAxes, note_of


def written(ax: Axes) -> list[tuple[Text, Bbox]]:
    """Return the texts that show, with where they are (in pixels)."""
    figure = ax.figure
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    # Ticks outside the view are not drawn.
    hidden = set()
    for each in figure.axes:
        for axis in (each.xaxis, each.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick, place in zip(axis.get_major_ticks(), axis.get_majorticklocs(), strict=True):
                if not (each.axison and low - 1e-9 <= place <= high + 1e-9):
                    hidden |= {tick.label1, tick.label2}
            if not each.axison:
                hidden.add(axis.label)
    texts = [
        text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip() and text not in hidden
    ]
    return [(text, Text.get_window_extent(text, renderer)) for text in texts]


def assert_tidy(ax: Axes) -> None:
    texts = written(ax)
    area = ax.figure.bbox.padded(1.5)
    for text, box in texts:
        inside = area.x0 <= box.x0 and box.x1 <= area.x1 and area.y0 <= box.y0 and box.y1 <= area.y1
        assert inside, f"{text.get_text()!r} is cut off: {box} outside {area}"
    flat = [(text, box) for text, box in texts if text.get_rotation() % 90 == 0]
    if len(flat) < 2:
        return
    x0, y0, x1, y1 = np.array([box.extents for _, box in flat]).T
    wide = np.minimum(x1, x1[:, None]) - np.maximum(x0, x0[:, None])
    high = np.minimum(y1, y1[:, None]) - np.maximum(y0, y0[:, None])
    # A fifth of a line's height is the room that letters leave free.
    free = 0.2 * np.minimum(np.minimum(y1 - y0, x1 - x0), np.minimum(y1 - y0, x1 - x0)[:, None])
    for a, b in np.argwhere(np.triu(np.minimum(wide, high) > free, 1)):
        raise AssertionError(f"{flat[a][0].get_text()!r} and {flat[b][0].get_text()!r} overlap by {high[a, b]:.0f}")


def test_the_check_itself_finds_faults() -> None:
    figure = Figure()
    ax = figure.add_subplot()
    ax.text(0.5, 0.5, "one")
    assert_tidy(ax)
    ax.text(0.51, 0.5, "two")
    with pytest.raises(AssertionError, match="overlap"):
        assert_tidy(ax)
    ax.texts[1].set_position((1.2, 0.9))
    with pytest.raises(AssertionError, match="cut off"):
        assert_tidy(ax)


@pytest.mark.parametrize(("count", "context"), [(2, "notebook"), (12, "notebook"), (12, "slide"), (40, "slide")])
@pytest.mark.parametrize("chart", frames.ALL)
def test_nothing_is_cut_off_or_overlaps(chart: str, count: int, context: str) -> None:
    ax = frames.draw(chart, frames.names(count), context=context)
    assert_tidy(ax)


@pytest.mark.parametrize("chart", frames.ALL)
def test_150_names_are_drawn_in_bounds(chart: str) -> None:
    columns = frames.names(150)
    if chart in ("strictness", "agreement", "rank_flips"):
        # Their analysis grows with the square; the drawing is what is tested here.
        columns = frames.names(90)
    ax = frames.draw(chart, columns)
    assert_tidy(ax)
    assert max(ax.figure.get_size_inches()) <= 32


@pytest.mark.parametrize("chart", frames.ALL)
def test_hostile_names_are_shown_as_they_are(chart: str) -> None:
    ax = frames.draw(chart, frames.HOSTILE)
    assert_tidy(ax)
    texts = [text for text, _ in written(ax)]
    assert not any(text.get_parse_math() or text.get_usetex() for text in texts)
    assert not any("\u202e" in text.get_text() for text in texts)


@pytest.mark.parametrize("chart", frames.ALL)
def test_title_context_and_note(chart: str) -> None:
    ax = frames.draw(chart, frames.names(4), title="A title with $x$ of my own", context="slide")
    assert ax.get_title(loc="left") == "A title with $x$ of my own"
    assert ax.figure.get_size_inches() == pytest.approx((13.33, 7.5))
    assert any(character.isdigit() for character in note_of(ax)), "the note says how much was counted"


@pytest.mark.parametrize("chart", frames.ALL)
def test_given_axes_are_used_and_settings_left_alone(chart: str) -> None:
    before = dict(mpl.rcParams)
    figure = Figure(figsize=(9, 6), layout="constrained")
    given = figure.add_subplot(1, 2, 2)
    given.set_title("theirs, centred")
    made = frames.draw(chart, frames.names(4), ax=given)
    assert made is given
    assert made.get_title(loc="left")
    figure.draw_without_rendering()
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("chart", frames.ALL)
def test_global_style_does_not_leak_in(chart: str) -> None:
    with mpl.rc_context(
        {"text.color": "red", "font.size": 31, "xtick.labelsize": 40, "ytick.labelsize": 40, "axes.grid": True}
    ):
        ax = frames.draw(chart, frames.names(4))
        texts = [text for text, _ in written(ax)]
    assert max(text.get_size() for text in texts) < 15
    assert not any(text.get_color() == "red" for text in texts)


def test_a_chart_shows_itself_once_and_leaves_nothing_behind() -> None:
    ax = charts.threshold(frames.scores(["recall"]))
    assert isinstance(ax, ChartAxes)
    picture, size = ax._repr_png_()
    assert picture.startswith(b"\x89PNG")
    assert size == {"width": 800, "height": 480}
    # Twice as many pixels as the size it is shown at.
    assert int.from_bytes(picture[16:20], "big") == 1600
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or not pyplot.get_fignums()


def test_pictures_are_repeatable() -> None:
    first, second = (charts.upset(frames.scores(frames.names(6)))._repr_png_()[0] for _ in range(2))
    assert first == second


def test_every_chart_has_its_numbers() -> None:
    named = {name for name in charts.__all__ if not name.endswith("_data")}
    assert named == set(frames.ALL)
    assert {f"{name}_data" for name in named} <= set(charts.__all__)
