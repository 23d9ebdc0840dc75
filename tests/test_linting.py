from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

from tests.field_cases import answers, dataset, field_case
from toolcorrect.dataset import Dataset
from toolcorrect.references.linting import lint


def made(
    expected: list[dict[str, Any]],
    rules: list[dict[str, Any]] | None = None,
    tools: dict[str, Any] | None = None,
    called: list[str] | None = None,
    **case: Any,
) -> Dataset:
    rows = [{"case": "x", **call, "arguments": json.dumps(call.get("arguments", {}))} for call in expected]
    offered = [{"tool": name, "parameters": json.dumps(schema)} for name, schema in (tools or {}).items()]
    return Dataset(
        pd.DataFrame(case, index=["x"]),
        pd.DataFrame([{"case": "x", "tool": name} for name in called or []]),
        pd.DataFrame(rows),
        pd.DataFrame(rules or []),
        pd.DataFrame(offered),
    )


def codes(data: Dataset, **options: Any) -> list[str]:
    return lint(data, **options)["code"].astype(str).to_list()


def test_findings_of_the_field_cases() -> None:
    asked = answers("lint.codes")
    assert len(asked) >= 3
    for case, _, right in asked:
        assert codes(dataset(field_case(case))) == right, case
    for case, _, right in answers("lint.expected_unknown_tools"):
        found = lint(dataset(field_case(case)))
        assert found.loc[found["code"] == "unknown_tool", "tool"].to_list() == right


def test_arguments_of_the_reference_are_held_against_their_schema() -> None:
    schema = {"properties": {"n": {"type": "integer", "default": 1}, "q": {"minLength": 2}}, "required": ["q"]}
    data = made(
        [
            {"tool": "op", "arguments": {"n": 1, "q": "abc"}},
            {"tool": "op", "arguments": {"n": "x"}},
            {"tool": "op", "arguments": {"q": {"$match": {"type": "integer"}}, "z": {"$match": {}}}},
            {"tool": "op", "arguments": {"q": {"$match": {"type": "nonsense"}}}},
        ],
        tools={"op": schema},
    )
    found = lint(data)
    assert list(zip(found["position"], found["code"].astype(str), found["path"])) == [
        (0, "explicit_default", "n"),
        (1, "missing_required", "q"),
        (1, "type", "n"),
        (2, "undeclared", "z"),
        (3, "broken_matcher", "q"),
    ]


def test_equal_alternatives_are_named() -> None:
    calls = [
        {"tool": "a", "arguments": {"n": 1, "m": 2}, "reference": 0},
        {"tool": "a", "arguments": {"n": 1}, "reference": 1},
        {"tool": "a", "arguments": {"m": 2.0, "n": 1}, "reference": 3},
    ]
    found = lint(made(calls, references=5))
    assert found["reference"].to_list() == [3, 4]
    assert found["note"].to_list() == ["equal to alternative 0", "equal to alternative 2"]
    assert not len(lint(made(calls[:2], references=2)))


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ([{"rule": "count", "tool": "a", "minimum": 3, "maximum": 2}], ["a: at least 3 and at most 2 calls"]),
        (
            [{"rule": "forbid", "tool": "b"}, {"case": "x", "rule": "count", "tool": "b", "minimum": 1}],
            ["b is forbidden, and yet a call of it is asked for"],
        ),
        (
            [{"rule": "forbid", "tool": "*", "case": "x"}, {"rule": "count", "tool": "b", "minimum": 1}],
            [
                "b is forbidden, and yet a call of it is asked for",
                "*: at most 0 calls, and the reference requires 1",
            ],
        ),
        (
            [{"rule": "before", "tool": "b", "then": "c"}, {"rule": "before", "tool": "c", "then": "b"}],
            ["b before c, and the other way round"],
        ),
        ([{"rule": "forbid", "tool": "a"}], ["a: at most 0 calls, and the reference requires 1"]),
        ([{"rule": "count", "tool": "*", "maximum": 0}], ["*: at most 0 calls, and the reference requires 1"]),
        ([{"rule": "count", "tool": "a", "minimum": 1, "maximum": 1}, {"rule": "forbid", "tool": "b"}], []),
        ([{"rule": "forbid", "tool": "a", "arguments": '{"required": ["x"]}'}], []),
    ],
)
def test_rules_that_cannot_hold(rules: list[dict[str, Any]], words: list[str]) -> None:
    assert lint(made([{"tool": "a"}], rules))["note"].to_list() == words


def test_optional_calls_break_no_rule() -> None:
    assert not len(lint(made([{"tool": "a", "role": "optional"}], [{"rule": "forbid", "tool": "a"}])))


def test_a_turn_the_run_does_not_have() -> None:
    found = lint(made([{"tool": "a", "turn": 1}, {"tool": "a", "turn": 2}], turns=2))
    assert found[["code", "position"]].to_numpy().tolist() == [["unreachable_turn", 1]]
    assert not len(lint(made([{"tool": "a", "turn": 7}])))


@pytest.mark.parametrize(
    ("expected", "called", "part"),
    [
        ("find_order", ["mcp__shop__find_order"], "names='galtea' would make 1 meet"),
        ("findOrder", ["find_order"], "names='format'"),
        ("shop_find_order", ["find_order"], "'shop_' of the expected names"),
        ("find_order", ["crm_find_order", "crm_close"], "'crm_' of the called names"),
    ],
)
def test_names_that_never_meet_come_with_what_would_mend_them(expected: str, called: list[str], part: str) -> None:
    found = lint(made([{"tool": expected}], called=called))
    assert found["code"].to_list() == ["names_never_match"]
    assert part in found["note"].item()


def test_names_that_meet_once_or_have_nothing_in_common_are_no_finding() -> None:
    assert not len(lint(made([{"tool": "a"}], called=["a", "mcp__s__b"])))
    assert not len(lint(made([{"tool": "pay"}], called=["search"])))
    assert not len(lint(made([{"tool": "pay"}])))


def test_a_broken_schema_is_one_finding() -> None:
    found = lint(made([{"tool": "op"}, {"tool": "op"}], tools={"op": {"type": "nonsense"}}))
    assert found["code"].to_list() == ["broken_schema"]


def test_a_clean_dataset_has_no_finding_and_the_same_columns() -> None:
    found = lint(made([{"tool": "a"}], called=["a"]))
    assert list(found.columns) == ["case", "reference", "position", "tool", "code", "path", "note"]
    assert not len(found)
