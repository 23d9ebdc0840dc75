"""The bit-parallel counts equal slow, obvious code."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import dataset
from toolcorrect.counting import count, edits
from toolcorrect.overlap import COLUMNS, overlap


def slow_counts(expected, called):
    table = np.zeros((len(expected) + 1, len(called) + 1), dtype=int)
    for i, e in enumerate(expected):
        for j, c in enumerate(called):
            table[i + 1, j + 1] = table[i, j] + 1 if e == c else max(table[i, j + 1], table[i + 1, j])
    leading = 0
    for c in called:
        if leading < len(expected) and expected[leading] == c:
            leading += 1
    return {
        "shared": sum((Counter(expected) & Counter(called)).values()),
        "shared_distinct": len(set(expected) & set(called)),
        "expected_found": sum(e in called for e in expected),
        "called_wanted": sum(c in expected for c in called),
        "longest": int(table[-1, -1]),
        "leading": leading,
        "positions": sum(e == c for e, c in zip(expected, called)),
    }


def slow_edits(expected, called):
    row = list(range(len(called) + 1))
    for i, e in enumerate(expected):
        below = [i + 1]
        for j, c in enumerate(called):
            below.append(min(row[j + 1] + 1, below[j] + 1, row[j] + (e != c)))
        row = below
    return row[-1]


def flat(lists):
    values = np.array([v for one in lists for v in one], dtype=np.int64)
    return values, np.concatenate(([0], np.cumsum([len(one) for one in lists]))).astype(np.int64)


short = st.lists(st.integers(0, 4), max_size=12)
long = st.lists(st.integers(0, 9), min_size=60, max_size=140)
pairs_of_lists = st.lists(st.tuples(st.one_of(short, long), st.one_of(short, long)), min_size=1, max_size=12)


@given(pairs_of_lists)
@settings(max_examples=60, deadline=None)
def test_counts_and_edits_equal_slow_code(pairs):
    lists = (*flat([e for e, _ in pairs]), *flat([c for _, c in pairs]))
    made, distance = count(*lists), edits(*lists)
    for i, (expected, called) in enumerate(pairs):
        assert {name: int(values[i]) for name, values in made.items()} == slow_counts(expected, called)
        assert distance[i] == slow_edits(expected, called)


@pytest.mark.parametrize("lengths", [(63, 64), (64, 64), (65, 64), (64, 65), (128, 129), (500, 700)])
def test_word_boundaries(lengths):
    random = np.random.default_rng(sum(lengths))
    expected, called = (random.integers(0, 6, n).tolist() for n in lengths)
    made = count(*flat([expected]), *flat([called]))
    assert {name: int(values[0]) for name, values in made.items()} == slow_counts(expected, called)


def test_a_carry_runs_through_several_words():
    called = list(range(300))
    made = count(*flat([called]), *flat([called]))
    assert made["longest"][0] == made["leading"][0] == made["positions"][0] == 300


@given(
    st.lists(
        st.tuples(
            st.lists(st.tuples(st.sampled_from("aé搜"), st.sampled_from([None, "x", "y"])), max_size=6),
            st.lists(st.tuples(st.sampled_from("aé搜"), st.sampled_from([None, "x", "y"])), max_size=6),
        ),
        min_size=1,
        max_size=8,
    )
)
@settings(max_examples=40, deadline=None)
def test_overlap_columns_equal_slow_code(runs):
    def call(tool, value):
        return {"name": tool} if value is None else {"name": tool, "arguments": {"q": value}}

    data = dataset(*(([call(*c) for c in called], [call(*e) for e in expected]) for called, expected in runs))
    made = overlap(data)
    assert list(made.columns) == list(COLUMNS)
    for (case, reference), row in made.iterrows():
        called, expected = (list(side) for side in runs[int(case)])
        names_e, names_c = [e for e, _ in expected], [c for c, _ in called]
        assert reference == 0
        assert {k: int(row[k]) for k in slow_counts([], [])} == slow_counts(names_e, names_c)
        assert (row.expected, row.called) == (len(expected), len(called))
        assert (row.distinct_expected, row.distinct_called) == (len(set(names_e)), len(set(names_c)))
        values = Counter(tool for tool, _ in set(called))
        assert row.reused == sum(min(n, values[tool]) for tool, n in Counter(names_e).items())
        assert row.steps_equal == (names_e == names_c)
    known = [i for i, sides in enumerate(runs) if all(v is not None for side in sides for _, v in side)]
    whole = overlap(data, arguments="json")
    assert [case for case, _ in whole.index] == [str(i) for i in known]
    for i in known:
        assert whole.loc[(str(i), 0), "shared"] == sum((Counter(runs[i][0]) & Counter(runs[i][1])).values())


def test_steps_are_compared_as_multisets_in_order():
    def at(step, *tools):
        return [{"name": tool, "step": step} for tool in tools]

    data = dataset(
        ([*at(0, "a", "b"), *at(1, "c")], [*at(0, "b", "a"), *at(1, "c")]),
        ([*at(0, "a"), *at(1, "b")], at(0, "a", "b")),
        (at(None, "a", "b"), at(None, "b", "a")),
        (at(5, "a", "b"), at(2, "b", "a")),
    )
    assert overlap(data)["steps_equal"].to_list() == [1, 0, 0, 1]


def test_several_references_are_rows_of_their_own():
    data = dataset((["a", "b"], {"any_of": [["a"], [], ["b", "a"]]}))
    made = overlap(data)
    assert made.index.to_list() == [("0", 0), ("0", 1), ("0", 2)]
    assert made["longest"].to_list() == [1, 0, 1]
    assert made["called"].to_list() == [2, 2, 2]


def test_unknown_lists_are_left_out_not_counted_as_empty():
    data = dataset((None, ["a"]), (["a"], None), ([], []))
    assert [case for case, _ in overlap(data).index] == ["2"]
