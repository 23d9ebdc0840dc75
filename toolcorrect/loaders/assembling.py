"""From the parts of all sources to one Dataset: unique ids, one dtype a column, one report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from toolcorrect.arguments.decoding import TEXT, to_json
from toolcorrect.dataset import Dataset
from toolcorrect.loaders.parts import ARGUMENT_NUMBER, Note, Part, texts
from toolcorrect.tables import CALLS, CASES, EXPECTED, STRING, Columns, constant

_LARGEST_INTEGER = 1 << 63


def assemble(parts: Sequence[Part], **constants: Any) -> Dataset:
    """Join parts into a dataset.

    Parameters
    ----------
    parts
        In the order of the files.
    constants
        Columns of `cases` to set for every case where not None (``model``, ``run``).
    """
    sizes = [len(part.ids) for part in parts]
    firsts = np.cumsum([0, *sizes])
    ids, tasks, notes = unique_ids(parts)
    cases: dict[str, Any] = {
        name: _joined([part.cases.get(name) for part in parts], sizes, dtype, default)
        for name, (dtype, default) in CASES.items()
    }
    if tasks is not None:
        cases["task"] = pd.Series(cases["task"]).fillna(tasks).array
    for name in dict.fromkeys(name for part in parts for name in part.tags):
        cases[name] = tag_column([part.tags.get(name) for part in parts], sizes)
    cases.update({name: constant(value, STRING, len(ids)) for name, value in constants.items() if value is not None})
    index = pd.Index(STRING.__from_arrow__(ids), name="case")
    owners = {
        "calls": _owners([part.calls for part in parts], firsts),
        "expected": _owners([part.expected for part in parts], firsts),
    }
    data = Dataset.in_order(
        owners,
        cases=pd.DataFrame(cases, index=index, copy=False),
        calls=_table([part.calls for part in parts], owners["calls"], CALLS, ids),
        expected=_table([part.expected for part in parts], owners["expected"], EXPECTED, ids),
        rules=_records([part.rules for part in parts], firsts, ids),
        tools=_records([part.tools for part in parts], firsts, ids),
        report=_report(parts, notes, firsts, ids),
    )
    _hand_over_numbers(parts, data)
    return data


def _hand_over_numbers(parts: Sequence[Part], data: Dataset) -> None:
    """Tell a dataset the numbers of its argument texts, if all parts with calls have them."""
    numbered = [part for part in parts if any(table and len(table["case"]) for table in (part.expected, part.calls))]
    if any(ARGUMENT_NUMBER not in table for part in numbered for table in (part.expected, part.calls) if table):
        return
    texts = pa.chunked_array([part.argument_texts for part in numbered], TEXT)
    firsts = np.cumsum([0, *map(len, texts.chunks)])

    def joined(tables: Sequence[dict[str, Any]]) -> np.ndarray:
        given = [(table[ARGUMENT_NUMBER], first) for table, first in zip(tables, firsts) if table]
        numbers = [np.where(number < 0, -1, number + first) for number, first in given]
        return np.concatenate([np.empty(0, dtype=np.int64), *numbers])

    expected, calls = joined([part.expected for part in numbered]), joined([part.calls for part in numbered])
    data.know_argument_numbers(expected, calls, texts)


def unique_ids(parts: Sequence[Part]) -> tuple[pa.Array, pd.Series | None, list[tuple[str, Note]]]:
    """Give every case an id of its own.

    Returns
    -------
    ids
        String array over the cases of all parts.
    tasks
        The ids as the files give them, where a file's stem was put before them: what such cases share is
        their task. None where no id changed.
    notes
        What was done, with the name of the file.
    """
    by_file: dict[str, list[int]] = defaultdict(list)
    for i, part in enumerate(parts):
        by_file[part.name].append(i)
    given = [part.ids.to_pylist() if part.ids.null_count else part.ids for part in parts]
    notes: list[tuple[str, Note]] = []
    for name, rows in by_file.items():
        made = sum(parts[i].ids.null_count for i in rows)
        if made:
            alone = sum(len(parts[i].ids) for i in rows) == 1 and parts[rows[0]].stem
            number = 0
            for i in rows:
                numbered = []
                for case in given[i].to_pylist() if isinstance(given[i], pa.Array) else given[i]:
                    numbered.append(case if case is not None else alone or str(number))
                    number += 1
                given[i] = numbered
            notes.append((name, Note("", "id_made", "no id in the file", made)))
    arrays = [g if isinstance(g, pa.Array) else pa.array(g, TEXT) for g in given]
    ids = pa.concat_arrays(arrays) if arrays else pa.array([], TEXT)
    if len(ids.unique()) == len(ids):
        return ids, None, notes
    return _renamed(parts, arrays, list(by_file.values()), notes)


def _renamed(
    parts: Sequence[Part], arrays: list[pa.Array], files: list[list[int]], notes: list[tuple[str, Note]]
) -> tuple[pa.Array, pd.Series, list[tuple[str, Note]]]:
    """Put the stem before ids that several files have, and a number behind ids that repeat."""
    lists = [array.to_pylist() for array in arrays]
    seen_in = Counter(case for rows in files for case in {case for i in rows for case in lists[i]})
    made_up = [part.ids.is_null().to_pylist() for part in parts]
    tasks: list[list[str | None]] = [[None] * len(cases) for cases in lists]
    for rows in files:
        prefixed = 0
        for i in rows:
            for j, case in enumerate(lists[i]):
                if seen_in[case] > 1:
                    tasks[i][j] = None if made_up[i][j] else case
                    lists[i][j] = f"{parts[i].stem}/{case}"
                    prefixed += 1
        if prefixed:
            notes.append((parts[rows[0]].name, Note("", "id_prefixed", "another file has these ids too", prefixed)))
    taken: set[str] = {case for cases in lists for case in cases}
    used: set[str] = set()
    last: dict[str, int] = {}
    for rows in files:
        repeated = 0
        for i in rows:
            for j, case in enumerate(lists[i]):
                if case in used:
                    number = last.get(case, 1) + 1
                    while f"{case}#{number}" in taken:
                        number += 1
                    last[case] = number
                    tasks[i][j] = tasks[i][j] or (None if made_up[i][j] else case)
                    lists[i][j] = f"{case}#{number}"
                    taken.add(lists[i][j])
                    repeated += 1
                used.add(lists[i][j])
        if repeated:
            notes.append((parts[rows[0]].name, Note("", "id_repeated", "ids repeat inside the file", repeated)))
    ids = texts([case for cases in lists for case in cases])
    flat = [task for part_tasks in tasks for task in part_tasks]
    return ids, pd.Series(pd.array(flat, dtype=STRING)).fillna(pd.Series(STRING.__from_arrow__(ids))), notes


def _joined(pieces: Sequence[Any], sizes: Sequence[int], dtype: Any, default: Any) -> Any:
    """Concatenate Arrow arrays of one column; parts without it take the default."""
    kind = next((piece.type for piece, size in zip(pieces, sizes) if piece is not None and size), None)
    if kind is None:
        return constant(default, dtype, int(sum(sizes)))
    if isinstance(dtype, pd.CategoricalDtype) and default is not None:
        default = dtype.categories.get_loc(default)
    filled = [
        pa.repeat(pa.scalar(default, kind), size) if piece is None else piece
        for piece, size in zip(pieces, sizes)
        if size
    ]
    return to_pandas(pa.chunked_array(filled, kind), dtype)


def to_pandas(column: pa.ChunkedArray, dtype: Any) -> Any:
    """Return an Arrow column as the array of a table's dtype."""
    dtype = pd.api.types.pandas_dtype(dtype)
    if isinstance(dtype, pd.CategoricalDtype):
        return pd.Categorical.from_codes(column.fill_null(-1).to_numpy(), dtype=dtype)
    if hasattr(dtype, "__from_arrow__"):
        return dtype.__from_arrow__(column)
    if pa.types.is_timestamp(column.type):
        return column.to_pandas().astype(dtype).array
    return column.to_numpy().astype(dtype, copy=False)


