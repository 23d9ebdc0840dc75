from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.shared import shared
from toolcorrect.arguments.differences import differences, json_type, matches, path_text

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=True) | st.text("ab.é[", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab.", max_size=2), inner, max_size=3),
    max_leaves=8,
)


def codes(expected: Any, called: Any) -> list[tuple[str, str]]:
    return [(d["path"], d["code"]) for d in differences(expected, called)]


@pytest.mark.parametrize(
    ("expected", "called", "found"),
    [
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": True}, {"a": 1}, [("a", "type")]),
        ({"a": 9007199254740993}, {"a": 9007199254740992}, [("a", "value")]),
        ({"a": 9007199254740993}, {"a": 9007199254740992.0}, [("a", "value")]),
        ({"a": None}, {}, [("a", "missing")]),
        ({}, {"a": None}, [("a", "extra")]),
        ({"b": {"c": [1, {"d": 2}]}}, {"b": {"c": [1, {"d": 3}]}}, [("b.c[1].d", "value")]),
        ({"a": [1, 2, 3]}, {"a": [1]}, [("a[1]", "missing"), ("a[2]", "missing")]),
        ({"a": []}, {"a": {}}, [("a", "type")]),
        ({"a.b": 1, "": 2}, {"a.b": 2, "": 1}, [('["a.b"]', "value"), ('[""]', "value")]),
        ("x", "y", [("", "value")]),
        ({"a": float("nan")}, {"a": float("nan")}, []),
    ],
)
def test_each_difference_has_its_path_and_code(expected: Any, called: Any, found: list[tuple[str, str]]) -> None:
    assert codes(expected, called) == found


def test_matchers_are_understood() -> None:
    assert matches({"a": {"$match": {}}}, {"a": [1]})
    assert codes({"a": {"$match": {}}}, {}) == [("a", "missing")]
    assert matches({"a": {"$match": {}, "$optional": True}}, {})
    assert codes({"a": {"$match": {"enum": [1]}, "$optional": True}}, {"a": 2}) == [("a", "value")]
    assert matches({"a": [{"$match": {"pattern": "^x"}}]}, {"a": ["xy"]})
    # A broken matcher accepts nothing; lint names it.
    assert not matches({"a": {"$match": {"type": "nonsense"}}}, {"a": 1})


def test_hostile_depth_and_width_stay_cheap() -> None:
    one: Any = 1
    other: Any = 2
    for _ in range(50_000):
        one, other = [one], {"k": [other]} if isinstance(other, int) else [other]
    found = differences(one, other)
    assert len(found) == 1
    assert found[0]["path"].endswith("…")
    assert len(differences({str(i): i for i in range(5000)}, {}, limit=7)) == 7
    assert not matches({"a": {"$match": {"type": "array", "maxItems": 0}}}, {"a": one})


@settings(max_examples=100, deadline=None)
@given(VALUES, VALUES)
def test_no_difference_means_equal_both_ways(one: Any, other: Any) -> None:
    assert differences(one, copy.deepcopy(one)) == []
    there, back = differences(one, other), differences(other, one)
    swap = {"missing": "extra", "extra": "missing"}
    assert sorted((d["path"], d["code"]) for d in there) == sorted(
        (d["path"], swap.get(d["code"], d["code"])) for d in back
    )


def test_json_types() -> None:
    assert [json_type(v) for v in (None, True, 1, 1.5, "", [], {})] == [
        "null",
        "boolean",
        "number",
        "number",
        "string",
        "array",
        "object",
    ]
    assert path_text([]) == ""


def test_field_case_of_an_explanation() -> None:
    cases = map(json.loads, shared("cases/field-cases.jsonl").read_text("utf-8").splitlines())
    wanted = {c["id"]: c for c in cases if "explanation.arg_diffs" in c["right"]}
    assert wanted
    for case in wanted.values():
        for right in case["right"]["explanation.arg_diffs"]:
            call = right.pop("call")
            assert differences(case["expected"][call]["args"], case["called"][call]["args"]) == [right]
