"""Does a run do what its reference and its rules say: `reference.pass`, with reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from toolcorrect.dataset import Dataset
from toolcorrect.encoding import Encoding, Match, list_index
from toolcorrect.errors import check_option, check_type, listed
from toolcorrect.names import Names
from toolcorrect.pairing import Pairs, candidates
from toolcorrect.references.matching import PLAIN, assign, fits
from toolcorrect.references.preparing import ArgumentOptions, prepare
from toolcorrect.references.rules import rules_of
from toolcorrect.tables import STRING

Order = Literal["free", "in_order"]
Extras = Literal["allowed", "refused"]
OptionalArguments = Literal["fail", "ignore"]


OPTIONS: Mapping[str, ArgumentOptions] = {
    "unordered": ArgumentOptions(unordered=True),
    "dates": ArgumentOptions(dates=True),
    "casefold": ArgumentOptions(casefold=True),
    "trim": ArgumentOptions(trim=True),
    "collapse_whitespace": ArgumentOptions(collapse_whitespace=True),
    "nfc": ArgumentOptions(unicode="nfc"),
    "nfkc": ArgumentOptions(unicode="nfkc"),
    "null_as_missing": ArgumentOptions(null_as_missing=True),
    "fill_defaults": ArgumentOptions(fill_defaults=True),
    "coerce": ArgumentOptions(coerce=True),
    "decode_nested": ArgumentOptions(decode_nested=True),
    "keys=expected": ArgumentOptions(keys="expected"),
    "keys=expected_deep": ArgumentOptions(keys="expected_deep"),
    "keys=called": ArgumentOptions(keys="called"),
}


@dataclass(frozen=True)
class Demands:
    """How strictly a reference is read.

    Parameters
    ----------
    order
        ``"free"``, or ``"in_order"``: the required calls in their order, optional ones at their place.
    extras
        Whether calls that the reference does not list are ``"allowed"`` or ``"refused"``. A reference that is empty
        wants no call, and refuses all.
    optional_arguments
        An optional call made with arguments that do not fit: ``"fail"``, or ``"ignore"`` it.

    Raises
    ------
    OptionError
        For a word that does not exist.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["b", "a"], "expected": ["a", "b"]}])
    >>> [verdicts(data, demands=Demands(order)).passed.item() for order in ("free", "in_order")]
    [1.0, 0.0]
    """

    order: Order = "free"
    extras: Extras = "allowed"
    optional_arguments: OptionalArguments = "fail"

    def __post_init__(self) -> None:
        check_option("order", self.order, ("free", "in_order"))
        check_option("extras", self.extras, ("allowed", "refused"))
        check_option("optional_arguments", self.optional_arguments, ("fail", "ignore"))


@dataclass(frozen=True, eq=False)
class Verdicts:
    """The verdict on every list of an encoding, and what it rests on.

    Parameters
    ----------
    passed
        float64, one entry a list: 1.0, 0.0, or NaN where unknown arguments or calls leave it open.
    missing
        bool, one an expected call: required, and nothing satisfies it.
    refused
        bool, one a called call: it may not be there.
    in_order
        bool, one entry a list: whether the order asked for was kept (True where none is asked for).
    rules
        The frame of `toolcorrect.references.rules.check_rules`.
    """

    passed: np.ndarray
    missing: np.ndarray
    refused: np.ndarray
    in_order: np.ndarray
    rules: pd.DataFrame


def judge(encoding: Encoding, *, demands: Demands = Demands(), options: ArgumentOptions = PLAIN) -> Verdicts:
    """Judge every list: required calls met, optional ones allowed, rules kept.

    Parameters
    ----------
    encoding
        The lists, of prepared data where ``options`` prepare.
    demands
        How strictly the reference is read.
    options
        Of these, ``keys`` and the tolerances count here.
    """
    pairs = candidates(encoding, Match())
    fit = fits(pairs, options)
    open_ = np.isnan(fit)
    sure = _meet(encoding, pairs, fit == 1.0, demands)
    passed = _passed(encoding, *sure)
    if open_.any():
        # Whatever unknown arguments were: the verdict stands if it is the same either way.
        otherwise = _passed(encoding, *_meet(encoding, pairs, (fit == 1.0) | open_, demands))
        passed = np.where(passed == otherwise, passed, np.nan)
    rules = rules_of(encoding)
    kept, doubtful = _rules_kept(encoding, rules)
    known = encoding.expected_known[encoding.list_case]
    passed = np.where(known, passed, np.where(_ruled(encoding, rules), 1.0, np.nan))
    passed = np.where(kept[encoding.list_case], passed, 0.0)
    passed = np.where((passed == 1.0) & doubtful[encoding.list_case], np.nan, passed)
    passed = np.where(encoding.called_known[encoding.list_case], passed, np.nan)
    return Verdicts(passed, *sure, rules)


def verdicts(
    data: Dataset,
    *,
    demands: Demands = Demands(),
    options: ArgumentOptions = PLAIN,
    scope: str = "assistant",
    names: str | Names = "exact",
) -> pd.DataFrame:
    """Say for every case and reference whether the calls do what is asked, and if not, why.

    Parameters
    ----------
    data
        The runs. Where no reference is known, rules alone decide.
    demands
        How strictly the reference is read: order, further calls, optional calls.
    options
        What to overlook in arguments.
    scope, names
        Which calls count, and when two tool names are the same.

    Returns
    -------
    pandas.DataFrame
        Index (case, reference): ``passed`` (1.0, 0.0, NaN where it cannot be told) and ``reason``.

    Examples
    --------
    >>> data = Dataset(
    ...     pd.DataFrame(index=["x"]),
    ...     pd.DataFrame({"case": ["x", "x"], "tool": ["search", "delete"]}),
    ...     pd.DataFrame({"case": ["x", "x"], "tool": ["search", "sum_up"]}),
    ...     pd.DataFrame({"rule": ["forbid"], "tool": ["delete"]}),
    ... )
    >>> verdicts(data).reason.item()
    'sum_up is missing; delete is forbidden and was called once'
    """
    check_type("demands", demands, Demands, "tc.Demands(...)")
    encoding = Encoding(prepare(data, options), scope=scope, names=names)
    found = judge(encoding, demands=demands, options=options)
    return pd.DataFrame(
        {"passed": found.passed, "reason": pd.Series(reasons(encoding, found), dtype=STRING).array},
        index=list_index(encoding),
    )


def verdict_changes(
    data: Dataset,
    options: Mapping[str, ArgumentOptions] = OPTIONS,
    *,
    demands: Demands = Demands(),
    scope: str = "assistant",
    names: str | Names = "exact",
) -> pd.DataFrame:
    """Say where overlooking something would change the verdict.

    Parameters
    ----------
    data
        The runs.
    options
        Label to options, each tried alone. Default: the options of `ArgumentOptions` that need no
        number or name, everywhere.
    demands, scope, names
        As in `verdicts`.

    Returns
    -------
    pandas.DataFrame
        Index case, one column a label: True where the verdict of the best reference differs from the one without
        any option.

    Examples
    --------
    >>> frame = {"case": ["x"], "tool": ["log"]}
    >>> data = Dataset(
    ...     pd.DataFrame(index=["x"]),
    ...     pd.DataFrame({**frame, "arguments": ['{"q": "A "}']}),
    ...     pd.DataFrame({**frame, "arguments": ['{"q": "A"}']}),
    ... )
    >>> changes = verdict_changes(data).loc["x"]
    >>> changes[changes].index.to_list()
    ['trim', 'collapse_whitespace']
    """
    check_type("options", options, Mapping, 'options by label, as {"trim": tc.ArgumentOptions(trim=True)}')

    def best(tried: ArgumentOptions) -> np.ndarray:
        found = verdicts(data, demands=demands, options=tried, scope=scope, names=names)["passed"]
        case = data.cases.index.get_indexer(found.index.get_level_values("case"))
        made = np.full(len(data), -1.0)
        np.maximum.at(made, case, found.fillna(-1).to_numpy())
        return made

    plain = best(PLAIN)
    return pd.DataFrame({label: best(tried) != plain for label, tried in options.items()}, index=data.cases.index)


def _meet(
    encoding: Encoding, pairs: Pairs, usable: np.ndarray, demands: Demands
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return missing expected calls, refused called calls, and lists in order."""
    optional = (encoding.column("expected", "role") == "optional").to_numpy()
    partner = assign(pairs, usable, optional)
    missing = (partner < 0) & ~optional
    left = np.ones(len(encoding.called.row), dtype=bool)
    left[partner[partner >= 0]] = False
    # Left over, though an optional call of that tool is still to be had: its arguments were others.
    wrong = np.zeros(len(left), dtype=bool)
    wrong[pairs.called[(optional & (partner < 0))[pairs.expected]]] = True
    wrong &= left
    strict = (encoding.expected.lengths == 0) | (demands.extras == "refused")
    strict = (strict & encoding.expected_known[encoding.list_case])[encoding.called.owner]
    refused = left & np.where(wrong, demands.optional_arguments == "fail", strict)
    in_order = np.ones(encoding.list_count, dtype=bool)
    if demands.order == "in_order":
        in_order = _in_order(encoding, pairs, usable, optional, passed_over=~refused & (left | ~strict))
    return missing, refused, in_order


