from __future__ import annotations

import numpy as np

from toolcorrect.calibrating.nulls import null_scores
from toolcorrect.loaders import load

RUNS = [
    {"case": "both", "called": ["find", "book", "book"], "expected": ["book"]},
    {"case": "idle", "called": [], "expected": ["book"]},
    {"case": "unknown", "called": None, "expected": ["book"]},
    {"case": "other", "called": ["find"], "expected": []},
]


def test_null_rows_look_at_the_calls_alone():
    table = null_scores(load(RUNS).mark_effects(["book"]))
    assert table.loc["both"].to_list() == [-3, 1, -2, 0]
    assert table.loc["idle"].to_list() == [0, 0, 0, 1]
    assert table.loc["other"].to_list() == [-1, 0, 0, 0]
    assert table.loc["unknown"].isna().all()


def test_effects_that_nobody_marked_are_not_guessed():
    table = null_scores(load(RUNS))
    np.testing.assert_array_equal(table["null.any_effect"].isna(), [True, True, True, True])
    assert table.loc["both", "null.fewer_calls"] == -3
