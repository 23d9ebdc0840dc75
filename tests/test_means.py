from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcorrect.errors import DataError, OptionError
from toolcorrect.statistics.aligning import sums_by
from toolcorrect.statistics.means import group_means, summarise

SCORES = st.lists(st.one_of(st.none(), st.sampled_from([0.0, 0.3, 0.5, 1.0])), min_size=1, max_size=20)


@given(SCORES, st.sampled_from(["leave_out", "zero"]))
@settings(max_examples=60, deadline=None)
def test_a_mean_never_hides_what_was_not_scored(values, missing):
    scores = pd.Series(values, dtype="float64", name="recall")
    row = summarise(scores, missing=missing, resamples=20).iloc[0]
    known = scores.dropna()
    expected = scores.fillna(0.0).mean() if missing == "zero" else known.mean()
    np.testing.assert_allclose(row["mean"], expected)
    assert (row["n_scored"], row["n_total"]) == (len(known), len(scores))
    assert row["coverage"] == pytest.approx(len(known) / len(scores))
    assert bool(row["note"]) == (row["coverage"] < 0.95)
    if len(known):
        assert row["mean_missing_as_zero"] == pytest.approx(scores.fillna(0).mean())
        assert not row["low"] > row["mean"] + 1e-9


def test_five_per_cent_unscored_is_the_border_of_the_warning():
    scores = pd.DataFrame({"a": [1.0] * 19 + [np.nan]})
    assert summarise(scores).note.item() == ""
    assert summarise(scores.iloc[2:]).note.item() == "6 % not scored"
    assert summarise(scores.iloc[2:], missing="zero").note.item() == "6 % not scored, counted as 0"


def test_nothing_scored_is_not_zero():
    row = summarise(pd.DataFrame({"a": [np.nan, np.nan]})).iloc[0]
    assert row[["mean", "low", "high"]].isna().all()
    assert row["mean_missing_as_zero"] == 0
    assert summarise(pd.DataFrame({"a": []}, dtype=float)).n_total.item() == 0


def test_group_means_are_pandas_means_and_groups_share_their_draws():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.random((60, 3)), columns=list("abc"))
    frame.iloc[::7, 1] = np.nan
    groups, tasks = np.tile([0, 1, -1], 20), np.repeat(np.arange(20), 3)
    found = group_means(frame, groups, 2, tasks, resamples=200)
    for group in range(2):
        np.testing.assert_allclose(found.mean[group], frame[groups == group].mean())
    assert found.cases.tolist() == [20, 20]
    # Both groups run the same tasks: what a task adds to both cancels in every resample.
    frame["shared"] = np.repeat(random.random(20) * 10, 3)
    same = group_means(frame[["shared"]], groups, 2, tasks, resamples=200).draws
    np.testing.assert_allclose(same[:, 0], same[:, 1])
    assert same[:, 0].std() > 0.1


@given(st.lists(st.integers(0, 5), max_size=30))
@settings(max_examples=50, deadline=None)
def test_sums_by_code(codes):
    array = np.array(codes, dtype=np.int64)
    values = np.arange(2.0 * len(array)).reshape(-1, 2)
    found = sums_by(array, values, 6)
    for code in range(6):
        np.testing.assert_allclose(found[code], values[array == code].sum(axis=0))


def test_refusals_are_one_clear_sentence():
    with pytest.raises(OptionError, match="missing='drop' is not known; choose one of 'leave_out', 'zero'"):
        summarise(pd.DataFrame({"a": [1.0]}), missing="drop")
    with pytest.raises(DataError, match="Scores must be numbers, but 'task' hold others"):
        summarise(pd.DataFrame({"a": [1.0], "task": ["x"]}))
    with pytest.raises(DataError, match="Cases without a task: y"):
        summarise(pd.DataFrame({"a": [1.0, 1.0]}, index=["x", "y"]), task=pd.Series({"x": "t", "y": None}))
    with pytest.raises(DataError, match="task has 1 values for 2 cases"):
        summarise(pd.DataFrame({"a": [1.0, 1.0]}), task=["t"])
    with pytest.raises(DataError, match="task shares no case"):
        summarise(pd.DataFrame({"a": [1.0]}, index=["x"]), task=pd.Series({"z": "t"}))
