from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.field_cases import answers, dataset, field_case
from toolcorrect.dataset import Dataset
from toolcorrect.encoding import Encoding, Match
from toolcorrect.errors import OptionError
from toolcorrect.overlap import overlap
from toolcorrect.pairing import candidates
from toolcorrect.references.judging import Demands, verdict_changes, verdicts
from toolcorrect.references.matching import assign, fits, resolve
from toolcorrect.references.preparing import ArgumentOptions


def run(
    called: list[Any] | None,
    expected: list[Any] | None,
    rules: list[dict[str, Any]] | None = None,
    alternatives: int = 1,
) -> Dataset:
    """One case ``x``; a call is a name, (name, arguments) or (name, arguments, role, reference)."""
    cases = {"called_known": called is not None, "expected_known": expected is not None, "references": alternatives}

    def frame(calls: list[Any] | None, expects: bool) -> pd.DataFrame:
        rows = []
        for call in calls or []:
            name, arguments, *rest = (call, None) if isinstance(call, str) else call
            row = {"case": "x", "tool": name, "arguments": None if arguments is None else json.dumps(arguments)}
            rows.append(row | (dict(zip(("role", "reference"), rest)) if expects else {}))
        made = pd.DataFrame(rows)
        if expects and "role" in made:
            made["role"] = made["role"].fillna("required")
        if expects and "reference" in made:
            made["reference"] = made["reference"].fillna(0)
        return made

    made = pd.DataFrame([{"case": "x", **rule} for rule in rules or []])
    return Dataset(pd.DataFrame(cases, index=["x"]), frame(called, False), frame(expected, True), made)


def passed(data: Dataset, **options: Any) -> float | None:
    value = verdicts(data, **options)["passed"].max()
    return None if np.isnan(value) else float(value)


def test_verdicts_of_the_field_cases() -> None:
    for case, _, right in answers("verdict.pass"):
        data = dataset(field_case(case))
        names = "galtea" if field_case(case)["policy"].get("normalise") else "exact"
        assert (passed(data, names=names) == 1.0) is right, case
    for case, _, right in answers("verdict.no_call_respected"):
        assert (passed(dataset(field_case(case))) == 1.0) is right, case
    asked = answers("verdict.match_in_order")
    assert asked
    for case, _, right in asked:
        data = dataset(field_case(case))
        by = right["values"] if isinstance(right, dict) else {"fail": right, "ignore": right}
        for word, value in by.items():
            demands = Demands(order="in_order", extras="refused", optional_arguments=word)
            assert (passed(data, demands=demands) == 1.0) is value, (case, word)


ANY = {"$match": {}}


@pytest.mark.parametrize(
    ("called", "expected", "right"),
    [
        (["a", "b"], ["b", "a"], 1.0),
        (["a"], ["a", "b"], 0.0),
        (["a", "a"], ["a"], 1.0),
        (["a"], ["a", "a"], 0.0),
        ([], [], 1.0),
        (["a"], [], 0.0),
        ([("a", {"x": 1})], [("a", {"x": 1.0})], 1.0),
        ([("a", {"x": True})], [("a", {"x": 1})], 0.0),
        ([("a", {"x": 1})], ["a"], 1.0),
        ([("a", {"x": 5})], [("a", {"x": {"$match": {"enum": [4, 5]}}})], 1.0),
        ([("a", {})], [("a", {"x": ANY})], 0.0),
        ([("a", {})], [("a", {"x": {**ANY, "$optional": True}})], 1.0),
        # First come, first served would leave the second expected call without a partner.
        ([("a", {"x": 1}), ("a", {"x": 2})], [("a", {"x": ANY}), ("a", {"x": 1})], 1.0),
        # An optional call must not take what a required one needs.
        ([("a", {"x": 1})], [("a", {"x": ANY}, "optional"), ("a", {"x": 1})], 1.0),
        ([("a", {"x": 1}), ("b", {"x": 9})], [("a", {"x": 1}), ("b", {"x": 1}, "optional")], 0.0),
        # Unknown arguments: open where they would decide, settled where not.
        (["a"], [("a", {"x": 1})], None),
        (["a"], [("a", {"x": 1}), "b"], 0.0),
        (["a", ("a", {"x": 1})], [("a", {"x": 1})], 1.0),
        (None, ["a"], None),
        (["a"], None, None),
    ],
)
def test_required_calls_must_be_met_and_optional_ones_may(
    called: list[Any] | None, expected: list[Any] | None, right: float | None
) -> None:
    assert passed(run(called, expected)) == right


def test_how_strictly_a_reference_is_read_is_a_choice() -> None:
    data = run(["b", "a", "x"], ["a", "b"])
    assert passed(data) == 1.0
    assert passed(data, demands=Demands(extras="refused")) == 0.0
    assert passed(data, demands=Demands(order="in_order")) == 0.0
    assert verdicts(data, demands=Demands(extras="refused"))["reason"].item() == "x is not wanted"
    in_order = Demands(order="in_order")
    assert passed(run(["b", "a", "b"], ["a", "b"]), demands=in_order) == 1.0
    assert passed(run(["a", "o", "b"], ["a", ("o", None, "optional"), "b"]), demands=in_order) == 1.0
    strict = Demands(order="in_order", extras="refused")
    assert passed(run(["o", "a", "b"], ["a", ("o", None, "optional"), "b"]), demands=strict) == 0.0
    with pytest.raises(OptionError, match="refused"):
        Demands(extras="none")  # type: ignore[arg-type]


