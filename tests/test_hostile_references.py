"""Nothing a trace, a schema, a rule or a reference may hold makes the checks raise."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcorrect.dataset import Dataset
from toolcorrect.encoding import Encoding
from toolcorrect.references.conduct import permission, redundant_calls, repetition
from toolcorrect.references.judging import Demands, verdicts
from toolcorrect.references.linting import lint
from toolcorrect.references.matching import resolve
from toolcorrect.references.preparing import ArgumentOptions
from toolcorrect.references.rules import check_rules
from toolcorrect.validity.grounding import grounding
from toolcorrect.validity.validating import schema_scores, validate

WORDS = ["type", "properties", "required", "$ref", "#", "#/$defs/a", "$defs", "a", "anyOf", "allOf", "items", "enum"]
WORDS += [
    "default",
    "const",
    "additionalProperties",
    "patternProperties",
    "prefixItems",
    "pattern",
    "(a+)+$",
    "$match",
]
WORDS += ["$optional", "object", "string", "integer", "", "2031-04-09", "<x>", "\ud800", "\x00", "💥", "$schema"]
TEXTS = st.sampled_from(WORDS) | st.text(max_size=4)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
ANYTHING = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=12
)
JSON = ANYTHING.map(json.dumps) | st.dictionaries(TEXTS, ANYTHING, max_size=4).map(json.dumps)
MAYBE = st.none() | JSON
NAMES = st.sampled_from(["a", "b", "*", "", "mcp__s__a"]) | st.text("a._:/-", min_size=1, max_size=4)
RULES = st.fixed_dictionaries(
    {
        "case": st.sampled_from(["x", None]),
        "rule": st.sampled_from(["forbid", "count", "before"]),
        "tool": NAMES,
        "then": st.none() | NAMES,
        "minimum": st.none() | st.integers(-1, 3),
        "maximum": st.none() | st.integers(-1, 3),
        "arguments": MAYBE,
    }
)
CALL = st.fixed_dictionaries({"case": st.sampled_from(["x", "y"]), "tool": NAMES, "arguments": MAYBE})
TOOL = st.fixed_dictionaries({"case": st.sampled_from(["x", None]), "tool": NAMES, "parameters": MAYBE})
EVERYTHING = ArgumentOptions(
    unordered=True,
    dates=True,
    casefold=True,
    collapse_whitespace=True,
    unicode="nfkc",
    null_as_missing=True,
    fill_defaults=True,
    coerce=True,
    decode_nested=True,
    keys="expected_deep",
    absolute=0.1,
)


def clean(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Tables hold Unicode text only; lone surrogates come as escapes inside JSON text."""
    fixed = [
        {k: v.encode("utf-8", "replace").decode() if isinstance(v, str) else v for k, v in r.items()} for r in rows
    ]
    return pd.DataFrame(fixed)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(CALL, max_size=4), st.lists(CALL, max_size=4), st.lists(RULES, max_size=3), st.lists(TOOL, max_size=3)
)
def test_nothing_raises(called: Any, expected: Any, rules: Any, tools: Any) -> None:
    cases = pd.DataFrame({"input": "two rooms on 9 April 2031", "turns": 1}, index=["x", "y"])
    data = Dataset(cases, clean(called), clean(expected), clean(rules), clean(tools))
    validate(data, coerce=True, null_as_missing=True)
    assert schema_scores(data)["score"].isin([0.0, 1.0, float("nan")]).all()
    lint(data, names="galtea")
    grounding(data)
    assert len(check_rules(data, names="loose")) == sum(2 if rule["case"] is None else 1 for rule in rules)
    for options in (ArgumentOptions(), EVERYTHING):
        found = verdicts(data, options=options, demands=Demands(order="in_order"))
        assert found["passed"].isin([0.0, 1.0, float("nan")]).all()
        resolve(data, options=options)
    redundant_calls(data)
    encoding = Encoding(data)
    assert len(permission(encoding, allowed=["a"])) == len(repetition(encoding)) == 2
