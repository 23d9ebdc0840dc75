import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcorrect.arguments.equality import RELATIONS, canonical_text
from toolcorrect.arguments.values import Values
from toolcorrect.errors import OptionError

texts = st.text(st.characters(exclude_categories=()), max_size=6) | st.sampled_from(
    ["true", ",true,", '":true,', "1.0"]
)
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.integers(-2, 2)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0.0, -0.0, 1.0, 2.0**53, 1e22])
    | texts
)
values = st.recursive(leaves, lambda v: st.lists(v, max_size=3) | st.dictionaries(texts, v, max_size=3), max_leaves=6)


def equal(left, right, relation):
    """Say the relation out loud, slowly."""
    if relation == "dump":
        return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(left[k], right[k], relation) for k in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(equal(x, y, relation) for x, y in zip(left, right))
    if relation == "json" and isinstance(left, bool) != isinstance(right, bool):
        return False
    if relation == "typed" and type(left) is not type(right):
        return False
    if relation == "lenient" and isinstance(left, str) and isinstance(right, str):
        return left.strip() == right.strip()
    return left == right


def respelt(value):
    """Write a value with other blanks, another key order and escapes."""
    if isinstance(value, dict):
        return "{ " + " , ".join(f"{json.dumps(k)} : {respelt(v)}" for k, v in reversed(value.items())) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(respelt, value)) + "]"
    return json.dumps(value)


@pytest.mark.parametrize("relation", ["python", "json", "dump", "typed", "lenient"])
@given(st.lists(values, min_size=2, max_size=6))
@settings(max_examples=60, deadline=None)
def test_codes_are_equal_where_the_relation_says_so(relation, some):
    spelt = [json.dumps(v, ensure_ascii=False) for v in some] + [respelt(v) for v in some]
    storable = [t.encode("utf-8", "surrogatepass").decode("utf-8", "replace") == t for t in spelt]
    spelt = [t if ok else json.dumps(json.loads(t)) for t, ok in zip(spelt, storable)]
    codes = Values(pa.chunked_array([spelt])).codes(relation)
    for i, left in enumerate(some + some):
        for j, right in enumerate(some + some):
            assert (codes[i] == codes[j]) == equal(left, right, relation), (spelt[i], spelt[j])


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ('{"a":1}', '{"a":1.0}', {"python", "json", "lenient"}),
        ('{"a":1}', '{"a":true}', {"python", "lenient"}),
        ('{"a":0}', '{"a":-0.0}', {"python", "json", "lenient"}),
        ('{"a":0.0}', '{"a":-0.0}', {"python", "json", "lenient", "typed"}),
        ('{"a":1}', '{"a":"1"}', {"str", "azure"}),
        ('{"a":null}', '{"a":"None"}', {"str", "azure"}),
        ('{"a":[1,2]}', '{"a":"[1, 2]"}', {"str", "azure"}),
        ('{"a":{"x":1,"y":2}}', '{"a":{"y":2,"x":1}}', set(RELATIONS) - {"str"}),
        ('{"a":"x"}', '{"a":" x "}', {"lenient"}),
        ('{"a":"\\u00e9"}', '{"a":"é"}', set(RELATIONS)),
        ('{"a":"é"}', '{"a":"e\\u0301"}', set()),
        ('{"a":123456789012345678901}', '{"a":123456789012345678902}', set()),
        ('{"a":9007199254740993}', '{"a":9007199254740992.0}', set()),
        ('{"a":1,"a":2}', '{"a":2}', set(RELATIONS)),
        ('{"a":"\\ud800"}', '{"a":"\\uD800"}', set(RELATIONS)),
        ('{"a":1e400}', '{"a":1e500}', set(RELATIONS)),
        ("{}", "null", set()),
        ("[1]", "[1.0]", {"python", "json", "lenient"}),
    ],
)
def test_named_pairs(left, right, same):
    codes = {relation: Values(pa.chunked_array([[left, right]])).codes(relation) for relation in RELATIONS}
    assert {relation for relation, (one, other) in codes.items() if one == other} == same


def test_a_value_with_nan_equals_nothing_where_python_decides():
    values = Values(pa.chunked_array([['{"a":NaN}', '{"a":"NaN"}', '{"a":1}']]))
    for relation, rule in RELATIONS.items():
        assert values.unequal(relation).tolist() == [rule.nan_differs, False, False]


def test_text_nested_beyond_reason_equals_itself_only():
    deep = "[" * 100_000 + "]" * 100_000
    codes = Values(pa.chunked_array([[deep, deep + " ", deep]])).codes("json")
    assert codes.tolist() == [0, 1, 0]


def test_no_texts_at_all():
    codes = Values(pa.chunked_array([], pa.large_string())).codes("python")
    assert codes.shape == (0,)


def test_an_unknown_relation_is_refused_with_the_choices():
    with pytest.raises(OptionError, match="arguments='loose' is not known; choose one of 'python', 'json'"):
        canonical_text("{}", "loose")


def test_codes_are_first_places():
    codes = Values(pa.chunked_array([["2", "1", "1.0", "2.0"]])).codes("json")
    assert np.array_equal(codes, [0, 1, 1, 0])
