from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.field_cases import answers, dataset, field_case
from toolcorrect.dataset import Dataset
from toolcorrect.encoding import Encoding
from toolcorrect.references.conduct import permission, redundant_calls, repetition
from toolcorrect.references.rules import check_rules, forbidden_calls


def runs(tools: dict[str, list[str]], rules: list[dict[str, Any]], **columns: list[Any]) -> Dataset:
    rows = [{"case": case, "tool": tool} for case, called in tools.items() for tool in called]
    calls = pd.DataFrame(rows, columns=["case", "tool"]).assign(**columns)
    return Dataset(pd.DataFrame(index=list(tools)), calls, rules=pd.DataFrame(rules))


def ok(data: Dataset, **options: Any) -> list[bool | None]:
    return [None if pd.isna(value) else bool(value) for value in check_rules(data, **options)["ok"]]


def test_rules_of_the_field_cases() -> None:
    for case, _, right in answers("verdict.forbidden_called"):
        one = field_case(case)
        names = "galtea" if one["policy"].get("normalise") else "exact"
        assert forbidden_calls(dataset(one), names=names)["tool"].to_list() == right
    for question in ("verdict.count_ok", "verdict.before"):
        asked = answers(question)
        assert asked
        for case, _, right in asked:
            assert ok(dataset(field_case(case))) == [right], case
    assert check_rules(dataset(field_case("call-count-01")))["count"].to_list() == [4]


def test_redundant_calls_of_the_field_cases() -> None:
    asked = answers("redundant_calls")
    assert asked
    for case, _, right in asked:
        assert redundant_calls(dataset(field_case(case))).to_list() == [right], case


@pytest.mark.parametrize(
    ("called", "rule", "right"),
    [
        (["a", "b"], {"rule": "forbid", "tool": "c"}, True),
        (["a", "b"], {"rule": "forbid", "tool": "b"}, False),
        (["a"], {"rule": "forbid", "tool": "*"}, False),
        ([], {"rule": "forbid", "tool": "*"}, True),
        (["a", "b", "a"], {"rule": "count", "tool": "a", "minimum": 2, "maximum": 2}, True),
        (["a", "b", "a"], {"rule": "count", "tool": "*", "maximum": 2}, False),
        ([], {"rule": "count", "tool": "a", "minimum": 1}, False),
        (["b", "a", "b"], {"rule": "before", "tool": "a", "then": "b"}, False),
        (["a", "b", "b", "a"], {"rule": "before", "tool": "a", "then": "b"}, True),
        (["a"], {"rule": "before", "tool": "a", "then": "b"}, True),
        (["b"], {"rule": "before", "tool": "a", "then": "b"}, False),
        (["c", "b"], {"rule": "before", "tool": "*", "then": "b"}, True),
        (["a", "a"], {"rule": "before", "tool": "a", "then": "a"}, False),
    ],
)
def test_each_rule(called: list[str], rule: dict[str, Any], right: bool) -> None:
    assert ok(runs({"x": called}, [rule])) == [right]


def test_calls_of_one_step_are_not_before_each_other() -> None:
    rule = {"rule": "before", "tool": "a", "then": "b"}
    assert ok(runs({"x": ["a", "b"]}, [rule], step=[0, 0])) == [False]
    assert ok(runs({"x": ["a", "b"]}, [rule], step=[0, 1])) == [True]
    assert ok(runs({"x": ["a", "b"]}, [rule], step=[None, None])) == [True]


def test_general_and_own_rules_stand_in_the_order_of_cases() -> None:
    rules = [{"rule": "forbid", "tool": "b"}, {"case": "x", "rule": "forbid", "tool": "a"}]
    found = check_rules(runs({"x": ["a"], "y": ["b", "b"], "z": []}, rules))
    assert found[["case", "tool"]].to_numpy().tolist() == [["x", "b"], ["x", "a"], ["y", "b"], ["z", "b"]]
    assert found["note"].fillna("").to_list() == ["", "a is forbidden and was called once", _B_TWICE, ""]


_B_TWICE = "b is forbidden and was called twice"


def test_rules_about_arguments_are_open_where_arguments_are_not_known() -> None:
    rule = {"rule": "count", "tool": "a", "maximum": 1, "arguments": '{"properties": {"x": {"const": 1}}}'}
    one, two = '{"x": 1}', '{"x": 2}'
    for arguments, right in (([one, one], False), ([one, two], True), ([one, None], None), ([two, None], True)):
        assert ok(runs({"x": ["a", "a"]}, [rule], arguments=arguments)) == [right], arguments
    before = {"rule": "before", "tool": "a", "then": "b", "arguments": '{"required": ["x"]}'}
    for arguments, right in (([one, None], True), (["{}", None], False), ([None, None], None)):
        assert ok(runs({"x": ["a", "b"]}, [before], arguments=arguments)) == [right], arguments


def test_unknown_calls_leave_rules_open() -> None:
    cases = pd.DataFrame({"called_known": [False]}, index=["x"])
    data = Dataset(cases, rules=pd.DataFrame({"rule": ["count"], "tool": ["a"], "minimum": [1]}))
    assert ok(data) == [None]
    assert redundant_calls(data).isna().all()


def test_permission_is_the_share_of_calls_no_rule_forbids() -> None:
    tools = {"x": ["a", "b", "b", "c"], "y": [], "z": ["a"]}
    data = runs(tools, [{"case": "x", "rule": "forbid", "tool": "b"}, {"case": "y", "rule": "forbid", "tool": "b"}])
    assert np.nan_to_num(permission(Encoding(data)), nan=-1).tolist() == [0.5, 1.0, -1]
    # A denial wins over the allow list; with one, every case is spoken of.
    assert permission(Encoding(data), allowed=["a", "b"]).tolist() == [0.25, 1.0, 1.0]


def test_repetition_looks_at_the_most_repeated_call() -> None:
    tools = {"x": ["a"] * 3, "y": ["a"] * 6, "z": ["a", "b"] * 2, "w": [], "v": ["a"] * 4}
    texts = ["{}"] * 9 + [None] * 4 + ['{"n": 1}', '{"n": "1"}', '{"n": 1}', '{"n": 2}']
    data = runs(tools, [], arguments=texts)
    # Arguments are compared by their Python text: 1 and "1" are the same.
    assert repetition(Encoding(data)).tolist() == [0.5, 0.0, 1.0, 1.0, 0.5]


def test_many_cases_take_no_time_a_case() -> None:
    import time

    n = 50_000
    calls = pd.DataFrame({"case": np.repeat([f"c{i}" for i in range(n)], 2), "tool": ["a", "b"] * n})
    rules = pd.DataFrame({"rule": ["count", "before"], "tool": ["*", "a"], "then": [None, "b"], "maximum": [2, None]})
    start = time.perf_counter()
    found = check_rules(Dataset(pd.DataFrame(index=[f"c{i}" for i in range(n)]), calls, rules=rules))
    assert len(found) == 2 * n
    assert found["ok"].all()
    assert time.perf_counter() - start < 5
