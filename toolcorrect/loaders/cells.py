"""CSV, Parquet and frames as records."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from toolcorrect.errors import LoadError
from toolcorrect.loaders.limits import refuse_bomb
from toolcorrect.loaders.lines import reason

# Rows of Parquet that are unpacked at once.
_PARQUET_ROWS = 64


def read_csv(name: str, data: bytes) -> tuple[pd.DataFrame, dict[str, str]]:
    """Read CSV with a header; every cell stays text, an empty cell is missing.

    Returns
    -------
    frame
        A column for each name of the header.
    damage
        Label to reason, for rows that do not have the cells they should have.

    Raises
    ------
    LoadError
        Where there is no header of at least two columns, or no row before a quote that is out of place.
    """
    damage: dict[str, str] = {}
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as cause:
        text = data.decode("utf-8", "replace")
        damage[f"byte {cause.start}"] = "it is not UTF-8: such bytes are read as \ufffd; save the file as UTF-8"
    header = text.split("\n", 1)[0]
    separator = max(",;\t", key=header.count)
    # Cells hold whole JSON texts; the limit is the interpreter's, so it is put back.
    limit = csv.field_size_limit(1 << 30)
    rows: list[list[str]] = []
    try:
        rows.extend(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as cause:
        if len(rows) < 2:
            raise LoadError(
                f"{name} is neither JSON nor CSV that can be read ({cause}). Is a quote missing, or the file cut off?"
            ) from None
        damage[f"row {len(rows) - 1}"] = f"a quote is out of place ({cause}): this row and all after it are lost"
    finally:
        csv.field_size_limit(limit)
    names = [cell.strip() for cell in rows[0]] if rows else []
    if len(names) < 2 or len(set(names)) < len(names):
        raise LoadError(
            f"{name} is neither JSON nor a CSV file with a header of distinct names. Export it as one of these."
        )
    width = len(names)
    filled: list[list[str | None]] = []
    for row in filter(None, rows[1:]):
        if len(row) != width:
            damage[f"row {len(filled)}"] = _uneven(len(row), width)
        filled.append([cell or None for cell in row[:width]] + [None] * (width - len(row)))
    return pd.DataFrame(filled, columns=names, dtype=object), damage


def _uneven(found: int, width: int) -> str:
    if found > width:
        return f"it has {found} cells under {width} names: those beyond are left out. Is a comma not quoted?"
    return f"it has {found} cells under {width} names: the others are taken as missing"


def read_parquet(name: str, stream: IO[bytes]) -> pd.DataFrame:
    """Read Parquet; lists and structs become Python lists and dicts.

    Raises
    ------
    LoadError
        Where it cannot be read, or few bytes unpack to many, as a repeated long text does.
    """
    data = stream.read()
    batches, size = [], 0
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        for batch in file.iter_batches(_PARQUET_ROWS):
            size += batch.nbytes
            refuse_bomb(name, size, len(data))
            batches.append(batch)
        table = pa.Table.from_batches(batches, file.schema_arrow)
    except (pa.ArrowException, OSError, ValueError) as cause:
        raise LoadError(f"{name} is Parquet that cannot be read ({reason(cause)}).") from None
    return pd.DataFrame({column: table.column(column).to_pylist() for column in table.column_names}, dtype=object)


def rows(frame: pd.DataFrame) -> Iterator[tuple[str, Any]]:
    """Yield ``("row N", record)``; a cell that is missing is left out."""
    names = [str(column) for column in frame.columns]
    columns = [frame.iloc[:, i].astype(object).tolist() for i in range(len(names))]
    for i, cells in enumerate(zip(*columns)):
        yield f"row {i}", {name: plain(cell) for name, cell in zip(names, cells) if not is_missing(cell)}


def is_missing(value: Any) -> bool:
    """Tell whether a cell is None, NA, NaT or NaN."""
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value)


def plain(value: Any) -> Any:
    """Return arrays as lists and numpy scalars as Python's."""
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value.tolist()]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, pd.Timestamp):
        return value.isoformat()
    return value
