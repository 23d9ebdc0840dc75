"""`Part`: the rows of one source, or of a block of it, as Arrow columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from toolcorrect.arguments.columns import decode_texts
from toolcorrect.arguments.decoding import FORM, STATUS, TEXT, to_json
from toolcorrect.loaders.calls import EPOCH, Call, Expected, moment, storable
from toolcorrect.loaders.rows import Case, Rows
from toolcorrect.tables import KINDS, ROLES, SOURCES

Column: TypeAlias = pa.Array

# What an argument status other than ok is called in the report.
REPORTED = {"repaired": "arguments_repaired", "failed": "arguments_failed", "non_object": "arguments_not_object"}

# No column of a table: see `Part.argument_texts`.
ARGUMENT_NUMBER = "arguments_number"

_TEXT_CASE_COLUMNS = ("task", "model", "session", "input", "output", "source")
_KNOWN_COLUMNS = ("called_known", "expected_known", "tools_known")
# Of outcomes, trials and turns.
LARGEST_NUMBER = 1e18
_TIME = pa.timestamp("us", "UTC")


@dataclass
class Note:
    """One row of the report; ``case`` is a row of the part's cases, or None."""

    record: str
    code: str
    note: str = ""
    count: int = 1
    case: int | None = None


@dataclass
class Part:
    """Rows of one source as columns; cases are named by their row in this part.

    Attributes
    ----------
    name, stem
        Of the source, so that parts of one file stay together.
    ids
        String array, null where the source gives no id.
    cases, calls, expected
        Columns of the tables (int8 codes for a closed vocabulary); those left out take their default.
        ``calls["case"]`` and ``expected["case"]`` are int64 rows of ``cases``, non-decreasing; ``position``
        counts from 0 in each.
    argument_texts
        What the numbers in a column `ARGUMENT_NUMBER` of ``calls`` and ``expected`` (int64, -1: not known) stand
        for, where a loader numbered the texts anyway.
    tags
        The user's own columns: lists of Python values, or Arrow arrays.
    tools, rules
        Dicts of a row each, ``case`` being a row or None (all cases).
    """

    name: str
    stem: str
    ids: Column
    cases: dict[str, Column] = field(default_factory=dict)
    tags: dict[str, Any] = field(default_factory=dict)
    calls: dict[str, Column] = field(default_factory=dict)
    expected: dict[str, Column] = field(default_factory=dict)
    argument_texts: Column | None = None
    tools: list[dict[str, Any]] = field(default_factory=list)
    rules: list[dict[str, Any]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


def part_of(rows: Rows) -> Part:
    """Turn the rows of a reader into columns, decoding the argument texts."""
    cases = rows.cases
    row_of = {id(case): i for i, case in enumerate(cases)}
    part = Part(rows.source.name, rows.source.stem, texts([c.identity for c in cases]))
    part.notes = [
        Note(record, code, note, count, None if case is None else row_of.get(id(case)))
        for (record, code, note, case), count in rows.reported.items()
    ]
    part.notes += [Note(label, "unreadable", reason) for label, reason in rows.source.skipped.items()]
    part.cases = _case_columns(cases, part.notes)
    part.tags = {name: [c.tags.get(name) for c in cases] for name in dict.fromkeys(n for c in cases for n in c.tags)}
    part.calls = _call_columns(cases, part.notes)
    part.expected = _expected_columns(cases, part.notes)
    part.tools = [
        {"case": i, "tool": tool, "description": description, "parameters": parameters, "effect": effect}
        for i, offered in [*((i, c.tools) for i, c in enumerate(cases)), (None, rows.tools)]
        for tool, description, parameters, effect in offered
    ]
    part.rules = [{**rule, "case": None if (c := rule["case"]) is None else row_of[id(c)]} for rule in rows.rules]
    return part


def _case_columns(cases: Sequence[Case], notes: list[Note]) -> dict[str, Column]:
    gathered = [case.columns for case in cases]
    given = {name: [columns.get(name) for columns in gathered] for name in (*_TEXT_CASE_COLUMNS, *_NUMBER_COLUMNS)}
    made = {name: texts(_as_texts(given[name])) for name in _TEXT_CASE_COLUMNS}
    for name, (kind, convert) in _NUMBER_COLUMNS.items():
        values = [None if value is None else convert(value) for value in given[name]]
        notes += (
            Note("", "not_a_number", f"{name} {str(told)[:60]!r} left out{_ADVICE.get(name, '')}", case=i)
            for i, (value, told) in enumerate(zip(values, given[name]))
            if value is None and told is not None
        )
        made[name] = pa.array(values, kind)
    for name in _KNOWN_COLUMNS:
        made[name] = pa.array([bool(g.get(name)) for g in gathered], pa.bool_())
    # Calls that are there are known.
    known = [bool(g["called_known"] or case.calls) for g, case in zip(gathered, cases)]
    made["called_known"] = pa.array(known, pa.bool_())
    made["references"] = pa.array([g.get("references", 1) for g in gathered], pa.int64())
    return made


# Of the columns of numbers, the one that people write in words.
_ADVICE = {"outcome": "; write a number, 1 for solved and 0 for not"}


def _call_columns(cases: Sequence[Case], notes: list[Note]) -> dict[str, Column]:
    calls = [call for case in cases for call in case.calls]
    owner, position = owners([len(case.calls) for case in cases])
    return {
        "case": owner,
        "position": position,
        **_argument_columns(calls, notes, ""),
        **{name: texts(_values(calls, name)) for name in _CALL_TEXTS},
        **{name: pa.array(_values(calls, name), pa.int64()) for name in ("turn", "step", "depth")},
        "error": pa.array(_values(calls, "error"), pa.bool_()),
        "kind": category(_values(calls, "kind"), KINDS),
        "source": category(_values(calls, "source"), SOURCES),
        "started": times(_values(calls, "started")),
    }


_CALL_TEXTS = ("tool", "call_id", "output", "error_message", "actor", "agent", "server")


def _values(items: Sequence[Call | Expected], name: str) -> list[Any]:
    return list(map(attrgetter(name), items))


def _expected_columns(cases: Sequence[Case], notes: list[Note]) -> dict[str, Column]:
    for case in cases:
        case.expected.sort(key=attrgetter("reference"))
    every = [item for case in cases for item in case.expected]
    owner, _ = owners([len(case.expected) for case in cases])
    reference = np.array(_values(every, "reference"), dtype=np.int64)
    decoded = _argument_columns(every, notes, "expected_")
    return {
        "case": owner,
        "reference": pa.array(reference),
        "position": positions(owner.to_numpy(), reference),
        "arguments": decoded["arguments"],
        "arguments_form": decoded["arguments_form"],
        **{name: pa.array(_values(every, name), pa.int64()) for name in ("turn", "step")},
        **{name: texts(_values(every, name)) for name in ("tool", "output", "compare")},
        "kind": category(_values(every, "kind"), KINDS),
        "role": category(_values(every, "role"), ROLES),
    }


def _argument_columns(items: Sequence[Call | Expected], notes: list[Note], prefix: str) -> dict[str, Column]:
    """Decode the arguments of calls or expected calls; texts all at once."""
    arguments = texts(_values(items, "arguments"))
    form = np.array([-1 if code is None else code for code in _values(items, "form")], dtype=np.int8)
    status = _STATUS_OF_FORM[form]
    raw = pa.nulls(len(items), TEXT)
    on_wire = np.array(_values(items, "wire"), dtype=bool)
    for wire in (False, True):
        mask = (form < 0) & (on_wire == wire)
        if not mask.any():
            continue
        decoded = decode_texts(arguments.filter(pa.array(mask)), wire=wire)
        arguments, raw = (
            pc.replace_with_mask(old, mask, new) for old, new in ((arguments, decoded.text), (raw, decoded.raw))
        )
        form[mask], status[mask] = decoded.form, decoded.status
        note_statuses(notes, decoded.status, decoded.twice, prefix)
    return {
        "arguments": arguments,
        "arguments_form": pa.array(form),
        "arguments_status": pa.array(status),
        "arguments_raw": raw,
    }


_STATUS_OF_FORM = np.full(len(FORM), STATUS["non_object"], dtype=np.int8)
_STATUS_OF_FORM[FORM["object"]] = STATUS["ok"]
_STATUS_OF_FORM[FORM["null"]] = STATUS["null"]
_STATUS_OF_FORM[FORM["absent"]] = STATUS["absent"]


def note_statuses(notes: list[Note], status: np.ndarray, twice: int, prefix: str = "") -> None:
    """Report how many argument texts were mended, or could not be read."""
    counts = Counter({code: int((status == STATUS[word]).sum()) for word, code in REPORTED.items()})
    counts["arguments_decoded_twice"] = twice
    where = "" if prefix else "see arguments_raw of calls"
    notes.extend(Note("", prefix + code, where, count) for code, count in counts.items() if count)


def owners(lengths: Sequence[int] | np.ndarray) -> tuple[Column, Column]:
    """Return, for lists of these lengths, the list of each item and its position in it (int64)."""
    counts = np.asarray(lengths, dtype=np.int64)
    owner = np.repeat(np.arange(len(counts)), counts)
    starts = np.cumsum(counts) - counts
    return pa.array(owner), pa.array(np.arange(len(owner)) - starts[owner])


def positions(owner: np.ndarray, reference: np.ndarray) -> Column:
    """Return positions from 0 within each (case, reference); rows are sorted by both."""
    if not len(owner):
        return pa.array([], pa.int64())
    new = np.ones(len(owner), dtype=bool)
    new[1:] = (np.diff(owner) != 0) | (np.diff(reference) != 0)
    starts = np.flatnonzero(new)
    return pa.array(np.arange(len(owner)) - np.repeat(starts, np.diff(np.append(starts, len(owner)))))


def texts(values: list[str | None]) -> Column:
    """Return a string array of texts made `storable`."""
    try:
        return pa.array(values, TEXT)
    except (UnicodeEncodeError, pa.ArrowInvalid):
        return pa.array([None if v is None else storable(v) for v in values], TEXT)


def category(values: list[str | None], dtype: pd.CategoricalDtype) -> Column:
    """Return int8 codes of the categories of a dtype."""
    codes = {None: None, **{name: code for code, name in enumerate(dtype.categories)}}
    return pa.array(map(codes.__getitem__, values), pa.int8(), size=len(values))


def times(values: list[Any]) -> Column:
    """Return times as microseconds in UTC; what is no time is null.

    Parameters
    ----------
    values
        ISO texts, datetimes, nanoseconds since the epoch (numbers or texts of digits), or None.
    """
    kinds = {*map(type, values)}
    if kinds <= {type(None)}:
        return pa.nulls(len(values), _TIME)
    if kinds <= {str, type(None)} and (found := _usual_times(texts(values))) is not None:
        return found
    made: list[int | None] = []
    for value in map(moment, values):
        if isinstance(value, str) and value.isdigit():
            value = int(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            made.append(int(value // 1000) if value == value and abs(value) < 9e18 else None)
        else:
            made.append(_microseconds(value) if isinstance(value, str | datetime) else None)
    return pa.array(made, pa.int64()).cast(_TIME)


def _usual_times(spelled: Column) -> Column | None:
    """Return times that all have the usual spelling, with their zone; None where one has not, or is no time."""
    if not pc.all(pc.match_substring_regex(spelled, _USUAL_TIME)).as_py():
        return None
    try:
        return spelled.cast(_TIME)
    except pa.ArrowInvalid:
        return None


_USUAL_TIME = r"^(19|20)\d\d-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?(Z|[+-](0\d|1[0-4]):[0-5]\d)$"


def _microseconds(value: str | datetime) -> int | None:
    """Return microseconds since the epoch; pandas knows more spellings, but before its version 3 fewer years."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        found = pd.to_datetime(value, utc=True, errors="coerce")
    if pd.isna(found):
        return None
    return (found.replace(tzinfo=found.tzinfo or UTC) - EPOCH) // timedelta(microseconds=1)


def _as_texts(values: list[Any]) -> list[str | None]:
    if {*map(type, values)} <= {str, type(None)}:
        return values
    return [value if value is None or isinstance(value, str) else to_json(value) for value in values]


def _as_integer(value: Any) -> int | None:
    number = _as_number(value)
    return int(number) if number is not None and number == int(number) else None


def _as_number(value: Any) -> float | None:
    if isinstance(value, bool | int | float | str):
        try:
            number = float(value)
        except (ValueError, OverflowError):
            return None
        return number if abs(number) < LARGEST_NUMBER else None
    return None


_NUMBER_COLUMNS: dict[str, tuple[pa.DataType, Callable[[Any], int | float | None]]] = {
    "trial": (pa.int64(), _as_integer),
    "turns": (pa.int64(), _as_integer),
    "outcome": (pa.float64(), _as_number),
}
