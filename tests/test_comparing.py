from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcorrect.comparing.agreeing import agreement, families, inclusion
from toolcorrect.errors import OptionError

CELL = st.one_of(st.just(np.nan), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
FRAMES = (
    st.integers(1, 5)
    .flatmap(lambda width: st.lists(st.lists(CELL, min_size=width, max_size=width), min_size=1, max_size=12))
    .map(lambda rows: pd.DataFrame(rows, dtype=float).rename(columns=lambda i: f"v{i}"))
)


@given(FRAMES)
@settings(max_examples=80, deadline=None)
def test_each_pair_is_compared_on_the_cases_both_score(frame):
    table = agreement(frame, threshold=0.5)
    assert len(table) == frame.shape[1] ** 2
    for (a, b), row in table.iterrows():
        both = frame[[a, b]].set_axis(["a", "b"], axis=1).dropna()
        assert row["n"] == len(both)
        if not len(both):
            assert row[["kendall", "spearman", "same_verdict", "mean_gap"]].isna().all()
            continue
        assert row["mean_gap"] == pytest.approx((both.a - both.b).abs().mean())
        assert row["same_verdict"] == pytest.approx(((both.a >= 0.5) == (both.b >= 0.5)).mean())
        for method in ("kendall", "spearman"):
            constant = both.a.nunique() == 1 or both.b.nunique() == 1
            expected = np.nan if constant else both.a.corr(both.b, method=method)
            np.testing.assert_allclose(row[method], expected, atol=1e-9)


@given(FRAMES)
@settings(max_examples=60, deadline=None)
def test_families_hold_every_variant_and_order_them_all(frame):
    table = families(frame, measure="mean_gap")
    assert sorted(table["order"]) == list(range(frame.shape[1]))
    sizes = table["family"].value_counts().sort_index()
    assert sizes.index.to_list() == list(range(1, len(sizes) + 1))
    assert sizes.is_monotonic_decreasing
    # The members of a family stand side by side.
    ordered = table.sort_values("order")["family"]
    assert (ordered != ordered.shift()).sum() == len(sizes)


def test_families_of_noisy_copies():
    random = np.random.default_rng(0)
    cores = random.random((300, 3))
    frame = pd.DataFrame(
        {f"{'xyz'[k]}{i}": cores[:, k] + random.normal(size=300) / 60 for i in range(4) for k in range(3)}
    )
    table = families(frame)
    assert table["family"].nunique() == 3
    for name, row in table.iterrows():
        assert row["nearest"][0] == name[0]
        assert row["nearest_distance"] < 0.1
    assert families(frame, distance=2.0)["family"].nunique() == 1
    assert families(frame, distance=0.0)["family"].nunique() == 12


def test_average_linkage_takes_the_mean_distance():
    # a-b 0.1; c is 0.3 from a and 0.5 from b: on average 0.4.
    frame = pd.DataFrame({"a": [0.0], "b": [-0.1], "c": [0.3]})
    gaps = agreement(frame)["mean_gap"].unstack()
    assert gaps.loc["a", "c"] == pytest.approx(0.3)
    assert families(frame, measure="mean_gap", distance=0.34)["family"].to_list() == [1, 1, 2]
    assert families(frame, measure="mean_gap", distance=0.36)["family"].to_list() == [1, 1, 1]


@given(FRAMES)
@settings(max_examples=60, deadline=None)
def test_inclusion_counts_exceptions(frame):
    for (a, b), row in inclusion(frame, threshold=0.5).iterrows():
        both = frame[[a, b]].set_axis(["a", "b"], axis=1).dropna() >= 0.5
        assert (row["n"], row["passed"], row["exceptions"]) == (len(both), both.a.sum(), (both.a & ~both.b).sum())
        np.testing.assert_allclose(row["inside"], both.b[both.a].mean() if both.a.any() else np.nan)
        chance = both.a.mean() * (1 - both.b.mean()) if len(both) else 0
        expected = 1 - (both.a & ~both.b).mean() / chance if chance else np.nan
        np.testing.assert_allclose(row["h"], expected, atol=1e-9)


def test_one_variant_and_none():
    assert families(pd.DataFrame({"a": [0.5, 1.0]})).iloc[0].to_dict() == {
        "family": 1,
        "order": 0,
        "nearest": None,
        "nearest_distance": pytest.approx(np.nan, nan_ok=True),
    }
    assert agreement(pd.DataFrame(index=["x"])).empty
    assert families(pd.DataFrame(index=["x"])).empty


def test_refusals():
    with pytest.raises(OptionError, match="measure='tau' is not known"):
        families(pd.DataFrame({"a": [1.0]}), measure="tau")
    with pytest.raises(OptionError, match="501 variants are too many"):
        families(pd.DataFrame(np.zeros((1, 501))).rename(columns=str))
