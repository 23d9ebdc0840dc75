"""The columns of every table of a `Dataset`: names, dtypes, and the coercion to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from toolcorrect.errors import DataError, listed

STRING = pd.StringDtype("pyarrow")
TIME = "datetime64[us, UTC]"

FORMS = pd.CategoricalDtype(["object", "text", "list", "other", "null", "absent"])
STATUSES = pd.CategoricalDtype(["ok", "empty", "repaired", "non_object", "failed", "null", "absent"])
KINDS = pd.CategoricalDtype(["function", "mcp", "server", "handoff", "pseudo"])
SOURCES = pd.CategoricalDtype(["llm", "tool", "both"])
ROLES = pd.CategoricalDtype(["required", "optional"])
RULES = pd.CategoricalDtype(["forbid", "count", "before"])

# Column -> (dtype, value where the column is not given). None stands for missing.
Columns = Mapping[str, tuple[Any, Any]]

CASES: Columns = {
    "task": (STRING, None),
    "model": (STRING, None),
    "trial": ("Int64", None),
    "session": (STRING, None),
    "turns": ("Int64", None),
    "input": (STRING, None),
    "output": (STRING, None),
    "outcome": ("float64", None),
    "called_known": ("bool", True),
    "expected_known": ("bool", True),
    "tools_known": ("bool", False),
    "references": ("int64", 1),
    "source": (STRING, None),
}
CALLS: Columns = {
    "case": (STRING, None),
    "turn": ("int64", 0),
    "step": ("Int64", None),
    "position": ("int64", None),
    "tool": (STRING, None),
    "arguments": (STRING, None),
    "arguments_form": (FORMS, None),
    "arguments_status": (STATUSES, None),
    "arguments_raw": (STRING, None),
    "call_id": (STRING, None),
    "output": (STRING, None),
    "error": ("boolean", None),
    "error_message": (STRING, None),
    "actor": (STRING, "assistant"),
    "agent": (STRING, None),
    "server": (STRING, None),
    "depth": ("int64", 0),
    "kind": (KINDS, "function"),
    "source": (SOURCES, "llm"),
    "started": (TIME, None),
}
EXPECTED: Columns = {
    "case": (STRING, None),
    "reference": ("int64", 0),
    "turn": ("int64", 0),
    "step": ("Int64", None),
    "position": ("int64", None),
    "tool": (STRING, None),
    "arguments": (STRING, None),
    "arguments_form": (FORMS, None),
    "output": (STRING, None),
    "kind": (KINDS, "function"),
    "role": (ROLES, "required"),
    "compare": (STRING, None),
}
RULE_COLUMNS: Columns = {
    "case": (STRING, None),
    "rule": (RULES, None),
    "tool": (STRING, None),
    "then": (STRING, None),
    "minimum": ("Int64", None),
    "maximum": ("Int64", None),
    "arguments": (STRING, None),
}
# ``offered`` is False in rows that only say what a tool does (`Dataset.mark_effects`).
TOOLS: Columns = {
    "case": (STRING, None),
    "tool": (STRING, None),
    "description": (STRING, None),
    "parameters": (STRING, None),
    "effect": ("boolean", None),
    "offered": ("bool", True),
}
REPORT: Columns = {
    "file": (STRING, None),
    "record": (STRING, None),
    "case": (STRING, None),
    "code": (STRING, None),
    "count": ("int64", 1),
    "note": (STRING, None),
}
TABLES: Mapping[str, Columns] = {
    "cases": CASES,
    "calls": CALLS,
    "expected": EXPECTED,
    "rules": RULE_COLUMNS,
    "tools": TOOLS,
    "report": REPORT,
}


def constant(value: Any, dtype: Any, length: int) -> Any:
    """Return an array of one value (None: missing) without a Python list; zeros are untouched memory."""
    if value is None and dtype == STRING:
        offsets, known = (pa.py_buffer(np.zeros(length + 1, dtype=kind)) for kind in (np.int64, np.uint8))
        return STRING.__from_arrow__(pa.LargeStringArray.from_buffers(length, offsets, pa.py_buffer(b""), known))
    if value == 0 and dtype in ("int64", "bool"):
        return np.zeros(length, dtype=dtype)
    one = pd.Series([value] if length else [], dtype=dtype).array
    return one.take(np.zeros(length, dtype=np.intp))


def coerce(table: str, frame: pd.DataFrame | None) -> pd.DataFrame:
    """Give a frame the columns and dtypes of a table, missing ones filled with their default.

    Raises
    ------
    DataError
        Where a column cannot take its dtype, or a closed vocabulary meets a word outside it.
    """
    columns = TABLES[table]
    frame = pd.DataFrame() if frame is None else frame
    if list(frame.columns) == list(columns) and all(
        frame.dtypes.iloc[i] == d for i, (d, _) in enumerate(columns.values())
    ):
        return frame
    length = len(frame)
    made: dict[str, Any] = {}
    for name, (dtype, default) in columns.items():
        if name not in frame.columns:
            made[name] = constant(default, dtype, length)
            continue
        column = frame[name]
        if default is not None and column.hasnans:
            column = column.astype(object).fillna(default)
        made[name] = _as_dtype(table, name, column, dtype)
    # A user's own columns are kept, behind ours; only `cases` may have them.
    extra = [name for name in frame.columns if name not in columns]
    if extra and table != "cases":
        raise DataError(
            f"{table} has no column {listed(map(repr, extra))}; its columns are {listed(columns, 30)}. "
            "Put columns of your own into cases."
        )
    for name in extra:
        made[str(name)] = frame[name].array
    return pd.DataFrame(made, index=frame.index, copy=False)


def arrow_strings(column: pd.Series) -> pa.ChunkedArray:
    """Return a string column as Arrow data, without a copy where it is Arrow-backed."""
    made = pa.array(column.array, from_pandas=True)
    return (made if isinstance(made, pa.ChunkedArray) else pa.chunked_array([made])).cast(pa.large_string())


def number_texts(
    columns: list[pd.Series], blocks: list[np.ndarray] | None = None
) -> tuple[list[np.ndarray], pa.ChunkedArray]:
    """Number the texts of several columns together.

    Parameters
    ----------
    columns
        String columns.
    blocks
        For each column where its blocks begin and where the last one ends, equally many blocks a column: only
        texts of one block are told apart, which is much faster. None: all are one block.

    Returns
    -------
    tuple
        For each column its numbers (int64, -1: missing), and the distinct texts, one chunk a block.
    """
    texts = [arrow_strings(column) for column in columns]
    cuts = np.array([[0, len(column)] for column in columns]) if blocks is None else np.stack(blocks)
    numbers = [np.empty(len(column), dtype=np.int64) for column in columns]
    chunks: list[pa.Array] = []
    before = 0
    for begins, ends in zip(cuts[:, :-1].T.tolist(), cuts[:, 1:].T.tolist()):
        slices = [column.slice(begin, end - begin) for column, begin, end in zip(texts, begins, ends)]
        encoded = pa.chunked_array([c for part in slices for c in part.chunks], pa.large_string()).dictionary_encode()
        codes = np.concatenate([np.empty(0, dtype=np.int64), *(_codes(chunk, before) for chunk in encoded.chunks)])
        for made, begin, end in zip(numbers, begins, ends):
            made[begin:end], codes = np.split(codes, [end - begin])
        # All chunks have the same dictionary.
        chunks.append(encoded.chunk(0).dictionary if encoded.num_chunks else pa.array([], pa.large_string()))
        before += len(chunks[-1])
    return numbers, pa.chunked_array(chunks, pa.large_string())


def _codes(encoded: pa.DictionaryArray, before: int) -> np.ndarray:
    """Return numbers from ``before`` on, -1 where there is no text."""
    codes = encoded.indices.fill_null(-1).to_numpy()
    return codes + np.int64(before) if not encoded.null_count else np.where(codes < 0, -1, codes + np.int64(before))


def holding(texts: pa.ChunkedArray, *words: bytes) -> np.ndarray:
    """Mark the texts that hold one of some words; Arrow, which looks into each text apart, takes longer."""
    marked, first = np.zeros(len(texts), dtype=bool), 0
    for chunk in filter(len, texts.chunks):
        offsets = np.frombuffer(chunk.buffers()[1], np.int64, len(chunk) + 1, chunk.offset * 8)
        begin, end = int(offsets[0]), int(offsets[-1])
        data = chunk.buffers()[2].slice(begin, end - begin).to_pybytes()
        for word in words:
            at = data.find(word)
            while at >= 0:
                row = int(np.searchsorted(offsets, begin + at, side="right")) - 1
                end = int(offsets[row + 1]) - begin
                inside = at + len(word) <= end
                marked[first + row] |= inside
                # On with the next text, or in this one where the word ran over its end.
                at = data.find(word, end if inside else at + 1)
        first += len(chunk)
    return marked


def taken(texts: pa.ChunkedArray, numbers: np.ndarray) -> pa.ChunkedArray:
    """Take some texts by their numbers, ascending, chunk by chunk (Arrow would copy all texts first)."""
    begins = np.cumsum([0, *map(len, texts.chunks)])
    cuts = np.searchsorted(numbers, begins)
    parts = [
        chunk.take(pa.array(numbers[low:high] - begin))
        for chunk, begin, low, high in zip(texts.chunks, begins.tolist(), cuts[:-1].tolist(), cuts[1:].tolist())
    ]
    return pa.chunked_array(parts, texts.type)


def _as_dtype(table: str, name: str, column: pd.Series, dtype: Any) -> Any:
    if column.dtype == dtype:
        return column.array
    try:
        if isinstance(dtype, pd.CategoricalDtype):
            strange = sorted(set(column.dropna().astype(str)) - set(dtype.categories))
            if strange:
                raise DataError(
                    f"{table}.{name} holds {listed(map(repr, strange))}; allowed are {listed(dtype.categories)}."
                )
        if dtype == TIME:
            return pd.to_datetime(column, utc=True).astype(dtype).array
        return column.astype(dtype).array
    except DataError:
        raise
    except (TypeError, ValueError) as cause:
        raise DataError(
            f"{table}.{name} must be {dtype}, but holds values that are not: "
            f"{listed(repr(v)[:40] for v in column.dropna().unique()[:3])} ({cause})."
        ) from cause
