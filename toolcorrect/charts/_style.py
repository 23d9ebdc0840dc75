"""The look of all charts: one style file, two contexts, and one colour, marker and line a name."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Any

import matplotlib as mpl
from matplotlib.colors import to_hex, to_rgb

from toolcorrect.charts._text import families
from toolcorrect.errors import check_option

INK, GREY, LIGHT, PALE = "#222222", "#767676", "#b4b4b4", "#e6e6e6"
# Okabe and Ito (2008), without the yellow, which cannot be read on white.
BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, INK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h")
LINES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (5, 1.4, 1.2, 1.4)))

# A slide is read from afar: its texts and lines are this much larger on its 13.33 x 7.5 inches.
CONTEXTS = {"notebook": 1.0, "slide": 1.7}
SLIDE_SIZE = (13.33, 7.5)
_SIZES = ("font.size", "axes.linewidth", "lines.linewidth", "lines.markersize", "xtick.major.size", "grid.linewidth")


@dataclass(frozen=True)
class Look:
    """How one name is drawn in every chart."""

    colour: str
    marker: str
    line: Any


# The core variants are kept well apart; every other name takes its look from its letters.
_CORE = {
    "recall": Look(BLUE, "o", LINES[0]),
    "precision": Look(VERMILLION, "s", LINES[0]),
    "f1": Look(GREEN, "^", LINES[0]),
    "jaccard": Look(PURPLE, "D", LINES[0]),
    "exact": Look(INK, "s", LINES[0]),
    "exact.args": Look(INK, "X", LINES[1]),
    "sequence": Look(SKY, "v", LINES[0]),
    "deepeval": Look(ORANGE, "o", LINES[0]),
    "deepeval.exact": Look(ORANGE, "X", LINES[1]),
    "notebook.jaccard": Look(PURPLE, "v", LINES[1]),
    "galtea": Look(GREEN, "P", LINES[1]),
}


def look(name: object) -> Look:
    """Return the colour, marker and line of a name: the same in every chart, whatever else is drawn.

    Colours repeat beyond seven names; marker and line then tell apart, and the label always does.
    """
    text = str(name)
    if text in _CORE:
        return _CORE[text]
    code = zlib.crc32(text.encode("utf-8", "surrogatepass"))
    rest, colour = divmod(code, len(COLOURS))
    rest, marker = divmod(rest, len(MARKERS))
    return Look(COLOURS[colour], MARKERS[marker], LINES[rest % len(LINES)])


def group_looks(names: Iterable[object]) -> dict[Any, Look]:
    """Return the look of each group (model, agent, tag) of a chart: by alphabet, so that few never share one."""
    ordered = sorted(set(names), key=str)
    return {
        name: Look(COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)], LINES[i % len(LINES)])
        for i, name in enumerate(ordered)
    }


def readable(colour: str) -> str:
    """Darken a colour as far as small text on white needs (a contrast of 4.5)."""
    red, green, blue = to_rgb(colour)
    while 1.05 / (_luminance(red, green, blue) + 0.05) < 4.5:
        red, green, blue = red * 0.96, green * 0.96, blue * 0.96
    return to_hex((red, green, blue))


def on_fill(colour: Any) -> str:
    """Return the text colour, ink or white, that is read best on a filled area."""
    return INK if _luminance(*to_rgb(colour)) > 0.3 else "#ffffff"


def _luminance(*channels: float) -> float:
    # WCAG 2: relative luminance of an sRGB colour.
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@contextlib.contextmanager
def style(context: str) -> Iterator[float]:
    """Apply the style file for as long as a chart is drawn; yields the factor of the context."""
    check_option("context", context, CONTEXTS)
    scale = CONTEXTS[context]
    with resources.as_file(resources.files(__package__) / "charts.mplstyle") as file, mpl.rc_context(fname=file):
        settings: dict[str, Any] = mpl.rcParams  # type: ignore[assignment]
        for size in _SIZES:
            settings[size] *= scale
        mpl.rcParams["font.family"] = list(families())
        yield scale
