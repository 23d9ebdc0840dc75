"""Runs with faults taken out of them: what a score would be without."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from toolcorrect.dataset import Dataset
from toolcorrect.encoding import Encoding, Side
from toolcorrect.explaining.alignment import SAME_NAME, SAME_TOOL, align, closest_reference
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
        data, plan = self.data, self._plan(case, faults)
        names = pd.Index(pd.array(np.arange(len(case)).astype(str), dtype=data.cases.index.dtype), name="case")
        made = data.calls.take(plan.row)
        text_e, text_c, texts = data.argument_numbers()
        text = text_c[plan.row]
        for fault, columns in ((_NAMES, ("tool",)), (_ARGUMENTS, ("arguments", "arguments_form"))):
            mends = np.flatnonzero(plan.wrong[:, fault])
            source = self._encoding.expected.row[self._answers[plan.row[mends]]]
            if fault == _ARGUMENTS:
                text[mends] = text_e[source]
            for name in columns if len(mends) else ():
                values = made[name].array.copy()
                values[mends] = data.expected[name].array[source]
                made[name] = values
        if len(plan.missing):
            shared = [name for name in data.expected if name in made]
            source = self._encoding.expected.row[plan.missing]
            added = data.expected[shared].take(source)
            text = np.concatenate((text, text_e[source]))
            made = pd.concat([made, added.assign(actor="assistant", depth=0).astype({"actor": made["actor"].dtype})])
        made = made.take(plan.order)
        made["case"], made["position"] = names[plan.run].array, np.arange(len(made))
        begins, ends = (edges[case] for edges in _edges(data, "expected"))
        run_e, row_e = ranges(begins, ends - begins)
        expected = data.expected.take(row_e)
        expected["case"] = names[run_e].array
        cases = data.cases.take(case).set_axis(names)
        more = {table: _for_runs(getattr(data, table), data.cases.index[case], names) for table in ("rules", "tools")}
        made_of = Dataset(cases, made, expected, **more)
        return made_of.know_argument_numbers(text_e[row_e], text[plan.order], texts)

    def mended_lists(self, case: np.ndarray, faults: np.ndarray) -> Encoding:
        """Do what `mended` does with the lists alone, for definitions that look at tools and arguments only.

        Each run is held against the closest reference.
        """
        plan, encoding = self._plan(case, faults), self._encoding
        expected, called = encoding.expected, encoding.called
        place = np.full(len(self.data.calls), -1, dtype=np.int64)
        mine = np.isin(called.owner, self._list)
        place[called.row[mine]] = np.flatnonzero(mine)
        at, answered = place[plan.row], self._answers[plan.row]

        def mend(fault: int, made: np.ndarray, due: np.ndarray) -> np.ndarray:
            # One entry more, for calls that answer nothing or are in no list (-1).
            left = np.where(plan.wrong[:, fault], np.append(due, -1)[answered], np.append(made, -1)[at])
            return np.concatenate((left, due[plan.missing]))[plan.order]

        tool, text = mend(_NAMES, called.tool, expected.tool), mend(_ARGUMENTS, called.text, expected.text)
        inside = np.concatenate((at >= 0, np.ones(len(plan.missing), dtype=bool)))[plan.order]
        lists = self._list[case]
        run_e, e = ranges(expected.offsets[lists], expected.lengths[lists])
        return encoding.for_runs(
            case,
            _side(run_e, expected.tool[e], expected.text[e], len(case)),
            _side(plan.run[inside], tool[inside], text[inside], len(case)),
        )

    def _plan(self, case: np.ndarray, faults: np.ndarray) -> _Plan:
        begins, ends = _edges(self.data, "calls")
        run, row = ranges(begins[case], ends[case] - begins[case])
        wrong = self._wrong[row] & faults[run]
        place = self._places(run, row, faults)
        added, missing, due = self._due(case, begins, run, place, faults)
        kept = np.flatnonzero(~(wrong[:, _REPEAT] | wrong[:, _EXTRA]))
        runs = np.concatenate((run[kept], added))
        order = np.lexsort((np.concatenate((place[kept], due)), runs))
        return _Plan(runs[order], row[kept], wrong[kept], missing, order)

    def _places(self, run: np.ndarray, row: np.ndarray, faults: np.ndarray) -> np.ndarray:
        """Return where each call stands: answering calls in the order of what they answer where that is mended."""
        place = row.astype(np.float64)
        answering = np.flatnonzero((self._answers[row] >= 0) & faults[run, _ORDER])
        order = np.lexsort((self._answers[row[answering]], run[answering]))
        place[answering[order]] = row[answering]
        return place

    def _due(
        self, case: np.ndarray, begins: np.ndarray, run: np.ndarray, place: np.ndarray, faults: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the missing calls to add: run, place among the expected calls, and where each belongs."""
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
        return run_e[missing], e[missing], due[missing]


class _Plan(NamedTuple):
    """What mended runs are made of.

    ``row`` and ``wrong``: the calls that stay, and what of them is to be mended; ``missing``: places of the expected
    calls to add behind these; ``order`` puts both together into order, and ``run`` says whose each then is.
    """

    run: np.ndarray
    row: np.ndarray
    wrong: np.ndarray
    missing: np.ndarray
    order: np.ndarray


def _edges(data: Dataset, table: str) -> tuple[np.ndarray, np.ndarray]:
    """Return where the rows of each case begin and end."""
    edges = np.searchsorted(data.case_rows(table), np.arange(len(data) + 1))
    return edges[:-1], edges[1:]


def _side(owner: np.ndarray, tool: np.ndarray, text: np.ndarray, lists: int) -> Side:
    return Side(np.zeros_like(owner), owner, np.searchsorted(owner, np.arange(lists + 1)), tool, text)


def _for_runs(frame: pd.DataFrame, cases: pd.Index, names: pd.Index) -> pd.DataFrame:
    """Repeat the rows of single cases for each of their runs."""
    general = frame["case"].isna().to_numpy()
    if general.all():
        return frame
    runs = pd.DataFrame({"case": cases.array, "run": names.array})
    special = frame[~general].merge(runs, on="case").drop(columns="case").rename(columns={"run": "case"})
    return pd.concat([frame[general], special], ignore_index=True)
