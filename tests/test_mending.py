"""Mending takes out what it says, and moved calls are the fewest."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import toolcorrect as tc
from tests.build import dataset
from toolcorrect.encoding import Encoding
from toolcorrect.explaining.alignment import moved
from toolcorrect.explaining.mending import FAULTS, Faults

CALLS = st.lists(
    st.builds(
        lambda name, x: {"name": name, "arguments": {"x": x}}, st.sampled_from(["a", "b", "t.a"]), st.integers(0, 1)
    ),
    max_size=5,
)


def written(frame, case):
    mine = frame[frame["case"] == case]
    return list(zip(mine["tool"], mine["arguments"]))


@settings(max_examples=60, deadline=None)
@given(runs=st.lists(st.tuples(CALLS, CALLS), min_size=1, max_size=4))
def test_without_any_fault_the_run_is_what_was_expected(runs):
    data = dataset(*runs)
    mended = Faults(data).mended(np.arange(len(data)), np.ones((len(data), len(FAULTS)), dtype=bool))
    for case in mended.cases.index:
        assert written(mended.calls, case) == written(mended.expected, case)
    expected, calls, texts = mended.argument_numbers()
    assert texts.take(calls).to_pylist() == mended.calls["arguments"].to_list()
    assert texts.take(expected).to_pylist() == mended.expected["arguments"].to_list()


def test_one_fault_is_taken_out_and_the_others_stay():
    data = dataset((["c", "functions.a", {"name": "b", "arguments": {"x": 1}}, "c", "z"], ["a", "c", "d"]))
    faults = Faults(data)
    runs = np.zeros(len(FAULTS), dtype=int)
    mended = faults.mended(runs, np.eye(len(FAULTS), dtype=bool))
    made = {fault: [tool for tool, _ in written(mended.calls, str(i))] for i, fault in enumerate(FAULTS)}
    assert made == {
        "names": ["c", "a", "b", "c", "z"],
        "arguments": ["c", "functions.a", "b", "c", "z"],
        "order": ["functions.a", "c", "b", "c", "z"],
        "repeat": ["c", "functions.a", "b", "z"],
        "extra": ["c", "functions.a", "c"],
        "missing": ["c", "d", "functions.a", "b", "c", "z"],
    }


def test_runs_keep_the_rules_and_tools_of_their_case():
    data = tc.load(
        [{"case": "x", "called": ["a", "b"], "expected": ["a"], "tools": ["a"]}, {"case": "y", "called": []}]
    )
    mended = Faults(data).mended(np.array([0, 1, 0]), np.zeros((3, len(FAULTS)), dtype=bool))
    assert mended.tools[["case", "tool"]].to_numpy().tolist() == [["0", "a"], ["2", "a"]]
    assert mended.calls["case"].to_list() == ["0", "0", "2", "2"]


@settings(max_examples=100, deadline=None)
@given(lists=st.lists(st.permutations(range(7)).flatmap(lambda p: st.just(p[: 1 + p[0]])), max_size=4))
def test_moved_calls_are_the_fewest(lists):
    offsets = np.cumsum([0, *map(len, lists)])
    made = moved(np.array([place for one in lists for place in one], dtype=np.int64), offsets)
    for one, begin, end in zip(lists, offsets, offsets[1:]):
        stay = [place for place, out in zip(one, made[begin:end]) if not out]
        assert stay == sorted(stay)
        longest = max(
            n for n in range(len(one) + 1) if any(list(c) == sorted(c) for c in itertools.combinations(one, n))
        )
        assert len(stay) == longest


def test_moved_calls_of_a_long_list():
    places = np.concatenate((np.arange(100, 300), np.arange(100)))
    made = moved(places, np.array([0, 300]))
    assert made.tolist() == [False] * 200 + [True] * 100


@settings(max_examples=40, deadline=None)
@given(runs=st.lists(st.tuples(CALLS, CALLS), min_size=1, max_size=4), mends=st.lists(st.sets(st.integers(0, 5))))
def test_lists_alone_are_those_of_the_mended_runs(runs, mends):
    faults = Faults(dataset(*runs))
    case = np.arange(len(mends)) % len(runs)
    wanted = np.array([[i in chosen for i in range(len(FAULTS))] for chosen in mends], dtype=bool)
    wanted = wanted.reshape(len(mends), len(FAULTS))
    plain, lists = Encoding(faults.mended(case, wanted)), faults.mended_lists(case, wanted)
    for one, other in ((plain.expected, lists.expected), (plain.called, lists.called)):
        assert one.offsets.tolist() == other.offsets.tolist()
        assert [plain.tool_names[i] for i in one.tool] == [lists.tool_names[i] for i in other.tool]
        assert plain.texts.take(one.text).to_pylist() == lists.texts.take(other.text).to_pylist()
