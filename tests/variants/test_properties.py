"""What each definition declares of itself holds; what it lacks is shown by an example and stands in its faults."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolcorrect as tc
from tests.variants.random_cases import CHANGE_OF, CHANGES, breaks, random_cases, scored
from toolcorrect.variants import registry
from toolcorrect.variants.definition import PROPERTIES, Variant, every_property_but

CASES = 300
# A property is only tested where enough cases are scored before and after the change.
ENOUGH = 20
VARIANTS = {name: variant for name, variant in registry().items() if not variant.asks_model}
DECLARED = [(name, declared) for name, variant in VARIANTS.items() for declared in sorted(variant.properties)]


@cache
def _scores(seed: int) -> pd.DataFrame:
    return scored(random_cases(Random(seed), CASES), list(VARIANTS.values()))


@pytest.mark.parametrize(("name", "declared"), DECLARED)
def test_a_declared_property_holds(name: str, declared: str) -> None:
    broken, seen = breaks(VARIANTS[name], declared, _scores(1))
    assert not broken.any(), _scores(1)[name][broken]
    assert seen >= ENOUGH, f"only {seen} cases are scored: the random cases must give {name} something to score"


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(random=st.randoms(use_true_random=False))
def test_declared_properties_hold_on_cases_made_to_break_them(random: Random) -> None:
    scores = scored(random_cases(random, 6), list(VARIANTS.values()))
    for name, declared in DECLARED:
        broken, _ = breaks(VARIANTS[name], declared, scores)
        assert not broken.any(), f"{name} is not {declared}:\n{scores[name][broken]}"


def test_every_variant_declares_what_it_promises_and_every_property_has_a_change() -> None:
    assert all(variant.properties for variant in VARIANTS.values())
    assert set(CHANGE_OF) == set(PROPERTIES) - {"in_range"}
    assert set(CHANGE_OF.values()) < set(CHANGES)


@pytest.mark.parametrize(
    ("name", "lacked"),
    [
        ("deepeval", "perfect_is_full"),
        ("f1", "repeat_free"),
        ("sequence", "order_free"),
        ("strands.exact", "extra_never_helps"),
        ("pydantic_evals.max_calls", "missing_never_helps"),
    ],
)
def test_the_random_cases_find_what_a_variant_lacks(name: str, lacked: str) -> None:
    assert breaks(VARIANTS[name], lacked, _scores(1))[0].any()


def test_a_property_declared_in_error_is_found() -> None:
    wrong = Variant("wrong", axes=tc.Axes(formula="f1"), properties=every_property_but())
    scores = scored(random_cases(Random(2), CASES), [wrong])
    assert {p for p in PROPERTIES if breaks(wrong, p, scores)[0].any()} == {"repeat_free"}


def _t(**arguments: Any) -> dict[str, Any]:
    return {"name": "t", "arguments": arguments}


def _lacks(name: str, lacked: str, expected: list[Any], *ways: tuple[list[Any], float], fault: str) -> Any:
    """What a variant lacks, shown by ways to call and their scores, and words of the fault that says so."""
    return pytest.param(name, lacked, expected, ways, fault, id=f"{name} is not {lacked}")


TWICE = ([_t(), _t()], 0.5)
GROWING, SHRINKING = [_t(), _t(a=1)], [_t(a=1), _t()]
STRANGER = {"name": "z", "arguments": {"a": 5}}
COUNTEREXAMPLES = [
    _lacks("deepeval", "perfect_is_full", [_t(), _t()], TWICE, fault="#3141"),
    _lacks("deepeval.docs", "perfect_is_full", [_t(), _t()], TWICE, fault="#2691"),
    _lacks("strands.any_order", "perfect_is_full", [_t(), _t()], TWICE, fault="scores below 1"),
    _lacks("ragas.f1", "perfect_is_full", [], ([], 0.0), fault="nothing called 0"),
    _lacks("trajscore.f1", "perfect_is_full", ["", "a"], (["", "a"], 2 / 3), fault="empty name"),
    *(
        _lacks(name, "order_free", GROWING, (GROWING, 1.0), (SHRINKING, 0.0), fault="first call that fits")
        for name in (
            "agentevals.superset.superset",
            "openevals.superset.superset",
            "openevals.subset.superset",
            "agentevals.subset.subset",
            "openevals.unordered.superset",
        )
    ),
    _lacks(
        "toolscore.correctness.args",
        "order_free",
        [{"name": "t"}, _t(a=1)],
        ([_t(b=2), _t(a=1)], 1.0),
        ([_t(a=1), _t(b=2)], 0.5),
        fault="order of calls matters",
    ),
    _lacks("strands.exact", "extra_never_helps", ["b", "a"], (["a"], 0.0), (["z", "a"], 0.5), fault="front"),
    _lacks(
        "unitxt.argument_name_precision",
        "extra_never_helps",
        [_t(a=1)],
        ([_t(b=1)], 0.0),
        ([STRANGER, _t(b=1)], 1.0),
        fault="not looked at",
    ),
]


@pytest.mark.parametrize(("name", "lacked", "expected", "ways", "fault"), COUNTEREXAMPLES)
def test_a_counterexample_stands_in_the_faults(
    name: str, lacked: str, expected: list[Any], ways: tuple[tuple[list[Any], float], ...], fault: str
) -> None:
    variant = tc.variants(name)
    assert lacked not in variant.properties
    assert any(fault in text for text in variant.faults), variant.faults
    records = [{"case": str(i), "called": called, "expected": expected} for i, (called, _) in enumerate(ways)]
    assert tc.score(tc.load(records), variants=name)[name].to_list() == pytest.approx([score for _, score in ways])


def test_a_turn_beyond_the_trace_is_not_counted() -> None:
    """A turn that the trace does not reach leaves agent_inspect's denominator, as measured."""
    expected = ["a", {"name": "b", "turn": 7}]
    records = [{"case": "said", "called": ["a"], "expected": expected, "turns": 1}]
    records += [{"case": "reached", "called": ["a"], "expected": expected, "turns": 8}]
    name = "agent_inspect.correctness"
    assert tc.score(tc.load(records), variants=name)[name].to_list() == [1.0, 0.5]
    assert any("does not reach" in fault for fault in tc.variants(name).faults)
