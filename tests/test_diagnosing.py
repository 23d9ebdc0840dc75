"""Facts of a case against cases counted by hand, and against what explain shows."""

from random import Random

import numpy as np
import pandas as pd
import pytest

import toolcorrect as tc
from tests.build import dataset
from tests.variants.random_cases import random_cases
from toolcorrect.charts.confusion import confusion_data


def call(name, error=None, **arguments):
    return {"name": name, "arguments": arguments, **({} if error is None else {"error": error})}


def facts(called, expected, *columns):
    return tc.diagnose(dataset((called, expected)))[list(columns)].iloc[0].to_list()


def test_what_is_missing_extra_repeated_moved_and_misnamed():
    columns = ["expected", "called", "matched", "missing", "extra", "repeated", "moved", "wrong_names"]
    assert facts(["a", "b", "c", "c", "x"], ["c", "a", "b", "d"], *columns) == [4, 5, 3, 1, 1, 1, 1, 0]
    assert facts(["functions.a"], ["a"], *columns) == [1, 1, 0, 0, 0, 0, 0, 1]
    assert facts([], [], *columns) == [0] * 8


def test_wrong_arguments_are_told_with_path_and_code():
    called = [call("a", q="x", n="1", more=1), call("a", q="y")]
    wrong, differences = facts(
        called, [call("a", q="z", n=1, gone=None), call("a", q="y")], "wrong_arguments", "differences"
    )
    assert wrong == 1
    assert [(one["position"], one["path"], one["code"]) for one in differences] == [
        (0, "q", "value"),
        (0, "n", "type"),
        (0, "gone", "missing"),
        (0, "more", "extra"),
    ]


def test_matchers_are_understood_and_unknown_arguments_are_not_wrong():
    wanted = [{"name": "a", "arguments": {"id": {"$match": {"type": "integer"}}}}]
    assert facts([call("a", id=3)], wanted, "wrong_arguments", "stage") == [0, pytest.approx(np.nan, nan_ok=True)]
    assert facts([call("a", id="3")], wanted, "wrong_arguments", "stage") == [1, "arguments"]
    assert facts(["a"], wanted, "wrong_arguments") == [0]


def test_what_is_not_known_is_not_counted():
    made = tc.diagnose(dataset((None, ["a"]), (["a"], None)))
    assert made["expected"].to_list() == [1, pd.NA]
    assert made["called"].to_list() == [pd.NA, 1]
    assert made[["missing", "extra", "moved", "wrong_arguments"]].isna().all(axis=None)
    assert made["failed"].to_list() == [pd.NA, 0]
    assert made["stage"].isna().all()


SCHEMA = {"properties": {"n": {"type": "integer"}, "q": {}}}


def test_calls_against_the_offer():
    tools = [{"name": "a", "parameters": SCHEMA}]
    data = tc.load(
        [
            {
                "case": "x",
                "called": [call("a", n=1, made=2, wanted=3), call("b"), call("zzz"), call("a", n="1", q=1)],
                "expected": [call("a", n=1, wanted=3)],
                "tools": tools,
            },
            {"case": "y", "called": ["b"], "expected": ["b"], "tools": [*tools, "b"]},
            {"case": "z", "called": ["b"], "expected": ["b"]},
        ]
    )
    made = tc.diagnose(data)
    assert made["unknown_tools"].to_list() == [1, 0, pd.NA]
    assert made["not_offered"].to_list() == [1, 0, pd.NA]
    assert made["invalid_arguments"].to_list() == [1, pd.NA, pd.NA]
    assert made["undeclared"].to_list() == [["made", "wanted"], [], []]
    assert made["invented"].to_list() == [["made"], [], []]


def test_failures_repeats_and_recovery():
    columns = ["failed", "outcome_unknown", "blind_repeats", "recovered", "stage"]
    ok, bad = call("a", error=False, n=1), call("a", error=True, n=1)
    nothing = pytest.approx(np.nan, nan_ok=True)
    assert facts([bad, ok], [call("a", n=1)], *columns) == [1, 0, 1, True, nothing]
    assert facts([bad, call("b", error=False)], [call("a", n=1), "b"], *columns) == [1, 0, 0, False, "execution"]
    assert facts([bad, call("a", n=2)], [call("a", n=1)], *columns)[:3] == [1, 1, 0]
    assert facts([bad, call("a", n=2)], [call("a", n=1)], "recovered")[0] is pd.NA
    assert facts([ok], [call("a", n=1)], *columns) == [0, 0, 0, pd.NA, nothing]
    # The first stage that went wrong counts.
    assert facts([bad, "x"], [call("a", n=2)], "stage") == ["selection"]
    assert facts([bad], [call("a", n=2)], "stage") == ["arguments"]


def test_counts_agree_with_what_explain_shows():

    data = random_cases(Random(3), 12)
    made = tc.diagnose(data)
    kinds = {"missing": "missing", "extra": "extra", "repeated": "repeated", "wrong_names": "names"}
    for case in data.cases.index:
        shown = tc.explain(data, case, variants="recall").alignment
        for column, kind in kinds.items():
            assert made.loc[case, column] == (shown["kind"] == kind).sum(), (case, column)
        paired = shown["tool_expected"] == shown["tool_called"]
        assert made.loc[case, "matched"] == paired.fillna(False).sum()


def test_counts_by_tool():
    data = dataset(
        (["a", "b", "b", call("c", x=1)], ["a", "b", call("c", x=2), "d"]),
        (["a"], ["b"]),
        (None, ["a"]),
        (["a"], None),
    )
    made = tc.per_tool(data)
    columns = ["expected", "called", "matched", "missing", "extra", "repeated", "wrong_arguments"]
    assert made[columns].loc["a"].to_list() == [1, 2, 1, 0, 1, 0, 0]
    assert made[columns].loc["b"].to_list() == [2, 2, 1, 1, 0, 1, 0]
    assert made[columns].loc["c"].to_list() == [1, 1, 1, 0, 0, 0, 1]
    assert made.loc["b", ["precision", "recall"]].to_list() == [0.5, 0.5]
    assert np.isnan(made.loc["d", "precision"])
    assert made.loc["d", "recall"] == 0.0


def test_confusion_takes_neighbours_for_each_other():
    data = tc.load(
        [
            {"case": "x", "called": ["a", "z", "c"], "expected": ["a", "b", "c"]},
            {"case": "y", "called": ["c", "b"], "expected": ["b", "d"], "tools": ["b", "d"]},
            {"case": "unknown", "called": None, "expected": ["a"]},
        ]
    )
    made = tc.confusion(data)
    counted = {(row, column): n for row in made.index for column in made if (n := made.loc[row, column])}
    assert counted == {
        ("a", "a"): 1,
        ("b", "z"): 1,
        ("c", "c"): 1,
        ("(nothing)", "(not offered)"): 1,
        ("b", "b"): 1,
        ("d", "(nothing)"): 1,
    }
    assert confusion_data(made).to_numpy().sum() == 6
