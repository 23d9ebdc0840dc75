from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from toolcorrect.arguments.schemas import BrokenSchemaError, declared, deeper, satisfies, validator
from toolcorrect.validity.defects import schema_defects

# Formats on which both checkers follow their standard to the letter.
FORMATS = ["date", "ipv4", "ipv6", "uuid"]
TEXTS = st.sampled_from(
    [
        "",
        "a",
        "ab",
        "é",
        "2031-02-28",
        "2031-02-30",
        "10.0.0.1",
        "10.0.0.256",
        "::1",
        "x::1",
        "2b1de6b1-5f5a-4b3e-8c53-0f2b2a3f7c11",
        "null",
    ]
)
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, 1.0, 2.5, 2**53 + 1]) | TEXTS
KEYS = st.sampled_from(["a", "b", "c"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=6
)
TYPES = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=3)
    keywords = {
        "type": TYPES | st.lists(TYPES, min_size=1, max_size=2, unique=True),
        "nullable": st.booleans(),
        "enum": st.lists(SCALARS, min_size=1, max_size=3),
        "const": SCALARS,
        "format": st.sampled_from(FORMATS),
        "pattern": st.sampled_from(["^a", "b$", "^[0-9]+$"]),
        "minimum": st.integers(-2, 2),
        "exclusiveMaximum": st.integers(-2, 2),
        "multipleOf": st.sampled_from([1, 2, 0.5]),
        "minLength": st.integers(0, 2),
        "properties": st.dictionaries(KEYS, inner, max_size=2),
        "required": st.lists(KEYS, max_size=2, unique=True),
        "additionalProperties": inner,
        "propertyNames": st.just({"pattern": "^[ab]"}),
        "items": inner,
        "prefixItems": some,
        "uniqueItems": st.booleans(),
        "minItems": st.integers(0, 2),
        "anyOf": some,
        "oneOf": some,
        "allOf": some,
        "not": inner,
        "if": inner,
        "then": inner,
        "$ref": st.sampled_from(["#/$defs/text", "#/$defs/tree"]),
    }
    return st.lists(st.sampled_from(sorted(keywords)), min_size=1, max_size=3, unique=True).flatmap(
        lambda picked: st.fixed_dictionaries({name: keywords[name] for name in picked})
    )


DEFINITIONS = {
    "text": {"type": "string", "minLength": 1},
    "tree": {"type": ["object", "null"], "additionalProperties": {"$ref": "#/$defs/tree"}},
}
SCHEMAS = st.recursive(st.booleans() | _schemas(st.booleans()), _schemas, max_leaves=5)


@settings(max_examples=300, deadline=None)
@given(SCHEMAS, VALUES, st.booleans())
def test_verdicts_agree_with_the_reference_checker(part: Any, value: Any, formats: bool) -> None:
    schema = {"$defs": DEFINITIONS, "properties": {"v": part}}
    checker = jsonschema.FormatChecker(FORMATS) if formats else None
    theirs = Draft202012Validator(schema, format_checker=checker).is_valid({"v": value})
    ours = schema_defects(json.dumps(schema), json.dumps({"v": value}), formats=formats)
    assert (not ours) == theirs, ours


@pytest.mark.parametrize("depth", [1, 30, 150])
def test_deep_values_agree_with_the_reference_checker(depth: int) -> None:
    schema = {"$defs": DEFINITIONS, "$ref": "#/$defs/tree"}
    for leaf, valid in ((None, True), (1, False)):
        value: Any = leaf
        for _ in range(depth):
            value = {"a": value}
        assert (not schema_defects(json.dumps(schema), json.dumps(value))) is valid
        if depth < 100:
            assert Draft202012Validator(schema).is_valid(value) is valid


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "not JSON"),
        ("[1]", "a schema is an object"),
        ('{"type": "strin"}', "strin"),
        ('{"$ref": "#/nowhere"}', "nowhere"),
        ('{"$ref": "https://example.test/s"}', "nothing is fetched"),
        ('{"$ref": "file:///etc/hostname"}', "nothing is fetched"),
        ('{"pattern": "(["}', "regex"),
        ("[" * 5000, "not JSON"),
        ('{"properties":{"a":' * 400 + "{}" + "}}" * 400, "Recursion"),
    ],
)
def test_a_broken_schema_says_why(text: str, why: str) -> None:
    with pytest.raises(BrokenSchemaError, match=why):
        validator(text)


def test_a_named_draft_is_followed() -> None:
    text = json.dumps({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]})
    assert not validator(text).is_valid([1])


def test_a_costly_pattern_is_bounded() -> None:
    assert not satisfies({"pattern": "^(a+)+$"}, "a" * 60 + "!")
    assert declared(json.dumps({"patternProperties": {"^(a+)+$": {}}})).lacks("a" * 60 + "!")


def test_depth_is_counted_without_recursion() -> None:
    value: Any = 1
    for _ in range(100_000):
        value = [value]
    assert deeper(value, 500)
    assert not satisfies({}, value)
