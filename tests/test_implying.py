from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcorrect.implying import strictness
from toolcorrect.loaders import load
from toolcorrect.scoring import score
from toolcorrect.variants import registry

CALL = st.builds(
    lambda name, value: {"name": name, "arguments": {"x": value}},
    st.sampled_from(["a", "A", "b"]),
    st.sampled_from([1, 1.0, True, "1"]),
)
RUNS = st.lists(st.tuples(st.lists(CALL, max_size=4), st.lists(CALL, max_size=4)), min_size=1, max_size=6)
BY_AXES = [name for name, variant in registry().items() if variant.axes and not variant.asks_model]


@pytest.fixture(scope="module")
def logic():
    return strictness(BY_AXES)


@given(RUNS, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_what_the_axes_imply_holds_on_any_data(logic, lists, random):
    # Half of the called lists are edits of the expected ones, so that full scores happen.
    records = []
    for i, (expected, called) in enumerate(lists):
        if i % 2:
            called = random.sample(expected, len(expected)) + called[: random.randint(0, 1)]
        records.append({"case": f"c{i}", "expected": expected, "called": called})
    full = score(load(records), variants=BY_AXES)
    for a, b in logic.index[logic["implies"].fillna(False)]:
        broken = (full[a] == 1) & (full[b] < 1)
        assert not broken.any(), (a, b, [records[i] for i in range(len(records)) if broken.iloc[i]])


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
    assert logic.loc[("f1", "jaccard"), "equivalent"]
    assert not implies("exact", "exact.args")
    assert not implies("exact", "sequence")
    assert not implies("any_order", "in_order")
    assert not implies("recall", "precision")
    assert not implies("recall.set", "recall")


def test_formulas_of_their_own_are_not_known():
    own = next(name for name, variant in registry().items() if variant.axes is None)
    assert strictness(["recall", own])["implies"].isna().all()


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