def _owners(pieces: Sequence[dict[str, Any]], firsts: np.ndarray) -> np.ndarray:
    """Return the case of each row, as a place in the ids."""
    owners = [piece["case"].to_numpy() + first for piece, first in zip(pieces, firsts) if piece]
    return np.concatenate([np.empty(0, dtype=np.int64), *owners])


def _table(pieces: Sequence[dict[str, Any]], owners: np.ndarray, columns: Columns, ids: pa.Array) -> pd.DataFrame:
    sizes = [len(piece["case"]) if piece else 0 for piece in pieces]
    made = {"case": STRING.__from_arrow__(pa.chunked_array([ids.take(pa.array(owners))]))}
    for name, (dtype, default) in columns.items():
        if name != "case":
            made[name] = _joined([piece.get(name) for piece in pieces], sizes, dtype, default)
    return pd.DataFrame(made, copy=False)


def _records(pieces: Sequence[list[dict[str, Any]]], firsts: np.ndarray, ids: pa.Array) -> pd.DataFrame | None:
    rows = [
        {**row, "case": None if row["case"] is None else ids[int(first) + row["case"]].as_py()}
        for piece, first in zip(pieces, firsts)
        for row in piece
    ]
    if not rows:
        return None
    names = dict.fromkeys(name for row in rows for name in row)
    return pd.DataFrame({name: pd.Series([row.get(name) for row in rows], dtype=object) for name in names})


