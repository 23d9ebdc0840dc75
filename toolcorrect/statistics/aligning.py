"""Score frames and the series beside them, checked and brought into one order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from toolcorrect.errors import DataError, listed, shown
from toolcorrect.variants import registry


def check_scores(scores: object) -> None:
    """Raise `DataError` for anything but a frame or a column of scores: runs are easily given instead."""
    if not isinstance(scores, pd.Series | pd.DataFrame):
        raise DataError(f"This needs the frame that tc.score returns, not {type(scores).__name__}.")


def score_frame(scores: pd.DataFrame | pd.Series) -> pd.DataFrame:
    """Return scores as a float64 frame, one row a case and one column a variant.

    Raises
    ------
    DataError
        Where a column is not numeric or its label repeats.

    Examples
    --------
    >>> score_frame(pd.Series([1, 0], index=["x", "y"], name="recall")).dtypes.item()
    dtype('float64')
    """
    check_scores(scores)
    frame = scores.to_frame() if isinstance(scores, pd.Series) else scores
    if not frame.columns.is_unique:
        raise DataError(f"Score columns repeat: {listed(frame.columns[frame.columns.duplicated()].unique())}.")
    # A column without any value has no dtype to speak of.
    wrong = [
        n for n, dtype in frame.dtypes.items() if not (pd.api.types.is_numeric_dtype(dtype) or frame[n].isna().all())
    ]
    if wrong:
        raise DataError(
            f"Scores must be numbers, but {listed(map(repr, wrong))} hold others; select score columns only."
        )
    return frame.astype("float64")


def aligned(values: pd.Series | Sequence[Any] | np.ndarray, index: pd.Index, *, what: str) -> pd.Series:
    """Return values in the order of an index of cases; a case without one is missing.

    Parameters
    ----------
    values
        A series indexed by case, or a plain sequence as long as ``index``.
    index
        The cases.
    what
        The argument's name, for messages.

    Raises
    ------
    DataError
        Where a plain sequence has another length, ids repeat, or no id is shared.

    Examples
    --------
    >>> aligned(pd.Series([2, 1], index=["y", "x"]), pd.Index(["x", "y"]), what="task").to_list()
    [1, 2]
    """
    if isinstance(values, str):
        raise DataError(f"{what} is the text {values!r}; give one value a case, as data.cases[{values!r}].")
    # A frame has as many rows as there are cases, but no one value for each of them.
    if isinstance(values, pd.DataFrame) or not (hasattr(values, "__len__") and hasattr(values, "__getitem__")):
        raise DataError(f"{what} is {shown(values)}; give one value a case, such as a column of data.cases.")
    if not isinstance(values, pd.Series):
        if len(values) != len(index):
            raise DataError(f"{what} has {len(values)} values for {len(index)} cases; give one a case.")
        return pd.Series(values, index=index, dtype=None if len(values) else "float64")
    if values.index.equals(index):
        return values
    if not values.index.is_unique:
        raise DataError(f"{what} names a case twice: {listed(values.index[values.index.duplicated()].unique())}.")
    found = values.reindex(index)
    if len(index) and not index.isin(values.index).any():
        raise DataError(f"{what} shares no case with the scores; index it by case, as data.cases does.")
    return found


def aligned_numbers(values: pd.Series | Sequence[float] | np.ndarray, index: pd.Index, *, what: str) -> pd.Series:
    """Return one number a case, as `aligned` does; missing where there is none.

    Raises
    ------
    DataError
        As `aligned`, and where a value is no number, or infinite.

    Examples
    --------
    >>> aligned_numbers([True, None], pd.Index(["x", "y"]), what="outcome").to_list()
    [1.0, nan]
    """
    found = aligned(values, index, what=what)
    try:
        numbers = found.astype("float64")
    except (TypeError, ValueError):
        raise DataError(
            f"{what} must hold numbers, missing where nothing is known, "
            f"not {listed(map(shown, found.dropna().unique()), 3)}; map them first."
        ) from None
    if np.isinf(numbers).any():
        raise DataError(
            f"{what} holds an infinite number (case {numbers.index[np.isinf(numbers)].tolist()[0]!r}); mend it."
        )
    return numbers


def directions(names: pd.Index) -> np.ndarray:
    """Return 1 for each column where a higher score is better, and -1 where a lower one is.

    Lower is better for the registered variants that say so; for every other column higher is.

    Examples
    --------
    >>> directions(pd.Index(["recall", "my own"])).tolist()
    [1.0, 1.0]
    """
    known = registry()
    return np.array([-1.0 if name in known and known[name].better == "lower" else 1.0 for name in names])


def task_codes(task: pd.Series | Sequence[Any] | None, index: pd.Index) -> np.ndarray:
    """Return a code a case for the task it ran; without tasks every case is its own.

    Returns
    -------
    numpy.ndarray
        int64 from 0, without gaps.

    Raises
    ------
    DataError
        Where a case has no task.
    """
    if task is None:
        return np.arange(len(index))
    codes, _ = pd.factorize(aligned(task, index, what="task"))
    if (codes < 0).any():
        raise DataError(f"Cases without a task: {listed(index[codes < 0])}. Give every case one.")
    return np.asarray(codes, dtype=np.int64)


def group_codes(by: pd.Series | Sequence[Any], index: pd.Index, *, what: str = "by") -> tuple[np.ndarray, pd.Index]:
    """Return a code a case for its group (-1: none) and the groups in order of their names."""
    codes, groups = pd.factorize(aligned(by, index, what=what), sort=True)
    return np.asarray(codes, dtype=np.int64), pd.Index(groups)


def known_groups(by: pd.Series | Sequence[Any], index: pd.Index) -> tuple[np.ndarray, pd.Index]:
    """Return what `group_codes` does.

    Raises
    ------
    DataError
        Where no case has a group, so that there is nothing to tell apart.
    """
    codes, groups = group_codes(by, index)
    if len(index) and not len(groups):
        raise DataError("by is missing for every case, so there are no groups; give a column that is known.")
    return codes, groups


def gap_patterns(known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find the columns of a bool matrix that are equal: real score frames have few different patterns of gaps.

    Returns
    -------
    first, pattern : numpy.ndarray
        int64: the first column of each pattern, and for each column the number of its pattern.

    Examples
    --------
    >>> gap_patterns(np.array([[True, True, True], [True, False, True]]))
    (array([1, 0]), array([1, 0, 1]))
    """
    if not known.size:
        width = min(known.shape[1], 1)
        return np.zeros(width, dtype=np.int64), np.zeros(known.shape[1], dtype=np.int64)
    _, first, pattern = np.unique(np.packbits(known, axis=0), axis=1, return_index=True, return_inverse=True)
    return first, pattern


def sums_by(codes: np.ndarray, values: np.ndarray, length: int) -> np.ndarray:
    """Sum the rows of a matrix that share a code.

    Parameters
    ----------
    codes
        int64 of shape (rows,), each in ``range(length)``.
    values
        Float of shape (rows, columns).

    Returns
    -------
    numpy.ndarray
        Float64 of shape (length, columns).

    Examples
    --------
    >>> sums_by(np.array([1, 0, 1]), np.array([[1.0], [2.0], [3.0]]), 2).ravel().tolist()
    [2.0, 4.0]
    """
    total = np.zeros((length, values.shape[1]))
    if not len(codes):
        return total
    if (np.diff(codes) > 0).all():
        total[codes] = values
        return total
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    total[codes[order][starts]] = np.add.reduceat(values[order], starts, axis=0)
    return total
