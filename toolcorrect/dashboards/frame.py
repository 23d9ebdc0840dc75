"""What every dashboard shares: its outer box, errors in the view, the marker, the code, the still picture."""

from __future__ import annotations

import base64
import io
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets
import pandas as pd
from matplotlib.figure import Figure
from PIL import Image

from toolcorrect import html
from toolcorrect.errors import ToolcorrectError
from toolcorrect.widgets.turns import in_turn

STYLE = f"<style>{Path(__file__).with_name('frame.css').read_text(encoding='utf-8')}</style>"
# Read on white and on the dark theme alike; the pictures have no background.
INK = "#7b7b7b"
DPI = 100
COLOURS = 64
STILL_ROWS = 10


@dataclass(frozen=True)
class Shown:
    """What a dashboard says of its present view, whatever it is about.

    Parameters
    ----------
    state
        The choices behind the view, as one text; written last, once all is drawn.
    finding, note
        What is seen, in a sentence; and what it rests on.
    code
        pandas code that gives the same rows from ``data``.
    rows
        The rows of the view, the first of which go into static exports.
    picture, description
        A PNG, and what it shows in words.
    """

    state: str
    finding: str
    note: str
    code: str
    rows: pd.DataFrame
    picture: bytes
    description: str


class Frame(ipywidgets.VBox):
    """A dashboard's outer box; a dashboard says what to `compute` and how to `assign` it.

    Everything is computed first and assigned together, the finished state last, into a hidden element
    ``.tc-state[data-state]``: who waits for it never reads a view that is half old. What goes wrong is shown
    in the view.

    Parameters
    ----------
    name
        What the dashboard is called, in a word or two.
    controls
        Widgets to choose with.
    columns
        Widgets in columns, which stand one below the other where there is no room. The picture ends the last.
    """

    def __init__(self, name: str, controls: Sequence[Any], columns: Sequence[Sequence[Any]]) -> None:
        self.name = name
        self.shown: Shown | None = None
        self.picture = ipywidgets.Image(format="png")
        self._described = ipywidgets.HTML()
        self._finding = ipywidgets.HTML()
        self._error = ipywidgets.HTML()
        self._code = ipywidgets.HTML()
        self._code.add_class("tc-none")
        self._marker = ipywidgets.HTML()
        self._button = ipywidgets.ToggleButton(
            description="show code", tooltip="pandas code that gives these rows", layout={"width": "110px"}
        )
        self._button.observe(self._toggle_code, "value")
        self._drawing = False
        *others, last = columns
        panes = [ipywidgets.VBox(list(column)) for column in [*others, [*last, self.picture, self._described]]]
        row, body = ipywidgets.Box(list(controls)), ipywidgets.Box(panes)
        row.add_class("tc-controls")
        body.add_class("tc-panes")
        style = ipywidgets.HTML(STYLE)
        super().__init__([style, row, self._error, self._finding, body, self._button, self._code, self._marker])
        self.add_class("tc-dashboard")

    def compute(self) -> Shown:
        """Work out the view of the present choices; nothing is assigned here."""
        raise NotImplementedError

    def assign(self, shown: Any) -> None:
        """Put a computed view into the widgets."""
        raise NotImplementedError

    @in_turn
    def refresh(self, _change: Any = None) -> None:
        """Compute and draw the view of the present choices."""
        if self._drawing:  # assigning may move controls, which must not draw again
            return
        self._drawing = True
        try:
            shown = self.compute()
            self.assign(shown)
            self.announce(shown)
        except Exception as error:
            self.fail(error)
        finally:
            self._drawing = False

    def announce(self, shown: Shown) -> None:
        """Write what every view says, the finished state last of all."""
        self.shown = shown
        if self.picture.value != shown.picture:
            self.picture.value = shown.picture
            self.picture.width = str(_width(shown.picture) // 2)
        self._described.value = f'<span class="tc-spoken">{html.escape(shown.description, None)}</span>'
        self._error.value = ""
        self.say(shown.finding, shown.note)
        self._code.value = f'<pre class="tc-code">{escape(shown.code)}</pre>'
        self.mark(self.finished(shown))

    def say(self, finding: str, note: str = "") -> None:
        """Write the sentence on top."""
        self._finding.value = (
            f'<div class="tc-finding" role="status">{html.escape(finding, None)}</div>'
            f'<div class="tc-finding-note">{html.escape(note, None) or "&nbsp;"}</div>'
        )

    def finished(self, shown: Shown) -> str:
        """Return the text of the finished state; a dashboard may know more than the view."""
        return shown.state

    def mark(self, state: str) -> None:
        """Write a finished state into the marker."""
        self._marker.value = f'<span class="tc-state" hidden data-state="{escape(html.visible(state))}"></span>'

    def still(self) -> str:
        """Return the view as HTML without widgets, for static exports."""
        if self.shown is None:
            return self._error.value or html.paragraph(f"{self.name}: nothing drawn yet")
        picture = base64.b64encode(self.shown.picture).decode("ascii")
        first = self.shown.rows.head(STILL_ROWS)
        rows = html.table(first, f"{len(first)} of {len(self.shown.rows):,} rows; run the notebook to choose others")
        return (
            f"{html.paragraph(self.shown.finding)}{html.paragraph(self.shown.note)}"
            f'<img alt="{escape(self.shown.description)}" width="{_width(self.shown.picture) // 2}" '
            f'src="data:image/png;base64,{picture}">{rows}'
        )

    def __repr__(self) -> str:
        return f"{self.name}: {self.shown.finding if self.shown else 'nothing drawn yet'}"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        if isinstance(bundle, dict):
            bundle["text/html"] = self.still()
        return bundle

    def _toggle_code(self, change: Any) -> None:
        (self._code.remove_class if change.new else self._code.add_class)("tc-none")
        self._button.description = "hide code" if change.new else "show code"

    def fail(self, error: Exception) -> None:
        """Show in the view what went wrong."""
        text = f"<b>{html.escape(str(error), 2_000)}</b>"
        if not isinstance(error, ToolcorrectError):
            trace = "".join(traceback.format_exception(error))
            text = f"<b>{type(error).__name__}</b><pre>{html.escape(trace, 4_000)}</pre>"
        self._error.value = f'<div class="tc-error" role="alert">{text}</div>'
        self.mark("error")


def png(figure: Figure) -> bytes:
    """Draw a bare figure (no pyplot) at twice its size, for sharp text; the same figure gives the same bytes."""
    drawn, made = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=2 * DPI, transparent=True)
    # A palette makes a third of the bytes, which lie in a saved notebook twice.
    Image.open(drawn).quantize(COLOURS).save(made, "png")
    return made.getvalue()


def _width(picture: bytes) -> int:
    # A PNG says its width in bytes 16 to 19.
    return int.from_bytes(picture[16:20], "big")
