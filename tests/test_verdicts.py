from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcorrect.calibrating.verdicts import BOXES, calibration_bins, four_boxes

ROWS = st.lists(
    st.tuples(
        st.one_of(st.none(), st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])), st.sampled_from([0.0, 1.0, np.nan])
    ),
    min_size=1,
    max_size=30,
)


@given(ROWS, st.integers(1, 8))
@settings(max_examples=80, deadline=None)
def test_bins_hold_every_case_once_and_equal_scores_together(rows, bins):
    scores, outcome = pd.Series([r[0] for r in rows], dtype=float, name="a"), pd.Series([r[1] for r in rows])
    table = calibration_bins(scores, outcome, bins=bins)
    known = scores.notna() & outcome.notna()
    assert table["n"].sum() == known.sum()
    assert len(table) <= bins
    if len(table):
        assert (table["solved"] * table["n"]).sum() == np.float64(outcome[known].sum())
        assert (table["highest"].to_numpy()[:-1] < table["lowest"].to_numpy()[1:]).all()
        assert ((table["low"] <= table["solved"]) & (table["solved"] <= table["high"])).all()


@given(ROWS)
@settings(max_examples=50, deadline=None)
def test_each_known_case_has_one_box(rows):
    scores, outcome = pd.DataFrame({"a": [r[0] for r in rows]}, dtype=float), pd.Series([r[1] for r in rows])
    boxes = four_boxes(scores, outcome).a
    assert list(boxes.cat.categories) == list(BOXES)
    for score, happened, box in zip(scores.a, outcome, boxes):
        if np.isnan(score) or np.isnan(happened):
            assert pd.isna(box)
        else:
            assert box == f"{'solved' if happened else 'unsolved'}_{'passed' if score >= 0.5 else 'failed'}"
