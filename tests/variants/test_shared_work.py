"""What variants share must not change a score: encodings, numbers of texts, pairs."""

from __future__ import annotations

from itertools import permutations
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

import toolcorrect as tc
from tests.variants.random_cases import random_cases
from toolcorrect.encoding import Encoding, Match
from toolcorrect.variants import registry
from toolcorrect.variants.forms import as_text

VARIANTS = [variant for variant in registry().values() if not variant.asks_model]
# One case that keeps all meanings apart: a failed call, another actor, names to normalise, a second turn, a text.
SPOILER = {
    "case": "spoiler",
    "called": [
        {"name": " Search ", "arguments": {}, "error": True},
        {"name": "search", "arguments": {}, "actor": "user"},
        {"name": "search", "arguments": {"a": 1}, "turn": 1},
    ],
    "expected": [{"name": "search", "arguments": {"a": 1}, "turn": 1}],
}


def test_no_score_depends_on_the_other_cases() -> None:
    calls = random_cases(Random(3), 40)
    plain = calls.replace(calls=calls.calls.assign(error=pd.NA, turn=0), expected=calls.expected.assign(turn=0))
    plain = plain.replace(cases=plain.cases.assign(turns=1))
    alone = tc.score(plain, variants=VARIANTS)
    together = tc.score(tc.concat([plain, tc.load([SPOILER])]), variants=VARIANTS)
    pd.testing.assert_frame_equal(together.drop("spoiler"), alone)


def test_arguments_read_anew_are_numbered_as_if_read_so_at_first() -> None:
    texts = ['{"a":1}', '{"a":1.0}', "x", '{"a":1}']
    records: list[dict[str, Any]] = [
        {
            "case": str(i),
            "called": [{"name": "t", "arguments": {"a": 1}}],
            "expected": [{"name": "t", "arguments": text}],
        }
        for i, text in enumerate(texts)
    ]
    records += [
        {"case": "plain", "called": [{"name": "t", "arguments": {"a": 1}}] * 2, "expected": records[0]["called"]}
    ]
    encoding = Encoding(tc.load(records))
    for relation in ("python", "dump"):
        expected, called = as_text(encoding).codes(Match(arguments=relation))
        assert (expected[:4] != called[:4]).all()
        assert expected[4] == called[4] == called[5]
        expected, called = encoding.codes(Match(arguments="python"))
        assert (expected == called[:5]).tolist() == [True, True, False, True, True]


@pytest.mark.parametrize("seed", range(3))
def test_the_best_assignment_is_the_best_of_all(seed: int) -> None:
    r = Random(seed)

    def call() -> dict[str, Any]:
        arguments = {"p": r.randrange(3), "q": r.randrange(3)}
        return {"name": r.choice("ab"), "type": r.choice(("function", "mcp")), "arguments": arguments}

    def calls() -> list[dict[str, Any]]:
        return [call() for _ in range(r.randrange(1, 4))]

    records = [{"case": str(i), "called": calls(), "expected": calls()} for i in range(60)]
    found = tc.score(tc.load(records), variants="deepeval.fixed.args")["deepeval.fixed.args"]
    np.testing.assert_allclose(found.to_numpy(), [_best(x["expected"], x["called"]) for x in records], atol=1e-12)


def _best(expected: list[dict[str, Any]], called: list[dict[str, Any]]) -> float:
    def worth(e: dict[str, Any], c: dict[str, Any] | None) -> float:
        if c is None or (e["name"], e["type"]) != (c["name"], c["type"]):
            return 0.0
        return sum(e["arguments"][key] == c["arguments"][key] for key in e["arguments"]) / 2

    padded = [*called, *[None] * len(expected)]
    ways = permutations(padded, len(expected))
    return max(sum(map(worth, expected, way)) for way in ways) / len(expected)


def test_every_variant_that_scores_says_its_sum_in_words() -> None:
    def call(name: str, **arguments: Any) -> dict[str, Any]:
        return {"name": name, "arguments": arguments}

    data = tc.load([{"case": "x", "called": [call("a", k=1), call("b")], "expected": [call("a", k=2)]}])
    sums = tc.explain(data, "x", variants=VARIANTS).sums
    assert sums["sum"][sums["status"] == "ok"].ne("").all()
    assert not sums["sum"].str.contains("{", regex=False).any()
    assert sums["sum"]["agent_inspect.correctness"] == "0 of 1 expected met in their turn"
    assert sums["sum"]["ragas.accuracy"] == "shares of arguments add up to 0 of 1"
    refused = tc.load([{"case": "x", "called": [{"name": "a", "arguments": "text"}], "expected": [call("a", k=2)]}])
    said = tc.explain(refused, "x", variants=["agent_inspect.correctness", "ragas.accuracy", "toolscore.trajectory"])
    assert said.sums["sum"].eq("").all()
    assert said.sums["status"].eq("rejected").all()
