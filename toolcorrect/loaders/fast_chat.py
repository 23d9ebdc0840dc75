"""Big regular JSONL of chats whose messages hold only texts, by whole columns: Arrow reads each block.

How a format holds its messages is said by its `ChatColumns`. A file is regular if no conversation goes on where
another ended and calls and results are as `Told` has them. The first block that is anything else leaves the
whole file to the slower way, which alone knows about histories.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from toolcorrect.arguments.decoding import TEXT
from toolcorrect.loaders.fast_records import BLOCK, Plan, plan_of, scalar_type
from toolcorrect.loaders.lines import Block
from toolcorrect.loaders.offered import Offered, OfferedTexts, rows_of
from toolcorrect.loaders.parts import Note, Part, part_of
from toolcorrect.loaders.request_log import RUN
from toolcorrect.loaders.rows import MALFORMED, Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.told import Told, hashes


@dataclass(frozen=True)
class ChatColumns:
    """How records of a format hold regular messages of texts.

    Attributes
    ----------
    key
        Where a record has its messages.
    message
        Arrow type of one.
    told
        Says of the columns of a block what the format's reader would say, and adds what it would report; None
        where anything is not regular.
    plumbing
        Keys of records that say nothing about the run.
    elsewhere
        Keys by which a record would hold messages in another place.
    """

    key: str
    message: pa.DataType
    told: Callable[[Mapping[str, pa.Array], Block, list[Note]], Told | None]
    plumbing: frozenset[str]
    elsewhere: frozenset[str]


def fast_chat_parts(source: Source, layout: ChatColumns) -> list[Part] | None:
    """Read a JSONL source of chats in blocks by columns; None where it is not regular."""
    plan = _plan(source, layout)
    if plan is None:
        return None
    reader = _Reader(source, layout, plan)
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


def _plan(source: Source, layout: ChatColumns) -> Plan | None:
    records = source.raw_head()
    if source.renamed or not all(isinstance(record, dict) and layout.key in record for record in records):
        return None
    keys = {key for record in records for key in record}
    if not layout.elsewhere.isdisjoint(keys):
        return None
    apart = {layout.key: pa.list_(layout.message), **({"tools": TEXT} if "tools" in keys else {})}
    for key in keys & layout.plumbing - apart.keys():
        kind = scalar_type([record.get(key) for record in records])
        if kind is None:
            return None
        apart[key] = kind
    plan = plan_of(source, apart)
    return None if plan is None or "called" in plan.sides else plan


class _Reader:
    """Reads one block after the other."""

    def __init__(self, source: Source, layout: ChatColumns, plan: Plan) -> None:
        self._source, self._layout, self._plan = source, layout, plan
        self._ends: set[int] = set()
        self._offered: Offered | OfferedTexts | None = None
        if "tools" in plan.schema.names:
            texts = any(isinstance(record.get("tools"), str) for record in source.raw_head())
            self._offered = OfferedTexts(source) if texts else Offered(source)

    def read(self, block: Block) -> Part | None:
        """Read a block; None where it is not regular, or may go on where another conversation ended."""
        taken = (block.data, 0) if self._offered is None else self._offered.taken(block.data)
        if taken is None:
            return None
        data, lists = taken
        columns = self._plan.columns(block if data is block.data else Block(data, block.first))
        part = None if columns is None else self._plan.part(columns, block, self._source, wire=True)
        if columns is None or part is None:
            return None
        if self._offered is not None:
            tools = self._offered.of(columns["tools"], lists)
            if tools is None:
                return None
            part.tools = rows_of(tools)
            part.cases["tools_known"] = pa.array([case in tools for case in range(len(part.ids))], pa.bool_())
        # A list of messages that is empty, or not there, is no conversation.
        told = self._layout.told(columns, block, part.notes) if _are_filled(columns[self._layout.key]) else None
        calls = None if told is None else told.call_columns()
        if told is None or calls is None:
            return None
        run = [map(str, columns[name].to_pylist()) for name in RUN if name in columns]
        if told.goes_on(hashes(zip(*run)) if run else np.zeros(told.size, np.uint64), self._ends):
            return None
        part.calls = calls
        part.cases["called_known"] = pa.repeat(True, told.size)
        told.complete(part.cases)
        return part


def _are_filled(lists: pa.ListArray) -> bool:
    return bool(lists.value_lengths().fill_null(0).to_numpy().all()) and not lists.flatten().null_count
