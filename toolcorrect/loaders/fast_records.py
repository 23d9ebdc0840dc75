"""Big regular JSONL of plain records, by whole columns: Arrow reads each block, no Python object a call.

A `Plan` is made from the first records: one key for each field, one Arrow type for each key. A block that
does not keep to it (another key, another type, an explicit null where null and missing differ, a line that
is no object) is read record by record instead, with the same result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from toolcorrect.arguments.columns import POOL, DecodedTexts, DistinctTexts
from toolcorrect.arguments.decoding import TEXT, to_json
from toolcorrect.loaders.calllike import CALL_KEYS, kind_of
from toolcorrect.loaders.calls import storable
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.lines import Block
from toolcorrect.loaders.parts import ARGUMENT_NUMBER, LARGEST_NUMBER, Part, note_statuses, owners, part_of
from toolcorrect.loaders.plain_records import RECORD_KEYS, WIRE_KEY, meant_by
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.source import Source
from toolcorrect.tables import CASES, KINDS

# Blocks that fit the processor's cache are parsed fastest.
BLOCK = 4 << 20
# After so many irregular blocks the file counts as irregular.
PATIENCE = 3

_INTEGER, _NUMBER, _BOOLEAN = pa.int64(), pa.float64(), pa.bool_()
# What a field may hold; other fields, or other types, are left to the slower way.
_RECORD_TYPES = {
    **dict.fromkeys(("case", "task", "model", "session", "input", "output"), TEXT),
    **dict.fromkeys(("trial", "turns"), _INTEGER),
    "outcome": _NUMBER,
}
_CALL_TYPES = {
    **dict.fromkeys(("name", "arguments", "output", "id", "type"), TEXT),
    **dict.fromkeys(("turn", "step"), _INTEGER),
    "error": _BOOLEAN,
}
_SCALARS = {str: TEXT, bool: _BOOLEAN, int: _INTEGER, float: _NUMBER, type(None): pa.null()}


@dataclass(frozen=True)
class Side:
    """How one list of calls is written: which key holds it, and the path to each field of a call.

    A list of bare names has the one path ``{"name": ()}``.
    """

    key: str
    kind: pa.DataType
    paths: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Plan:
    """Which key holds what, and of which type."""

    schema: pa.Schema
    fields: Mapping[str, str]
    tags: Mapping[str, str]
    sides: Mapping[str, Side]

    def read(self, block: Block, source: Source) -> Part | None:
        """Read a block by columns; None where it is not regular."""
        columns = self.columns(block)
        wire = any(side.key == WIRE_KEY for side in self.sides.values())
        return None if columns is None else self.part(columns, block, source, wire=wire)

    def part(self, columns: Mapping[str, pa.Array], block: Block, source: Source, *, wire: bool) -> Part | None:
        """Make the part of a block from its `columns`; None where a value is not what it should be.

        Parameters
        ----------
        wire
            As in `decode_texts`.
        """
        records = len(next(iter(columns.values())))
        part = Part(source.name, source.stem, pa.nulls(records, TEXT))
        for field, key in self.fields.items():
            part.cases[field] = columns[key].cast(_RECORD_TYPES[field])
            if not _are_numbers(part.cases[field]):
                return None
        part.ids = part.cases.pop("case", part.ids)
        numbers = pa.array(np.arange(block.first, block.first + records)).cast(TEXT)
        part.cases["source"] = pc.binary_join_element_wise(
            pa.scalar(f"{source.name}, line ", TEXT), numbers, pa.scalar("", TEXT)
        )
        part.tags = {tag: None if columns[key].type == pa.null() else columns[key] for key, tag in self.tags.items()}
        given: dict[str, dict[str, pa.Array]] = {}
        for name, side in self.sides.items():
            fields = _fields_of(columns[side.key], side, block.data)
            if fields is None:
                return None
            given[name] = fields
        # Both sides together: calls of one case often have the same texts.
        arguments = [fields["arguments"] for fields in given.values()]
        texts = DistinctTexts.of(pa.concat_arrays([pa.array([], TEXT), *arguments], memory_pool=POOL))
        number, part.argument_texts = texts.numbered()
        ends = np.cumsum([len(column) for column in arguments]).tolist()
        for (name, side), begin, end in zip(self.sides.items(), [0, *ends], ends):
            decoded = texts.columns(begin, end, wire=wire or len(side.paths["name"]) > 1)
            note_statuses(part.notes, decoded.status, decoded.twice, "" if name == "called" else "expected_")
            table = _table(columns[side.key], given[name], decoded, name) | {ARGUMENT_NUMBER: number[begin:end]}
            setattr(part, "calls" if name == "called" else "expected", table)
        for name in ("called", "expected"):
            there = columns[self.sides[name].key].is_valid() if name in self.sides else pa.repeat(False, records)
            part.cases[f"{name}_known"] = there
        return part

    def columns(self, block: Block) -> dict[str, pa.Array] | None:
        """Parse a block into a column for each key; None where it does not keep to the plan."""
        records = _one_object_a_line(block)
        if not records:
            return None
        try:
            table = pj.read_json(
                pa.BufferReader(block.data),
                read_options=pj.ReadOptions(use_threads=False, block_size=len(block.data) + 1),
                parse_options=pj.ParseOptions(explicit_schema=self.schema, unexpected_field_behavior="error"),
                memory_pool=POOL,
            )
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return None
        if table.num_rows != records or table.schema != self.schema or table.column(0).num_chunks != 1:
            return None
        columns = {name: table.column(name).chunk(0) for name in table.column_names}
        # Arrow takes Inf for a number, which JSON, even Python's, does not know.
        numbers = [column for column in columns.values() if column.type == _NUMBER]
        return None if any(pc.any(pc.is_inf(column)).as_py() for column in numbers) else columns


def _fields_of(lists: pa.Array, side: Side, data: bytes) -> dict[str, pa.Array] | None:
    """Return the fields of all calls in some lists; None where a value is not what it should be."""
    items = lists.flatten()
    given = {field: _child(items, path) for field, path in side.paths.items()}
    if any(column is None for column in given.values()) or given["name"].null_count:
        return None
    if "arguments" in given and is_null_somewhere(given["arguments"], data, side.paths["arguments"][-1]):
        return None
    if any(_has_negative(given[field]) for field in ("turn", "step") if field in given):
        return None
    kinds = _kinds(given.get("type"), len(items))
    return None if kinds is None else {"arguments": pa.nulls(len(items), TEXT), **given, "kind": kinds}


def _table(lists: pa.Array, given: Mapping[str, pa.Array], decoded: DecodedTexts, name: str) -> dict[str, Any]:
    """Return the columns of one side's calls."""
    case, position = owners(pc.list_value_length(lists).fill_null(0).to_numpy())
    table = {
        "case": case,
        "position": position,
        "tool": given["name"],
        "arguments": decoded.text,
        "arguments_form": pa.array(decoded.form),
        "kind": given["kind"],
    }
    if "turn" in given:
        table["turn"] = given["turn"].fill_null(0)
    if "step" in given:
        table["step"] = given["step"]
    if "output" in given:
        table["output"] = as_json(given["output"])
    if name == "called":
        table["arguments_status"], table["arguments_raw"] = pa.array(decoded.status), decoded.raw
        table.update({column: given[field] for field, column in _CALLED_ONLY if field in given})
    return table


