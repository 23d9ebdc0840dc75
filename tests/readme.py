"""The README's tables of definitions, made from the registry: ``python -m tests.readme`` writes them."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

import toolcorrect as tc
from tests.shared import ROOT

BEGIN, END = "<!-- variants: begin (made by `python -m tests.readme`) -->", "<!-- variants: end -->"
COLUMNS = ["definition", "rule", "formula", "needs", "if empty", "agree"]


def tables() -> str:
    """Return a folded Markdown table for each upstream, our own definitions first."""
    table = tc.variants()
    upstream = table["upstream"].replace("", "toolcorrect")
    return "\n".join(_folded(name, part) for name, part in table.groupby(upstream.to_numpy(), sort=False))


def _folded(upstream: str, part: pd.DataFrame) -> str:
    releases = list(dict.fromkeys(part["version"]))
    title = " ".join([f"<b>{upstream}</b>", *(releases if len(releases) == 1 else [])]).strip()
    count = f"{len(part)} definition{'s' * (len(part) > 1)}"
    proof = (
        f", {part['agrees'].sum():,} of {part['recorded'].sum():,} outputs agree" if part["recorded"].any() else ""
    )
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(_cells(row, len(releases) > 1)) + " |" for row in part.itertuples()]
    body = "\n".join(lines)
    return f"<details><summary>{title}: {count}{proof}</summary>\n\n{body}\n\n</details>"


def _cells(row: Any, with_release: bool) -> list[str]:
    empty = (row.empty_both, row.empty_unexpected, row.empty_uncalled)
    release = f" ({row.version})" if with_release and row.version else ""
    needs = ", ".join(need for need in row.needs if need != "expected")
    agree = f"{row.agrees:,} of {row.recorded:,}" if row.recorded else "–"
    cells = [f"`{row.Index}`{release}", row.rule, row.formula, needs, " ".join(map(_side, empty)), agree]
    return [" ".join(cell.split()).replace("|", "\\|") for cell in cells]


def _side(value: float | str) -> str:
    words = {"rejected": "✗", "formula": "ƒ"}
    return words[value] if isinstance(value, str) else "–" if math.isnan(value) else f"{value:g}"


def with_tables(text: str) -> str:
    """Return the README's text with the tables put between its markers."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{tables()}\n{END}{after}"


if __name__ == "__main__":
    path = ROOT / "README.md"
    path.write_text(with_tables(path.read_text(encoding="utf-8")), encoding="utf-8")
