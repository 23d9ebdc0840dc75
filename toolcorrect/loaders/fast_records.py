"""Big regular JSONL of plain records, by whole columns: Arrow reads each block, no Python object a call."""

from __future__ import annotations

from toolcorrect.loaders.format import Format
from toolcorrect.loaders.parts import Part, part_of
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.source import Source


def fast_parts(source: Source, chosen: Format) -> list[Part]:
    """Read a JSONL source in blocks, each by columns where it is regular, else record by record."""
    rows = Rows(source)
    chosen.read(source, rows)
    return [part_of(rows)]
