"""Integers in groups: repeated, compared and combined without a loop."""

from __future__ import annotations

import numpy as np


def for_each_pair(
    row: np.ndarray, case: np.ndarray, references: np.ndarray, first_pair: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Repeat each case's calls for each of its references; return rows and their pairs, in order.

    Parameters
    ----------
    row, case
        The calls, and the case of each.
    references, first_pair
        For each case how many references it has, and the number of the first pair of case and reference.
    """
    if (references == 1).all():
        return row, first_pair[case]
    times = references[case]
    repeated = np.repeat(np.arange(len(row)), times)
    copy = np.arange(len(repeated)) - np.repeat(np.cumsum(times) - times, times)
    pair = first_pair[case[repeated]] + copy
    order = np.argsort(pair, kind="stable")
    return row[repeated][order], pair[order]


def differs_in_group(group: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Mark the entries whose group holds more than one value."""
    if not len(group):
        return np.zeros(0, dtype=bool)
    order = np.argsort(group, kind="stable")
    sorted_group, sorted_value = group[order], value[order]
    begins = np.flatnonzero(np.concatenate(([True], sorted_group[1:] != sorted_group[:-1])))
    differs = np.minimum.reduceat(sorted_value, begins) != np.maximum.reduceat(sorted_value, begins)
    marked = np.empty(len(group), dtype=bool)
    marked[order] = np.repeat(differs, np.diff(np.concatenate((begins, [len(group)]))))
    return marked


def any_in_group(group: np.ndarray, marked: np.ndarray) -> np.ndarray:
    """Mark the entries of every group that holds a marked one."""
    wanted = np.sort(group[marked])
    # Beyond all of them stands what no group is called.
    return np.asarray(np.append(wanted, -1)[np.searchsorted(wanted, group)] == group)


def combined(parts: list[np.ndarray]) -> np.ndarray:
    """Give equal combinations of numbers equal numbers."""
    made = parts[0]
    for part in parts[1:]:
        span = int(part.max(initial=0)) + 1
        if (int(made.max(initial=0)) + 1) * span >= 2**62:
            made = np.unique(made, return_inverse=True)[1]
        made = made * span + part
    return made


def ranges(begins: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Write out ranges of integers one behind the other; return the number of each one's range, and the integers.

    Examples
    --------
    >>> [made.tolist() for made in ranges(np.array([7, 2]), np.array([2, 3]))]
    [[0, 0, 1, 1, 1], [7, 8, 2, 3, 4]]
    """
    number = np.repeat(np.arange(len(sizes)), sizes)
    within = np.arange(len(number)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return number, begins[number] + within


def distinct(numbers: np.ndarray) -> np.ndarray:
    """Return the different ones of small non-negative integers, ascending (`numpy.unique` is slow for many)."""
    marked = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=bool)
    marked[numbers] = True
    return np.flatnonzero(marked)
