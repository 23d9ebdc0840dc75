from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolcorrect as tc
from toolcorrect.errors import DataError

RUNS = [
    {"case": "r1", "task": "t1", "called": ["a"], "input": "one"},
    {"case": "r2", "task": "t2", "called": ["b"]},
    {"case": "r3", "task": "t1", "called": []},
    {"case": "r4", "task": "t9", "called": ["c"]},
]
TESTS = [
    {"case": "t2", "task": "t2", "expected": ["b", {"name": "c", "arguments": {"n": 1}}], "input": "two", "level": 2},
    {
        "case": "t1",
        "task": "t1",
        "expected": {"any_of": [["a"], []]},
        "tools": ["a", "b"],
        "level": 1,
        "input": "uno",
    },
    {"case": "t5", "task": "t5", "expected": ["z"], "level": 5},
]


def test_one_test_case_serves_many_runs():
    data = tc.load(RUNS).join_expected(tc.load(TESTS), on="task")
    assert data.expected[["case", "reference", "tool"]].values.tolist() == [
        ["r1", 0, "a"], ["r2", 0, "b"], ["r2", 0, "c"], ["r3", 0, "a"],
    ]  # fmt: skip
    assert data.cases.references.to_list() == [2, 1, 2, 1]
    assert data.cases.expected_known.to_list() == [True, True, True, False]
    assert data.cases.tools_known.to_list() == [True, False, True, False]
    assert data.tools[["case", "tool"]].values.tolist() == [["r1", "a"], ["r1", "b"], ["r3", "a"], ["r3", "b"]]
    # New columns come along, gaps are filled, and what the run knows stays.
    assert data.cases.level.to_list()[:3] == [1, 2, 1]
    assert data.cases.level.isna().to_list() == [False, False, False, True]
    assert data.cases.input.to_list()[:3] == ["one", "two", "uno"]


def test_both_sides_report_what_is_left_over():
    report = tc.load(RUNS).join_expected(tc.load(TESTS), on="task").report
    assert report[report.code == "no_test_case"]["case"].to_list() == ["r4"]
    assert report[report.code == "no_case"].record.to_list() == ["t5"]


def test_files_frames_and_other_keys(tmp_path):
    runs = tc.load(
        [{"case": "x", "question": "q", "called": ["a"]}, {"case": "y", "called": ["a"], "expected": ["kept"]}]
    )
    frame = pd.DataFrame({"question": ["q"], "expected": [["a", "b"]]})
    path = tmp_path / "tests.csv"
    path.write_text("question,expected\nq,a;b\n")
    for source in (frame, path, str(path)):
        joined = runs.join_expected(source, on="question")
        assert joined.expected.tool.to_list() == ["a", "b", "kept"]
    other = tc.load([{"case": "x", "suite": "s", "called": []}])
    with pytest.raises(DataError, match="The test cases have no column 'suite'"):
        other.join_expected(frame, on="suite")


def test_by_case_the_task_comes_along():
    runs = tc.load([{"case": "x", "called": []}], format="records")
    assert runs.join_expected([{"case": "x", "task": "t", "expected": []}], on="case").cases.task.to_list() == ["t"]


def test_two_test_cases_of_one_key_are_an_error():
    with pytest.raises(DataError, match="Several test cases have the same task: t1"):
        tc.load(RUNS).join_expected([*TESTS, {"case": "again", "task": "t1", "expected": []}], on="task")


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=12),
    st.dictionaries(st.integers(0, 5), st.none() | st.lists(st.sampled_from("abc"), max_size=3)),
)
def test_joining_is_looking_up(tasks, stated):
    runs = tc.load([{"case": f"c{i}", "task": str(t), "called": []} for i, t in enumerate(tasks)], format="records")
    tests = [{"case": f"t{t}", "task": str(t), "expected": names} for t, names in stated.items()]
    joined = runs.join_expected(tc.load(tests, format="records"), on="task")
    wanted = [(f"c{i}", name) for i, t in enumerate(tasks) for name in stated.get(t) or []]
    assert list(zip(joined.expected["case"], joined.expected["tool"])) == wanted
    assert np.array_equal(joined.cases.expected_known, [stated.get(t) is not None for t in tasks])
