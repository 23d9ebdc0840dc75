from __future__ import annotations

import pytest

from toolcorrect.comparing.penalty import penalty_curve
from toolcorrect.errors import OptionError
from toolcorrect.loaders import load

E = list("abcdef")
PERFECT = [{"case": f"c{i}", "called": E, "expected": E} for i in range(3)]


def curve(table, variant, kind):
    return table.loc[(variant, kind), "mean"].to_list()


def test_the_curves_of_perfect_runs_are_the_formulas():
    table = penalty_curve(load(PERFECT), ["recall", "precision", "jaccard", "exact", "sequence", "lcs"], most=3)
    steps = range(4)
    assert curve(table, "recall", "add") == [1] * 4
    assert curve(table, "precision", "add") == pytest.approx([6 / (6 + k) for k in steps])
    assert curve(table, "recall", "drop") == pytest.approx([1 - k / 6 for k in steps])
    assert curve(table, "jaccard", "repeat") == pytest.approx([6 / (6 + k) for k in steps])
    assert curve(table, "jaccard", "swap") == [1] * 4
    assert curve(table, "sequence", "swap") == [1, 0, 0, 0]
    assert curve(table, "exact", "swap") == [1] * 4
    assert curve(table, "lcs", "swap") == pytest.approx([1 - k / 6 for k in steps])
    assert table.index.is_monotonic_increasing


def test_changed_arguments_cost_only_where_arguments_count():
    call = {"name": "a", "arguments": {"x": 1}}
    data = load([{"case": "x", "called": [call], "expected": [call]}])
    table = penalty_curve(data, ["recall", "recall.args"], edits=["change"], most=1)
    assert curve(table, "recall", "change") == [1, 1]
    assert curve(table, "recall.args", "change") == [1, 0]


def test_change_compares_the_same_cases_on_both_sides():
    # Two dropped calls are possible in one case only, and that case scores less from the start.
    data = load(
        [
            {"case": "x", "called": ["a"], "expected": ["a"]},
            {"case": "y", "called": ["b", "z"], "expected": ["b", "c"]},
        ]
    )
    table = penalty_curve(data, ["recall"], edits=["drop"], most=3).loc[("recall", "drop")]
    assert table["n"].to_list() == [2, 2, 1, 0]
    assert table.loc[2, ["mean", "change"]].to_list() == [0, -0.5]
    assert table.loc[3, ["mean", "change"]].isna().all()
    assert (table["n_total"] == 2).all()


def test_refusals():
    with pytest.raises(OptionError, match="most=0"):
        penalty_curve(load(PERFECT), most=0)
    with pytest.raises(OptionError, match="edits='remove'"):
        penalty_curve(load(PERFECT), edits=["remove"])