_CALLED_ONLY = (("id", "call_id"), ("error", "error"))


def fast_parts(source: Source, chosen: Format) -> list[Part]:
    """Read a JSONL source of plain records in blocks, each by columns where it is regular."""
    plan = plan_of(source)
    failures = 0 if plan is not None else PATIENCE
    lines = source.lines()
    # What opening the file had to note.
    parts = [part_of(Rows(source))]
    for block in lines.blocks(BLOCK):
        part = plan.read(block, source) if plan is not None and failures < PATIENCE else None
        if part is None:
            failures += 1
            part = _read_slowly(block, source, chosen)
        parts.append(part)
    return [*parts, _read_slowly(None, source, chosen, lines.too_long)]


def _read_slowly(block: Block | None, source: Source, chosen: Format, too_long: Iterable[int] = ()) -> Part:
    """Read one block record by record."""
    one = source.part(block, too_long)
    rows = Rows(one)
    chosen.read(one, rows)
    return part_of(rows)


def plan_of(
    source: Source, apart: Mapping[str, pa.DataType] | None = None, records: Sequence[Any] | None = None
) -> Plan | None:
    """Make the plan of a source from its first records; None where they are not regular.

    Parameters
    ----------
    apart
        Keys, with their type, that the plan only parses.
    records
        The first records, where they are not simply those of the source.
    """
    apart = apart or {}
    records = source.raw_head() if records is None else records
    if not records or not all(isinstance(record, dict) for record in records):
        return None
    names = {key: source.renamed.get(key, key) for record in records for key in record}
    if len(set(names.values())) < len(names) or "context" in names.values() or any(k != storable(k) for k in names):
        return None
    fields: dict[str, str] = {}
    tags: dict[str, str] = {}
    sides: dict[str, Side] = {}
    schema: list[tuple[str, pa.DataType]] = []
    field_of = {name: field for field, aliases in RECORD_KEYS.items() for name in aliases}
    for key, name in names.items():
        values = [record[key] for record in records if key in record]
        field = field_of.get(name)
        if key in apart:
            schema.append((key, apart[key]))
            continue
        # What is nearly the name of a list is reported, record by record.
        strange = field is None and (name in CASES or meant_by(name))
        if strange or field in fields or field in sides or field == "tools":
            return None
        if field in ("called", "expected"):
            side = _side_of(key, values)
            if side is None:
                return None
            sides[field] = side
            schema.append((key, side.kind))
            continue
        kind = scalar_type(values)
        if kind is None or (field is not None and not _fits(kind, _RECORD_TYPES[field])):
            return None
        schema.append((key, kind))
        if field is None:
            tags[key] = name
        else:
            fields[field] = key
    source.renamed_seen.update(names.keys() & source.renamed.keys())
    return Plan(pa.schema(schema), fields, tags, sides) if sides or apart else None


