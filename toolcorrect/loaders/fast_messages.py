"""Big regular JSONL of messages whose arguments are objects, by whole columns: orjson reads, numpy puts together.

What a family's `Layout` cannot say of a block exactly as its reader would leaves the block to that reader; a
conversation that may go on where another ended leaves it the whole file, as it alone knows about histories.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
import pyarrow as pa

from toolcorrect.arguments.decoding import holds_nan, parse_json, to_json
from toolcorrect.loaders.fast_records import BLOCK, Plan, plan_of
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.gathering import Gathered, Layout
from toolcorrect.loaders.lines import Block
from toolcorrect.loaders.message_lists import PLUMBING, Family, family_named, family_of, is_openai
from toolcorrect.loaders.offered import rows_of, tools_of
from toolcorrect.loaders.parts import Part, part_of
from toolcorrect.loaders.request_log import RUN
from toolcorrect.loaders.rows import MALFORMED, Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.told import hashes

# So many records at once stay in the processor's cache.
_AT_ONCE = 64
# Below this many records columns do not pay.
FEWEST = 40


def fast_message_parts(source: Source, chosen: Format) -> list[Part] | None:
    """Read a JSONL source of messages in blocks by columns; None where it is not regular."""
    family = family_named(chosen.name)
    if family is None or family.layout is None or source.renamed or len(source.head) < FEWEST:
        return None
    plumbing = PLUMBING | family.plumbing | family.layout.tools
    head = source.raw_head()
    records = [family.layout.beside(record) if isinstance(record, dict) else record for record in head]
    keys = {key for record in records if isinstance(record, dict) for key in record}
    plan = plan_of(source, dict.fromkeys(keys & plumbing, pa.null()), records)
    if plan is None or "called" in plan.sides:
        return None
    reader = _Reader(source, family, family.layout, plan, plumbing)
    # What opening the file had to note.
    parts = [part_of(Rows(source))]
    lines = source.lines()
    for block in lines.blocks(BLOCK):
        try:
            part = reader.read(block)
        except MALFORMED:
            return None
        if part is None:
            return None
        parts.append(part)
    return None if lines.too_long else parts


@dataclass
class _Reader:
    source: Source
    family: Family
    layout: Layout
    # What records say beside their messages, and the keys that the plan leaves out.
    plan: Plan
    plumbing: frozenset[str]

    def __post_init__(self) -> None:
        self.ends: set[int] = set()
        self.run = [name for name in RUN if name in self.plan.schema.names] or ["case"]
        self.offered: dict[str, list[tuple[Any, ...]] | None] = {}

    def read(self, block: Block) -> Part | None:
        """Read a block; None where it is not regular, or may go on where another conversation ended."""
        gathered, beside, runs = Gathered(), list[bytes](), list[np.ndarray]()
        tools: dict[int, list[tuple[Any, ...]]] = {}
        for records in _parsed(block):
            if not self._gather(records, gathered):
                return None
            tools |= self._tools(records, len(beside))
            runs.append(hashes(zip(*[[str(record.get(name)) for record in records] for name in self.run])))
            beside += [_written(record, self.plumbing) for record in map(self.layout.beside, records)]
        data = b"\n".join(beside)
        rest = Block(data, block.first)
        columns = self.plan.columns(rest)
        part = None if columns is None else self.plan.part(columns, rest, self.source, wire=True)
        if part is None:
            return None
        told = gathered.told(part.notes, wire=self.layout.wire)
        calls = told.call_columns()
        if calls is None or told.goes_on(np.concatenate(runs), self.ends):
            return None
        part.calls = calls
        part.cases["called_known"] = pa.repeat(True, told.size)
        part.cases["tools_known"] = pa.array([case in tools for case in range(told.size)], pa.bool_())
        part.tools = rows_of(tools)
        told.complete(part.cases)
        return part

    def _gather(self, records: list[Any], gathered: Gathered) -> bool:
        """Gather what the messages of records say; False where they may be elsewhere, or of another family."""
        layout = self.layout
        lists = list(map(layout.messages, records))
        if not all(type(messages) is list and messages for messages in lists):
            return False
        if any(record[key] is not None for record in records for key in layout.elsewhere & record.keys()):
            return False
        shown = layout.gather(lists, gathered)
        return all(
            case in shown
            or self.family.tell(messages)
            or not (any(map(is_openai, messages)) or family_of(records[case]))
            for case, messages in enumerate(lists)
        )

    def _tools(self, records: list[Any], first: int) -> dict[int, list[tuple[Any, ...]]]:
        """Return the tools that records offer, by the number of the record."""
        found = {}
        for case, record in enumerate(records, first):
            given = {key: record[key] for key in self.layout.tools if record.get(key) is not None}
            if not given:
                continue
            text = to_json(given)
            if text not in self.offered:
                ((_, context),) = self.family.unfold({key: record[key] for key in self.plumbing & record.keys()})
                self.offered[text] = tools_of(self.source, context.get("tools"))
            tools = self.offered[text]
            if tools is not None:
                found[case] = tools
        return found


def _parsed(block: Block) -> Iterator[list[Any]]:
    """Yield the values of all lines, some at once.

    Raises
    ------
    ValueError
        Where a line is not JSON.
    """
    lines = block.data.removesuffix(b"\n").split(b"\n")
    for begin in range(0, len(lines), _AT_ONCE):
        yield list(map(parse_json, lines[begin : begin + _AT_ONCE]))


def _written(record: dict[str, Any], plumbing: frozenset[str]) -> bytes:
    """Write a record, but for some keys, as a line.

    Raises
    ------
    ValueError
        Where it holds NaN or an infinity, which orjson would write as null.
    """
    for key in plumbing.intersection(record):
        del record[key]
    text = orjson.dumps(record)
    if b"null" in text and holds_nan(record):
        raise ValueError("NaN, or an infinity")
    return text
