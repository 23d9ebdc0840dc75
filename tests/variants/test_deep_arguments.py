"""Arguments nested as deeply as JSON parsers allow: every variant answers, none falls over."""

from __future__ import annotations

import pytest

from toolcorrect.loaders import load
from toolcorrect.scoring import score
from toolcorrect.variants import resolve


@pytest.mark.parametrize("depth", [300, 1000])
@pytest.mark.parametrize(("left", "right"), [('{"a":', "}"), ("[", "]")])
def test_every_variant_stands_deep_arguments(depth: int, left: str, right: str) -> None:
    def nested(leaf: int) -> str:
        return f'{{"x":{left * depth}{leaf}{right * depth}}}'

    called = [{"name": "t", "arguments": nested(1)}, {"name": "t", "arguments": {"x": 1}}]
    data = load([{"case": "c", "called": called, "expected": [{"name": "t", "arguments": nested(2)}]}])
    scores = score(data, variants="all")
    assert scores.shape == (1, len(resolve("all")))
    assert not (scores["exact.args"] == 1).any()
