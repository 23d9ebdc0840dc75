import json

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolcorrect.arguments.equality import RELATIONS, canonical_text
from toolcorrect.arguments.members import split_objects
from toolcorrect.arguments.values import Values

# Texts of structure alone, so that many are nearly JSON.
scraps = st.lists(
    st.sampled_from(["{", "}", "[", "]", ":", ",", '"', "\\", '"a"', '"b":', "1", "null", " ", '{"a":', '"\\""', "é"])
).map("".join)
values = st.recursive(
    st.none() | st.integers() | st.text(max_size=4) | st.sampled_from(['"', "\\", '\\"', "},{", '":1,"']),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(max_size=3), values, max_size=4)
spelt = st.one_of(
    objects.map(json.dumps),
    objects.map(lambda one: json.dumps(one, ensure_ascii=False, indent=1)),
    scraps,
    scraps.map(lambda scrap: '{"a":' + scrap + "}"),
)


def pairs_of(text):
    """Return the members of an object, repeated keys too; None for all else."""
    try:
        value = json.loads(text, object_pairs_hook=tuple)
    except ValueError:
        return None
    return list(value) if isinstance(value, tuple) else None


@given(st.lists(spelt, max_size=8))
@example(['{"a":1', '{"b":"}', "\\", '{"a":2}', '"', '{"a":"x"}', "{}", "{} ", "}{", ""])
@example(['{"a":[1}', '{"a":2]}', '{"a":1,}', "{,}", '{"a"}', '{"a":1}{"b":2}'])
@example(["{]", '{"a":1]'])
@settings(max_examples=300, deadline=None)
def test_members_are_those_that_a_parser_finds(texts):
    made = split_objects(pa.array(texts, pa.large_string()))
    keys, written = made.key.to_pylist(), made.value.to_pylist()
    found = [[] for _ in texts]
    for row, key, value in zip(made.row.tolist(), keys, written):
        found[row].append((key, value))
    for text, split, members in zip(texts, made.split, found):
        if not split:
            assert not members
            continue
        try:
            read = [(json.loads(key), json.loads(value, object_pairs_hook=tuple)) for key, value in members]
        except ValueError:
            read = None
        if read is not None and not all(isinstance(key, str) for key, _ in read):
            read = None
        assert read == pairs_of(text)


@given(st.lists(objects, min_size=1, max_size=5))
@settings(max_examples=100, deadline=None)
def test_plain_objects_are_split(some):
    made = split_objects(pa.array([json.dumps(one) for one in some], pa.large_string()))
    assert made.split.all()
    assert [json.loads(value) for value in made.value.to_pylist()] == [v for one in some for v in one.values()]


def test_deep_nesting_is_left_to_others():
    deep = ['{"a":' + "[" * n + "]" * n + "}" for n in (40, 60, 100_000)]
    made = split_objects(pa.array([*deep, '{"a":1}'], pa.large_string()))
    assert made.split.tolist() == [True, False, False, True]
    assert made.row.tolist() == [0, 3]


def test_a_slice_of_texts_is_split_like_the_whole():
    texts = pa.array(['{"a":1}', '{"b":2}', '{"c":3}'], pa.large_string())
    assert split_objects(texts[1:2]).key.to_pylist() == ['"b"']
    assert len(split_objects(texts[:0]).row) == 0


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("texts", [["{:1}"], ['{"a":}', '{"b": }', '{"a":}'], ["{]", "{}"], ['{"a":1]', '{"a":1}']])
def test_what_is_nearly_an_object_equals_only_itself(relation, texts):
    codes = Values(pa.chunked_array([texts], pa.large_string())).codes(relation)
    canonical = [canonical_text(text, relation) for text in texts]
    assert codes.tolist() == list(map(canonical.index, canonical))