def _report(
    parts: Sequence[Part], notes: list[tuple[str, Note]], firsts: np.ndarray, ids: pa.Array
) -> pd.DataFrame | None:
    counts: Counter[tuple[Any, ...]] = Counter()
    for part, first in zip(parts, firsts):
        for note in part.notes:
            case = None if note.case is None else ids[int(first) + note.case].as_py()
            counts[part.name, note.record or None, case, note.code, note.note or None] += note.count
    for name, note in notes:
        counts[name, None, None, note.code, note.note or None] += note.count
    if not counts:
        return None
    files = {part.name: i for i, part in enumerate(parts)}
    # By file; single records in their order, then what is counted over the file, by code.
    found = sorted(
        counts.items(),
        key=lambda item: (files[item[0][0]], item[0][1] is None, item[0][3] if item[0][1] is None else ""),
    )
    keys = list(zip(*(key for key, _ in found)))
    columns = {
        name: pd.array(texts(list(values)).to_pylist(), dtype=STRING)
        for name, values in zip(("file", "record", "case", "code", "note"), keys)
    }
    return pd.DataFrame({**columns, "count": [count for _, count in found]})


def tag_column(pieces: Sequence[Any], sizes: Sequence[int]) -> Any:
    """Give a column of the user's own one dtype: boolean, Int64, float64, or text.

    Parameters
    ----------
    pieces
        For each part: a list of Python values, an Arrow array, or None where it lacks the column.
    sizes
        Cases of each part.

    Notes
    -----
    Mixed values and nested ones become JSON text; texts stay as they are.
    """
    arrays = [piece for piece in pieces if piece is not None and len(piece)]
    if arrays and all(isinstance(piece, pa.Array) and piece.type == arrays[0].type for piece in arrays):
        kind = arrays[0].type
        filled = [pa.nulls(size, kind) if p is None else p for p, size in zip(pieces, sizes) if size]
        return to_pandas(pa.chunked_array(filled, kind), _TAG_DTYPES[str(kind)])
    values: list[Any] = []
    for piece, size in zip(pieces, sizes):
        values += [None] * size if piece is None else piece.to_pylist() if isinstance(piece, pa.Array) else piece
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pd.array(values, dtype="boolean")
    if kinds == {int} and all(v is None or -_LARGEST_INTEGER <= v < _LARGEST_INTEGER for v in values):
        return pd.array(values, dtype="Int64")
    if kinds and kinds <= {int, float}:
        return np.array([np.nan if v is None else float(v) for v in values])
    return STRING.__from_arrow__(texts([v if v is None or isinstance(v, str) else to_json(v) for v in values]))


_TAG_DTYPES: dict[str, Any] = {
    "large_string": STRING,
    "bool": pd.BooleanDtype(),
    "int64": pd.Int64Dtype(),
    "double": np.dtype("float64"),
}
