"""Big regular JSONL of OpenAI chats, by whole columns: what `openai_chat` reads record by record.

Regular is a file in which contents are texts, calls and results have ids that stand for one call in their
conversation, every result follows its call, and no conversation goes on where another ended. The first block
that is anything else leaves the whole file to the slower way, which alone knows about histories.
"""

from __future__ import annotations

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from toolcorrect.arguments.columns import decode_texts
from toolcorrect.arguments.decoding import TEXT
from toolcorrect.loaders.fast_records import BLOCK, Plan, as_json, is_null_somewhere, plan_of, scalar_type
from toolcorrect.loaders.lines import Block
from toolcorrect.loaders.message_lists import family_of
from toolcorrect.loaders.offered import Offered, rows_of
from toolcorrect.loaders.openai_chat import PLUMBING
from toolcorrect.loaders.parts import Note, Part, note_statuses, part_of
from toolcorrect.loaders.request_log import RUN
from toolcorrect.loaders.rows import MALFORMED, Rows
from toolcorrect.loaders.sharegpt import CALL_TAG
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.told import Calls, Results, Told, hashes

_CALL = pa.struct(
    [
        *((name, TEXT) for name in ("id", "type")),
        ("function", pa.struct([("name", TEXT), ("arguments", TEXT)])),
    ]
)
_MESSAGES = pa.list_(
    pa.struct(
        [
            *((name, TEXT) for name in ("role", "content", "name", "tool_call_id", "refusal")),
            ("tool_calls", pa.list_(_CALL)),
        ]
    )
)
_HELD_ELSEWHERE = frozenset({"choices", "request", "response", "functions"})


def fast_chat_parts(source: Source) -> list[Part] | None:
    """Read a JSONL source of chats in blocks by columns; None where it is not regular."""
    plan = _plan(source)
    if plan is None:
        return None
    # What opening the file had to note.
    parts = [part_of(Rows(source))]
    ends: set[int] = set()
    offered = Offered(source) if "tools" in plan.schema.names else None
    lines = source.lines()
    for block in lines.blocks(BLOCK):
        try:
            part = _read(plan, block, source, ends, offered)
        except MALFORMED:
            return None
        if part is None:
            return None
        parts.append(part)
    return None if lines.too_long else parts


def _plan(source: Source) -> Plan | None:
    records = source.raw_head()
    if source.renamed or not all(isinstance(record, dict) and "messages" in record for record in records):
        return None
    keys = {key for record in records for key in record}
    apart = {"messages": _MESSAGES, **({"tools": TEXT} if "tools" in keys else {})}
    for key in keys & PLUMBING - apart.keys():
        kind = scalar_type([record.get(key) for record in records])
        if kind is None or key in _HELD_ELSEWHERE:
            return None
        apart[key] = kind
    plan = plan_of(source, apart)
    return None if plan is None or "called" in plan.sides else plan


def _read(plan: Plan, block: Block, source: Source, ends: set[int], offered: Offered | None) -> Part | None:
    taken = (block.data, 0) if offered is None else offered.taken(block.data)
    columns = None if taken is None else plan.columns(block if offered is None else Block(taken[0], block.first))
    part = None if columns is None else plan.part(columns, block, source, wire=True)
    if taken is None or columns is None or part is None:
        return None
    if offered is not None:
        tools = offered.of(columns["tools"], taken[1])
        if tools is None:
            return None
        part.tools = rows_of(tools)
        part.cases["tools_known"] = pa.array([case in tools for case in range(len(part.ids))], pa.bool_())
    told = _told(columns["messages"], block.data, part.notes)
    calls = None if told is None else told.call_columns()
    if told is None or calls is None:
        return None
    run = [columns[name].to_pylist() for name in RUN if name in columns]
    runs = hashes(zip(*run)) if run else np.zeros(told.size, np.uint64)
    if told.goes_on(runs, ends):
        return None
    # Of texts and scalars alone only tags can make the conversation of another family.
    tagged = pc.match_substring(columns["messages"].flatten().field("content"), CALL_TAG).fill_null(False)
    made = set(calls["case"].to_pylist())
    suspects = {*told.case[tagged.to_numpy(zero_copy_only=False)].tolist()} - made
    lines = block.data.split(b"\n") if suspects else []
    if any(family_of(orjson.loads(lines[case])) for case in suspects):
        return None
    part.calls = calls
    part.cases["called_known"] = pa.repeat(True, told.size)
    for name, derived in told.case_columns().items():
        given = part.cases.get(name)
        part.cases[name] = derived if given is None else pc.coalesce(given, derived)
    return part


def _told(lists: pa.ListArray, data: bytes, notes: list[Note]) -> Told | None:
    """Take what lists of messages say; None where one is not there or empty, or a message is not regular."""
    lengths = lists.value_lengths().fill_null(0).to_numpy()
    messages = lists.flatten()
    if not lengths.all() or messages.null_count or messages.field("role").null_count:
        return None
    content = messages.field("content")
    said = pc.greater(pc.binary_length(content), 0).fill_null(False).to_numpy(False)
    roles = messages.field("role").dictionary_encode()
    words = np.array(roles.dictionary.to_pylist(), dtype=object)[roles.indices.to_numpy()]
    returns = (words == "tool") | (words == "function")
    counts = messages.field("tool_calls").value_lengths().fill_null(0).to_numpy()
    items = messages.field("tool_calls").flatten()
    functions = items.field("function")
    names, arguments, ids = functions.field("name"), functions.field("arguments"), items.field("id")
    message, returned = np.repeat(np.arange(len(counts)), counts), np.flatnonzero(returns)
    answers = messages.field("tool_call_id").take(pa.array(returned))
    if (
        (counts[returns] > 0).any()
        or items.null_count + functions.null_count + names.null_count + ids.null_count + answers.null_count
        or is_null_somewhere(arguments, data, "arguments")
    ):
        return None
    decoded = decode_texts(arguments, wire=True)
    note_statuses(notes, decoded.status, decoded.twice)
    asked, answered = (np.flatnonzero((words == role) & said) for role in ("user", "assistant"))
    output = {"output": as_json(content.take(pa.array(returned)))}
    return Told(
        lengths,
        (asked, content.take(pa.array(asked))),
        (answered, content.take(pa.array(answered))),
        counts > 0,
        Calls(message, message, names, decoded, ids, {"actor": roles.cast(TEXT).take(pa.array(message))}),
        Results(returned, returned, answers, pa.nulls(len(returned), TEXT), output),
        hashes(content.fill_null("").to_pylist()),
    )
