"""Edits of the calls of every case at once, to see what the scores would be had the agent called otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from toolcorrect.arguments.decoding import parse_json, to_json
from toolcorrect.dataset import Dataset, check_dataset
from toolcorrect.encoding import OUTSIDE
from toolcorrect.errors import DataError, OptionError, check_number, check_option, check_type, unknown_name
from toolcorrect.tables import STRING, coerce, constant

EDITS = ("add", "drop", "repeat", "swap", "change")
# What a call leaves behind when another takes its place: where it stood.
_PLACE = ["case", "turn", "step", "position"]


def edit(
    data: Dataset,
    kind: str,
    *,
    count: int = 1,
    cases: Sequence[str] | pd.Index | None = None,
    position: int | None = None,
    tool: str = "unrelated_tool",
    arguments: dict[str, Any] | None = None,
    seed: int = 0,
) -> Dataset:
    """Change the calls of some cases, or of all.

    Parameters
    ----------
    data
        The runs. Only the assistant's calls are edited, without handoffs and pseudo tools.
    kind
        ``"add"`` a call of ``tool``; ``"drop"`` a call; ``"repeat"`` a call right after itself; ``"swap"`` two
        neighbouring calls of different tools; ``"change"`` one argument of a call.
    count
        How many such edits in each case. A case that cannot take so many (see `editable`) stays as it is. With the
        same seed, the calls that a smaller count edits are among those of a larger one.
    cases
        Case ids; all by default.
    position
        Which call, counted from 0 among those edited; at random by default. For ``"add"`` the place of the new call,
        by default the end. Needs ``count=1``.
    tool
        Name of the calls that ``"add"`` makes.
    arguments
        Of the calls that ``"add"`` makes (none by default), or, with ``"change"``, the new arguments.
    seed
        Of the choice of calls.

    Returns
    -------
    Dataset
        With other calls; expected calls and everything else as before.

    Raises
    ------
    OptionError
        For an unknown kind, a negative count, or a position together with several edits.
    DataError
        Where a case has no call at ``position`` that could be so edited.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["search", "book"], "expected": ["search", "book"]}])
    >>> edit(data, "swap").calls.tool.to_list(), edit(data, "drop", position=0).calls.tool.to_list()
    (['book', 'search'], ['book'])
    """
    check_number("count", count, whole=True)
    check_number("seed", seed, low=0, whole=True)
    check_type("position", position, int | None, "the place of a call, counted from 0")
    check_type("tool", tool, str, "the name of a tool")
    check_type("arguments", arguments, dict | None, "an object of arguments")
    check_option("kind", kind, EDITS)
    if count < 0:
        raise OptionError(f"count={count} must be 0 or more.")
    if position is not None and count != 1:
        raise OptionError(f"position={position} is one call, so count must be 1, not {count}.")
    takes = _asked(data, cases)
    if position is None or kind == "add":
        takes &= editable(data, kind, count=count)
    if not count or not takes.any():
        return data
    calls = data.calls
    # Where each row stands, in steps of 2, so that a new call fits between two.
    place = 2 * np.arange(len(calls), dtype=np.int64)
    if kind == "add":
        return _added(data, calls, place, takes.to_numpy(), count, position, tool, arguments)
    chosen = _chosen(data, kind, takes.to_numpy(), count, position, seed)
    if kind == "drop":
        keep = np.ones(len(calls), dtype=bool)
        keep[chosen] = False
        return _with_calls(data, calls[keep], place[keep])
    if kind == "repeat":
        again = calls.iloc[chosen].assign(call_id=constant(None, STRING, len(chosen)))
        return _with_calls(data, pd.concat([calls, again]), np.concatenate([place, place[chosen] + 1]))
    if kind == "swap":
        source = np.arange(len(calls))
        after = _next_call(data)[chosen]
        source[chosen], source[after] = after, chosen
        moved = calls.iloc[source].reset_index(drop=True)
        moved[_PLACE] = calls[_PLACE]
        return _with_calls(data, moved, place)
    texts = calls["arguments"].iloc[chosen]
    if arguments is None and texts.isna().any():
        raise DataError(f"The arguments of call {position} are not known, so none can be changed; give arguments=.")
    changed = calls.copy()
    row = changed.index[chosen]
    if arguments is None:
        changed.loc[row, "arguments"] = texts.map({text: _other(text) for text in texts.unique()}).to_numpy()
    else:
        changed.loc[row, "arguments"] = to_json(arguments)
    changed.loc[row, "arguments_form"], changed.loc[row, "arguments_status"] = "object", "ok"
    changed.loc[row, "arguments_raw"] = pd.NA
    return _with_calls(data, changed, place)


def editable(data: Dataset, kind: str, *, count: int = 1) -> pd.Series:
    """Tell which cases can take so many edits of a kind.

    Returns
    -------
    pandas.Series
        Index case, bool. No case whose calls are not known can; to drop or repeat takes as many calls, to swap as
        many pairs of neighbours of different tools that do not overlap, to change as many calls with known arguments.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "b", "b"]}, {"case": "y", "called": []}])
    >>> editable(data, "swap").to_dict()
    {'x': True, 'y': False}
    """
    check_dataset(data)
    check_option("kind", kind, EDITS)
    check_number("count", count, whole=True)
    cases = data.cases
    known = cases["called_known"]
    if kind == "add":
        return known.rename(None)
    room = np.bincount(data.case_rows("calls")[_candidates(data, kind)], minlength=len(cases))
    return known & (room >= count)


def _asked(data: Dataset, cases: Sequence[str] | pd.Index | None) -> pd.Series:
    check_dataset(data)
    check_type("cases", cases, Sequence | pd.Index | pd.Series | np.ndarray | None, "a list of case ids")
    index = data.cases.index
    if cases is None:
        return pd.Series(True, index=index)
    cases = [cases] if isinstance(cases, str) else cases
    strangers = pd.Index(cases).difference(index)
    if len(strangers):
        raise unknown_name("case", str(strangers[0]), index)
    return pd.Series(index.isin(cases), index=index)


def _edited(calls: pd.DataFrame) -> np.ndarray:
    """Mark the calls that edits see: the assistant's, without handoffs and pseudo tools."""
    own = (calls["actor"] == "assistant").fillna(False).to_numpy(dtype=bool)
    return np.asarray(own & ~calls["kind"].isin(OUTSIDE).to_numpy())


