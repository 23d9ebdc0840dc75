from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcorrect.comparing.paired import compare_runs, failures, mcnemar
from toolcorrect.errors import DataError, OptionError, UnknownNameError


@given(st.integers(0, 60), st.integers(0, 60))
@settings(max_examples=80, deadline=None)
def test_mcnemar_is_the_exact_binomial_test(a, b):
    tail = sum(math.comb(a + b, i) for i in range(min(a, b) + 1)) / 2 ** (a + b)
    assert mcnemar(a, b) == pytest.approx(min(1.0, 2 * tail))


def test_mcnemar_of_many_flips_does_not_overflow():
    assert 0 < mcnemar(5200, 4800) < 1e-4


def frame(values, **other):
    return pd.DataFrame({"v": values, **other}, index=[f"c{i}" for i in range(len(values))]).astype(float)


def test_a_difference_is_that_of_shared_tasks_only():
    a, b = frame([1, 0, 1, 0, 1]), frame([0, 0, 0, 0]).iloc[1:]
    b.loc["new"] = 1.0
    found = compare_runs(a, b, names=("old", "new run"))
    row = found.table.loc["v"]
    assert (row["n_paired"], row["mean_a"], row["mean_b"]) == (3, pytest.approx(1 / 3), 0)
    assert found.unshared.to_dict("list") == {"task": ["c0", "c4", "new"], "only_in": ["old", "old", "new run"]}
    assert str(found).endswith("Not compared: 2 only in old, 1 only in new run.")


def test_the_order_of_the_cases_does_not_matter():
    a = frame(np.random.default_rng(0).random(30))
    b = a.sample(frac=1, random_state=2)
    row = compare_runs(a, b).table.loc["v"]
    assert (row["difference"], row["changed"]) == (0, 0)
    assert row["sentence"] == "A and B score the same on each of 30 shared tasks."


def test_pairing_sees_what_two_separate_means_would_not():
    random = np.random.default_rng(1)
    a = frame(random.random(42))
    better = compare_runs(a, a + 0.06 + random.normal(size=(42, 1)) / 50).table.loc["v"]
    assert better["sentence"].startswith("B is better by 0.06 (0.05 to 0.0")
    assert better["beyond_noise"]
    unclear = compare_runs(a, a + random.normal(size=(42, 1)) / 5).table.loc["v"]
    assert unclear["sentence"].startswith("42 shared tasks cannot tell them apart (difference ")
    worse = compare_runs(a, a - 0.3 + random.normal(size=(42, 1)) / 50).table.loc["v"]
    assert worse["sentence"].startswith("A is better by 0.30 (0.30 to 0.31)")


def test_five_flips_one_way_are_not_enough():
    # All in one direction, and the interval of the mean excludes 0; but so would one toss in sixteen.
    a, b = frame([1] * 5 + [0] * 15), frame([0] * 20)
    row = compare_runs(a, b).table.loc["v"]
    assert row["high"] < 0
    assert (row["changed"], row["p"], row["beyond_noise"]) == (5, 0.0625, False)
    six = compare_runs(frame([1] * 6 + [0] * 14), b).table.loc["v"]
    assert (six["beyond_noise"], six["p"]) == (True, pytest.approx(0.03125))


def test_trials_of_a_task_are_averaged_and_make_no_mcnemar_test():
    a, b = frame([1, 0, 1, 1]), frame([1, 1])
    found = compare_runs(a, b, task_a=["s", "s", "t", "t"], task_b=["s", "t"])
    row = found.table.loc["v"]
    assert (row["mean_a"], row["rate_a"], row["n_paired"]) == (0.75, 0.75, 2)
    assert np.isnan(row["p"])
    assert "Several runs a task" in found.note
    assert found.tasks.loc[("v", "s"), ["a", "b", "difference"]].to_list() == [0.5, 1, 0.5]


def test_unscored_cases_are_left_out_or_zero_but_never_hidden():
    a, b = frame([1.0] * 10), frame([1.0] * 8 + [np.nan] * 2)
    left_out, zero = compare_runs(a, b).table.loc["v"], compare_runs(a, b, missing="zero").table.loc["v"]
    assert (left_out["n_paired"], left_out["mean_b"], left_out["note"]) == (8, 1, "20 % not scored")
    assert (zero["n_paired"], zero["mean_b"], zero["a_only"]) == (10, 0.8, 2)


