from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tau_runs import tau_gpt_4o
from toolcorrect.calibrating.trials import pass_at_k, pass_hat_k, pass_hat_k_power, repeated
from toolcorrect.errors import DataError, OptionError


@given(st.integers(0, 12), st.data(), st.integers(1, 6))
@settings(max_examples=80, deadline=None)
def test_estimates_are_the_share_of_draws_without_replacement(n, data, k):
    c = data.draw(st.integers(0, n))
    draws = list(itertools.combinations([True] * c + [False] * (n - c), k))
    if n < k:
        assert np.isnan(pass_at_k(n, c, k))
        assert np.isnan(pass_hat_k(n, c, k))
    else:
        assert pass_at_k(n, c, k) == pytest.approx(np.mean([any(d) for d in draws]))
        assert pass_hat_k(n, c, k) == pytest.approx(np.mean([all(d) for d in draws]))
    if n:
        assert pass_hat_k_power(n, c, k) == pytest.approx((c / n) ** k)


def test_many_trials_do_not_overflow():
    found = pass_hat_k([2000], [1900], 500).item()
    assert found == pytest.approx(math.exp(sum(math.log((1900 - i) / (2000 - i)) for i in range(500))))


def test_an_unscored_run_is_no_failed_trial():
    scores = pd.DataFrame({"v": [1.0, 1.0, np.nan, 1.0, 0.0, 0.0]})
    found = repeated(scores, list("aaabbb"))
    assert found.tasks.loc[("v", "a"), ["n", "passed", "flaky"]].to_list() == [2, 2, False]
    assert found.summary.loc["v", "note"].startswith("1 runs not scored and not counted as trials")
    assert found.by_k.loc[("v", 3), "tasks_used"] == 1
    assert found.flaky("v") == ["b"]


def test_trials_of_two_agents_in_one_frame_are_refused():
    with pytest.raises(DataError, match="Task t has trial 0 more than once; select one agent's runs"):
        repeated(pd.DataFrame({"v": [1.0, 0.0]}), ["t", "t"], [0, 0])
    with pytest.raises(OptionError, match="k=0"):
        repeated(pd.DataFrame({"v": [1.0]}), ["t"], k=[0])


def test_one_run_a_task_says_nothing_of_reliability():
    assert repeated(pd.DataFrame({"v": [1.0, 0.0]}), ["t", "u"]).summary.loc["v", "note"].startswith("one run a task")


def test_a_graded_score_passes_at_the_threshold():
    found = repeated(pd.DataFrame({"v": [0.5, 0.7]}), ["t", "t"], threshold=0.5)
    assert found.summary.loc["v", ["rate", "flaky"]].to_list() == [1, 0]
    assert found.summary.loc["v", "spread"] == pytest.approx(np.std([0.5, 0.7], ddof=1))


def test_intervals_of_reliability_cover_the_truth():
    # pass^2 of tasks with uniform ability is the mean of p squared: 1/3. 2,000 repetitions as columns; the binomial
    # error is 0.5 points, 2 are allowed.
    random = np.random.default_rng(3)
    ability = np.repeat(random.random((60, 2000)), 4, axis=0)
    scores = pd.DataFrame((random.random(ability.shape) < ability) * 1.0)
    table = repeated(scores, np.repeat(np.arange(60), 4), k=[2]).by_k
    assert table["pass_hat_k"].mean() == pytest.approx(1 / 3, abs=0.005)
    assert table["pass_hat_k_power"].mean() > 0.35
    assert ((table["low"] <= 1 / 3) & (table["high"] >= 1 / 3)).mean() == pytest.approx(0.95, abs=0.02)


def test_public_runs_give_the_published_figures():
    cases = tau_gpt_4o().cases
    found = repeated(cases[["outcome"]], cases.task, cases.trial)
    assert found.by_k["pass_hat_k"].round(3).to_list() == [0.42, 0.273, 0.22, 0.2]
    assert found.by_k.index.to_list() == [("outcome", k) for k in (1, 2, 3, 4)]
    assert found.by_k["tasks_used"].to_list() == [50] * 4
    assert found.summary.loc["outcome", ["fewest_trials", "most_trials", "flaky"]].to_list() == [4, 4, 26]
