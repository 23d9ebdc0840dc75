from __future__ import annotations

import copy
import json
import math
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.field_cases import answers, dataset, field_case, matcher
from toolcorrect.arguments.schema_led import coerce, decode_nested, fill_defaults, types
from toolcorrect.dataset import Dataset
from toolcorrect.errors import OptionError
from toolcorrect.references.preparing import ArgumentOptions, prepare, shares

POLICIES = {
    "json_equal": ArgumentOptions(),
    "with_matchers": ArgumentOptions(),
    "casefold": ArgumentOptions(casefold=True),
    "trim": ArgumentOptions(trim=True),
    "collapse_ws": ArgumentOptions(collapse_whitespace=True),
    "nfc": ArgumentOptions(unicode="nfc"),
    "nfkc": ArgumentOptions(unicode="nfkc"),
    "unordered_lists": ArgumentOptions(unordered=True),
    "expected_keys_only": ArgumentOptions(keys="expected"),
    "expected_keys_only_deep": ArgumentOptions(keys="expected_deep"),
    "called_keys_only": ArgumentOptions(keys="called"),
    "null_as_missing": ArgumentOptions(null_as_missing=True),
    "dates": ArgumentOptions(dates=True),
    "rel_1e-9": ArgumentOptions(relative=1e-9),
    "abs_0.01": ArgumentOptions(absolute=0.01),
    "ignore_args": ArgumentOptions(ignore=True),
    "fill_defaults": ArgumentOptions(fill_defaults=True),
    "schema_coerce": ArgumentOptions(coerce=True),
    "decode_nested_json": ArgumentOptions(decode_nested=True),
}


def sides(case: dict[str, Any]) -> tuple[Any, Any, Any]:
    schema = case["tools"][0]["parameters"] if case.get("tools") else None
    return case["expected"][0]["args"], case["called"][0]["args"], schema


def test_every_policy_gives_the_right_answer_to_the_field_cases() -> None:
    asked = [answer for answer in answers("args.") if answer[1].removeprefix("args.") in POLICIES]
    assert len(asked) > 40
    for case, question, right in asked:
        policy = question.removeprefix("args.")
        expected, called, schema = sides(field_case(case))
        if policy == "json_equal":
            # Plain equality: a matcher is then a value like any other.
            expected = json.loads(json.dumps(expected).replace("$match", "match"))
        expected = matcher(expected)
        assert POLICIES[policy].equal(expected, called, schema=schema) == right, (case, policy)


def test_the_same_answers_come_from_whole_datasets() -> None:
    for case, question, right in answers("args."):
        policy = POLICIES.get(question.removeprefix("args."))
        if policy is None or policy.by_pair or not policy.prepares or "$match" in json.dumps(field_case(case)):
            continue
        data = prepare(dataset(field_case(case)), policy)
        expected, called = (json.loads(frame["arguments"].iloc[0]) for frame in (data.expected, data.calls))
        assert ArgumentOptions().equal(expected, called) == right, (case, question)


def test_shares_of_the_field_cases() -> None:
    keys = ("args.share_expected", "args.share_called", "args.pair_f1", "args.key_union_share")
    asked = [answer for answer in answers("args.") if answer[1] in keys]
    assert len(asked) >= 8
    for case, question, right in asked:
        expected, called, _ = sides(field_case(case))
        found = shares(expected, called)[question.removeprefix("args.")]
        assert math.isnan(found) if right is None else found == pytest.approx(right), (case, question)


def test_options_hold_for_the_named_arguments_only() -> None:
    expected, called = {"a": ["x", "y"], "b": ["x", "y"]}, {"a": ["y", "x"], "b": ["y", "x"]}
    assert not ArgumentOptions(unordered=["a"]).equal(expected, called)
    assert ArgumentOptions(unordered=["a", "b"]).equal(expected, called)
    by_tool = ArgumentOptions(unordered={"op": ["a", "b"]})
    assert by_tool.equal(expected, called, tool="op")
    assert not by_tool.equal(expected, called, tool="other")
    assert ArgumentOptions(ignore=["b"], unordered=["a"]).equal(expected, called)
    assert ArgumentOptions(casefold="a", trim=["b"]).prepare({"a": "X ", "b": "X "}) == {"a": "x ", "b": "X"}


def test_unordered_lists_keep_their_repeats() -> None:
    options = ArgumentOptions(unordered=True)
    assert not options.equal([1, 1, 2], [1, 2, 2])
    assert options.equal([{"k": [2, 1]}, 1.0], [1, {"k": [1, 2]}])