def test_many_variants_at_once_get_a_note_and_holm():
    random = np.random.default_rng(0)
    a = pd.DataFrame((random.random((60, 10)) < 0.5) * 1.0).rename(columns=str)
    b = a.copy()
    b.loc[:8, "0"] = 1 - b.loc[:8, "0"]
    found = compare_runs(a, b)
    assert found.note.startswith("10 variants at once: by chance alone about 0.5 would seem to differ")
    assert (found.table["p_adjusted"] >= found.table["p"]).all()
    assert found.table.loc["0", "p_adjusted"] == pytest.approx(min(1, 10 * found.table.loc["0", "p"]))


def test_intervals_of_a_difference_cover_the_truth():
    # 2,000 repetitions as columns, 40 shared tasks; binomial error 0.5 points, 1.5 allowed.
    random = np.random.default_rng(5)
    easy = random.normal(size=(40, 2000))
    a = pd.DataFrame(easy + random.normal(size=easy.shape))
    b = pd.DataFrame(easy + 0.3 + random.normal(size=easy.shape))
    table = compare_runs(a, b).table
    assert ((table["low"] <= 0.3) & (table["high"] >= 0.3)).mean() == pytest.approx(0.95, abs=0.015)


def test_no_shared_ground_is_refused():
    with pytest.raises(DataError, match="share no variant"):
        compare_runs(frame([1.0]), frame([1.0]).rename(columns={"v": "w"}))
    with pytest.raises(DataError, match="share no task"):
        compare_runs(frame([1.0]), frame([1.0]).rename(index={"c0": "d"}))


def test_gate_for_continuous_integration():
    a, b = frame([1.0] * 20, w=0.5), frame([0.5] * 20, w=0.5)
    found = compare_runs(a, b)
    assert failures(found).empty
    assert failures(found, fail_under=0.5).empty
    assert failures(found, fail_under={"v": 0.51})["sentence"].to_list() == ["v: 0.50 < 0.51."]
    drops = failures(found, fail_on_drop=0.0)
    assert drops["variant"].to_list() == ["v"]
    assert drops["value"].item() == pytest.approx(0.5)
    assert failures(found, fail_on_drop=0.5).empty
    # The mean of ten times 0.1 is 0.1.
    assert failures(compare_runs(frame([0.1] * 10), frame([0.1] * 10)), fail_under=0.1).empty


def test_a_drop_within_noise_does_not_fail_the_gate():
    a = frame([1, 0] * 10)
    assert failures(compare_runs(a, frame([0, 0, 1] + [1, 0, 0] * 5 + [1, 0])), fail_on_drop=0.0).empty


def test_what_was_not_scored_fails_the_gate():
    a, b = frame([1.0, 1.0]), frame([np.nan, np.nan])
    found = failures(compare_runs(a, b), fail_under=0.0, fail_on_drop=0.0)
    assert found["rule"].to_list() == ["fail_under", "fail_on_drop"]
    assert found["sentence"].to_list()[0] == "v: not scored (threshold 0.00)."


def test_where_lower_is_better_a_rise_fails(monkeypatch):
    monkeypatch.setattr("toolcorrect.comparing.paired.directions", lambda names: -np.ones(len(names)))
    found = compare_runs(frame([0.1] * 8), frame([0.4] * 8))
    assert found.table.loc["v", "sentence"].startswith("A is better by 0.30")
    assert failures(found, fail_on_drop=0.1)["value"].item() == pytest.approx(0.3)
    assert failures(found, fail_under=0.3)["sentence"].item() == "v: 0.4 > 0.3."
    assert failures(found, fail_under=0.4).empty


def test_gate_options_are_checked():
    found = compare_runs(frame([1.0]), frame([1.0]))
    with pytest.raises(OptionError, match="fail_on_drop=-1"):
        failures(found, fail_on_drop=-1)
    with pytest.raises(UnknownNameError, match="no compared variant 'x'"):
        failures(found, fail_under={"x": 1.0})
