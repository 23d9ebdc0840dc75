from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcorrect.statistics import correlating
from toolcorrect.statistics.correlating import average_ranks, kendall, spearman, tau_ap

LEVELS = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1e-300, 3.0])
PAIRS = st.lists(st.tuples(LEVELS, LEVELS), min_size=2, max_size=12)


def tau_b(x, y):
    """Count pair by pair."""
    x, y = list(map(float, x)), list(map(float, y))
    product = untied_x = untied_y = 0
    for i, j in itertools.combinations(range(len(x)), 2):
        a, b = (x[i] > x[j]) - (x[i] < x[j]), (y[i] > y[j]) - (y[i] < y[j])
        product, untied_x, untied_y = product + a * b, untied_x + abs(a), untied_y + abs(b)
    return product / np.sqrt(untied_x * untied_y) if untied_x and untied_y else np.nan


@given(PAIRS)
@settings(max_examples=100, deadline=None)
def test_kendall_is_tau_b(pairs):
    x, y = np.array(pairs).T
    np.testing.assert_allclose(kendall(np.column_stack([x, y]))[0, 1], tau_b(x, y), atol=1e-9)


def test_kendall_of_many_columns_at_once():
    values = np.random.default_rng(0).integers(0, 4, (30, 5)).astype(float)
    found = kendall(values)
    for i, j in itertools.product(range(5), range(5)):
        assert found[i, j] == pytest.approx(tau_b(values[:, i], values[:, j]))


def test_kendall_of_many_cases_is_estimated_within_its_stated_error():
    random = np.random.default_rng(0)
    # Above 1,414 cases; for a normal pair with correlation r, tau is 2 / pi * arcsin(r).
    x = random.normal(size=50_000)
    y = 0.6 * x + 0.8 * random.normal(size=len(x))
    assert kendall(np.column_stack([x, y]))[0, 1] == pytest.approx(2 / np.pi * np.arcsin(0.6), abs=0.01)


def test_drawn_pairs_never_pair_a_case_with_itself(monkeypatch):
    monkeypatch.setattr(correlating, "PAIRS", 20)
    monkeypatch.setattr(correlating, "_BLOCK", 10)
    for first, second in correlating._row_pairs(9, 0):
        assert (first != second).all()
        assert second.max() < 9


@given(st.lists(LEVELS, min_size=1, max_size=12))
@settings(max_examples=60, deadline=None)
def test_average_ranks(values):
    array = np.array(values)
    brute = [(array < v).sum() + ((array == v).sum() + 1) / 2 for v in array]
    np.testing.assert_allclose(average_ranks(array), brute)


def test_spearman_of_a_constant_or_of_one_case_is_not_known():
    found = spearman(np.column_stack([np.ones(3), np.arange(3.0)]))
    np.testing.assert_array_equal(np.isnan(found), [[True, True], [True, False]])
    assert np.isnan(spearman(np.ones((1, 2)))).all()


def test_tau_ap_punishes_a_swap_at_the_top_more():
    reference = np.arange(10.0, 0, -1)
    top, bottom = reference.copy(), reference.copy()
    top[[0, 1]], bottom[[8, 9]] = top[[1, 0]], bottom[[9, 8]]
    assert tau_ap(top, reference) < tau_ap(bottom, reference) < 1
    assert tau_ap(reference[::-1].copy(), reference) == -1
    # By hand: 2 / (n - 1) * sum of right above / above - 1.
    assert tau_ap(top, reference) == pytest.approx(2 / 9 * 8 - 1)


def test_tau_ap_counts_ties_one_half():
    assert tau_ap(np.array([1.0, 1.0]), np.array([2.0, 1.0])) == pytest.approx(0)
    assert np.isnan(tau_ap(np.array([1.0]), np.array([1.0])))
