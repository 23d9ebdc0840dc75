from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from toolcorrect.calibrating.discriminating import discrimination, pair_counts

CASES = st.lists(
    st.tuples(
        st.sampled_from([0.0, 0.2, 0.5, 1.0, math.nan]), st.booleans(), st.integers(0, 3), st.sampled_from([1.0, 2.5])
    ),
    min_size=1,
    max_size=25,
)


def slow_auc(score, solved, stratum, weight):
    """Look at every pair of a solved and an unsolved case of one stratum."""
    right = pairs = 0.0
    for i in range(len(score)):
        for j in range(len(score)):
            if solved[i] and not solved[j] and stratum[i] == stratum[j] >= 0:
                if math.isnan(score[i]) or math.isnan(score[j]):
                    continue
                both = weight[i] * weight[j]
                pairs += both
                right += both * (1.0 if score[i] > score[j] else 0.5 if score[i] == score[j] else 0.0)
    return right, pairs


@given(CASES)
@settings(max_examples=100, deadline=None)
def test_auc_is_the_share_of_rightly_ordered_pairs(cases):
    score, solved, task, weight = (np.array(column) for column in zip(*cases))
    for stratum in (np.zeros(len(task), dtype=np.int64), task, np.where(task > 1, -1, task)):
        found = discrimination(score[:, None], solved, task, stratum=stratum, weight=weight, resamples=5)
        right, pairs = slow_auc(score, solved, stratum, weight)
        assert found.pairs.item() == pytest.approx(pairs)
        np.testing.assert_allclose(found.auc.item(), right / pairs if pairs else np.nan, atol=1e-9)


@pytest.mark.parametrize("levels", [2, 5, 1000, None])
def test_pooled_auc_is_that_of_scikit_learn(levels):
    random = np.random.default_rng(levels)
    n = 3000
    solved = random.random(n) < 0.3
    values = random.random((n, 4)) + 0.2 * solved[:, None]
    if levels:
        values = np.floor(values * levels) / levels
    found = discrimination(values, solved, np.arange(n), stratum=np.zeros(n, dtype=np.int64), resamples=1)
    for column, auc in zip(values.T, found.auc):
        assert auc == pytest.approx(roc_auc_score(solved, column), abs=1e-9)


def test_each_pair_is_counted_from_both_ends():
    random = np.random.default_rng(1)
    solved = random.random(50) < 0.5
    reached, possible = pair_counts(random.random(50), solved, np.ones(50), np.zeros(50, dtype=np.int64))
    assert reached[solved].sum() == pytest.approx(reached[~solved].sum())
    assert possible.sum() == 2 * solved.sum() * (~solved).sum()


def test_resamples_of_the_pooled_auc_follow_the_exact_ones():
    # The linear expansion against a bootstrap that computes each AUC anew.
    random = np.random.default_rng(4)
    tasks = np.repeat(np.arange(50), 4)
    solved = random.random(200) < np.repeat(random.random(50), 4)
    score = random.normal(size=200) + solved + np.repeat(random.normal(size=50), 4)
    found = discrimination(score[:, None], solved, tasks, stratum=np.zeros(200, dtype=np.int64), resamples=1000)
    exact = []
    for _ in range(1000):
        rows = (random.integers(50, size=50)[:, None] * 4 + np.arange(4)).ravel()
        exact.append(roc_auc_score(solved[rows], score[rows]))
    assert found.draws.std() == pytest.approx(np.std(exact), rel=0.08)
    assert found.draws.mean() == pytest.approx(np.mean(exact), abs=0.004)


def normal_cdf(value):
    return 0.5 * (1 + math.erf(value / math.sqrt(2)))


@pytest.mark.parametrize("strata", ["pooled", "within"])
def test_intervals_cover_the_true_auc_at_their_rate(strata):
    # 2,000 repetitions: 20 draws of outcomes, 100 columns of scores each. 50 tasks, 4 runs a task.
    # Binomial error is 0.5 points; 2 points either side are allowed.
    random = np.random.default_rng(7)
    tasks = np.repeat(np.arange(50), 4)
    same_task = tasks[:, None] == tasks[None, :]
    covered = []
    for repetition in range(20):
        solved = random.random(200) < np.repeat(random.beta(1, 1, size=50), 4)
        difficulty = np.repeat(random.normal(size=(50, 100)), 4, axis=0)
        scores = 0.8 * solved[:, None] + random.normal(size=(200, 100)) + difficulty
        # The difference of two runs has variance 2 in one task, 4 across tasks.
        inside, across = normal_cdf(0.8 / math.sqrt(2)), normal_cdf(0.8 / 2)
        share = same_task[np.ix_(solved, ~solved)].mean()
        truth = inside if strata == "within" else share * inside + (1 - share) * across
        stratum = tasks if strata == "within" else np.zeros(200, dtype=np.int64)
        found = discrimination(scores, solved, tasks, stratum=stratum, seed=repetition)
        covered.append((found.low <= truth) & (truth <= found.high))
    assert np.mean(covered) == pytest.approx(0.95, abs=0.02)
