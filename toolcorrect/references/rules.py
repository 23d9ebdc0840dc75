"""Rules that calls must keep whatever the reference lists: forbidden tools, counts, what comes before what."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from toolcorrect.arguments.decoding import parse_json
from toolcorrect.arguments.schemas import satisfies
from toolcorrect.dataset import Dataset
from toolcorrect.encoding import Encoding
from toolcorrect.grouping import distinct
from toolcorrect.names import Names
from toolcorrect.tables import STRING

EVERY_TOOL = "*"


@dataclass(frozen=True, eq=False)
class Matched:
    """Every rule in every case it speaks of, with the calls it speaks of.

    Parameters
    ----------
    rule, case
        For each pair of a rule and a case: the row in ``Dataset.rules``, and the case's position.
    pair, row
        For each call that a pair speaks of (by its ``tool``): the pair, and the call's row in ``Dataset.calls``.
    certain
        For each of these, False where it cannot be told: the rule asks for arguments that are not known.
    """

    rule: np.ndarray
    case: np.ndarray
    pair: np.ndarray
    row: np.ndarray
    certain: np.ndarray

    def counts(self, which: np.ndarray) -> np.ndarray:
        """Count the marked calls of every pair."""
        return np.bincount(self.pair[which], minlength=len(self.rule))

    def first(self) -> np.ndarray:
        """Return the row of the first call of every pair; one beyond all rows where there is none."""
        first = np.full(len(self.rule), np.iinfo(np.int64).max)
        np.minimum.at(first, self.pair[self.certain], self.row[self.certain])
        return first


def match_rules(encoding: Encoding, column: str = "tool") -> Matched:
    """Find the calls in scope that each rule speaks of.

    Parameters
    ----------
    encoding
        The lists; its names decide when a rule's tool is a call's tool.
    column
        ``"tool"``, or ``"then"`` for the later tool of a before-rule.
    """
    data, rules = encoding.data, encoding.data.rules
    if not len(rules):
        none = np.zeros(0, dtype=np.int64)
        return Matched(none, none, none, none, none.astype(bool))
    cases = len(data)
    general = rules["case"].isna().to_numpy()
    of_case = data.cases.index.get_indexer(pd.Index(rules["case"].array))
    rule = np.concatenate((np.repeat(np.flatnonzero(general), cases), np.flatnonzero(~general)))
    case = np.concatenate((np.tile(np.arange(cases), general.sum()), of_case[~general]))
    order = np.lexsort((rule, case))
    rule, case = rule[order], case[order]

    row = distinct(encoding.called.row)
    call_case = data.case_rows("calls")[row]
    tools = pd.concat([data.calls["tool"].iloc[row], rules[column].fillna("")])
    raw, names = pd.factorize(tools)
    code = pd.factorize(np.array([encoding.names(name) if name != EVERY_TOOL else name for name in names], object))[0]
    code = code[raw] if len(raw) else raw
    wanted = code[len(row) :][rule]
    every = (rules[column] == EVERY_TOOL).fillna(False).to_numpy(dtype=bool)[rule]
    width = int(code.max(initial=0)) + 1
    by_tool = call_case * width + code[: len(row)]
    sorted_calls = np.argsort(by_tool, kind="stable")
    begins = np.searchsorted(by_tool[sorted_calls], case * width + np.where(every, 0, wanted), side="left")
    last = np.where(every, width - 1, wanted)
    ends = np.searchsorted(by_tool[sorted_calls], case * width + last, side="right")
    times = ends - begins
    pair = np.repeat(np.arange(len(rule)), times)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(times) - times, times)
    found = row[sorted_calls[begins[pair] + within]] if len(pair) else np.empty(0, dtype=np.int64)
    return _with_arguments(data, Matched(rule, case, pair, found, np.ones(len(pair), dtype=bool)), column)


def check_rules(data: Dataset, *, scope: str = "assistant", names: str | Names = "exact") -> pd.DataFrame:
    """Check every rule in every case it speaks of.

    Parameters
    ----------
    data
        The runs, with `rules`: ``forbid`` (no such call), ``count`` (``minimum`` to ``maximum`` such calls) and
        ``before`` (every call of ``then`` has a call of ``tool`` earlier, not in the same step). A rule without a
        case speaks of all; ``*`` is every tool; with ``arguments`` (a JSON Schema) only calls that satisfy it count.
    scope, names
        Which calls count, and when two tool names are the same, as in `toolcorrect.score`.

    Returns
    -------
    pandas.DataFrame
        One row a case and rule, in the order of cases: ``case, rule, tool, then, ok`` (boolean, NA where the calls or
        the arguments asked for are not known), ``count`` (such calls) and ``note`` (why it does not hold).

    Examples
    --------
    >>> data = Dataset(
    ...     pd.DataFrame(index=["x"]),
    ...     pd.DataFrame({"case": ["x", "x"], "tool": ["write", "validate"]}),
    ...     rules=pd.DataFrame({"rule": ["before"], "tool": ["validate"], "then": ["write"]}),
    ... )
    >>> check_rules(data)[["ok", "note"]].to_numpy().tolist()
    [[False, 'write was called with no validate before it']]
    """
    return rules_of(Encoding(data, scope=scope, names=names))


def rules_of(encoding: Encoding) -> pd.DataFrame:
    """Do what `check_rules` does, for lists that are encoded already."""
    data = encoding.data
    matched = match_rules(encoding)
    rules = data.rules.iloc[matched.rule].reset_index(drop=True)
    kind = rules["rule"].astype(object).to_numpy()
    count, doubt = matched.counts(matched.certain), matched.counts(~matched.certain)
    low = rules["minimum"].fillna(0).to_numpy(dtype=np.int64)
    high = rules["maximum"].fillna(np.iinfo(np.int64).max).to_numpy(dtype=np.int64)
    high = np.where(kind == "forbid", 0, high)
    low = np.where(kind == "forbid", 0, low)
    broken = (count > high) | (count + doubt < low)
    open_ = ~broken & ((count + doubt > high) | (count < low))
    if (kind == "before").any():
        late = _not_before(data, matched, match_rules(encoding, "then"))
        broken = np.where(kind == "before", late, broken)
        open_ = np.where(kind == "before", late & (doubt > 0), open_)
    unknown = open_ | ~data.cases["called_known"].to_numpy()[matched.case]
    made = pd.DataFrame({"case": data.cases.index[matched.case]})
    made[["rule", "tool", "then"]] = rules[["rule", "tool", "then"]]
    made["ok"] = pd.array(np.where(unknown, False, ~broken), dtype="boolean")
    made.loc[unknown, "ok"] = pd.NA
    made["count"] = count
    made["note"] = _notes(rules, kind, count, low, high, broken & ~unknown)
    return made


def forbidden_calls(data: Dataset, *, scope: str = "assistant", names: str | Names = "exact") -> pd.DataFrame:
    """List the calls that a rule forbids: ``case, position, tool``, each call once.

    Examples
    --------
    >>> data = Dataset(
    ...     pd.DataFrame(index=["x"]),
    ...     pd.DataFrame({"case": ["x"], "tool": ["mcp__git__delete_repo"]}),
    ...     rules=pd.DataFrame({"rule": ["forbid"], "tool": ["delete_repo"]}),
    ... )
    >>> forbidden_calls(data, names="galtea").tool.to_list()
    ['mcp__git__delete_repo']
    """
    encoding = Encoding(data, scope=scope, names=names)
    row = distinct(forbidden_rows(match_rules(encoding), data))
    return data.calls[["case", "position", "tool"]].iloc[row].reset_index(drop=True)


def forbidden_rows(matched: Matched, data: Dataset) -> np.ndarray:
    """Return the rows of calls that a forbid-rule speaks of for certain."""
    forbids = (data.rules["rule"] == "forbid").to_numpy()[matched.rule]
    return np.asarray(matched.row[matched.certain & forbids[matched.pair]])


def _with_arguments(data: Dataset, matched: Matched, column: str) -> Matched:
    """Keep only calls whose arguments satisfy the schema of their rule, each distinct pair tried once."""
    schemas, distinct = pd.factorize(data.rules["arguments"])
    asked = schemas[matched.rule][matched.pair]
    if column == "then" or not (asked >= 0).any():
        return matched
    texts, arguments = pd.factorize(data.calls["arguments"].iloc[matched.row])
    open_ = (asked >= 0) & (texts < 0)
    tried = np.flatnonzero((asked >= 0) & (texts >= 0))
    both, place = np.unique(np.column_stack((asked[tried], texts[tried])), axis=0, return_inverse=True)
    meets = [_meets(distinct[schema], arguments[text]) for schema, text in both.tolist()]
    kept = asked < 0
    kept[tried] = np.asarray(meets, dtype=bool)[place.ravel()]
    kept |= open_
    certain = matched.certain & ~open_
    return Matched(matched.rule, matched.case, matched.pair[kept], matched.row[kept], certain[kept])


def _meets(schema: str, arguments: str) -> bool:
    try:
        return satisfies(parse_json(schema), parse_json(arguments))
    except ValueError:
        return False


def _not_before(data: Dataset, matched: Matched, later: Matched) -> np.ndarray:
    """Tell for which pairs a ``then`` call comes with no ``tool`` call before it."""
    first, then = matched.first(), later.first()
    none = np.iinfo(np.int64).max
    steps = data.calls["step"].astype("float64").to_numpy()
    both = (first < none) & (then < none)
    together = np.zeros(len(first), dtype=bool)
    together[both] = steps[first[both]] == steps[then[both]]
    return (then < none) & ((first >= then) | together)


def _notes(
    rules: pd.DataFrame, kind: np.ndarray, count: np.ndarray, low: np.ndarray, high: np.ndarray, broken: np.ndarray
) -> pd.Series:
    notes: list[str | None] = [None] * len(rules)
    places = np.flatnonzero(broken)
    tools, then = (rules[name].iloc[places].tolist() for name in ("tool", "then"))
    for place, tool, later in zip(places.tolist(), tools, then):
        tool = "any tool" if tool == EVERY_TOOL else tool
        times = f"called {_times(count[place])}"
        if kind[place] == "forbid":
            notes[place] = f"{tool} is forbidden and was {times}"
        elif kind[place] == "before":
            notes[place] = f"{later} was called with no {tool} before it"
        else:
            bound = f"at most {high[place]}" if count[place] > high[place] else f"at least {low[place]}"
            notes[place] = f"{tool} was {times}; the rule asks for {bound}"
    return pd.Series(notes, index=rules.index, dtype=STRING)


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(int(count), f"{count} times")
