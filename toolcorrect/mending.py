"""Runs with one kind of fault taken out of them: what a score would be without it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from toolcorrect.alignment import SAME_NAME, SAME_TOOL, align, closest_reference, reading_order
from toolcorrect.dataset import Dataset
from toolcorrect.encoding import Encoding
from toolcorrect.names import Names

FAULTS = ("names", "arguments", "order", "repeat", "extra", "missing")


class Faults:
    """The faults of every case, held against the reference closest to what was called.

    Parameters
    ----------
    data
        The runs.
    scope, names
        As in `toolcorrect.score`.
    """

    def __init__(self, data: Dataset, *, scope: str = "assistant", names: str | Names = "exact") -> None:
        self.data = data
        encoding = Encoding(data, scope=scope, names=names)
        self.pairs = align(encoding)
        self._lists = closest_reference(self.pairs)
        self._mine_e = np.isin(encoding.expected.owner, self._lists)
        self._mine_c = np.isin(encoding.called.owner, self._lists)
        grade = np.where(self._mine_e, self.pairs.grade, 0)
        self._wrong_name = grade == SAME_NAME
        self._wrong_arguments = grade == SAME_TOOL
        self._extra = self.pairs.extra | self.pairs.unexpected
        lengths = (encoding.expected.lengths[self._lists], encoding.called.lengths[self._lists])
        self.empty = (lengths[0] == 0) | (lengths[1] == 0)

    def have(self, fault: str) -> np.ndarray:
        """Mark the cases that have a fault of `FAULTS`: bool, one entry a case."""
        expected = {"names": self._wrong_name, "arguments": self._wrong_arguments, "missing": self.pairs.missing}
        if fault in expected:
            marked = self.pairs.lists(expected[fault], self.pairs.encoding.expected.owner)
        elif fault == "order":
            marked = self.pairs.out_of_order
        else:
            calls = self.pairs.repeated if fault == "repeat" else self._extra
            marked = self.pairs.lists(calls, self.pairs.encoding.called.owner)
        return marked[self._lists]

    def mend(self, fault: str) -> Dataset:
        """Return the runs without a fault of `FAULTS`."""
        mends: dict[str, Callable[[], Dataset]] = {
            "names": lambda: self._answered(self._wrong_name, ("tool",)),
            "arguments": lambda: self._answered(self._wrong_arguments, ("arguments", "arguments_form")),
            "order": self._in_order,
            "repeat": lambda: self._without(self.pairs.repeated),
            "extra": lambda: self._without(self._extra),
            "missing": self._with_missing,
        }
        return mends[fault]()

    def _in_order(self) -> Dataset:
        """Put answering calls into the order of what they answer; the others keep their places."""
        answering = np.flatnonzero((self.pairs.partner_of_called >= 0) & self._mine_c)
        owner = self.pairs.encoding.called.owner[answering]
        order = np.lexsort((self.pairs.partner_of_called[answering], owner))
        row = self.pairs.encoding.called.row
        calls = self.data.calls
        position = calls["position"].to_numpy().copy()
        position[row[answering[order]]] = calls["position"].to_numpy()[row[answering]]
        return self.data.replace(calls=calls.assign(position=position))

    def _with_missing(self) -> Dataset:
        """Add the calls that were not made, where they were due."""
        encoding = self.pairs.encoding
        owner, line_e, line_c = reading_order(self.pairs)
        mine = np.isin(owner, self._lists)
        line_e, line_c, owner = line_e[mine], line_c[mine], owner[mine]
        made = line_c >= 0
        calls, expected = self.data.calls, self.data.expected
        added = expected.iloc[encoding.expected.row[line_e[~made]]]
        shared = [name for name in expected.columns if name in calls.columns]
        both = pd.concat([calls.iloc[encoding.called.row[line_c[made]]], added[shared]])
        position = np.arange(len(line_c))
        both["position"] = np.concatenate((position[made], position[~made]))
        both["actor"] = both["actor"].fillna("assistant")
        both["depth"] = both["depth"].fillna(0).astype("int64")
        return self.data.replace(calls=both)

    def _answered(self, which: np.ndarray, columns: tuple[str, ...]) -> Dataset:
        """Give calls the values of the expected calls they answer."""
        e = np.flatnonzero(which)
        row_e = self.pairs.encoding.expected.row[e]
        row_c = self.pairs.encoding.called.row[self.pairs.partner_of_expected[e]]
        calls, expected = self.data.calls.copy(), self.data.expected
        for name in columns:
            values = calls[name].array.copy()
            values[row_c] = expected[name].array[row_e]
            calls[name] = values
        return self.data.replace(calls=calls)

    def _without(self, which: np.ndarray) -> Dataset:
        kept = np.ones(len(self.data.calls), dtype=bool)
        kept[self.pairs.encoding.called.row[which & self._mine_c]] = False
        return self.data.replace(calls=self.data.calls[kept])


def mended(
    data: Dataset, faults: Iterable[str], *, scope: str = "assistant", names: str | Names = "exact"
) -> Dataset:
    """Return the runs without several faults, mended one after the other.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["b", "a", "z"], "expected": ["a", "b"]}])
    >>> mended(data, ["order", "extra"]).calls.tool.to_list()
    ['a', 'b']
    """
    for fault in faults:
        found = Faults(data, scope=scope, names=names)
        data = found.mend(fault) if found.have(fault).any() else data
    return data
