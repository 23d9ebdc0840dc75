"""Big regular JSONL of OpenAI chats, by whole columns: what `openai_chat` reads record by record.

Regular is a file in which contents are texts, calls and results have ids that stand for one call in their
conversation, every result follows its call, and no conversation goes on where another ended. The first block
that is anything else leaves the whole file to the slower way, which alone knows about histories.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from toolcorrect.arguments.decoding import TEXT, decode_texts
from toolcorrect.loaders.fast_records import BLOCK, Plan, as_json, is_null_somewhere, plan_of, scalar_type
from toolcorrect.loaders.lines import Block
from toolcorrect.loaders.message_lists import family_of
from toolcorrect.loaders.openai_chat import PLUMBING
from toolcorrect.loaders.parts import Part, note_statuses, owners, part_of
from toolcorrect.loaders.request_log import RUN
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.source import Source

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
    lines = source.lines()
    for block in lines.blocks(BLOCK):
        part = _read(plan, block, source, ends)
        if part is None:
            return None
        parts.append(part)
    return None if lines.too_long else parts


def _plan(source: Source) -> Plan | None:
    records = source.raw_head()
    if source.renamed or not all(isinstance(record, dict) and "messages" in record for record in records):
        return None
    apart = {"messages": _MESSAGES}
    for key in {key for record in records for key in record} & PLUMBING - apart.keys():
        kind = scalar_type([record.get(key) for record in records])
        if kind is None or key in _HELD_ELSEWHERE:
            return None
        apart[key] = kind
    plan = plan_of(source, apart)
    return None if plan is None or "called" in plan.sides else plan


def _read(plan: Plan, block: Block, source: Source, ends: set[int]) -> Part | None:
    columns = plan.columns(block.data)
    chats = None if columns is None else _Chats.of(columns["messages"])
    if columns is None or chats is None:
        return None
    part = plan.part(columns, block, source, wire=True)
    calls = None if part is None else chats.calls(block.data, part)
    if part is None or calls is None or chats.goes_on(columns, calls, ends):
        return None
    silent = np.flatnonzero(np.bincount(calls["case"], minlength=chats.size) == 0)
    lines = block.data.split(b"\n") if len(silent) else []
    # Without a call it may be a conversation of another family.
    if any(family_of(orjson.loads(lines[case])) for case in silent):
        return None
    part.calls = calls
    part.cases["called_known"] = pa.repeat(True, chats.size)
    for name, derived in chats.told().items():
        given = part.cases.get(name)
        part.cases[name] = derived if given is None else pc.coalesce(given, derived)
    return part


class _Chats:
    """The messages of some conversations, each a row; ``case`` is the conversation of each."""

    def __init__(self, lengths: np.ndarray, messages: pa.StructArray) -> None:
        self.size = len(lengths)
        self.messages = messages
        self.case, self.position = (column.to_numpy() for column in owners(lengths))
        self.last = np.cumsum(lengths) - 1
        self.first = self.last + 1 - lengths
        self.content = messages.field("content")
        said = pc.greater(pc.binary_length(self.content), 0).fill_null(False)
        roles = messages.field("role").dictionary_encode()
        self.role = roles.cast(TEXT)
        words = np.array(roles.dictionary.to_pylist(), dtype=object)[roles.indices.to_numpy()]
        self.returns = (words == "tool") | (words == "function")
        self.asks, self.answers = ((words == role) & said.to_numpy(False) for role in ("user", "assistant"))
        self.turns = self._within(self.asks)

    @classmethod
    def of(cls, lists: pa.ListArray) -> _Chats | None:
        """Take the lists of messages; None where one is not there or empty, or a message has no role."""
        lengths = lists.value_lengths().fill_null(0).to_numpy()
        messages = lists.flatten()
        if not lengths.all() or messages.null_count or messages.field("role").null_count:
            return None
        return cls(lengths, messages)

    def told(self) -> dict[str, pa.Array]:
        """Return what the messages tell of their cases: first question, last answer, turns."""
        asked, answered = np.flatnonzero(self.asks), np.flatnonzero(self.answers)
        return {
            # Of rows for one case the last counts.
            "input": self.content.take(_placed(asked[::-1], self.case[asked[::-1]], self.size)),
            "output": self.content.take(_placed(answered, self.case[answered], self.size)),
            "turns": pa.array(self.turns[self.last]),
        }

    def calls(self, data: bytes, part: Part) -> dict[str, Any] | None:
        """Return the columns of the calls, with what came back; None where an id is not what it should be."""
        lists = self.messages.field("tool_calls")
        counts = lists.value_lengths().fill_null(0).to_numpy()
        items = lists.flatten()
        functions = items.field("function")
        names, arguments, ids = functions.field("name"), functions.field("arguments"), items.field("id")
        if (
            (counts[self.returns] > 0).any()
            or items.null_count + functions.null_count + names.null_count
            or is_null_somewhere(arguments, data, "arguments")
        ):
            return None
        message = np.repeat(np.arange(len(counts)), counts)
        case = self.case[message]
        returned = np.flatnonzero(self.returns)
        answered = self._answered(
            ids, message, self.messages.field("tool_call_id").take(pa.array(returned)), returned
        )
        if answered is None:
            return None
        decoded = decode_texts(arguments, wire=True)
        note_statuses(part.notes, decoded.status, decoded.twice)
        makes = counts > 0
        return {
            "case": pa.array(case),
            "position": owners(np.bincount(case, minlength=self.size))[1],
            "tool": names,
            "arguments": decoded.text,
            "arguments_form": pa.array(decoded.form),
            "arguments_status": pa.array(decoded.status),
            "arguments_raw": decoded.raw,
            "turn": pa.array(np.maximum(self.turns - 1, 0)[message]),
            "step": pa.array(self._within(makes)[message] - 1),
            "call_id": ids,
            "output": as_json(self.content.take(_placed(returned, answered, len(items)))),
            "actor": self.role.take(pa.array(message)),
        }

    def _answered(
        self, ids: pa.Array, message: np.ndarray, answers: pa.Array, returned: np.ndarray
    ) -> np.ndarray | None:
        """Return which call (int64) each result answers; None where that is not plain."""
        coded = pa.concat_arrays([ids, answers]).dictionary_encode()
        words = coded.dictionary.to_pylist()
        if coded.null_count or "" in words:
            return None
        case = self.case[np.concatenate([message, returned])]
        keys = case * max(len(words), 1) + coded.indices.to_numpy()
        made, answering = keys[: len(ids)], keys[len(ids) :]
        order = np.argsort(made, kind="stable")
        found = np.searchsorted(made, answering, sorter=order)
        if (np.diff(made[order]) == 0).any() or len(np.unique(answering)) < len(answering):
            return None
        if (found == len(made)).any():
            return None
        call = order[found]
        return call if (made[call] == answering).all() and (message[call] < returned).all() else None

    def goes_on(self, columns: Mapping[str, pa.Array], calls: Mapping[str, Any], ends: set[int]) -> bool:
        """Tell whether a conversation may begin with the whole of another; note the ends of all in ``ends``.

        Notes
        -----
        Each message has a number (from its content and its ids), each conversation up to a message the sum of
        them, weighted by place. Equal beginnings have equal sums.
        """
        run = zip(*(columns[name].to_pylist() for name in RUN if name in columns))
        start = _hashes(run) if any(name in columns for name in RUN) else np.zeros(self.size, np.uint64)
        number = _hashes(self.content.fill_null("").to_pylist())
        number += _hashes(self.messages.field("tool_call_id").to_pylist())
        counts = self.messages.field("tool_calls").value_lengths().fill_null(0).to_numpy()
        sums = np.append(np.uint64(0), np.cumsum(_hashes(calls["call_id"].to_pylist())))
        after = np.cumsum(counts)
        number += sums[after] - sums[after - counts]
        weights = np.cumprod(np.full(int(self.position.max()) + 1, 0x9E3779B97F4A7C15, np.uint64))
        total = np.append(np.uint64(0), np.cumsum(number * weights[self.position]))
        total = total[1:] - total[self.first][self.case] + start[self.case]
        ends.update(total[self.last].tolist())
        inside = np.ones(len(total), dtype=bool)
        inside[self.last] = False
        return not ends.isdisjoint(total[inside].tolist())

    def _within(self, marked: np.ndarray) -> np.ndarray:
        """Count marked messages of the same conversation up to each message (int64)."""
        counts = np.cumsum(marked)
        return counts - (counts - marked)[self.first][self.case]


def _placed(rows: np.ndarray, places: np.ndarray, size: int) -> pa.Array:
    """Return, for places from 0 to ``size``, the row that belongs there; null where there is none."""
    index = np.full(size, -1, dtype=np.int64)
    index[places] = rows
    return pa.array(index, mask=index < 0)


def _hashes(values: Any) -> np.ndarray:
    return np.fromiter(map(hash, values), np.int64).view(np.uint64)