@pytest.mark.parametrize(
    ("keys", "expected", "called", "right"),
    [
        ("expected", {"a": {"b": 1}}, {"a": {"b": 1, "c": 2}, "d": 3}, False),
        ("expected_deep", {"a": {"b": 1}}, {"a": {"b": 1, "c": 2}, "d": 3}, True),
        ("expected_deep", {"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]}, True),
        ("expected_deep", {"a": [1]}, {"a": [1, 2]}, False),
        ("called", {"a": 1, "b": 2}, {"a": 1}, True),
        ("called", {"a": 1}, {"a": 1, "b": 2}, False),
        ("called", {"a": {"b": 1, "c": 1}}, {"a": {"b": 1}}, False),
    ],
)
def test_keys_that_do_not_count(keys: Any, expected: Any, called: Any, right: bool) -> None:
    assert ArgumentOptions(keys=keys).equal(expected, called) is right


def test_tolerance_never_makes_true_a_number_and_never_overflows() -> None:
    options = ArgumentOptions(absolute=1.5, relative=0.5)
    assert not options.equal(True, 1)
    assert not options.equal(10**400, 10**400 + 10)
    assert options.equal([1], [2.5])


@pytest.mark.parametrize(
    ("schema", "value", "right"),
    [
        ({"type": "integer"}, "5", 5),
        ({"type": "integer"}, "05", "05"),
        ({"type": "integer"}, "5.0", "5.0"),
        ({"type": "integer"}, "9" * 30, int("9" * 30)),
        ({"type": "number"}, "1e3", 1000.0),
        ({"type": "number"}, "nan", "nan"),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, "True", "True"),
        ({"type": ["integer", "null"]}, "null", None),
        ({"type": ["integer", "string"]}, "5", "5"),
        ({"type": ["string", "null"]}, 5, "5"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "5", 5),
        ({"$ref": "#/$defs/n"}, "5", 5),
        ({"allOf": [{"type": ["integer", "string"]}, {"type": "integer"}]}, "5", 5),
        ({"enum": [1, 2]}, "2", 2),
        ({}, "5", "5"),
        ({"type": "array", "items": {"type": "integer"}}, ["1", 2, "x"], [1, 2, "x"]),
        ({"$ref": "#/$defs/loop"}, "5", "5"),
    ],
)
def test_coercion_is_exact_and_led_by_the_schema(schema: Any, value: Any, right: Any) -> None:
    root = {"properties": {"a": schema}, "$defs": {"n": {"type": "integer"}, "loop": {"$ref": "#/$defs/loop"}}}
    found = coerce({"a": value}, root, root)["a"]
    assert (found, type(found)) == (right, type(right))


def test_defaults_are_filled_at_every_depth_that_is_there() -> None:
    inner = {"type": "object", "properties": {"b": {"default": [1]}}}
    root = {
        "properties": {"a": {"$ref": "#/$defs/i"}, "c": {"$ref": "#/$defs/d"}},
        "$defs": {"i": inner, "d": {"default": 7}},
    }
    assert fill_defaults({"a": {}}, root, root) == {"a": {"b": [1]}, "c": 7}
    assert fill_defaults({"c": None}, root, root) == {"c": None}
    endless = {"properties": {"a": {"$ref": "#", "default": {}}}}
    assert fill_defaults({"a": {}}, endless, endless) == {"a": {"a": {}}}


def test_hostile_schemas_and_values_stay_cheap() -> None:
    # Each definition speaks twice of the next: taken as a tree, this is 2 to the 40th.
    definitions = {f"d{i}": {"anyOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(40)}
    root = {"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": {**definitions, "d40": {"type": "integer"}}}
    assert coerce({"a": "5"}, root, root) == {"a": 5}
    chain = {"$defs": {f"d{i}": {"$ref": f"#/$defs/d{i + 1}"} for i in range(5000)}, "$ref": "#/$defs/d0"}
    assert "string" in types(chain, chain)
    array = {"properties": {"a": {"type": "array"}}}
    text = "[" * 900 + "]" * 900
    assert decode_nested({"a": text}, array, array) == {"a": text}
    deep: Any = "X"
    for _ in range(50_000):
        deep = [deep]
    assert ArgumentOptions(casefold=True).prepare(deep) is deep


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["a", "A ", "1", "é", "é", "2031-04-09"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)
OPTIONS = st.builds(
    ArgumentOptions,
    unordered=st.booleans() | st.just(["a"]),
    casefold=st.booleans(),
    trim=st.booleans(),
    dates=st.booleans(),
    unicode=st.sampled_from(["", "nfc"]),
    null_as_missing=st.booleans(),
    coerce=st.booleans(),
    fill_defaults=st.booleans(),
    ignore=st.sampled_from([False, ["b"]]),
)


@settings(max_examples=100, deadline=None)
@given(OPTIONS, st.dictionaries(st.sampled_from("ab"), VALUES, max_size=2), st.sampled_from([None, 1, "a"]))
def test_preparing_changes_nothing_in_place_and_settles(options: ArgumentOptions, value: Any, default: Any) -> None:
    before = copy.deepcopy(value)
    kind = "string" if default == "a" else "integer"
    schema = {"properties": {"a": {"type": kind, "default": default}}} if default else None
    once = options.prepare(value, schema=schema)
    assert value == before
    assert options.prepare(once, schema=schema) == once
    assert options.equal(value, before, schema=schema)


def test_unknown_arguments_stay_unknown_and_odd_texts_stay() -> None:
    calls = pd.DataFrame({"case": "x", "tool": "op", "arguments": [None, "not json", '{"q": "A"}']})
    data = prepare(Dataset(pd.DataFrame(index=["x"]), calls), ArgumentOptions(casefold=True))
    assert data.calls["arguments"].fillna("?").to_list() == ["?", "not json", '{"q":"a"}']


def test_options_that_do_not_exist_are_refused() -> None:
    with pytest.raises(OptionError, match="expected_deep"):
        ArgumentOptions(keys="some")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="nfkc"):
        ArgumentOptions(unicode="nfd")  # type: ignore[arg-type]
