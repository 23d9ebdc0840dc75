import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolcorrect.arguments.decoding import WIDE_INTEGER
from toolcorrect.loaders.lines import Block, parsed_block, wide_lines

digits = st.text("0129", min_size=17, max_size=23)
scraps = st.one_of(digits, st.sampled_from(["\n", " ", ":", ",", "[", "-", "a", "."]))


@given(st.lists(scraps, max_size=12).map("".join))
@example("9" * 19)
@example("")
@example("\n" + "1" * 20)
def test_no_line_with_a_wide_integer_is_missed(text):
    found = wide_lines(Block(text.encode(), 1))
    assert {i for i, line in enumerate(text.split("\n")) if re.search(WIDE_INTEGER, line)} <= found


@pytest.mark.parametrize("value", [2**63, 2**64 + 1, -(10**19) - 1, 10**30 + 1, 1234567890123456789])
def test_integers_of_lines_keep_their_digits(value):
    lines = b"\n".join(json.dumps({"n": n}).encode() for n in (1, value, 2))
    assert [found["n"] for _, found in parsed_block(Block(lines, 1), lambda *_: None)] == [1, value, 2]
