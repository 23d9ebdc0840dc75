from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcorrect.errors import OptionError
from toolcorrect.statistics import resampling
from toolcorrect.statistics.means import summarise
from toolcorrect.statistics.resampling import interval, resampled_totals, wilson


def test_every_resample_draws_as_many_tasks_as_there_are():
    (total,) = resampled_totals([(None, np.ones((7, 2)))], 7, resamples=50, seed=1)
    assert (total == 7).all()


def test_parts_share_their_draws_and_rows_pick_tasks():
    sums = np.arange(6.0)[:, None]
    rows = np.array([1, 4])
    whole, part, rest = resampled_totals(
        [(None, sums), (rows, sums[rows]), (np.array([0, 2, 3, 5]), sums[[0, 2, 3, 5]])], 6, resamples=40, seed=3
    )
    np.testing.assert_allclose(whole, part + rest)
    assert np.unique(whole).size > 10


@given(st.integers(1, 30), st.integers(1, 40))
@settings(max_examples=30, deadline=None)
def test_blocks_of_resamples_change_the_memory_not_the_law(tasks, resamples):
    values = np.random.default_rng(0).random((tasks, 3))
    before = resampling._BLOCK
    resampling._BLOCK = 16
    try:
        (small,) = resampled_totals([(None, values)], tasks, resamples=resamples, seed=5)
        (again,) = resampled_totals([(None, values)], tasks, resamples=resamples, seed=5)
    finally:
        resampling._BLOCK = before
    np.testing.assert_array_equal(small, again)
    assert (small >= tasks * values.min() - 1e-9).all()
    assert (small <= tasks * values.max() + 1e-9).all()


def test_bundles_of_tasks_have_the_law_of_tasks(monkeypatch):
    # Groups of unequal size and different spread, bundled ten to one.
    random = np.random.default_rng(1)
    values = np.column_stack([random.exponential(size=8000), random.random(8000) < 0.03])
    rows = np.flatnonzero(random.random(8000) < 0.4)
    parts = [(None, values), (rows, values[rows])]
    monkeypatch.setattr(resampling, "BUNDLES", 8000)
    whole = resampled_totals(parts, 8000, resamples=1500, seed=0)
    monkeypatch.setattr(resampling, "BUNDLES", 800)
    bundled = resampled_totals(parts, 8000, resamples=1500, seed=0)
    for plain, coarse in zip(whole, bundled):
        np.testing.assert_allclose(coarse.mean(axis=0), plain.mean(axis=0), rtol=0.01)
        np.testing.assert_allclose(coarse.std(axis=0), plain.std(axis=0), rtol=0.1)


def test_resampled_means_have_the_mean_and_variance_of_the_bootstrap():
    values = np.random.default_rng(2).random((25, 1))
    (total,) = resampled_totals([(None, values)], 25, resamples=20_000, seed=0)
    means = total / 25
    assert means.mean() == pytest.approx(values.mean(), abs=0.002)
    assert means.var() == pytest.approx(values.var() / 25, rel=0.05)


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.7062), (2, 4.3027), (3, 3.1824), (5, 2.5706), (10, 2.2281), (30, 2.0423)]
)
def test_student_quantiles(freedom, quantile):
    assert resampling._student_quantile(0.975, freedom) == pytest.approx(
        quantile, rel=0.01 if freedom == 3 else 0.002
    )


def test_interval_leaves_out_draws_that_are_nan_and_needs_two_tasks():
    draws = np.array([[0.0, np.nan], [1.0, np.nan], [np.nan, np.nan]])
    low, high = interval(draws, level=0.5)
    assert (low[0], high[0]) == (0.25, 0.75)
    assert np.isnan([low[1], high[1]]).all()
    assert np.isnan(interval(draws, units=1)[0]).all()


def test_few_tasks_widen_the_interval():
    draws = np.random.default_rng(0).normal(size=(2000, 1))
    narrow, wide = interval(draws, units=1000), interval(draws, units=5)
    assert wide[0] < narrow[0]
    assert wide[1] > narrow[1]


def test_options_are_checked():
    with pytest.raises(OptionError, match="level=95"):
        interval(np.zeros((3, 1)), level=95)
    with pytest.raises(OptionError, match="resamples=0"):
        resampled_totals([], 3, resamples=0, seed=0)


def test_wilson_of_nothing_is_not_known():
    assert np.isnan(wilson(0, 0)[0])
    low, high = wilson(np.array([0, 5]), np.array([5, 5]))
    assert low[0] == pytest.approx(0)
    assert high[1] == pytest.approx(1)


@pytest.mark.parametrize("tasks", [12, 40])
def test_intervals_cover_the_true_mean_at_their_rate(tasks):
    # 2,000 repetitions, each a column: 3 trials a task that share the task's difficulty. The true mean is 0.
    # Binomial error of 2,000 repetitions is 0.5 points; 1.5 points either side are allowed.
    random = np.random.default_rng(11)
    difficulty = np.repeat(random.normal(size=(tasks, 2000)), 3, axis=0)
    scores = pd.DataFrame(difficulty + random.normal(size=difficulty.shape))
    found = summarise(scores, task=np.repeat(np.arange(tasks), 3), seed=1)
    covered = ((found["low"] <= 0) & (found["high"] >= 0)).mean()
    assert covered == pytest.approx(0.95, abs=0.015)
    # Taking the trials for independent tasks would promise too much.
    naive = summarise(scores, seed=1)
    assert ((naive["low"] <= 0) & (naive["high"] >= 0)).mean() < 0.9
