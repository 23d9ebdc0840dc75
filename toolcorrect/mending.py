"""Runs with faults taken out of them: what a score would be without."""

from __future__ import annotations

import numpy as np
import pandas as pd

from toolcorrect.alignment import SAME_NAME, SAME_TOOL, align, closest_reference
from toolcorrect.dataset import Dataset
from toolcorrect.encoding import Encoding
from toolcorrect.grouping import ranges
from toolcorrect.names import Names

FAULTS = ("names", "arguments", "order", "repeat", "extra", "missing")
_NAMES, _ARGUMENTS, _ORDER, _REPEAT, _EXTRA, _MISSING = range(len(FAULTS))


class Faults:
    """The faults of every case, held against the reference closest to what was called.

    Parameters
    ----------
    data
        The runs.
    scope, names
        As in `toolcorrect.score`.
    arguments
        Whether arguments matter.

    Attributes
    ----------
    have
        bool, one row a case and one column a fault of `FAULTS`.
    empty
        bool, one entry a case: a side is empty.
    """

    def __init__(
        self, data: Dataset, *, scope: str = "assistant", names: str | Names = "exact", arguments: bool = True
    ) -> None:
        self.data = data
        encoding = self._encoding = Encoding(data, scope=scope, names=names)
        pairs = self._pairs = align(encoding, arguments=arguments)
        self._list = closest_reference(pairs)
        expected, called = encoding.expected, encoding.called
        mine = np.zeros(encoding.list_count, dtype=bool)
        mine[self._list] = True
        paired = np.flatnonzero((pairs.partner_of_expected >= 0) & mine[expected.owner])
        row = called.row[pairs.partner_of_expected[paired]]
        # One entry a row of calls: the place of the expected call that it answers, and what is wrong with it.
        self._answers = np.full(len(data.calls), -1, dtype=np.int64)
        self._answers[row] = paired
        self._wrong = np.zeros((len(data.calls), len(FAULTS)), dtype=bool)
        self._wrong[row, _NAMES] = pairs.grade[paired] == SAME_NAME
        self._wrong[row, _ARGUMENTS] = arguments & (pairs.grade[paired] >= SAME_TOOL)
        for fault, marked in ((_REPEAT, pairs.repeated), (_EXTRA, pairs.extra | pairs.unexpected)):
            self._wrong[called.row[marked & mine[called.owner]], fault] = True
        case = data.case_rows("calls")
        self.have = np.zeros((len(data), len(FAULTS)), dtype=bool)
        for fault in range(len(FAULTS)):
            self.have[case[self._wrong[:, fault]], fault] = True
        self.have[:, _ORDER] = pairs.out_of_order[self._list]
        self.have[:, _MISSING] = pairs.lists(pairs.missing, expected.owner)[self._list]
        self.empty = (expected.lengths[self._list] == 0) | (called.lengths[self._list] == 0)

    def mended(self, case: np.ndarray, faults: np.ndarray) -> Dataset:
        """Make new runs of old ones, without some of their faults.

        Parameters
        ----------
        case
            For each new run the position of its case.
        faults
            bool, one row a new run and one column a fault of `FAULTS`: what to mend.

        Returns
        -------
        Dataset
            Its cases are called "0", "1", ...
        """
        data = self.data
        begins = {table: np.searchsorted(data.case_rows(table), np.arange(len(data) + 1)) for table in _TABLES}
        (run, row), (run_e, row_e) = (
            ranges(begins[table][case], begins[table][case + 1] - begins[table][case]) for table in _TABLES
        )
        names = pd.Index(pd.array(np.arange(len(case)).astype(str), dtype=data.cases.index.dtype), name="case")
        wrong = self._wrong[row] & faults[run]
        place = self._places(run, row, faults)
        missing, due = self._due(case, begins["calls"], run, place, faults)
        kept = np.flatnonzero(~(wrong[:, _REPEAT] | wrong[:, _EXTRA]))
        made = data.calls.take(row[kept])
        text_e, text_c, texts = data.argument_numbers()
        text = text_c[row[kept]]
        for fault, columns in ((_NAMES, ("tool",)), (_ARGUMENTS, ("arguments", "arguments_form"))):
            mends = np.flatnonzero(wrong[kept, fault])
            source = self._encoding.expected.row[self._answers[row[kept[mends]]]]
            if fault == _ARGUMENTS:
                text[mends] = text_e[source]
            for name in columns if len(mends) else ():
                values = made[name].array.copy()
                values[mends] = data.expected[name].array[source]
                made[name] = values
        runs, places = run[kept], place[kept]
        if len(missing):
            shared = [name for name in data.expected if name in made]
            source = self._encoding.expected.row[missing[:, 1]]
            added = data.expected[shared].take(source)
            text = np.concatenate((text, text_e[source]))
            made = pd.concat([made, added.assign(actor="assistant", depth=0).astype({"actor": made["actor"].dtype})])
            runs, places = np.concatenate((runs, missing[:, 0])), np.concatenate((places, due))
        order = np.lexsort((places, runs))
        made = made.take(order)
        made["case"], made["position"] = names[runs[order]].array, np.arange(len(made))
        expected = data.expected.take(row_e)
        expected["case"] = names[run_e].array
        cases = data.cases.take(case).set_axis(names)
        more = {table: _for_runs(getattr(data, table), data.cases.index[case], names) for table in ("rules", "tools")}
        return Dataset(cases, made, expected, **more).know_argument_numbers(text_e[row_e], text[order], texts)

    def _places(self, run: np.ndarray, row: np.ndarray, faults: np.ndarray) -> np.ndarray:
        """Return where each call stands: answering calls in the order of what they answer where that is mended."""
        place = row.astype(np.float64)
        answering = np.flatnonzero((self._answers[row] >= 0) & faults[run, _ORDER])
        order = np.lexsort((self._answers[row[answering]], run[answering]))
        place[answering[order]] = row[answering]
        return place

    def _due(
        self, case: np.ndarray, begins: np.ndarray, run: np.ndarray, place: np.ndarray, faults: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the missing calls to add (run, place among the expected calls), and where each belongs."""
        expected, partner = self._encoding.expected, self._pairs.partner_of_expected
        lists = self._list[case]
        run_e, e = ranges(expected.offsets[lists], np.where(faults[:, _MISSING], expected.lengths[lists], 0))
        # After the last answered call before it, or else before all calls.
        answered = np.maximum.accumulate(np.where(partner[e] >= 0, np.arange(len(e)), -1))
        begun = np.flatnonzero(answered >= 0)
        begun = begun[run_e[answered[begun]] == run_e[begun]]
        first = np.searchsorted(run, np.arange(len(case)))[run_e[begun]]
        row = self._encoding.called.row[partner[e[answered[begun]]]]
        due = begins[case[run_e]] - 0.5
        due[begun] = place[first + row - begins[case[run_e[begun]]]] + 0.25
        missing = partner[e] < 0
        return np.column_stack((run_e, e))[missing], due[missing]


_TABLES = ("calls", "expected")


def _for_runs(frame: pd.DataFrame, cases: pd.Index, names: pd.Index) -> pd.DataFrame:
    """Repeat the rows of single cases for each of their runs."""
    general = frame["case"].isna().to_numpy()
    if general.all():
        return frame
    runs = pd.DataFrame({"case": cases.array, "run": names.array})
    special = frame[~general].merge(runs, on="case").drop(columns="case").rename(columns={"run": "case"})
    return pd.concat([frame[general], special], ignore_index=True)
