from __future__ import annotations

from decimal import Decimal

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcorrect.statistics.thresholds import passes, verdict


@given(st.floats(0, 1), st.sampled_from([0.1, 0.5, 0.8, 1.0]))
@settings(max_examples=100, deadline=None)
def test_the_text_never_contradicts_the_decision(score, threshold):
    text = verdict(score, threshold)
    left, sign, right = text.split()
    passed = bool(passes(pd.Series([score]), threshold).iloc[0])
    assert sign == (">=" if passed else "<")
    if not passed:
        assert Decimal(left) < Decimal(right)


def test_an_unscored_case_neither_passes_nor_fails():
    assert passes(pd.Series([None, 1.0], dtype=float), 0.5).isna().to_list() == [True, False]
    assert verdict(float("nan"), 0.5) == "not scored (threshold 0.50)"
