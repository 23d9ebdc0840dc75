"""Faults of the reference, found before anything is scored against it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from toolcorrect.arguments.decoding import parse_json
from toolcorrect.arguments.differences import differences, is_matcher, path_text
from toolcorrect.arguments.equality import canonical_text
from toolcorrect.arguments.schema_led import fill_defaults
from toolcorrect.arguments.schemas import BrokenSchemaError, declared, validator
from toolcorrect.dataset import Dataset, check_dataset
from toolcorrect.names import LEVELS, Names
from toolcorrect.references.rules import EVERY_TOOL
from toolcorrect.tables import STRING
from toolcorrect.validity.defects import SCHEMA_CODES, Defect, rubric_defects, schema_defects
from toolcorrect.validity.offering import offer
from toolcorrect.validity.validating import broken_schemas, check_rows

_NESTED = "alternatives_nested_too_deep"

CODES = pd.CategoricalDtype(
    [
        *SCHEMA_CODES,
        "undeclared",
        "explicit_default",
        "broken_matcher",
        "broken_schema",
        "duplicate_alternative",
        _NESTED,
        "contradictory_rules",
        "unreachable_turn",
        "names_never_match",
    ]
)
_COLUMNS = ["case", "reference", "position", "tool", "code", "path", "note"]


def lint(data: Dataset, *, names: str | Names = "exact") -> pd.DataFrame:
    """Find what is wrong with the reference itself: expected calls, alternatives, rules.

    Parameters
    ----------
    data
        The runs.
    names
        How tool names are compared with the offer.

    Returns
    -------
    pandas.DataFrame
        One row a finding: ``case`` (NA: all), ``reference, position`` (NA: not one call), ``tool, code, path, note``.
        The codes: those of `toolcorrect.validate` for expected calls that their own schema refuses
        (``unknown_tool``, ``missing_required``, ``enum``, ...); ``undeclared``; ``explicit_default`` (a model that
        leaves the default out will fail); ``broken_matcher``; ``broken_schema``; ``duplicate_alternative`` (an
        alternative equal to an earlier one); ``alternatives_nested_too_deep`` (a list of calls where one call
        belongs, as loading reported it); ``contradictory_rules`` (they cannot hold, or the reference breaks them);
        ``unreachable_turn`` (a turn the run does not have); ``names_never_match`` (no expected name is ever called,
        with what would mend it).

    Examples
    --------
    >>> data = Dataset(
    ...     pd.DataFrame(index=["x"]),
    ...     expected=pd.DataFrame({"case": ["x"], "tool": ["jobs"], "arguments": ['{"status": "Queued"}']}),
    ...     tools=pd.DataFrame({"tool": ["jobs"], "parameters": ['{"properties": {"status": {"enum": ["Q"]}}}']}),
    ... )
    >>> lint(data)[["code", "path"]].to_numpy().tolist()
    [['enum', 'status']]
    """
    check_dataset(data)
    parts = [
        _calls(data, names),
        _frame(_nested(data)),
        _frame(_alternatives(data)),
        _rules(data),
        _turns(data),
        _frame(_names(data)),
    ]
    found = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    place = data.cases.index.get_indexer(pd.Index(found["case"].array))
    return found.iloc[np.argsort(np.where(place < 0, len(data), place), kind="stable")].reset_index(drop=True)


def _calls(data: Dataset, names: str | Names) -> pd.DataFrame:
    """Check each expected call by itself."""
    expected, offered = data.expected, offer(data, table="expected", names=names)
    checked = check_rows(expected, offered, _check_against_schema)
    texts, distinct = pd.factorize(expected["arguments"])
    matchers = _broken_matchers([str(text) for text in distinct.tolist()])
    parts = [checked.defects]
    parts += [
        pd.DataFrame({"row": np.flatnonzero(texts == place), "code": "broken_matcher", "path": path, "note": note})
        for place, path, note in matchers
    ]
    defects = pd.concat([part.astype({"code": object}) for part in parts if len(part)] or parts[-1:])
    defects = defects.sort_values("row", kind="stable")
    row = defects["row"].to_numpy(dtype=np.int64)
    made = expected[["case", "reference", "position", "tool"]].iloc[row].reset_index(drop=True)
    made[["code", "path", "note"]] = defects[["code", "path", "note"]].reset_index(drop=True)
    broken = broken_schemas(data, offered, checked).assign(reference=pd.NA)
    return pd.concat([_typed(made), _typed(broken[_COLUMNS])], ignore_index=True)


def _check_against_schema(schema: str, arguments: str) -> list[Defect]:
    found = schema_defects(schema, arguments)
    told = {defect.path for defect in found}
    found += [d for d in rubric_defects(schema, arguments) if d.code == "undeclared" and d.path not in told]
    return found + _explicit_defaults(schema, arguments)


def _explicit_defaults(schema: str, arguments: str) -> list[Defect]:
    """Find top-level arguments that only say what leaving them out would say."""
    if not declared(schema).stated:
        return []
    value, root = parse_json(arguments), parse_json(schema)
    if not isinstance(value, dict):
        return []
    return [
        Defect("explicit_default", path_text([key]), "this is the default: a model that leaves it out will fail")
        for key, item in value.items()
        if not is_matcher(item) and _default_is(fill_defaults({}, root, root), key, item)
    ]


def _default_is(defaults: dict[str, Any], key: str, value: Any) -> bool:
    return key in defaults and not differences(defaults[key], value, limit=1)


def _broken_matchers(texts: list[str]) -> Iterator[tuple[int, str, str]]:
    for place, text in enumerate(texts):
        if '"$match"' not in text:
            continue
        for parts, matcher in _matchers(parse_json(text)):
            try:
                validator(json.dumps(matcher["$match"], sort_keys=True))
            except BrokenSchemaError as cause:
                yield place, path_text(parts), f"the matcher accepts nothing, it is no JSON Schema: {cause}"


def _matchers(value: Any) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """Yield every matcher in a value with its path."""
    waiting: list[tuple[list[Any], Any]] = [([], value)]
    while waiting:
        parts, item = waiting.pop()
        if is_matcher(item):
            yield parts, item
        elif isinstance(item, dict | list):
            children = item.items() if isinstance(item, dict) else enumerate(item)
            waiting.extend(([*parts, part], child) for part, child in children)


def _nested(data: Dataset) -> Iterator[tuple[Any, ...]]:
    """Pass on what only the loader could see, since no table holds a list where a call belongs."""
    report = data.report
    note = "a list of calls stands where one call belongs: write any_of: [[calls], [calls]]"
    for case in report["case"][(report["code"] == _NESTED).fillna(False).to_numpy(dtype=bool)].unique():
        yield case, pd.NA, pd.NA, pd.NA, _NESTED, "", note


def _alternatives(data: Dataset) -> Iterator[tuple[Any, ...]]:
    """Find alternatives that say the same as an earlier one of their case."""
    cases, expected = data.cases, data.expected
    several = cases.index[cases["references"] > 1]
    mine = expected[expected["case"].isin(several).to_numpy()]
    texts, distinct = pd.factorize(mine["arguments"])
    forms = pd.factorize(np.array([canonical_text(text) for text in distinct.tolist()], dtype=object))[0]
    value = np.append(forms, -1)[texts]
    signs: dict[tuple[str, int], list[tuple[Any, ...]]] = {}
    for case, reference, tool, code, role in zip(mine["case"], mine["reference"], mine["tool"], value, mine["role"]):
        signs.setdefault((case, reference), []).append((tool, int(code), role))
    for case in several:
        seen: dict[tuple[Any, ...], int] = {}
        for reference in range(cases["references"][case]):
            first = seen.setdefault(tuple(signs.get((case, reference), [])), reference)
            if first != reference:
                yield case, reference, pd.NA, pd.NA, "duplicate_alternative", "", f"equal to alternative {first}"


def _rules(data: Dataset) -> pd.DataFrame:
    """Find rules that cannot all hold, and rules that the reference itself breaks; those with arguments aside."""
    rules = data.rules
    plain = rules[rules["arguments"].isna().to_numpy()].astype({"rule": STRING})
    forbids, counts = plain[plain["rule"] == "forbid"], plain[plain["rule"] == "count"]
    orders = plain[plain["rule"] == "before"]
    none = counts[(counts["minimum"] > counts["maximum"]).fillna(False).to_numpy(dtype=bool)]
    asked = counts[(counts["minimum"] > 0).fillna(False).to_numpy(dtype=bool)]
    every = forbids[(forbids["tool"] == EVERY_TOOL).to_numpy(dtype=bool)]
    refused = _together(forbids, asked, ["tool"])
    all_refused = _together(every.drop(columns="tool").assign(rule="count"), asked, ["rule"])
    circles = _together(orders, orders.rename(columns={"tool": "then", "then": "tool"}), ["tool", "then"])
    circles = circles[circles["tool"] <= circles["then"]]
    most = pd.concat([forbids.assign(maximum=0).astype({"maximum": "Int64"}), counts[counts["maximum"].notna()]])
    over = _together(most, _required(data), ["tool"])
    over = over[(over["needed"] > over["maximum"]).to_numpy(dtype=bool)]
    notes = [
        _said(none, "{tool}: at least {minimum} and at most {maximum} calls"),
        *(_said(rows, "{tool} is forbidden, and yet a call of it is asked for") for rows in (refused, all_refused)),
        _said(circles, "{tool} before {then}, and the other way round"),
        _said(over, "{tool}: at most {maximum} calls, and the reference requires {needed}"),
    ]
    found = pd.concat(notes).drop_duplicates()
    blank = {"reference": pd.NA, "position": pd.NA, "tool": pd.NA, "path": ""}
    return _typed(found.assign(code="contradictory_rules", **blank)[_COLUMNS])


def _together(one: pd.DataFrame, other: pd.DataFrame, on: list[str]) -> pd.DataFrame:
    """Join rows that speak of the same tool in the same case; a row without a case speaks of all."""
    general_one, general_other = one["case"].isna().to_numpy(), other["case"].isna().to_numpy()
    names = {"suffixes": ("", "_other")}
    parts = [
        one[general_one].merge(other[general_other].drop(columns="case"), on=on, **names),
        one[~general_one].merge(other[~general_other], on=["case", *on], **names),
        one[~general_one].merge(other[general_other].drop(columns="case"), on=on, **names),
        one[general_one].drop(columns="case").merge(other[~general_other], on=on, **names),
    ]
    return pd.concat(parts, ignore_index=True)


def _required(data: Dataset) -> pd.DataFrame:
    """Count the required calls of each tool, and of all, in the alternative that asks for most."""
    required = data.expected[(data.expected["role"] == "required").to_numpy()]
    every = pd.concat(
        [required[["case", "reference", "tool"]], required[["case", "reference"]].assign(tool=EVERY_TOOL)]
    )
    sizes = every.groupby(["case", "reference", "tool"], sort=False).size().rename("needed").reset_index()
    return sizes.groupby(["case", "tool"], sort=False)["needed"].max().reset_index()


def _said(rows: pd.DataFrame, sentence: str) -> pd.DataFrame:
    notes = [sentence.format(**row) for row in rows.to_dict("records")]
    return pd.DataFrame({"case": rows["case"].array, "note": notes}).astype({"case": STRING, "note": STRING})


def _turns(data: Dataset) -> pd.DataFrame:
    """Find expected calls in a turn that the run does not have."""
    expected = data.expected
    turns = data.cases["turns"].astype("float64").to_numpy()[data.case_rows("expected")]
    beyond = expected[expected["turn"].to_numpy() >= np.where(np.isnan(turns), np.inf, turns)]
    had = turns[beyond.index.to_numpy()].astype(np.int64)
    note = [f"turn {turn} of a run with {n} turns (from 0)" for turn, n in zip(beyond["turn"], had)]
    return _typed(beyond.assign(code="unreachable_turn", path="", note=note)[_COLUMNS])


def _names(data: Dataset) -> Iterator[tuple[Any, ...]]:
    """Find a difference in spelling that alone makes every expected name miss, and the level that mends it."""
    expected, called = (set(frame["tool"].dropna().unique()) for frame in (data.expected, data.calls))
    if not expected or not called or expected & called:
        return
    for level, steps in LEVELS.items():
        met = {steps(name) for name in expected} & {steps(name) for name in called}
        if met:
            yield _mend(expected, called, steps, f"names={level!r} would make {len(met)} meet")
            return
    prefix = _prefix(expected, called)
    if prefix:
        note = f"without {prefix} they would meet: give names=Names(aliases={{...}})"
        yield pd.NA, pd.NA, pd.NA, pd.NA, "names_never_match", "", f"no expected tool is ever called; {note}"


def _mend(expected: set[str], called: set[str], steps: Callable[[str], str], how: str) -> tuple[Any, ...]:
    by_form = {steps(name): name for name in sorted(called)}
    example = next(name for name in sorted(expected) if steps(name) in by_form)
    note = f"no expected tool is ever called, as {example} is called {by_form[steps(example)]}; {how}"
    return pd.NA, pd.NA, pd.NA, pd.NA, "names_never_match", "", note


def _prefix(expected: set[str], called: set[str]) -> str:
    """Describe a prefix that all names of a side share and without which one meets the other side."""
    for side, names, others in (("expected", expected, called), ("called", called, expected)):
        first, last = min(names), max(names)
        shared = first[: next((i for i, pair in enumerate(zip(first, last)) if pair[0] != pair[1]), len(first))]
        for end in sorted((place + 1 for place, sign in enumerate(shared) if sign in "_.:/-"), reverse=True):
            if {name[end:] for name in names} & others:
                return f"the prefix {shared[:end]!r} of the {side} names"
    return ""


def _frame(rows: Iterator[tuple[Any, ...]]) -> pd.DataFrame:
    return _typed(pd.DataFrame.from_records(list(rows), columns=_COLUMNS))


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    texts = dict.fromkeys(("case", "tool", "path", "note"), STRING)
    return frame.astype({**texts, "reference": "Int64", "position": "Int64", "code": CODES}).reset_index(drop=True)
