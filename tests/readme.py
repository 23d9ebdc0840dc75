"""The README's table of definitions, made from the registry: ``python -m tests.readme`` writes it."""

from __future__ import annotations

import toolcorrect as tc
from tests.shared import ROOT

BEGIN, END = "<!-- variants: begin (made by `python -m tests.readme`) -->", "<!-- variants: end -->"


def table() -> str:
    """Return the table of all definitions as Markdown."""
    lines = ["| definition | rule | formula | from |", "|---|---|---|---|"]
    for row in tc.variants().itertuples():
        source = f"{row.upstream} {row.version}".strip() or "toolcorrect"
        lines.append(f"| `{row.Index}` | {_cell(row.rule)} | {_cell(row.formula)} | {_cell(source)} |")
    return "\n".join(lines)


def with_table(text: str) -> str:
    """Return the README's text with the table put between its markers."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    path = ROOT / "README.md"
    path.write_text(with_table(path.read_text(encoding="utf-8")), encoding="utf-8")
