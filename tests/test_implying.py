from __future__ import annotations

import random

import numpy as np
import pytest

from toolcorrect import examples
from toolcorrect.comparing.implying import strictness
from toolcorrect.loaders import load
from toolcorrect.scoring import score
from toolcorrect.variants import registry

BY_AXES = [name for name, variant in registry().items() if variant.axes and not variant.asks_model]


@pytest.fixture(scope="module")
def logic():
    return strictness(BY_AXES)


def short_lists():
    """Pairs of short lists, half of them nearly the same, so that full scores and empty sides are common."""
    chance = random.Random(0)

    def call():
        return {"name": chance.choice(["a", "A", "b"]), "arguments": {"x": chance.choice([1, 1.0, True, "1"])}}

    for i in range(6000):
        expected = [call() for _ in range(chance.randrange(4))]
        called = [call() for _ in range(chance.randrange(4))]
        if i % 2:
            called = chance.sample(expected, len(expected)) + called[: chance.randrange(2)]
        yield {"case": f"c{i}", "expected": expected, "called": called}


def test_what_the_axes_imply_holds_on_any_data(logic):
    records = list(short_lists())
    full = score(load(records), variants=BY_AXES)
    implied = logic.index[logic["implies"].fillna(False)]
    assert len(implied) > 100
    for a, b in implied:
        broken = np.flatnonzero((full[a] == 1) & (full[b] < 1))
        assert not len(broken), (a, b, records[broken[0]])


def test_what_the_axes_do_not_imply_has_a_counterexample(logic):
    # Among the plain definitions; others also look at what these lists do not hold.
    plain = [name for name in BY_AXES if not (registry()[name].upstream or registry()[name].match.kinds)]
    full = score(load(list(short_lists())), variants=plain)
    for a, b in logic.index[~logic["implies"].fillna(True)]:
        if a in plain and b in plain:
            assert ((full[a] == 1) & (full[b] < 1)).any(), (a, b)


def test_the_lattice_of_the_plain_definitions(logic):
    def implies(a, b):
        return logic.loc[(a, b), "implies"]

    assert implies("exact.args", "exact")
    assert implies("exact.args", "exact.set.args")
    assert implies("sequence.args", "exact.args")
    assert implies("exact", "f1")
    assert implies("exact", "jaccard")
    assert implies("f1", "precision")
    assert implies("in_order", "any_order")
    # A set of matches over the length of a list: a tool expected twice is never found in full.
    assert not implies("in_order", "strands.any_order")
    assert implies("strands.any_order", "any_order")
    assert logic.loc[("f1", "jaccard"), "equivalent"]
    assert not implies("exact", "exact.args")
    assert not implies("exact", "sequence")
    assert not implies("any_order", "in_order")
    assert not implies("recall", "precision")
    assert not implies("recall.set", "recall")


def test_formulas_of_their_own_are_not_known():
    own = next(name for name, variant in registry().items() if variant.axes is None)
    assert strictness(["recall", own])["implies"].isna().all()


def test_no_bundled_run_contradicts_the_logic():
    data = examples.support_desk()
    table = strictness(BY_AXES, score(data, variants=BY_AXES))
    implied = table[table["implies"].fillna(False)]
    assert len(implied) > 100
    assert not implied["exceptions"].any(), implied[implied["exceptions"] > 0]


def test_data_stand_beside_the_logic():
    data = load(
        [
            {"case": "x", "called": ["a", "b"], "expected": ["a"]},
            {"case": "y", "called": ["a"], "expected": ["a"]},
            {"case": "z", "called": ["b"], "expected": ["a"]},
        ]
    )
    table = strictness(["exact", "recall"], score(data, variants=["exact", "recall"]))
    assert table.loc[("exact", "recall"), ["inside", "h", "exceptions"]].to_list() == [1, 1, 0]
    assert table.loc[("recall", "exact"), ["inside", "exceptions"]].to_list() == [0.5, 1]
