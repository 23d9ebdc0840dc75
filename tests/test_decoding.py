from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum

import orjson
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcorrect.arguments.columns import DistinctTexts, decode_texts
from toolcorrect.arguments.decoding import (
    ABSENT,
    FORM,
    STATUS,
    decode,
    parse_json,
    to_json,
)

# text -> JSON text, status, form on the wire
TEXTS = {
    '{"a": 1}': ('{"a": 1}', "ok", "object"),
    '{"id": 1, "id": 7}': ('{"id": 1, "id": 7}', "ok", "object"),
    '{"n": 123456789012345678901234567890}': ('{"n": 123456789012345678901234567890}', "ok", "object"),
    '{"x": NaN}': ('{"x": NaN}', "ok", "object"),
    '{"q": "\\ud800"}': ('{"q": "\\ud800"}', "ok", "object"),
    '"{\\"a\\": 1}"': ('{"a": 1}', "ok", "object"),
    "": ("{}", "empty", "object"),
    "  \n": ("{}", "empty", "object"),
    "null": (None, "null", "null"),
    "[1, 2]": ("[1,2]", "non_object", "list"),
    '"5"': ("5", "non_object", "other"),
    '"words"': ('"words"', "non_object", "other"),
    "{'a': True, 'b': None}": ('{"a":true,"b":null}', "repaired", "object"),
    '```json\n{"a": 1}\n```': ('{"a":1}', "repaired", "object"),
    '{"a": [1, 2,], "b": ",}"}': ('{"a":[1,2],"b":",}"}', "repaired", "object"),
    '{"a": 1}<|im_end|>': ('{"a":1}', "repaired", "object"),
    '{"id": 5, "q": ': (None, "failed", "text"),
    "{1, 2}": (None, "failed", "text"),
    "not json": (None, "failed", "text"),
    '{"a": ' + "[" * 5_000 + "]" * 5_000 + "}": (None, "failed", "text"),
    '{"a": ' + "-" * 100_000 + "1}": (None, "failed", "text"),
}


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:20])
def test_texts_are_decoded_as_the_rules_say(text):
    wanted, status, form = TEXTS[text]
    found = decode(text, wire=True)
    assert (found.text, found.status, found.form) == (wanted, status, form)
    assert decode(text).form == "text"
    # The text as it came is kept unless it is the value, word for word.
    assert found.raw == (None if status == "ok" and found.text == text else text)


def test_values_that_are_no_texts():
    assert decode({"a": 1}) == ('{"a":1}', "object", "ok", None)
    assert decode(None) == (None, "null", "null", None)
    assert decode(ABSENT) == (None, "absent", "absent", None)
    assert decode([1]) == ("[1]", "list", "non_object", None)
    assert decode(7) == ("7", "other", "non_object", None)


@pytest.mark.parametrize("copies", [1, 2])
@pytest.mark.parametrize("plain", [0, 200])
@pytest.mark.parametrize("wire", [True, False])
def test_columns_are_decoded_as_single_texts_are(copies, plain, wire):
    texts = [*TEXTS, None] * copies + [f'{{"n":{n}}}' for n in range(plain)]
    found = decode_texts(pa.array(texts), wire=wire)
    single = [decode(ABSENT if text is None else text, wire=wire) for text in texts]
    assert found.text.to_pylist() == [one.text for one in single]
    assert found.raw.to_pylist() == [one.raw for one in single]
    assert found.form.tolist() == [FORM[one.form] for one in single]
    assert found.status.tolist() == [STATUS[one.status] for one in single]
    assert found.twice == 2 * copies


def test_distinct_texts_are_numbered_as_they_are_decoded():
    texts = DistinctTexts.of(pa.array(['{"a":1}', '"{\\"a\\":1}"', None, '{"a": ', '{"b":2}', '{"a":1}']))
    number, distinct = texts.numbered()
    assert [None if n < 0 else distinct[n].as_py() for n in number] == texts.columns(
        0, 6, wire=False
    ).text.to_pylist()
    assert number.tolist() == [0, 0, -1, -1, 1, 0]
    assert texts.columns(2, 5, wire=True).text.to_pylist() == [None, None, '{"b":2}']


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(values, st.booleans(), st.integers(0, 60), st.sampled_from(' ,:{}[]"\\nN1-\n')), min_size=70)
)
def test_no_damage_makes_the_column_differ_from_the_single_text(made):
    texts = []
    for value, damaged, place, mark in made:
        text = json.dumps(value)
        texts.append(text[:place] + mark + text[place:] if damaged else text)
    found = decode_texts(pa.array(texts), wire=True)
    assert [STATUS[decode(text, wire=True).status] for text in texts] == found.status.tolist()
    assert [decode(text, wire=True).text for text in texts] == found.text.to_pylist()


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(st.text(), values))
def test_objects_survive_being_written_and_read(value):
    assert repr(parse_json(to_json(value))) == repr(json.loads(json.dumps(value)))


def test_integers_keep_their_digits():
    wide = 2**64 + 1
    assert orjson.loads(str(wide)) != wide
    assert parse_json(f'{{"a": [{wide}, -{wide}]}}') == {"a": [wide, -wide]}
    assert parse_json(str(2**64 - 1)) == 2**64 - 1
    assert to_json({"a": wide}) == f'{{"a":{wide}}}'


def test_integers_that_python_would_spend_too_long_on_are_told_and_never_made_up():
    longest, longer = (f'{{"n": {"9" * digits}}}' for digits in (4300, 4301))
    assert to_json(parse_json(longest)) == longest.replace(" ", "")
    with pytest.raises(ValueError, match=r"^an integer has more than 4,300 digits$"):
        parse_json(longer)
    assert (decode(longer).status, decode(longer).text) == ("failed", None)
    assert decode_texts(pa.array([longer] * 100)).status.tolist() == [STATUS["failed"]] * 100


def test_too_deep_is_an_error_of_its_own():
    with pytest.raises(ValueError, match=r"deep|ecursion"):
        parse_json("[" * 100_000)


@dataclass
class Holder:
    x: float


class Odd(Enum):
    NOTHING = float("nan")


def test_what_holds_nan_is_written_with_it():
    assert to_json({"a": Holder(float("inf"))}) == '{"a":{"x":Infinity}}'
    assert to_json([Odd.NOTHING, None]) == "[NaN,null]"
    assert to_json([Holder(1.5), None]) == '[{"x":1.5},null]'