def _side_of(key: str, values: list[Any]) -> Side | None:
    lists = [value for value in values if value is not None]
    items = [item for value in lists if isinstance(value, list) for item in value]
    if not items or not all(isinstance(value, list) for value in lists):
        return None
    if all(isinstance(item, str) for item in items):
        return Side(key, pa.list_(TEXT), {"name": ()})
    if not all(isinstance(item, dict) for item in items):
        return None
    inner = [item["function"] for item in items if isinstance(item.get("function"), dict)]
    nested = len(inner) == len(items)
    if inner and not nested:
        return None
    outer = [{k: v for k, v in item.items() if k != "function"} for item in items] if nested else items
    paths: dict[str, tuple[str, ...]] = {}
    structure: list[pa.Field] = []
    for objects, above in ((outer, ()), (inner, ("function",))):
        made = []
        for name in dict.fromkeys(name for one in objects for name in one):
            field = next((field for field, aliases in CALL_KEYS.items() if name in aliases), None)
            kind = scalar_type([one[name] for one in objects if name in one])
            if (
                field is None
                or field not in _CALL_TYPES
                or field in paths
                or kind is None
                or not _fits(kind, _CALL_TYPES[field])
            ):
                return None
            paths[field] = (*above, name)
            made.append(pa.field(name, _CALL_TYPES[field]))
        structure += made if not above else [pa.field("function", pa.struct(made))] if made else []
    return Side(key, pa.list_(pa.struct(structure)), paths) if "name" in paths else None


def scalar_type(values: list[Any]) -> pa.DataType | None:
    """Return the one Arrow type of some values; None where there is none."""
    kinds = {type(value) for value in values}
    if not kinds <= _SCALARS.keys():
        return None
    kinds.discard(type(None))
    if kinds == {int, float}:
        return _NUMBER
    return None if len(kinds) > 1 else _SCALARS[kinds.pop()] if kinds else pa.null()


def _fits(kind: pa.DataType, wanted: pa.DataType) -> bool:
    return kind in (wanted, pa.null()) or (kind == _INTEGER and wanted == _NUMBER)


def _one_object_a_line(block: Block) -> int:
    """Return how many lines there are if each is one object by itself, else 0.

    Notes
    -----
    In valid JSON ``}`` and ``{`` meet only between two values, so if every newline lies between them, and Arrow
    then finds as many values as lines, each line is one value.
    """
    octets, ends = np.frombuffer(block.data, dtype=np.uint8), block.newlines
    if not len(ends) or ends[-1] != len(octets) - 1:
        ends = np.append(ends, len(octets))
    starts = np.append(0, ends[:-1] + 1)
    if starts[-1] >= len(octets) or (octets[starts] != ord("{")).any() or (octets[ends - 1] != ord("}")).any():
        return 0
    return len(ends) if _is_utf8(block.data) else 0


def _is_utf8(data: bytes) -> bool:
    offsets = pa.py_buffer(np.array([0, len(data)], dtype=np.int64))
    try:
        pa.Array.from_buffers(TEXT, 1, [None, offsets, pa.py_buffer(data)]).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _are_numbers(column: pa.Array) -> bool:
    """Tell whether numbers, if they are any, are such as the record by record way takes."""
    if column.type not in (_INTEGER, _NUMBER):
        return True
    return pc.all(pc.less(pc.abs(column.cast(_NUMBER)), LARGEST_NUMBER)).as_py() is not False


def _child(items: Any, path: tuple[str, ...]) -> Any:
    """Return a field of structs; None where a struct on the way is null."""
    for name in path:
        if items.null_count:
            return None
        items = items.field(name)
    return items


def is_null_somewhere(column: pa.Array, data: bytes, key: str) -> bool:
    """Tell whether a key may stand with null, which is not the same as missing, but is to Arrow."""
    if not column.null_count:
        return False
    # An escape may stand for any letter of the key.
    return re.search(rb'(?:"' + re.escape(key.encode()) + rb'|\\[^"]*)"\s*:\s*null', data) is not None


def _has_negative(column: pa.Array) -> bool:
    return bool(pc.any(pc.less(column, 0)).as_py())


def _kinds(words: pa.Array | None, size: int) -> pa.Array | None:
    """Return the kinds (int8 codes) that the types of calls mean; None where one is not known."""
    if words is None:
        return pa.repeat(pa.scalar(0, pa.int8()), size)
    encoded = words.dictionary_encode()
    kinds = [kind_of(word) for word in [*encoded.dictionary.to_pylist(), None]]
    if not set(kinds) <= set(KINDS.categories):
        return None
    codes = pa.array([KINDS.categories.get_loc(kind) for kind in kinds], pa.int8())
    return codes.take(encoded.indices.fill_null(len(kinds) - 1))


def as_json(texts: pa.Array) -> pa.Array:
    """Return texts as JSON."""
    encoded = texts.dictionary_encode()
    return pa.array([to_json(text) for text in encoded.dictionary.to_pylist()], TEXT).take(encoded.indices)
