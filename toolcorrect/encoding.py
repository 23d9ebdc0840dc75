"""From tables to integers: which calls count, in which lists, and a number for each distinct call."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeVar, cast

import numpy as np
import pandas as pd
import pyarrow as pa

from toolcorrect.arguments.numbering import Numbered
from toolcorrect.arguments.values import Agreement
from toolcorrect.dataset import Dataset, check_dataset
from toolcorrect.errors import check_option
from toolcorrect.grouping import any_in_group, combined, for_each_pair
from toolcorrect.names import Names, resolve
from toolcorrect.tables import number_texts

_T = TypeVar("_T")

SideName = Literal["expected", "called"]
SIDES: tuple[SideName, SideName] = ("expected", "called")
SCOPES = ("assistant", "effect", "succeeded", "everyone")
OUTSIDE = ("handoff", "pseudo")


@dataclass(frozen=True)
class Match:
    """When two calls are the same call.

    Parameters
    ----------
    arguments
        A relation of `toolcorrect.arguments.equality`, or None: arguments do not matter.
    kinds
        Whether the kind (function, mcp, ...) must be the same too.
    outputs
        Whether the outputs must be equal too (Python's ``==``; not known equals only not known).
    """

    arguments: str | None = None
    kinds: bool = False
    outputs: bool = False


@dataclass(frozen=True)
class Side:
    """One side's calls, flat: those of list 0, then of list 1, and so on.

    Parameters
    ----------
    row
        For each call, its row in ``Dataset.calls`` or ``Dataset.expected``.
    owner
        For each call, its list; non-decreasing.
    offsets
        Where each list begins; one entry more than there are lists.
    tool, text
        For each call, numbers of its canonical tool name and of its argument text (-1: not known).
    """

    row: np.ndarray
    owner: np.ndarray
    offsets: np.ndarray
    tool: np.ndarray
    text: np.ndarray

    @cached_property
    def lengths(self) -> np.ndarray:
        """Calls a list."""
        return np.diff(self.offsets)

    @cached_property
    def place(self) -> np.ndarray:
        """For each call, its place in its list, from 0."""
        return np.arange(len(self.row)) - self.offsets[self.owner]

    def only(self, kept: np.ndarray) -> Side:
        """Return the same lists with the marked calls (bool, one entry a call) only."""
        row, owner, tool, text = (part[kept] for part in (self.row, self.owner, self.tool, self.text))
        return Side(row, owner, np.searchsorted(owner, np.arange(len(self.offsets))), tool, text)

    def count(self, marked: np.ndarray) -> np.ndarray:
        """Count the marked calls (bool, one entry a call) of each list."""
        return np.bincount(self.owner[marked], minlength=len(self.offsets) - 1)


class Encoding:
    """The expected and the called lists of a dataset as integers.

    A list is a case's calls, held against one of its references (and, with ``by="turn"``, those of one
    turn). Everything that is computed over it is computed once and kept.

    Parameters
    ----------
    data
        The runs.
    scope
        Which calls count: ``"assistant"``, ``"effect"``, ``"succeeded"`` or ``"everyone"``.
    names
        A level or `Names`: when two tool names are the same.
    by
        ``"case"`` or ``"turn"``: what makes a list.
    """

    def __init__(
        self,
        data: Dataset,
        *,
        scope: str = "assistant",
        names: str | Names = "exact",
        by: Literal["case", "turn"] = "case",
    ) -> None:
        check_dataset(data)
        check_option("scope", scope, SCOPES)
        self.data = data
        self.names = resolve(names)
        self._frames = {"expected": data.expected, "calls": data.calls}
        self._rows = {table: data.case_rows(table) for table in self._frames}
        raw_tools, self._raw_names = number_texts([f["tool"] for f in self._frames.values()])
        canonical = pd.factorize(np.asarray([self.names(name) for name in self._raw_names.to_pylist()], object))
        self.tool_names: list[str] = list(canonical[1])
        tools = dict(zip(self._frames, (canonical[0].astype(np.int64)[codes] for codes in raw_tools)))
        *texts, self.texts = data.argument_numbers()
        text = dict(zip(self._frames, texts))

        effect_known, kept = self._in_scope(scope, tools)
        cases = data.cases
        self.case_count = len(cases)
        self.called_known = cases["called_known"].to_numpy()
        self.expected_known = cases["expected_known"].to_numpy()
        self.effect_known = effect_known

        references = np.maximum(cases["references"].to_numpy(), 1)
        first_pair = np.concatenate(([0], np.cumsum(references)))
        pair_case = np.repeat(np.arange(self.case_count), references)
        pair_reference = np.arange(len(pair_case)) - first_pair[pair_case]
        turns = self._turns(cases) if by == "turn" else np.ones(self.case_count, dtype=np.int64)
        first_list = np.concatenate(([0], np.cumsum(turns[pair_case])))
        pair_of_list = np.repeat(np.arange(len(pair_case)), turns[pair_case])
        self.list_count = len(pair_of_list)
        self.list_case = pair_case[pair_of_list]
        self.list_reference = pair_reference[pair_of_list]
        self.list_turn = np.arange(self.list_count) - first_list[pair_of_list]

        expected = np.flatnonzero(kept["expected"])
        pair = first_pair[self._rows["expected"][expected]]
        pair = pair + self._frames["expected"]["reference"].to_numpy()[expected]
        called = np.flatnonzero(kept["calls"])
        called, called_pair = for_each_pair(called, self._rows["calls"][called], references, first_pair)
        self.expected = self._side("expected", expected, first_list[pair], by, tools, text)
        self.called = self._side("calls", called, first_list[called_pair], by, tools, text)
        self._origin: Encoding | None = None
        # Whether calls of one case may have texts of different chunks.
        self._across_chunks = False
        self._codes: dict[Match, tuple[np.ndarray, np.ndarray]] = {}
        self._remembered: dict[Hashable, Any] = {}

    def remember(self, what: Hashable, make: Callable[[], _T]) -> _T:
        """Return what was made under a name before, or make it: for work that several variants share."""
        if what not in self._remembered:
            self._remembered[what] = make()
        return cast(_T, self._remembered[what])

    def simplest(self, match: Match) -> Match:
        """Return the least that tells the same calls apart here: one kind and no outputs need no comparing."""
        return replace(match, kinds=match.kinds and self._several_kinds, outputs=match.outputs and self.any_output)

    @cached_property
    def _several_kinds(self) -> bool:
        kinds = np.concatenate([self.column(side, "kind").cat.codes.to_numpy() for side in SIDES])
        return bool(len(kinds) and (kinds != kinds[0]).any())

    @cached_property
    def any_output(self) -> bool:
        """Whether any call has an output."""
        return any(self.column(side, "output").notna().any() for side in SIDES)

    def column(self, side: SideName, name: str) -> pd.Series:
        """Return a column of the table behind a side, one entry a call of that side."""
        frame = self._frames["expected" if side == "expected" else "calls"]
        return frame[name].iloc[getattr(self, side).row]

    def only(self, expected: np.ndarray, called: np.ndarray) -> Encoding:
        """Return the same lists with the marked calls (bool, one entry a call of a side) only."""
        return self._with_sides(self.expected.only(expected), self.called.only(called))

    def for_runs(self, case: np.ndarray, expected: Side, called: Side) -> Encoding:
        """Return other lists, one a run of a case (its position): of tools and texts only, no columns behind them."""
        made = self._with_sides(expected, called)
        made.case_count = made.list_count = len(case)
        made.list_case, made.list_reference = np.arange(len(case)), np.zeros(len(case), dtype=np.int64)
        for known in ("called_known", "expected_known", "effect_known"):
            setattr(made, known, getattr(self, known)[case])
        return made

    def _with_sides(self, expected: Side, called: Side) -> Encoding:
        made = copy(self)
        for name, computed in vars(Encoding).items():
            if isinstance(computed, cached_property):
                made.__dict__.pop(name, None)
        made.expected, made.called = expected, called
        made._origin, made._codes, made._remembered = None, {}, {}
        return made

    def with_texts(self, expected: np.ndarray, called: np.ndarray, more: Sequence[str] = ("{}",)) -> Encoding:
        """Return the same lists with other arguments: for definitions that read arguments in their own way.

        Parameters
        ----------
        expected, called
            For each call of a side the number of its text; -1 is not known, ``len(texts)`` the first of ``more``.
        more
            JSON texts that the arguments may have besides ``texts``.
        """
        if np.array_equal(expected, self.expected.text) and np.array_equal(called, self.called.text):
            return self
        made = self._with_sides(replace(self.expected, text=expected), replace(self.called, text=called))
        made._origin, made._across_chunks = self, True
        made.texts = pa.chunked_array([*self.texts.chunks, pa.array(list(more), self.texts.type)])
        return made

    def codes(self, match: Match) -> tuple[np.ndarray, np.ndarray]:
        """Number the calls of both sides so that two are the same call if their numbers are equal.

        Returns
        -------
        tuple of numpy.ndarray
            int64, for the expected and for the called side. Comparable inside one case only.
        """
        match = self.simplest(match)
        if match not in self._codes:
            parts = [np.concatenate((self.expected.tool, self.called.tool))]
            if match.kinds:
                kinds = [self.column(s, "kind").cat.codes.to_numpy() for s in SIDES]
                parts.append(np.concatenate(kinds).astype(np.int64) + 1)
            if match.arguments is not None:
                parts.append(self.argument_values(match.arguments))
            if match.outputs:
                parts.append(self.output_values)
            codes = combined(parts)
            self._codes[match] = (codes[: len(self.expected.row)], codes[len(self.expected.row) :])
        return self._codes[match]

    def agreement(self, relation: str, expected: np.ndarray, called: np.ndarray) -> Agreement:
        """Hold pairs of argument texts, given by their numbers, against each other; -1 is an object without keys."""
        return self._argument_texts.agreement(relation, expected, called)

    @cached_property
    def arguments_known(self) -> np.ndarray:
        """For each list, whether the arguments of all its calls are known."""
        known = np.ones(self.list_count, dtype=bool)
        for side in (self.expected, self.called):
            known[side.owner[side.text < 0]] = False
        return known

    @cached_property
    def output_values(self) -> np.ndarray:
        """For each call of the expected, then of the called side, a number of its output."""
        columns = [self.column(side, "output") for side in SIDES]
        numbers, texts = number_texts(columns)
        return self._numbered(np.concatenate(numbers), texts).by_value("python")

    def _numbered(self, text: np.ndarray, texts: pa.ChunkedArray) -> Numbered:
        return Numbered.of(text, texts, self._tool_of_case, across=self._across_chunks)

    def argument_values(self, relation: str) -> np.ndarray:
        """Number the arguments of all calls, those of the expected side first, by value; 0 is not known."""

        def number() -> np.ndarray:
            values = self._argument_texts.by_value(relation)
            if self._origin is None:
                return values
            # Only what the origin did not look at is numbered anew, apart from the rest.
            taken = self._origin._argument_texts.by_value(relation, np.where(self._reread, -1, self._texts_of_calls))
            return np.where(self._reread, values + taken.max(initial=0) + 1, taken)

        return self.remember(("argument values", relation), number)

    @property
    def origin(self) -> Encoding:
        """The encoding whose arguments this one reads in another way, or itself."""
        return self._origin or self

    @cached_property
    def _argument_texts(self) -> Numbered:
        texts = self._texts_of_calls
        return self._numbered(texts if self._origin is None else np.where(self._reread, texts, -1), self.texts)

    @property
    def _texts_of_calls(self) -> np.ndarray:
        return np.concatenate((self.expected.text, self.called.text))

    @cached_property
    def _tool_of_case(self) -> np.ndarray:
        """Number the tools of each case; only calls of one tool in one case are held against each other."""
        case = self.list_case[np.concatenate((self.expected.owner, self.called.owner))]
        return case * len(self.tool_names) + np.concatenate((self.expected.tool, self.called.tool))

    @cached_property
    def _reread(self) -> np.ndarray:
        """Mark the calls, those of the expected side first, that meet one whose text the origin did not look at."""
        assert self._origin is not None
        text, group = self._texts_of_calls, self._tool_of_case
        changed = any_in_group(group, text != self._origin._texts_of_calls)
        seen = self._origin._argument_texts.place
        # Texts of its own come behind those of the origin.
        unseen = (text >= 0) & (seen[np.minimum(text, len(seen) - 1)] < 0)
        return changed & any_in_group(group, changed & unseen)

    def _in_scope(self, scope: str, tools: Mapping[str, np.ndarray]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Tell which rows count, and of which cases it is known whether their tools have effects."""
        known = np.ones(len(self.data), dtype=bool)
        kept = {}
        for table, frame in self._frames.items():
            kept[table] = ~frame["kind"].isin(OUTSIDE).to_numpy()
            if table == "calls" and scope != "everyone":
                kept[table] &= (frame["actor"] == "assistant").fillna(False).to_numpy(dtype=bool)
            if table == "calls" and scope == "succeeded":
                kept[table] &= ~frame["error"].fillna(False).to_numpy(dtype=bool)
            if scope == "effect":
                effect = self._effects(table, tools[table])
                known[self._rows[table][kept[table] & (effect < 0)]] = False
                kept[table] &= effect == 1
        return known, kept

    def _effects(self, table: str, tool: np.ndarray) -> np.ndarray:
        """For each row: 1 the tool changes state, 0 it does not, -1 not said. A case's own word comes first."""
        said = self.data.tools
        said = said[said["effect"].notna()]
        number = {name: i for i, name in enumerate(self.tool_names)}
        code = said["tool"].map(lambda name: number.get(self.names(name), -1)).to_numpy(dtype=np.int64)
        effect = said["effect"].to_numpy(dtype=np.int64)
        general = said["case"].isna().to_numpy()
        # One entry more, so that names nobody calls (-1) fall into a place nobody reads.
        by_tool = np.full(len(self.tool_names) + 1, -1, dtype=np.int64)
        by_tool[code[general]] = effect[general]
        found = by_tool[tool]
        if not general.all():
            case = self.data.cases.index.get_indexer(pd.Index(said["case"][~general].array))
            special = pd.Series(effect[~general], index=pd.MultiIndex.from_arrays([case, code[~general]]))
            special = special[~special.index.duplicated(keep="last")]
            asked = pd.MultiIndex.from_arrays([self._rows[table], tool])
            own = special.reindex(asked).to_numpy(dtype=float)
            found = np.where(np.isnan(own), found, np.nan_to_num(own)).astype(np.int64)
        return found

    def _turns(self, cases: pd.DataFrame) -> np.ndarray:
        turns = cases["turns"].fillna(1).to_numpy(dtype=np.int64)
        for table, frame in self._frames.items():
            np.maximum.at(turns, self._rows[table], frame["turn"].to_numpy() + 1)
        return np.maximum(turns, 1)

    def _side(
        self,
        table: str,
        row: np.ndarray,
        first_list: np.ndarray,
        by: str,
        tools: Mapping[str, np.ndarray],
        text: Mapping[str, np.ndarray],
    ) -> Side:
        owner = first_list
        if by == "turn":
            owner = owner + self._frames[table]["turn"].to_numpy()[row]
            order = np.argsort(owner, kind="stable")
            owner, row = owner[order], row[order]
        offsets = np.searchsorted(owner, np.arange(self.list_count + 1))
        return Side(row=row, owner=owner, offsets=offsets, tool=tools[table][row], text=text[table][row])


def list_index(encoding: Encoding) -> Any:
    """Return the index (case, reference) of the lists of an encoding made by case."""
    names = encoding.data.cases.index[encoding.list_case]
    return pd.MultiIndex.from_arrays([names, encoding.list_reference], names=["case", "reference"])
