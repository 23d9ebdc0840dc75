"""The one place that escapes text and lays out HTML."""

from __future__ import annotations

import html as _html
import unicodedata
from collections.abc import Iterable
from typing import Any

import pandas as pd

LONGEST_CELL = 300

STYLE = (
    "<style>"
    ".tc{font:13px/1.45 system-ui,sans-serif;color:inherit}"
    ".tc table{border-collapse:collapse;margin:.3em 0}"
    ".tc th{font-weight:600;opacity:.7;border-bottom:1px solid #8886;white-space:nowrap}"
    # Notebooks align cells to the right; ours say so themselves.
    ".tc th,.tc td{padding:.15em .9em .15em 0!important;vertical-align:top!important;text-align:left!important;"
    "max-width:34em;overflow-wrap:break-word;unicode-bidi:isolate}"
    ".tc .num{text-align:right!important;font-variant-numeric:tabular-nums}"
    ".tc code{font:12px/1.4 ui-monospace,monospace;background:none;color:inherit;unicode-bidi:isolate}"
    ".tc .muted{opacity:.65}"
    "</style>"
)


def visible(text: str) -> str:
    r"""Replace control and direction-changing characters by visible escapes.

    Examples
    --------
    >>> visible("a" + chr(0x202E) + "b" + chr(27))
    'a\\u202eb\\x1b'
    """
    if text.isprintable():
        return text
    return "".join(
        c
        if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
        else c.encode("ascii", "backslashreplace").decode("ascii")
        if ord(c) > 127
        else f"\\x{ord(c):02x}"
        for c in text
    )


def escape(value: Any, limit: int | None = LONGEST_CELL) -> str:
    """Return a value as safe HTML text, long ones cut with the length said.

    Examples
    --------
    >>> escape("<b>")
    '&lt;b&gt;'
    """
    text = visible("" if value is None or value is pd.NA else str(value))
    if limit is not None and len(text) > limit:
        text = f"{text[:limit]}… ({len(text):,} characters)"
    return _html.escape(text)


def paragraph(text: str) -> str:
    """Return one escaped paragraph in our style."""
    return f'{STYLE}<div class="tc"><p>{escape(text, None)}</p></div>'


def table(frame: pd.DataFrame, caption: str = "") -> str:
    """Lay a frame out as an escaped HTML table, numbers to the right.

    Examples
    --------
    >>> "&lt;i&gt;" in table(pd.DataFrame({"x": ["<i>"]}))
    True
    """
    numeric = {name for name in frame.columns if pd.api.types.is_numeric_dtype(frame[name])}
    head = "".join(f"<th{_number(name in numeric)}>{escape(name)}</th>" for name in frame.columns)
    body = "".join(
        f"<tr>{_cells(row, frame.columns, numeric)}</tr>" for row in frame.itertuples(index=False, name=None)
    )
    note = f"<p class='muted'>{escape(caption, None)}</p>" if caption else ""
    return f'{STYLE}<div class="tc">{note}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cells(row: Iterable[Any], columns: Iterable[Any], numeric: set[Any]) -> str:
    return "".join(f"<td{_number(name in numeric)}>{escape(_shown(v))}</td>" for name, v in zip(columns, row))


def _number(is_number: bool) -> str:
    return ' class="num"' if is_number else ""


def _shown(value: Any) -> Any:
    if isinstance(value, float):
        return "" if value != value else f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    return value
