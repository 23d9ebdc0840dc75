"""Greedy, optimal and ordered choices equal slow, obvious code."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import dataset
from toolcorrect import pairing
from toolcorrect.encoding import Encoding, Match
from toolcorrect.variants.deepeval import similarity

calls = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 2), st.integers(0, 2)), max_size=5)
runs = st.lists(st.tuples(calls, calls), min_size=1, max_size=8)


def build(some):
    def side(items):
        return [{"name": tool, "arguments": {"x": x, "y": y}} for tool, x, y in items]

    return Encoding(dataset(*((side(called), side(expected)) for called, expected in some)))


def score(e, c):
    if e[0] != c[0]:
        return -1.0
    left, right = ({"x": x, "y": y} for _, x, y in (e, c))
    return 1.0 if left == right else similarity(left, right)


def scored(encoding):
    pairs = pairing.candidates(encoding, Match())
    return pairs, pairing.compare(pairs, similarity)


@given(runs)
@settings(max_examples=60, deadline=None)
def test_candidates_are_all_pairs_of_one_tool(some):
    pairs, scores = scored(encoding := build(some))
    places = zip(pairs.owner, encoding.expected.place[pairs.expected], encoding.called.place[pairs.called], scores)
    found = {(int(o), int(i), int(j)): float(s) for o, i, j, s in places}
    wanted = {
        (o, i, j): score(e, c)
        for o, (called, expected) in enumerate(some)
        for i, e in enumerate(expected)
        for j, c in enumerate(called)
        if e[0] == c[0]
    }
    assert found.keys() == wanted.keys()
    assert all(found[k] == pytest.approx(wanted[k]) for k in wanted)


@given(runs, st.booleans())
@settings(max_examples=60, deadline=None)
def test_greedy_equals_slow_code(some, by_value):
    pairs, scores = scored(encoding := build(some))
    slots = encoding.codes(Match(arguments="python"))[1] if by_value else np.arange(len(encoding.called.row))
    slots = encoding.called.owner * (int(slots.max(initial=0)) + 1) + slots
    chosen, _ = pairing.greedy(pairs, scores, slots[pairs.called])
    total = np.bincount(pairs.owner[chosen], weights=scores[chosen], minlength=len(some))
    for o, (called, expected) in enumerate(some):
        used, wanted = set(), 0.0
        for e in expected:
            best, at = 0.0, None
            for j, c in enumerate(called):
                slot = c if by_value else j
                if slot not in used and score(e, c) > best:
                    best, at = score(e, c), slot
            if at is not None:
                used.add(at)
                wanted += best
        assert total[o] == pytest.approx(wanted)


@given(runs)
@settings(max_examples=60, deadline=None)
def test_optimal_equals_trying_every_assignment(some):
    pairs, scores = scored(build(some))
    chosen = pairing.optimal(pairs, scores)
    assert len(set(pairs.expected[chosen])) == len(set(pairs.called[chosen])) == len(chosen)
    total = np.bincount(pairs.owner[chosen], weights=scores[chosen], minlength=len(some))
    for o, (called, expected) in enumerate(some):
        few, many = sorted((expected, called), key=len)
        wanted = max(
            sum(max(score(x, y), 0.0) for x, y in zip(few, order)) for order in itertools.permutations(many, len(few))
        )
        assert total[o] == pytest.approx(wanted)


@given(runs)
@settings(max_examples=60, deadline=None)
def test_ordered_equals_the_textbook_table(some):
    pairs, scores = scored(build(some))
    total = pairing.ordered(pairs, scores)
    for o, (called, expected) in enumerate(some):
        table = np.zeros((len(expected) + 1, len(called) + 1))
        for i, e in enumerate(expected):
            for j, c in enumerate(called):
                table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j], table[i, j] + max(score(e, c), 0.0))
        assert total[o] == pytest.approx(table[-1, -1])


def test_the_greedy_trap_of_deepeval():
    def call(**arguments):
        return {"name": "search", "arguments": arguments}

    called = [call(x=1, y=2), call(x=5)]
    data = dataset((called, [call(x=1), call(x=1, y=2)]), (called, [call(x=1, y=2), call(x=1)]))
    from toolcorrect.scoring import score as score_all

    made = score_all(data, variants=["deepeval.args", "deepeval.fixed.args"])
    assert made["deepeval.args"].to_list() == [0.25, 0.5]
    assert made["deepeval.fixed.args"].to_list() == [0.5, 0.5]
