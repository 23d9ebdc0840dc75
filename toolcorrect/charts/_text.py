"""Text that may hold anything: made drawable, measured, shortened, wrapped, and spread apart."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib import font_manager
from matplotlib.ft2font import FT2Font
from numpy.typing import NDArray

# Looked for behind DejaVu Sans, so that a Chinese, Japanese or Korean name is read where such a font is installed.
_WIDE_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "WenQuanYi Zen Hei",
    "Microsoft YaHei",
    "PingFang SC",
)
_MEASURED = 100.0
_LONGEST = 400


@functools.cache
def families() -> tuple[str, ...]:
    """Return the font families that texts are drawn with: matplotlib's own, then at most one wide font."""
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return ("DejaVu Sans", *[name for name in _WIDE_FONTS if name in installed][:1])


@functools.cache
def _font_files(weight: str) -> tuple[str, ...]:
    wanted = [font_manager.FontProperties(family=[name], weight=weight) for name in families()]
    return tuple(font_manager.findfont(properties) for properties in wanted)


def _fonts(weight: str) -> list[FT2Font]:
    return [font_manager.get_font(file) for file in _font_files(weight)]


@functools.cache
def _drawable(character: str) -> bool:
    return character.isprintable() and any(font.get_char_index(ord(character)) for font in _fonts("normal"))


def plain(value: object) -> str:
    r"""Return a text in which every character can be drawn, the others as their escape.

    Line breaks, control and direction marks, lone surrogates and characters without a glyph
    are shown, so that two names that differ look different and none can disturb the chart.

    Examples
    --------
    >>> plain("a\nb"), plain("$x^2$")
    ('a\\nb', '$x^2$')
    """
    if str(value) == "":
        return "(no name)"
    return "".join(c if _drawable(c) else c.encode("unicode_escape").decode("ascii") for c in str(value))


@functools.lru_cache(maxsize=20_000)
def text_width(text: str, size: float, weight: str = "normal") -> float:
    """Return the width of one line of drawable text, in points."""
    total = 0.0
    font = _fonts(weight)[0]
    own = "".join(c for c in text if font.get_char_index(ord(c)))
    if own:
        font.set_size(_MEASURED, 72)
        font.set_text(own)
        total = font.get_width_height()[0] / 64 * size / _MEASURED
    return total + (len(text) - len(own)) * size


def shortened(text: str, points: float, size: float) -> str:
    """Cut the middle out of a text until it fits; both ends tell names apart.

    Examples
    --------
    >>> shortened("short", 500, 10)
    'short'
    >>> shortened("a_very_long_name_of_a_tool", 1, 10)
    'a…'
    """
    if text_width(text, size) <= points:
        return text
    low, high = 1, len(text) - 1
    while low < high:
        keep = (low + high + 1) // 2
        if text_width(_cut(text, keep), size) <= points:
            low = keep
        else:
            high = keep - 1
    return _cut(text, low)


def _cut(text: str, keep: int) -> str:
    head = math.ceil(keep / 2)
    return f"{text[:head]}…{text[len(text) - (keep - head) :]}"


def short_names(names: Iterable[object], points: float, size: float) -> list[str]:
    """Make names drawable and short enough, and still distinct: equal ones are numbered."""
    seen: dict[str, int] = {}
    made = []
    for name in names:
        text = str(name)
        text = shortened(plain(text if len(text) <= _LONGEST else _cut(text, _LONGEST)), points, size)
        seen[text] = seen.get(text, 0) + 1
        made.append(text if seen[text] == 1 else f"{text} #{seen[text]}")
    return made


def wrapped(text: str, points: float, size: float, weight: str = "normal") -> str:
    """Break a text into lines of at most so many points, at spaces, and inside a word only where it must."""
    lines = []
    for paragraph in text.split("\n"):
        line = ""
        for word in (plain(paragraph) if paragraph else "").split(" "):
            joined = f"{line} {word}" if line else word
            if line and text_width(joined, size, weight) > points:
                lines.append(line)
                joined = word
            while len(joined) > 1 and text_width(joined, size, weight) > points:
                share = points / text_width(joined, size, weight)
                keep = max(1, min(len(joined) - 1, int(len(joined) * share)))
                while keep > 1 and text_width(joined[:keep], size, weight) > points:
                    keep -= 1
                lines.append(joined[:keep])
                joined = joined[keep:]
            line = joined
        lines.append(line)
    return "\n".join(lines)


def spread(wanted: Sequence[float] | NDArray[np.float64], gap: float, low: float, high: float) -> NDArray[np.float64]:
    """Move positions apart as little as possible (least squares), each at least ``gap`` from the next.

    Parameters
    ----------
    wanted : sequence of float
        Positions, in any order.
    gap, low, high : float
        Smallest distance, and the range to stay in while they fit there.

    Returns
    -------
    array of float
        New positions, in the order given.

    Notes
    -----
    With positions sorted, ``y[i] - i * gap`` must not fall: an isotonic regression, solved by pooling
    adjacent violators, then clipped to the range.

    Examples
    --------
    >>> spread([0.5, 0.5], gap=0.2, low=0, high=1).round(2).tolist()
    [0.4, 0.6]
    """
    values = np.asarray(wanted, dtype=float)
    order = np.argsort(values, kind="stable")
    steps = np.arange(len(values)) * gap
    blocks: list[list[float]] = []  # [mean, size]
    for value in values[order] - steps:
        blocks.append([value, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, size = blocks.pop()
            before, count = blocks[-1]
            blocks[-1] = [(before * count + mean * size) / (count + size), count + size]
    pooled = np.concatenate([np.full(int(size), mean) for mean, size in blocks]) if blocks else np.empty(0)
    top = max(low, high - steps[-1]) if len(values) else high
    result = np.empty(len(values))
    result[order] = np.clip(pooled, low, top) + steps
    return result


def counted(number: int, word: str, plural: str | None = None) -> str:
    """Return a number with its word, in the right form.

    Examples
    --------
    >>> counted(1, "case"), counted(1200, "case")
    ('1 case', '1,200 cases')
    """
    return f"{number:,} {word if number == 1 else plural or word + 's'}"