def test_the_best_alternative_is_named_by_its_row() -> None:
    data = run(["b"], [("a", None, "required", 0), ("b", None, "required", 1)], alternatives=2)
    found = verdicts(data)
    assert found["passed"].to_list() == [0.0, 1.0]
    assert found["reason"].to_list() == ["a is missing", ""]
    # The empty list as an alternative: no call is fine too.
    assert verdicts(run([], [("a", None, "required", 0)], alternatives=2))["passed"].to_list() == [0.0, 1.0]


def test_rules_decide_beside_the_reference_and_alone_where_there_is_none() -> None:
    at_most = [{"rule": "count", "tool": "a", "maximum": 1}]
    assert passed(run(["a", "a"], ["a"], at_most)) == 0.0
    assert passed(run(["a"], ["a"], at_most)) == 1.0
    assert passed(run(["a"], None, at_most)) == 1.0
    assert passed(run(["a", "a"], None, at_most)) == 0.0
    with_arguments = [{"rule": "forbid", "tool": "a", "arguments": '{"required": ["x"]}'}]
    assert passed(run(["a"], ["a"], with_arguments)) is None
    assert passed(run([("a", {"y": 1})], ["a"], with_arguments)) == 1.0
    assert passed(run([("a", {"x": 1})], ["a"], with_arguments)) == 0.0


def test_options_reach_the_verdict() -> None:
    data = run([("a", {"x": "ÅL ", "y": 1})], [("a", {"x": "ål"})])
    assert passed(data) == 0.0
    assert passed(data, options=ArgumentOptions(casefold=True, trim=True)) == 0.0
    assert passed(data, options=ArgumentOptions(casefold=True, trim=True, keys="expected")) == 1.0


def test_where_an_option_would_change_the_verdict() -> None:
    for case, labels in {
        "args-defaults-01": ["fill_defaults", "keys=expected", "keys=expected_deep"],
        "args-json-string-01": ["decode_nested"],
        "args-coercion-01": ["coerce"],
        "args-coercion-03": [],
        "args-date-01": ["dates"],
        "args-null-missing-01": ["null_as_missing", "keys=called"],
    }.items():
        changed = verdict_changes(dataset(field_case(case))).loc["x"]
        assert changed[changed].index.to_list() == labels, case


def test_resolving_a_reference_makes_plain_equality_say_it_all() -> None:
    # The field case of lenient arguments: both expected calls have a partner, whichever is looked at first.
    data = resolve(dataset(field_case("assignment-03")), options=ArgumentOptions(keys="expected"))
    assert overlap(data, arguments="json")["shared"].item() == 2
    plain = run([("a", {"x": 1}), ("a", {"x": 2})], [("a", {"x": ANY}), ("a", {"x": 2}), ("b", {"x": ANY})])
    before = plain.expected["arguments"].to_list()
    found = resolve(plain)
    assert overlap(found, arguments="json")[["shared", "longest"]].to_numpy().tolist() == [[2, 2]]
    assert found.expected["arguments"].to_list()[2] == '{"x": {"$match": {}}}'
    assert plain.expected["arguments"].to_list() == before
    unchanged = run(["a"], ["a"])
    assert resolve(unchanged) is unchanged


ARGUMENTS = st.sampled_from([{"x": 1}, {"x": 2}, {"x": 1, "y": 1}])
WANTED = st.sampled_from(
    [{"x": 1}, {"x": ANY}, {"x": ANY, "y": {**ANY, "$optional": True}}, {"x": {"$match": {"minimum": 2}}}]
)


@settings(max_examples=100, deadline=None)
@given(st.lists(ARGUMENTS, max_size=4), st.lists(st.tuples(WANTED, st.booleans()), max_size=4))
def test_as_many_calls_are_matched_as_can_be(called: list[Any], expected: list[Any]) -> None:
    roles = [("a", wanted, "optional" if optional else "required") for wanted, optional in expected]
    data = run([("a", arguments) for arguments in called], roles)
    encoding = Encoding(data)
    pairs = candidates(encoding, Match())
    usable = fits(pairs) == 1.0
    allowed = set(zip(pairs.expected[usable].tolist(), pairs.called[usable].tolist()))
    later = np.array([optional for _, optional in expected], dtype=bool)
    partner = assign(pairs, usable, later)
    chosen = [(e, c) for e, c in enumerate(partner.tolist()) if c >= 0]
    assert set(chosen) <= allowed
    assert len({c for _, c in chosen}) == len(chosen)
    slots = [*range(len(called)), *[None] * len(expected)]

    def counts(order: tuple[Any, ...]) -> tuple[int, int]:
        met = [e for e, c in enumerate(order) if c is not None and (e, c) in allowed]
        return sum(not later[e] for e in met), len(met)

    every = [counts(order) for order in set(permutations(slots, len(expected)))] if len(expected) <= 3 else []
    if every:
        required = max(one for one, _ in every)
        assert sum(not later[e] for e, _ in chosen) == required
        assert len(chosen) == max(total for one, total in every if one == required)
