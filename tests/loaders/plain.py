"""Cells of a table as plain Python values, for comparing."""

from __future__ import annotations

import pandas as pd


def rows(frame: pd.DataFrame, *columns: str) -> list[list[object]]:
    """The rows of some columns; what is missing is None."""
    return [[None if pd.isna(cell) else cell for cell in row] for row in frame[list(columns)].values.tolist()]


def cells(column: pd.Series) -> list[object]:
    """The cells of one column; what is missing is None."""
    return [None if pd.isna(cell) else cell for cell in column]