def _in_order(
    encoding: Encoding, pairs: Pairs, usable: np.ndarray, optional: np.ndarray, passed_over: np.ndarray
) -> np.ndarray:
    """Tell which lists can be read from first to last: required calls in order, optional ones at their place.

    ``passed_over`` marks the called calls that may stand anywhere.
    """
    followers: dict[int, list[int]] = {}
    for e, c in zip(pairs.expected[usable].tolist(), pairs.called[usable].tolist()):
        followers.setdefault(c, []).append(e)
    made = np.ones(encoding.list_count, dtype=bool)
    e_at, c_at = encoding.expected.offsets.tolist(), encoding.called.offsets.tolist()
    for one in range(encoding.list_count):
        begin, end = e_at[one], e_at[one + 1]
        # How far the reference may be read: every place reachable, optional calls skipped.
        reached = _skipped({begin}, optional, end)
        for c in range(c_at[one], c_at[one + 1]):
            onward = {e + 1 for e in followers.get(c, ()) if e in reached}
            reached = _skipped(onward, optional, end) | (reached if passed_over[c] else set())
        made[one] = end in reached
    return made


def _skipped(reached: set[int], optional: np.ndarray, end: int) -> set[int]:
    found = set(reached)
    for place in reached:
        while place < end and optional[place] and place + 1 not in found:
            place += 1
            found.add(place)
    return found


