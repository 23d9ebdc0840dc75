"""`Dataset`: the tidy tables that every loader fills and every scorer reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
import pandas as pd
import pyarrow as pa

from toolcorrect import html
from toolcorrect.checking import check_known, checked_cases, in_case_order, refuse_strangers, rows_in
from toolcorrect.errors import DataError, LoadError, OptionError, check_type, listed, shown, unknown_name
from toolcorrect.tables import STRING, TABLES, coerce, number_texts

# Before pandas 3 a shallow copy and what it was made of change together.
_DEEP = int(pd.__version__.split(".")[0]) < 3
# Cases whose texts are numbered together: few enough that their texts stay in the processor's cache.
_NUMBERED_CASES = 2000

Which: TypeAlias = Sequence[str] | pd.Index | pd.Series | np.ndarray | Callable[[pd.DataFrame], Any]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Agent runs, their calls and their references, as pandas frames.

    A dataset is not changed in place: every method returns a new one, and each frame handed out is
    a copy. What is unknown stays unknown: see ``called_known`` and ``expected_known`` in `cases`.

    Parameters
    ----------
    cases
        One row a case, index ``case`` (unique text). Columns of `toolcorrect.tables.CASES`; any others
        are the user's own tags.
    calls, expected, rules, tools, report
        See `toolcorrect.tables`; absent columns take their default. Rows are put into the order of
        ``cases``, then of their ``position``.

    Raises
    ------
    DataError
        Where an id repeats, a row names a case that is not there, or a column has the wrong type.

    Examples
    --------
    >>> data = Dataset(
    ...     cases=pd.DataFrame({"model": ["a"]}, index=["run-1"]),
    ...     calls=pd.DataFrame({"case": ["run-1"], "tool": ["search"]}),
    ... )
    >>> data
    Dataset: 1 call in 1 case, 0 expected; nothing to report
    >>> data.calls[["case", "position", "tool", "actor"]].values.tolist()
    [['run-1', 0, 'search', 'assistant']]
    """

    _frames: Mapping[str, pd.DataFrame]
    _rows: Mapping[str, np.ndarray]
    _numbers: dict[str, tuple[np.ndarray, np.ndarray, pa.ChunkedArray]]

    def __init__(
        self,
        cases: pd.DataFrame,
        calls: pd.DataFrame | None = None,
        expected: pd.DataFrame | None = None,
        rules: pd.DataFrame | None = None,
        tools: pd.DataFrame | None = None,
        report: pd.DataFrame | None = None,
    ) -> None:
        self._fill({"cases": checked_cases(cases)}, {})
        given = {"calls": calls, "expected": expected, "rules": rules, "tools": tools, "report": report}
        self._fill(*self._checked(given))

    @classmethod
    def in_order(cls, rows: Mapping[str, np.ndarray], **frames: pd.DataFrame | None) -> Dataset:
        """Make a dataset of tables of which it is known that they are in order, and of which cases they speak.

        Parameters
        ----------
        rows
            For ``calls`` and ``expected`` what `case_rows` returns.
        frames
            All tables, as the class takes them.
        """
        made = object.__new__(cls)
        made._fill({"cases": checked_cases(cast(pd.DataFrame, frames.pop("cases")))}, {})
        made._fill(*made._checked(frames, rows))
        return made

    def _fill(self, frames: Mapping[str, pd.DataFrame], rows: Mapping[str, np.ndarray]) -> None:
        object.__setattr__(self, "_frames", frames)
        object.__setattr__(self, "_rows", rows)
        object.__setattr__(self, "_numbers", {})

    def _checked(
        self, given: Mapping[str, pd.DataFrame | None], known: Mapping[str, np.ndarray] | None = None
    ) -> tuple[dict[str, pd.DataFrame], dict[str, np.ndarray]]:
        """Return all tables, those given now checked against the cases, and the case rows."""
        frames, rows = dict(self._frames), dict(self._rows)
        index = frames["cases"].index
        for table, frame in given.items():
            if known and table in known:
                frames[table], rows[table] = coerce(table, frame), known[table]
            elif table in ("calls", "expected"):
                frames[table], rows[table] = in_case_order(table, frame, index)
            else:
                frames[table] = coerce(table, frame).reset_index(drop=True)
            if table in ("rules", "tools") and len(frames[table]):
                refuse_strangers(table, frames[table]["case"].dropna(), index)
        check_known(frames, rows)
        return frames, rows

    @property
    def cases(self) -> pd.DataFrame:
        """One row a case: what was asked, by which model, with which outcome.

        Examples
        --------
        >>> Dataset(pd.DataFrame({"tag": ["v2"]}, index=["x"])).cases[["called_known", "tag"]].loc["x"].to_dict()
        {'called_known': True, 'tag': 'v2'}
        """
        return self._frames["cases"].copy(deep=_DEEP)

    @property
    def calls(self) -> pd.DataFrame:
        """One row a call that was made."""
        return self._frames["calls"].copy(deep=_DEEP)

    @property
    def expected(self) -> pd.DataFrame:
        """One row a call that should have been made, for each alternative reference."""
        return self._frames["expected"].copy(deep=_DEEP)

    @property
    def rules(self) -> pd.DataFrame:
        """Rules that the calls must keep: forbidden tools, counts, orders."""
        return self._frames["rules"].copy(deep=_DEEP)

    @property
    def tools(self) -> pd.DataFrame:
        """The tools offered, their JSON Schemas, and whether they change state."""
        return self._frames["tools"].copy(deep=_DEEP)

    @property
    def report(self) -> pd.DataFrame:
        """What loading merged, repaired, guessed or skipped.

        Examples
        --------
        >>> import toolcorrect as tc
        >>> tc.load([{"case": "x", "called": [{"name": "a", "arguments": '{"n": 1,}'}]}]).report.code.to_list()
        ['arguments_repaired']
        """
        return self._frames["report"].copy(deep=_DEEP)

    def case_rows(self, table: str) -> np.ndarray:
        """Return, for each row of ``calls`` or ``expected``, the position of its case in `cases`.

        Returns
        -------
        numpy.ndarray
            int64, non-decreasing, one entry a row of the table.

        Examples
        --------
        >>> calls = pd.DataFrame({"case": ["y", "x", "x"], "tool": ["a", "b", "c"]})
        >>> Dataset(pd.DataFrame(index=["x", "y"]), calls).case_rows("calls").tolist()
        [0, 0, 1]
        """
        return self._rows[table]

    def argument_numbers(self) -> tuple[np.ndarray, np.ndarray, pa.ChunkedArray]:
        """Number the argument texts of both sides, once for the life of the dataset.

        Returns
        -------
        tuple
            The number of each row's text in ``expected`` and in ``calls`` (int64, -1: not known), and the texts.
            Inside one case equal texts have equal numbers; a text may stand in several chunks.
        """
        if "arguments" not in self._numbers:
            tables = ("expected", "calls")
            begins = np.append(np.arange(0, len(self), _NUMBERED_CASES), len(self))
            blocks = [np.searchsorted(self._rows[table], begins) for table in tables]
            (expected, calls), texts = number_texts([self._frames[table]["arguments"] for table in tables], blocks)
            self.know_argument_numbers(expected, calls, texts)
        return self._numbers["arguments"]

    def know_argument_numbers(self, expected: np.ndarray, calls: np.ndarray, texts: pa.ChunkedArray) -> Dataset:
        """Take over what `argument_numbers` returns from who knows it already; return this dataset."""
        self._numbers["arguments"] = (expected, calls, texts)
        return self

    def replace(self, **frames: pd.DataFrame) -> Dataset:
        """Return a dataset with some of its tables replaced.

        Examples
        --------
        >>> data = Dataset(cases=pd.DataFrame(index=["run-1"]))
        >>> data.replace(cases=data.cases.assign(model="b")).cases.model.item()
        'b'
        """
        unknown = set(frames) - set(TABLES)
        if unknown:
            raise unknown_name("table", sorted(unknown)[0], TABLES)
        # What is not replaced was checked already.
        if "cases" in frames:
            return Dataset(**{**self._frames, **frames})
        made = object.__new__(Dataset)
        made._fill(*self._checked(frames))
        return made

    def select(self, which: Which) -> Dataset:
        """Return the dataset of some cases only.

        Parameters
        ----------
        which
            Case ids in the order wanted, a boolean mask over `cases`, or a function of `cases` that
            returns either.

        Raises
        ------
        UnknownNameError
            Where an id is not a case.
        DataError
            Where a mask is not as long as `cases`.

        Examples
        --------
        >>> data = Dataset(cases=pd.DataFrame({"model": ["a", "b"]}, index=["x", "y"]))
        >>> data.select(lambda cases: cases.model == "b").cases.index.to_list()
        ['y']
        """
        cases = self._frames["cases"]
        found = which(self.cases) if callable(which) else which
        if not isinstance(found, Iterable) or isinstance(found, pd.DataFrame):
            raise OptionError(f"which={shown(found)} does not fit; give case ids, or a mask over cases.")
        picked = pd.Series(found)
        if pd.api.types.is_bool_dtype(picked):
            if len(picked) != len(cases):
                raise DataError(f"The mask has {len(picked)} entries for {len(cases)} cases; give one a case.")
            chosen = np.flatnonzero(picked.to_numpy(dtype=bool, na_value=False))
        else:
            chosen = cases.index.get_indexer(pd.Index(picked.astype(STRING)))
            if (chosen < 0).any():
                raise unknown_name("case", str(picked[chosen < 0].iloc[0]), cases.index)
        kept = np.zeros(len(cases), dtype=bool)
        kept[chosen] = True
        frames = {"cases": cases.iloc[chosen]}
        for table in ("calls", "expected"):
            frames[table] = self._frames[table].take(np.flatnonzero(kept[self._rows[table]]))
        for table in ("rules", "tools"):
            frame = self._frames[table]
            # One entry more, for the rows that speak of all cases (-1).
            frames[table] = frame[np.append(kept, True)[rows_in(cases.index, frame["case"])]]
        if (np.diff(chosen) <= 0).any():
            return self.replace(**frames)
        # In the order they had, the rows need no second look.
        made = object.__new__(Dataset)
        number = np.cumsum(kept) - 1
        rows = {table: number[row[kept[row]]] for table, row in self._rows.items()}
        frames = {table: f if table == "cases" else f.reset_index(drop=True) for table, f in frames.items()}
        made._fill({**self._frames, **frames}, rows)
        if "arguments" in self._numbers:
            *numbers, texts = self._numbers["arguments"]
            expected, calls = (n[kept[self._rows[t]]] for t, n in zip(("expected", "calls"), numbers))
            made.know_argument_numbers(expected, calls, texts)
        return made

    def blocks(self, size: int) -> Iterator[Dataset]:
        """Yield the dataset in like blocks of so many cases at most, which share its memory.

        Examples
        --------
        >>> data = Dataset(cases=pd.DataFrame(index=["x", "y", "z"]))
        >>> [len(block) for block in data.blocks(2)]
        [1, 2]
        """
        if len(self) <= size:
            yield self
            return
        *numbers, texts = self.argument_numbers()
        owners = {
            table: rows_in(self._frames["cases"].index, frame["case"]) if len(frame) else np.empty(0, dtype=np.int64)
            for table in ("rules", "tools")
            for frame in [self._frames[table]]
        }
        cuts = np.linspace(0, len(self), -(-len(self) // size) + 1).astype(np.int64).tolist()
        for begin, end in pairwise(cuts):
            between = {table: slice(*np.searchsorted(rows, [begin, end])) for table, rows in self._rows.items()}
            frames = {"cases": self._frames["cases"].iloc[begin:end], "report": self._frames["report"]}
            for table, part in between.items():
                frames[table] = self._frames[table].iloc[part].reset_index(drop=True)
            for table, row in owners.items():
                frames[table] = self._frames[table][(row < 0) | ((row >= begin) & (row < end))]
            made = object.__new__(Dataset)
            made._fill(frames, {table: self._rows[table][part] - begin for table, part in between.items()})
            expected, calls = (side[between[table]] for table, side in zip(("expected", "calls"), numbers))
            known = np.concatenate((expected, calls))
            low, high = int(known[known >= 0].min(initial=len(texts))), int(known.max(initial=-1)) + 1
            expected, calls = (np.where(side < 0, -1, side - low) for side in (expected, calls))
            yield made.know_argument_numbers(expected, calls, texts.slice(low, max(high - low, 0)))

    def mark_effects(self, effects: Iterable[str] | Mapping[str, bool]) -> Dataset:
        """Say which tools change state; every tool not named does not.

        Parameters
        ----------
        effects
            Glob patterns of the tools that change state (``["book_*", "cancel_*"]``), or a mapping of
            tool name to True or False.

        Returns
        -------
        Dataset
            With ``tools.effect`` set for every name among calls, expected calls and tools.

        Examples
        --------
        >>> calls = pd.DataFrame({"case": ["x", "x"], "tool": ["get_order", "refund_order"]})
        >>> data = Dataset(cases=pd.DataFrame(index=["x"]), calls=calls).mark_effects(["refund_*"])
        >>> data.tools.set_index("tool").effect.to_dict()
        {'get_order': False, 'refund_order': True}
        """
        from toolcorrect.effects import mark_effects

        return mark_effects(self, effects)

    def with_labels(self, labels: Mapping[str, float] | pd.Series) -> Dataset:
        """Return the dataset with ``cases.outcome`` set from a label a case; others keep theirs.

        Examples
        --------
        >>> Dataset(cases=pd.DataFrame(index=["x"])).with_labels({"x": 1}).cases.outcome.item()
        1.0
        """
        check_type("labels", labels, Mapping | pd.Series, "a mapping, or a Series, of case to label")
        try:
            given = pd.Series(labels, dtype="float64")
        except (TypeError, ValueError) as cause:
            raise DataError(f"A label is a number, one a case ({cause}).") from None
        cases = self._frames["cases"]
        strangers = given.index.difference(cases.index)
        if len(strangers):
            raise unknown_name("case", str(strangers[0]), cases.index)
        return self.replace(cases=cases.assign(outcome=given.reindex(cases.index).fillna(cases["outcome"])))

    def join_expected(
        self,
        testcases: Dataset | pd.DataFrame | str | Path,
        on: str = "case",
        *,
        columns: Mapping[str, str] | None = None,
    ) -> Dataset:
        """Add the expected calls that a second file or table states.

        Parameters
        ----------
        testcases
            A dataset, a frame or records that `toolcorrect.load` understands, or a path to such a file.
        on
            ``"case"``, or a column of `cases` both sides have (``"task"``, ``"input"``, ...). One test case
            may serve many cases.
        columns
            Keys or columns of the test cases to rename, as in `toolcorrect.load`.

        Returns
        -------
        Dataset
            Matched cases take the references, rules, tools and any new columns of their test case. Cases and
            test cases left over are in `report` (``no_test_case``, ``no_case``).

        Examples
        --------
        >>> import toolcorrect as tc
        >>> runs = tc.load([{"case": "x", "task": "t", "called": ["search"]}])
        >>> tests = tc.load([{"case": "t", "task": "t", "expected": ["search"]}])
        >>> runs.join_expected(tests, on="task").expected.tool.to_list()
        ['search']
        """
        from toolcorrect.joining import join_expected

        return join_expected(self, testcases, on, columns)

    def save(self, folder: str | Path) -> Path:
        """Write every table as Parquet into a folder, which is made if need be.

        Returns
        -------
        Path
            The folder.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     Dataset.open(Dataset(pd.DataFrame(index=["x"])).save(folder))
        Dataset: 0 calls in 1 case, 0 expected; nothing to report
        """
        check_type("folder", folder, str | Path, "the path of a folder")
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        for table, frame in self._frames.items():
            frame.to_parquet(target / f"{table}.parquet", index=table == "cases")
        return target

    @classmethod
    def open(cls, folder: str | Path) -> Dataset:
        """Read what `save` wrote.

        Raises
        ------
        LoadError
            Where the folder lacks a table.
        """
        check_type("folder", folder, str | Path, "the path of a folder")
        source = Path(folder)
        missing = [table for table in TABLES if not (source / f"{table}.parquet").is_file()]
        if missing:
            raise LoadError(
                f"{source} is not a saved dataset: it lacks {listed(f'{t}.parquet' for t in missing)}. "
                "Give a folder that Dataset.save wrote."
            )
        return cls(**{table: pd.read_parquet(source / f"{table}.parquet") for table in TABLES})

    def __len__(self) -> int:
        """Return the number of cases."""
        return len(self._frames["cases"])

    def summary(self) -> str:
        """Return one line: how many calls and cases, and what loading had to report.

        Examples
        --------
        >>> Dataset(pd.DataFrame(index=["x"]), report=pd.DataFrame({"code": ["unwrapped"], "count": [2]})).summary()
        '0 calls in 1 case, 0 expected; 2 unwrapped: see report'
        """
        calls, cases, expected = (len(self._frames[t]) for t in ("calls", "cases", "expected"))
        codes = self._frames["report"].groupby("code", sort=False)["count"].sum().sort_values(ascending=False)
        noted = listed((f"{n:,} {str(code).replace('_', ' ')}" for code, n in codes.items()), limit=6)
        return (
            f"{_counted(calls, 'call')} in {_counted(cases, 'case')}, {expected:,} expected; "
            f"{noted + ': see report' if noted else 'nothing to report'}"
        )

    def __repr__(self) -> str:
        return f"Dataset: {self.summary()}"

    def _repr_html_(self) -> str:
        cases = self._frames["cases"].head(5)
        told = ["called_known", "expected_known", "tools_known", "references", "source", "turns", "session"]
        calls = np.bincount(self._rows["calls"], minlength=len(self))[: len(cases)]
        shown = cases.drop(columns=told).dropna(axis="columns", how="all").assign(calls=calls)
        return html.paragraph(self.summary()) + html.table(shown.reset_index())


def check_dataset(value: object) -> None:
    """Raise `OptionError` for anything but a `Dataset`: scores, records and paths are easily given instead."""
    if not isinstance(value, Dataset):
        raise OptionError(
            f"This needs the runs (a Dataset), not {type(value).__name__}; tc.load makes one of files, records or "
            "a frame."
        )


def _counted(n: int, word: str) -> str:
    return f"{n:,} {word}{'' if n == 1 else 's'}"