def _next_call(data: Dataset) -> np.ndarray:
    """Return for each row the row of the next edited call of its case; -1 where there is none."""
    case = data.case_rows("calls")
    rows = np.flatnonzero(_edited(data.calls))
    after = np.full(len(case), -1, dtype=np.int64)
    same = case[rows[1:]] == case[rows[:-1]]
    after[rows[:-1][same]] = rows[1:][same]
    return after


def _candidates(data: Dataset, kind: str) -> np.ndarray:
    """Return the rows of the calls that an edit can choose from."""
    calls = data.calls
    able = _edited(calls)
    if kind == "change":
        able &= calls["arguments"].notna().to_numpy()
    if kind != "swap":
        return np.flatnonzero(able)
    after = _next_call(data)
    tools = pd.factorize(calls["tool"])[0]
    rows = np.flatnonzero(able)
    differs = (after[rows] >= 0) & (tools[rows] != tools[after[rows]])
    # Of a run of differing neighbours every second one: the pairs then do not overlap.
    place = np.arange(len(rows))
    breaks = np.maximum.accumulate(np.where(differs, -1, place))
    return rows[differs & ((place - breaks) % 2 == 1)]


def _chosen(data: Dataset, kind: str, takes: np.ndarray, count: int, position: int | None, seed: int) -> np.ndarray:
    """Return the rows to edit: ``count`` in each case that takes them."""
    case = data.case_rows("calls")
    rows = np.flatnonzero(_edited(data.calls)) if position is not None else _candidates(data, kind)
    rows = rows[takes[case[rows]]]
    if position is None:
        random = np.random.default_rng(seed).random(len(case))[rows]
        rows = rows[np.lexsort([random, case[rows]])]
    owner = case[rows]
    nth = np.arange(len(rows)) - np.searchsorted(owner, owner)
    if position is None:
        return rows[nth < count]
    found = rows[nth == position]
    if len(found) < takes.sum() or (kind == "swap" and (_next_call(data)[found] < 0).any()):
        raise DataError(
            f"Not every case has a call at position {position} to {kind}; name the cases that have (cases=)."
        )
    return found


def _added(
    data: Dataset,
    calls: pd.DataFrame,
    place: np.ndarray,
    takes: np.ndarray,
    count: int,
    position: int | None,
    tool: str,
    arguments: dict[str, Any] | None,
) -> Dataset:
    case = data.case_rows("calls")
    targets = np.flatnonzero(takes)
    starts, ends = np.searchsorted(case, targets), np.searchsorted(case, targets, side="right")
    at = ends if position is None else np.minimum(starts + position, ends)
    # A new call joins the turn of the call before it, or else of the one after.
    beside = np.where(at > starts, at - 1, np.minimum(at, len(case) - 1))
    turn = np.where(ends > starts, calls["turn"].to_numpy()[beside] if len(calls) else 0, 0)
    made = pd.DataFrame(
        {
            "case": np.repeat(data.cases.index[targets].to_numpy(), count),
            "tool": tool,
            "turn": np.repeat(turn, count),
            "arguments": to_json(arguments or {}),
            "arguments_form": "object",
            "arguments_status": "ok",
            "position": 0,
        }
    )
    where = np.concatenate([place, np.repeat(2 * at - 1, count)])
    return _with_calls(data, pd.concat([calls, coerce("calls", made)]), where)


def _with_calls(data: Dataset, calls: pd.DataFrame, place: np.ndarray) -> Dataset:
    """Put calls in the order of their places, and number them anew within their case."""
    case = data.cases.index.get_indexer(pd.Index(calls["case"].array))
    ordered = calls.iloc[np.lexsort([place, case])].reset_index(drop=True)
    return data.replace(calls=ordered.assign(position=ordered.groupby("case", sort=False).cumcount()))


def _other(text: str) -> str:
    """Return arguments with one value changed: the first; or one added where there are none."""
    arguments = parse_json(text)
    if not isinstance(arguments, dict) or not arguments:
        return to_json({"changed": True})
    name, value = next(iter(arguments.items()))
    if isinstance(value, bool) or value is None:
        value = not value
    elif isinstance(value, int | float):
        value = value + 1
    else:
        value = f"{value} (changed)" if isinstance(value, str) else "(changed)"
    return to_json({**arguments, name: value})