def _passed(encoding: Encoding, missing: np.ndarray, refused: np.ndarray, in_order: np.ndarray) -> np.ndarray:
    failed = ~in_order
    failed[encoding.expected.owner[missing]] = True
    failed[encoding.called.owner[refused]] = True
    return np.where(failed, 0.0, 1.0)


def _rules_kept(encoding: Encoding, rules: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Tell for each case whether no rule is broken, and whether one is in doubt."""
    case = encoding.data.cases.index.get_indexer(pd.Index(rules["case"].array))
    kept, doubtful = np.ones(encoding.case_count, dtype=bool), np.zeros(encoding.case_count, dtype=bool)
    kept[case[(~rules["ok"]).fillna(False).to_numpy(dtype=bool)]] = False
    doubtful[case[rules["ok"].isna().to_numpy()]] = True
    return kept, doubtful


def _ruled(encoding: Encoding, rules: pd.DataFrame) -> np.ndarray:
    """Mark the lists whose case has a rule."""
    ruled = np.zeros(encoding.case_count, dtype=bool)
    ruled[encoding.data.cases.index.get_indexer(pd.Index(rules["case"].array))] = True
    return ruled[encoding.list_case]


def reasons(encoding: Encoding, found: Verdicts) -> list[str]:
    """Say in a line a list what is wrong; an empty text where nothing is."""
    texts: list[list[str]] = [[] for _ in range(encoding.list_count)]
    for side, marked, verb in (("expected", found.missing, "missing"), ("called", found.refused, "not wanted")):
        owner = encoding.expected.owner if side == "expected" else encoding.called.owner
        tools = encoding.column("expected" if side == "expected" else "called", "tool").to_numpy(dtype=object)
        for place, named in pd.Series(tools[marked]).groupby(owner[marked]):
            texts[int(place)].append(f"{listed(named, 5)} {'is' if len(named) == 1 else 'are'} {verb}")
    for place in np.flatnonzero(~found.in_order).tolist():
        texts[place].append("the calls are not in the order asked for")
    broken = found.rules[found.rules["note"].notna()]
    notes = broken.groupby("case", sort=False)["note"].agg("; ".join)
    case = encoding.data.cases.index[encoding.list_case]
    for place, note in enumerate(notes.reindex(case).tolist()):
        if isinstance(note, str):
            texts[place].append(note)
    open_ = np.isnan(found.passed)
    return ["cannot be told" if unknown else "; ".join(text) for text, unknown in zip(texts, open_.tolist())]
