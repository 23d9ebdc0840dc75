"""Datasets put together: expected calls joined to the runs they belong to, and datasets one behind the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from toolcorrect.dataset import Dataset, check_dataset
from toolcorrect.errors import DataError, OptionError, check_type, listed
from toolcorrect.tables import CASES, STRING, TABLES, coerce

# Columns of a test case that fill what a run does not know; its own tags come beside them.
_FILLED = ("session", "turns", "input", "trial", "outcome")


def join_expected(
    data: Dataset, testcases: Dataset | pd.DataFrame | str | Path, on: str, columns: Mapping[str, str] | None = None
) -> Dataset:
    """Add the expected calls that a second dataset states; see `Dataset.join_expected`.

    Parameters
    ----------
    data
        The runs.
    testcases
        A dataset, or whatever `toolcorrect.load` opens.
    on
        ``"case"`` or a column of `cases` that both sides have.
    columns
        Keys or columns of the test cases to rename, as in `toolcorrect.load`.

    Raises
    ------
    OptionError
        For ``columns`` beside a dataset, which is loaded already.
    DataError
        Where one side has no such column, or two test cases that differ share a key. Those that expect the same
        count as one, as where a results file holds a test once for each model.
    """
    check_type("on", on, str, '"case" or the name of a column of cases')
    if not isinstance(testcases, Dataset):
        from toolcorrect.loaders import load

        testcases = load(testcases, columns=columns)
    elif columns is not None:
        raise OptionError("columns= renames what is to be loaded; a dataset is, so give it to tc.load.")
    matched = _matches(data, testcases, on)
    known = np.zeros(len(matched), dtype=bool)
    known[matched >= 0] = testcases.cases["expected_known"].to_numpy()[matched[matched >= 0]]
    kept = data.expected[~known[data.case_rows("expected")]]
    joined = _repeated(testcases.expected, testcases.case_rows("expected"), np.where(known, matched, -1), data)
    tables = {"expected": pd.concat([kept, joined], ignore_index=True)}
    for table in ("rules", "tools"):
        stated = getattr(testcases, table)
        for_all = stated[stated["case"].isna()]
        own = stated[stated["case"].notna()]
        rows = testcases.cases.index.get_indexer(pd.Index(own["case"].array))
        pieces = [getattr(data, table), for_all, _repeated(own, rows, matched, data)]
        tables[table] = pd.concat([p for p in pieces if len(p)] or pieces[:1], ignore_index=True)
    return data.replace(
        cases=_cases(data, testcases, matched, known, on), report=_report(data, testcases, matched, on), **tables
    )


def _matches(data: Dataset, testcases: Dataset, on: str) -> np.ndarray:
    """Return, for each case, the row of its test case, or -1."""
    keys = []
    for side, which in ((data, "runs"), (testcases, "test cases")):
        cases = side.cases
        if on != "case" and on not in cases.columns:
            raise DataError(
                f"The {which} have no column {on!r}; join on case or on one of {listed(cases.columns, 30)}."
            )
        keys.append(pd.Index(cases.index if on == "case" else cases[on].astype("string")))
    left, right = keys
    stated = right.notna()
    if right[stated].has_duplicates:
        differing = right[stated & right.duplicated(keep=False) & ~_alike(testcases, right)]
        if len(differing):
            raise DataError(f"Several test cases have the same {on}: {listed(differing.unique())}. Keep one of each.")
        stated &= ~right.duplicated()
    found = right[stated].get_indexer(left)
    matched = np.where(found < 0, -1, np.flatnonzero(stated)[found] if stated.any() else -1)
    matched[left.isna()] = -1
    return np.asarray(matched, dtype=np.int64)


def _alike(testcases: Dataset, keys: pd.Index) -> np.ndarray:
    """Tell for each test case whether it expects the same as the first one of its key, rules included."""
    known = testcases.cases[["expected_known", "references"]]
    total = pd.util.hash_pandas_object(known, index=False).to_numpy().copy()
    for table in ("expected", "rules"):
        frame = getattr(testcases, table)
        frame = frame[frame["case"].notna()]
        rows = testcases.cases.index.get_indexer(pd.Index(frame["case"].array))
        plain = frame.drop(columns="case").astype("string")
        np.add.at(total, rows, pd.util.hash_pandas_object(plain, index=False).to_numpy())
    return pd.Series(total).groupby(np.asarray(keys.astype(object))).transform("first").to_numpy() == total


def _repeated(table: pd.DataFrame, rows: np.ndarray, matched: np.ndarray, data: Dataset) -> pd.DataFrame:
    """Return the rows of matched test cases once for each case that they serve."""
    order = np.argsort(rows, kind="stable")
    size = int(max(rows.max(initial=-1), matched.max(initial=-1))) + 1
    counts = np.bincount(rows, minlength=size)
    starts = np.cumsum(counts) - counts
    served = np.flatnonzero(matched >= 0)
    tests = matched[served]
    lengths = counts[tests]
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    taken = table.iloc[order[np.repeat(starts[tests], lengths) + within]]
    return taken.assign(case=data.cases.index[np.repeat(served, lengths)]).reset_index(drop=True)


def _cases(data: Dataset, testcases: Dataset, matched: np.ndarray, known: np.ndarray, on: str) -> pd.DataFrame:
    cases, stated = data.cases, testcases.cases
    # Row by row the test case of each run; rows without one are blanked below.
    aligned = stated.iloc[np.maximum(matched, 0)] if len(stated) else stated.reindex(cases.index)
    aligned = aligned.set_axis(cases.index)
    has = matched >= 0
    made = {name: cases[name] for name in cases.columns}
    for name in _FILLED:
        made[name] = cases[name].mask(cases[name].isna() & has, aligned[name])
    if on == "case":
        own_task = (cases["task"] == cases.index).to_numpy(dtype=bool) & has
        made["task"] = cases["task"].mask(own_task, aligned["task"])
    made["expected_known"] = cases["expected_known"] | known
    made["tools_known"] = cases["tools_known"] | (aligned["tools_known"] & has)
    made["references"] = cases["references"].mask(known, aligned["references"])
    for name in stated.columns:
        if name not in CASES and name not in cases.columns:
            column = aligned[name]
            made[name] = column if has.all() else column.mask(~has)
    return pd.DataFrame(made, index=cases.index)


def _report(data: Dataset, testcases: Dataset, matched: np.ndarray, on: str) -> pd.DataFrame:
    without = data.cases.index[matched < 0]
    unused = np.ones(len(testcases.cases), dtype=bool)
    unused[matched[matched >= 0]] = False
    left = testcases.cases.index[unused]
    added = [
        pd.DataFrame({"case": without, "code": "no_test_case", "note": f"no test case has its {on}"}),
        pd.DataFrame({"record": left, "code": "no_case", "note": f"no case has the {on} of this test case"}),
    ]
    # Rows of the second report may name cases of its own.
    second = testcases.report.assign(case=pd.NA)
    pieces = [data.report, second, *added]
    return pd.concat([coerce("report", piece) for piece in pieces if len(piece)] or [data.report], ignore_index=True)


def concat(datasets: Iterable[Dataset] | Mapping[str, Dataset]) -> Dataset:
    """Put datasets one behind the other.

    Parameters
    ----------
    datasets
        Datasets, or a mapping of name to dataset. A case id that an earlier one has already takes the
        name (or the position) of its dataset as prefix, which the report says.

    Examples
    --------
    >>> one = Dataset(cases=pd.DataFrame(index=["x"]))
    >>> concat({"first": one, "second": one}).cases.index.to_list()
    ['x', 'second/x']
    """
    check_type("datasets", datasets, Iterable, "a list of datasets, or a mapping of name to dataset")
    named = datasets if isinstance(datasets, Mapping) else {str(i): d for i, d in enumerate(datasets)}
    parts: dict[str, list[pd.DataFrame]] = {table: [] for table in TABLES}
    seen: set[str] = set()
    for name, data in named.items():
        check_dataset(data)
        index = data.cases.index
        clashing = [case for case in index if case in seen]
        renamed = {case: _free(f"{name}/{case}", seen) for case in clashing}
        seen.update(renamed.get(case, case) for case in index)
        for table, frames in parts.items():
            frames.append(_rename_cases(getattr(data, table), renamed, table == "cases"))
        if renamed:
            note = {
                "code": ["id_prefixed"],
                "count": [len(renamed)],
                "note": [f"ids of {name} were taken already"],
            }
            parts["report"].append(coerce("report", pd.DataFrame(note)))
    if not named:
        return Dataset(cases=pd.DataFrame(index=pd.Index([], dtype=STRING)))
    return Dataset(**{table: pd.concat(frames, ignore_index=table != "cases") for table, frames in parts.items()})


def _rename_cases(frame: pd.DataFrame, renamed: Mapping[str, str], in_index: bool) -> pd.DataFrame:
    if not renamed:
        return frame
    if in_index:
        # A case that was its own task stays so under its new name only if nothing else shares the task.
        return frame.set_axis(pd.Index([renamed.get(c, c) for c in frame.index], dtype=STRING, name="case"))
    return frame.assign(case=frame["case"].map(lambda c: renamed.get(c, c), na_action="ignore").astype(STRING))


def _free(name: str, taken: set[str]) -> str:
    candidate, n = name, 2
    while candidate in taken:
        candidate, n = f"{name}#{n}", n + 1
    return candidate
