"""Expected calls beside the calls made, each pair with the word for what happened."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import anywidget
import pandas as pd
import traitlets

from toolcorrect.errors import DataError, check_type, listed
from toolcorrect.explaining.one_case import SIGNS
from toolcorrect.widgets.table import given, shorten

HERE = Path(__file__).parent
MOST_ROWS = 100
# What one case may put into the widget's state (and so into a saved notebook), in characters.
BUDGET = 60_000
SHORTEST, LONGEST = 120, 2_000
LONGEST_TITLE = 400
MOST_DIFFERENCES = 8

NEEDED = ("kind", "expected_position", "called_position", "tool_expected", "tool_called")


class Diff(anywidget.AnyWidget):
    """Show the alignment of one case: matched, missing, extra, repeated, moved, and differing arguments.

    Every kind has a word and a sign beside its colour. One tab stop; the arrow keys choose a pair, which
    then shows its whole arguments.

    Parameters
    ----------
    alignment
        ``toolcorrect.explain(data, case).alignment``; nothing is shown where None.
    title
        What is shown, usually the case.
    sums
        ``toolcorrect.explain(data, case).sums``: index variant, columns ``score``, ``sum`` (in words), ``status``.

    Examples
    --------
    >>> alignment = pd.DataFrame({
    ...     "kind": ["missing"], "expected_position": [0], "called_position": [pd.NA],
    ...     "tool_expected": ["search"], "tool_called": [pd.NA],
    ... })
    >>> Diff(alignment, title="case-17").pairs[0]["kind"]
    'missing'
    """

    _esm = HERE / "diff.js"
    _css = HERE / "style.css"

    pairs = traitlets.List(traitlets.Dict()).tag(sync=True)
    left_out = traitlets.Int(0).tag(sync=True)
    title = traitlets.Unicode("").tag(sync=True)
    sums = traitlets.List(traitlets.Dict()).tag(sync=True)

    def __init__(
        self, alignment: pd.DataFrame | None = None, *, title: str = "", sums: pd.DataFrame | None = None
    ) -> None:
        super().__init__()
        self.show(alignment, title=title, sums=sums)

    def show(
        self, alignment: pd.DataFrame | None = None, *, title: str = "", sums: pd.DataFrame | None = None
    ) -> None:
        """Show another case.

        Raises
        ------
        DataError
            Where the alignment lacks a column.
        """
        check_type("alignment", alignment, pd.DataFrame | None, "the one of toolcorrect.explain")
        check_type("sums", sums, pd.DataFrame | None, "those of toolcorrect.explain")
        check_type("title", title, str, "a text")
        frame = pd.DataFrame(columns=list(NEEDED)) if alignment is None else alignment
        missing = [name for name in NEEDED if name not in frame.columns]
        if missing:
            raise DataError(f"The alignment lacks {listed(missing)}; give the one of toolcorrect.explain.")
        shown = frame.head(MOST_ROWS)
        limit = min(max(BUDGET // (2 * max(len(shown), 1)), SHORTEST), LONGEST)
        with self.hold_sync():
            self.pairs = [_pair(row, limit) for row in shown.to_dict("records")]
            self.left_out = len(frame) - len(shown)
            self.title = shorten(title, LONGEST_TITLE)
            self.sums = [] if sums is None else [_sum(r.Index, r.score, r.sum, r.status) for r in sums.itertuples()]


def _pair(row: Mapping[Any, Any], limit: int) -> dict[str, Any]:
    made: dict[str, Any] = {"kind": row["kind"], "sign": SIGNS.get(row["kind"], "?")}
    made |= _differences(row.get("differences"), min(limit // 4, 300))
    for side in ("expected", "called"):
        position, tool = row[f"{side}_position"], row[f"tool_{side}"]
        arguments = row.get(f"arguments_{side}")
        if given(tool):
            made[side] = {
                "place": int(position) + 1 if given(position) else 0,
                "tool": shorten(str(tool), limit),
                "arguments": shorten(str(arguments), limit) if given(arguments) else "arguments not known",
            }
    return made


def _differences(found: Any, limit: int) -> dict[str, Any]:
    every = list(found) if isinstance(found, Iterable) and not isinstance(found, str) else []
    shown = [
        {
            "path": shorten(one["path"], limit) or "arguments",
            "code": one["code"],
            "expected": "" if one["code"] == "extra" else shorten(_json(one["expected"]), limit),
            "called": "" if one["code"] == "missing" else shorten(_json(one["called"]), limit),
        }
        for one in every[:MOST_DIFFERENCES]
    ]
    return {"differences": shown, "more": len(every) - len(shown)}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _sum(variant: str, score: float, words: str, status: str) -> dict[str, str]:
    result = f"{score:.2f}" if status == "ok" else f"not scored: {status.replace('_', ' ')}"
    return {"variant": shorten(variant, 80), "words": shorten(words, 300), "result": result}
