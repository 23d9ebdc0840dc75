"""What every table of a `Dataset` must keep: ids, order, references to cases."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from toolcorrect.errors import DataError, listed
from toolcorrect.tables import STRING, arrow_strings, coerce


def checked_cases(cases: pd.DataFrame) -> pd.DataFrame:
    """Coerce the table of cases; ids become the index, a case without a task is its own."""
    _check_frame("cases", cases)
    if "case" in cases.columns:
        cases = cases.set_index("case")
    if cases.index.hasnans:
        raise DataError("A case has no id; give every row of cases one.")
    index = pd.Index(cases.index.astype(STRING), name="case")
    if not index.is_unique:
        raise DataError(f"Case ids repeat: {listed(index[index.duplicated()].unique())}. Make them unique.")
    checked = coerce("cases", cases.set_axis(index))
    if checked["task"].hasnans:
        tasks = pc.coalesce(arrow_strings(checked["task"]), arrow_strings(index.to_series()))
        checked["task"] = STRING.__from_arrow__(tasks)
    return checked


def _check_frame(table: str, frame: object) -> None:
    if not isinstance(frame, pd.DataFrame):
        raise DataError(f"{table} must be a DataFrame, not {type(frame).__name__}.")


def in_case_order(table: str, frame: pd.DataFrame | None, index: pd.Index) -> tuple[pd.DataFrame, np.ndarray]:
    """Coerce a table and sort it by case, (reference,) position; return it with its case rows."""
    if frame is not None:
        _check_frame(table, frame)
        groups = [name for name in ("case", "reference") if name in frame.columns]
        if groups and "position" not in frame.columns and len(frame):
            frame = frame.assign(position=frame.groupby(groups, sort=False).cumcount())
    made = coerce(table, frame)
    rows = rows_in(index, made["case"])
    if (rows < 0).any():
        refuse_strangers(table, made["case"], index)
    if made["tool"].hasnans:
        raise DataError(f"{table} has a row without a tool (case {made['case'][made['tool'].isna()].iloc[0]!r}).")
    keys = [made["position"].to_numpy(), rows]
    if table == "expected":
        keys.insert(1, made["reference"].to_numpy())
    if not in_order(keys):
        order = np.lexsort(keys)
        made, rows = made.iloc[order], rows[order]
    return made.reset_index(drop=True), rows


def rows_in(index: pd.Index, named: pd.Series) -> np.ndarray:
    """Return the position of each named case in the index, -1 where it is not there, without Python objects."""
    texts, every = (pa.array(side.array) for side in (named, index))
    found = pc.index_in(texts.cast(pa.large_string()), value_set=every.cast(pa.large_string()))
    return np.asarray(found.fill_null(-1).to_numpy(), dtype=np.int64)


def in_order(keys: list[np.ndarray]) -> bool:
    """Tell whether rows are in order by the last key, then the one before it, and so on."""
    tied = np.ones(max(len(keys[0]) - 1, 0), dtype=bool)
    for key in reversed(keys):
        step = np.diff(key)
        if (step[tied] < 0).any():
            return False
        tied &= step == 0
    return True


def refuse_strangers(table: str, named: pd.Series, index: pd.Index) -> None:
    """Raise `DataError` where a table names a case that is not in the index."""
    strangers = named[rows_in(index, named) < 0]
    if len(strangers):
        raise DataError(
            f"{table} names cases that are not in cases: {listed(strangers.astype(object).fillna('<NA>').unique())}."
        )


def check_known(frames: Mapping[str, pd.DataFrame], rows: Mapping[str, np.ndarray]) -> None:
    """Raise `DataError` where a list that is not known has rows, or a reference lies beyond its number."""
    cases = frames["cases"]
    for table, flag in (("calls", "called_known"), ("expected", "expected_known")):
        wrong = ~cases[flag].to_numpy()[rows[table]]
        if wrong.any():
            case = cases.index[rows[table][wrong][0]]
            raise DataError(f"Case {case!r} has rows in {table} although its {flag} is False.")
    if len(frames["expected"]):
        over = frames["expected"]["reference"].to_numpy() >= cases["references"].to_numpy()[rows["expected"]]
        if over.any():
            case = cases.index[rows["expected"][over][0]]
            raise DataError(f"Case {case!r} has expected calls of a reference beyond its number of references.")
