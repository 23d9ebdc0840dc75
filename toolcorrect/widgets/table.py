"""A table of any length: rows travel to the browser in windows, sorting and filtering stay in Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import pandas as pd
import traitlets

from toolcorrect.errors import DataError, check_number, check_type, unknown_name
from toolcorrect.html import visible
from toolcorrect.tables import STRING
from toolcorrect.widgets.turns import in_turn

HERE = Path(__file__).parent
# The browser asks for blocks of 50 rows; more is not sent at once, whatever a message says.
LONGEST_WINDOW = 200
LONGEST_CELL = 160
LONGEST_TITLE = 60
LONGEST_CHOSEN = 4_000
# Column widths are guessed from this many rows.
SAMPLED = 200


class Table(anywidget.AnyWidget):
    """Show a frame, one row at a time chosen by mouse or keyboard.

    Only the columns, the number of rows, a revision and the chosen row are part of the widget's state, so
    that it weighs the same for ten rows and for ten million.

    Parameters
    ----------
    frame
        What to show; the index is not shown (use ``reset_index``).
    mask
        Boolean, one entry a row: the rows to show. All where None.
    label
        What the table holds, for screen readers.
    height
        Rows visible at once.
    bold
        Names of columns that carry the point.

    Attributes
    ----------
    chosen : int
        Position in ``frame`` of the chosen row, -1 where there is none. Can be observed.
    rows : numpy.ndarray
        Positions in ``frame`` of the rows shown, in the order shown.

    Examples
    --------
    >>> table = Table(pd.DataFrame({"case": ["a", "b", "c"], "gap": [0.1, 0.9, 0.5]}))
    >>> table.show(mask=[True, False, True])
    >>> table.rows.tolist()
    [0, 2]
    """

    _esm = HERE / "table.js"
    _css = HERE / "style.css"

    columns = traitlets.List(traitlets.Dict()).tag(sync=True)
    count = traitlets.Int(0).tag(sync=True)
    revision = traitlets.Int(0).tag(sync=True)
    # (revision, row): a choice made in an older view of the rows means nothing in the present one.
    selection = traitlets.List(traitlets.Int(), default_value=[0, -1]).tag(sync=True)
    sort = traitlets.Dict(default_value={"column": "", "descending": False}).tag(sync=True)
    label = traitlets.Unicode("").tag(sync=True)
    height = traitlets.Int(16).tag(sync=True)
    chosen = traitlets.Int(-1)

    def __init__(
        self,
        frame: pd.DataFrame,
        *,
        mask: Sequence[bool] | np.ndarray | None = None,
        label: str = "",
        height: int = 16,
        bold: Iterable[str] = (),
    ) -> None:
        check_type("frame", frame, pd.DataFrame, "a DataFrame")
        check_type("label", label, str, "a text")
        check_number("height", height, low=1, whole=True)
        check_type("bold", bold, Iterable, "names of columns")
        super().__init__(label=label, height=height)
        self._bold = frozenset(bold)
        self._order: np.ndarray | None = None
        self.frame = frame
        self.rows = np.arange(0)
        self.show(frame, mask=mask)
        self.on_msg(self._answer)

    @in_turn
    def show(self, frame: pd.DataFrame | None = None, *, mask: Sequence[bool] | np.ndarray | None = None) -> None:
        """Show another frame, or other rows of the present one.

        A chosen row stays chosen while it is shown; else the first row is.

        Raises
        ------
        DataError
            Where the mask is not as long as the frame.
        """
        check_type("frame", frame, pd.DataFrame | None, "a DataFrame")
        check_type("mask", mask, Sequence | np.ndarray | pd.Series | None, "true or false for each row")
        if frame is not None:
            columns = _columns(frame, self._bold)
            known = self.sort["column"] in frame.columns
            order = _order(frame[self.sort["column"]], bool(self.sort["descending"])) if known else None
        else:
            frame, columns, order, known = self.frame, self.columns, self._order, True
        keep = None if mask is None else np.asarray(mask, dtype=bool)
        if keep is not None and len(keep) != len(frame):
            raise DataError(f"The mask has {len(keep)} entries for {len(frame)} rows; give one a row.")
        same = frame is self.frame
        self.frame, self._mask, self._order = frame, keep, order
        with self.hold_sync():
            self.columns = columns
            if not known:
                self.set_trait("sort", {"column": "", "descending": False})
            self._renew(self.chosen if same else -1)

    @in_turn
    def choose(self, position: int) -> None:
        """Choose the row at a position of the frame, if it is shown."""
        found = np.flatnonzero(self.rows == position)
        if len(found):
            self.selection = [self.revision, int(found[0])]

    def sort_by(self, column: str, *, descending: bool = False) -> None:
        """Order the rows by a column, missing values last; by ``""`` as the frame has them."""
        if column and column not in self.frame.columns:
            raise unknown_name("column", column, map(str, self.frame.columns))
        self.sort = {"column": column, "descending": descending}

    @traitlets.observe("sort")
    @in_turn
    def _sorted(self, change: Any) -> None:
        column = change.new.get("column", "")
        if column and column not in self.frame.columns:
            return
        self._order = _order(self.frame[column], bool(change.new.get("descending"))) if column else None
        with self.hold_sync():
            self._renew(self.chosen)

    @traitlets.observe("selection")
    @in_turn
    def _selected(self, change: Any) -> None:
        revision, row = change.new
        if revision != self.revision or not -1 <= row < self.count:
            self._choose_position(self.chosen)
        else:
            self.chosen = int(self.rows[row]) if row >= 0 else -1

    def _renew(self, chosen: int) -> None:
        """Work out the rows to show and tell the browser that what it holds is out of date."""
        if self._mask is None:
            self.rows = np.arange(len(self.frame)) if self._order is None else self._order
        else:
            self.rows = np.flatnonzero(self._mask) if self._order is None else self._order[self._mask[self._order]]
        self.count = len(self.rows)
        self.revision += 1
        self._choose_position(chosen)

    def _choose_position(self, position: int) -> None:
        found = np.flatnonzero(self.rows == position)
        row = int(found[0]) if len(found) else min(0, self.count - 1)
        self.selection = [self.revision, row]
        self.chosen = int(self.rows[row]) if row >= 0 else -1

    @in_turn
    def _answer(self, _widget: Any, content: Any, _buffers: Any) -> None:
        """Send the window of rows asked for, or the whole text of one row."""
        if not isinstance(content, dict) or content.get("revision") != self.revision:
            return
        first = max(0, int(content.get("first", 0)))
        if content.get("kind") == "rows":
            last = min(int(content.get("last", 0)), first + LONGEST_WINDOW, self.count)
            rows = self._texts(first, last, LONGEST_CELL)
            self.send({"kind": "rows", "revision": self.revision, "first": first, "rows": rows})
        elif content.get("kind") == "row" and first < self.count:
            texts = self._texts(first, first + 1, LONGEST_CHOSEN)[0]
            self.send({"kind": "row", "revision": self.revision, "first": first, "texts": texts})

    def _texts(self, first: int, last: int, limit: int) -> list[list[str]]:
        window = self.frame.iloc[self.rows[first:last]]
        columns = [_texts(window.iloc[:, i], limit) for i in range(window.shape[1])]
        return [list(row) for row in zip(*columns)]


def _columns(frame: pd.DataFrame, bold: frozenset[str]) -> list[dict[str, Any]]:
    head = frame.head(SAMPLED)
    made = []
    for i, name in enumerate(frame.columns):
        longest = max((len(text) for text in _texts(head.iloc[:, i], LONGEST_CELL)), default=0)
        number = pd.api.types.is_numeric_dtype(frame.dtypes.iloc[i])
        title = shorten(str(name), LONGEST_TITLE)
        width = min(max(longest, len(title) + 2, 5), 18 if number else 30)
        made.append({"name": str(name), "title": title, "number": number, "bold": name in bold, "width": width})
    return made


def _order(column: pd.Series, descending: bool) -> np.ndarray:
    """Return positions in sorted order, equal values as they stand, missing ones last."""
    values = pd.Series(column.array)
    if values.dtype == object:
        values = values.astype(STRING)
    return np.asarray(values.sort_values(ascending=not descending, kind="stable", na_position="last").index)


def _texts(column: pd.Series, limit: int) -> list[str]:
    """Write the values of a short column as text."""
    if pd.api.types.is_bool_dtype(column.dtype):
        return ["" if not given(value) else "yes" if value else "no" for value in column]
    if pd.api.types.is_float_dtype(column.dtype):
        return [f"{value:.2f}" if given(value) else "not scored" for value in column]
    if pd.api.types.is_integer_dtype(column.dtype):
        return [f"{value:,}" if given(value) else "" for value in column]
    return [shorten(str(value), limit) if given(value) else "" for value in column]


def given(value: Any) -> bool:
    """Tell whether a cell holds something."""
    return value is not None and value is not pd.NA and bool(value == value)


def shorten(text: str, limit: int) -> str:
    """Make a text visible, and cut it with its length said.

    Examples
    --------
    >>> shorten("abcdef", 3)
    'abc… (6 characters)'
    """
    return visible(text) if len(text) <= limit else f"{visible(text[:limit])}… ({len(text):,} characters)"
