"""Shares of each choice sum to the gap, and are the Shapley values."""

import itertools

import numpy as np
import pytest

import toolcorrect as tc
from tests.build import dataset
from toolcorrect.errors import OptionError
from toolcorrect.explaining.attributing import choices, differing, shares_of
from toolcorrect.explaining.disagreeing import Point
from toolcorrect.variants import registry

ON_AXES = [name for name, variant in registry().items() if variant.axes and not variant.formula]


def random_runs(count, seed):
    random = np.random.default_rng(seed)

    def calls():
        return [
            {"name": str(random.choice(list("abcd"))), "arguments": {"x": int(random.integers(2))}}
            for _ in range(random.integers(0, 5))
        ]

    return dataset(*((calls(), calls()) for _ in range(count)))


RUNS = random_runs(60, seed=1)


@pytest.mark.parametrize(
    "data", [tc.examples.support_desk(), random_runs(2000, seed=2)], ids=["bundled", "generated"]
)
def test_shares_sum_to_the_gap_for_every_pair_on_the_axes(data):
    variants = [registry()[name] for name in ON_AXES]
    scores = tc.score(data, variants=variants).to_numpy()
    scorers, checked = {}, 0
    for i, j in itertools.combinations(range(len(variants)), 2):
        points = Point(variants[i]), Point(variants[j])
        gap = scores[:, i] - scores[:, j]
        apart = np.abs(np.nan_to_num(gap)) > 1e-9
        if apart.any():
            shares = shares_of(data, points, scorers)[apart]
            np.testing.assert_allclose(shares.sum(axis=1), gap[apart], atol=1e-9)
            checked += 1
    assert checked > 4000


def test_shares_equal_a_walk_over_every_order():
    a, b = registry()["recall.args"], registry()["jaccard.set"]
    steps = ("arguments", "multiplicity", "formula", "empty")
    assert list(differing((Point(a), Point(b)))) == list(steps)

    def value(switched):
        chosen = {axis: choices(Point(b if axis in switched else a))[axis] for axis in steps}
        formula, sets = chosen["formula"], ".set" if chosen["multiplicity"] == "set" else ""
        name = f"{formula}{sets}{'.args' if chosen['arguments'][0] else ''}"
        empty = chosen["empty"]
        return tc.score(RUNS, variants=name, empty=(empty.both, empty.unexpected, empty.uncalled))[name]

    found = tc.why(RUNS, "recall.args", "jaccard.set").cases
    orders = list(itertools.permutations(steps))
    for axis in steps:
        total = 0.0
        for order in orders:
            before = order[: order.index(axis)]
            total = total + value(set(before)) - value({*before, axis})
        np.testing.assert_allclose(found[axis], (total / len(orders)).reindex(found.index), atol=1e-12)


def test_deepeval_against_the_notebook_lies_inside_the_axes():
    found = tc.why(dataset((["a", "x"], ["a"])), "deepeval", "notebook.jaccard")
    assert set(found.axes.index) >= {"multiplicity", "formula", "empty"}
    assert found.cases["axis"].item() == "formula"
    assert found.cases["cause"].item() == "extra"


def test_one_definition_under_two_scopes():
    data = dataset((["get", "set"], ["set"]), (["set"], ["set"])).mark_effects(["set"])
    found = tc.why(data, "exact", "exact", scope=("assistant", "effect"))
    assert found.cases.index.to_list() == ["0"]
    assert list(found.axes.index) == ["scope"]
    assert found.cases["scope"].item() == found.cases["gap"].item() == -1.0


def test_a_definition_off_the_axes_has_causes_but_no_shares():
    found = tc.why(
        dataset((["a", "x"], ["a"])), "recall", tc.Variant("size", lambda o: 1.0 * (o.called == o.expected))
    )
    assert found.axes.empty
    assert found.causes.index.to_list() == ["extra"]


def test_sums_by_tool_and_by_tag():
    data = dataset((["a", "x"], ["a"]), (["b", "b"], ["b"]), (["a"], ["a"]), kind=["u", "v", "u"])
    found = tc.why(data, "recall", "precision")
    assert found.by("kind")["cases"].to_dict() == {"u": 1, "v": 1}
    by_tool = found.by("tool")
    assert by_tool.loc["x", "extra"] == 1.0
    assert by_tool.loc["b", "repeat"] == 1.0
    with pytest.raises(OptionError, match=r"by\('colour'\)"):
        found.by("colour")


def test_the_same_definition_twice_is_refused():
    with pytest.raises(OptionError, match="Both sides are 'recall' with the same options"):
        tc.why(RUNS, "recall", "recall")
