"""Arguments as deep as JSON parsers allow, numbers beyond all floats: every variant answers, none falls over."""

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


@pytest.mark.parametrize("other", [1.5, 10**400 + 1, "x"])
def test_every_variant_stands_integers_beyond_all_floats(other: float | str) -> None:
    called, expected = ([{"name": "t", "arguments": {"n": n}}] for n in (10**400, other))
    scores = score(load([{"case": "c", "called": called, "expected": expected}]), variants="all")
    assert scores["exact.args"].item() == 0.0
    assert scores.isin([float("inf"), -float("inf")]).to_numpy().sum() == 0
