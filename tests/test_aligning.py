from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from toolcorrect.errors import DataError
from toolcorrect.statistics.aligning import aligned, directions, group_codes, score_frame, task_codes
from toolcorrect.variants import registry

INDEX = pd.Index(["x", "y", "z"])


def test_a_series_is_matched_by_case_and_a_list_by_place():
    assert aligned(pd.Series({"z": 3, "x": 1, "y": 2}), INDEX, what="task").to_list() == [1, 2, 3]
    assert aligned([1, 2, 3], INDEX, what="task").to_list() == [1, 2, 3]
    assert aligned(pd.Series({"x": 1.0}), INDEX, what="outcome").isna().to_list() == [False, True, True]
    with pytest.raises(DataError, match="by names a case twice: x"):
        aligned(pd.Series([1, 2], index=["x", "x"]), INDEX, what="by")


def test_repeated_ids_are_fine_where_nothing_must_be_matched():
    index = pd.Index(["x", "x"])
    assert aligned(pd.Series([1, 2], index=index), index, what="task").to_list() == [1, 2]


def test_groups_are_in_order_and_unnamed_cases_in_none():
    codes, groups = group_codes(pd.Series(["b", None, "a"], index=INDEX, dtype="string"), INDEX)
    assert codes.tolist() == [1, -1, 0]
    assert groups.to_list() == ["a", "b"]
    assert task_codes(None, INDEX).tolist() == [0, 1, 2]
    assert task_codes(["t", "s", "t"], INDEX).tolist() == [0, 1, 0]


def test_scores_without_any_value_stay_unscored():
    assert np.isnan(score_frame(pd.DataFrame({"a": [None]}))).all(axis=None)
    with pytest.raises(DataError, match="Score columns repeat: a"):
        score_frame(pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]))
    assert score_frame(pd.DataFrame({"a": [True, False]})).a.to_list() == [1.0, 0.0]


def test_directions_are_those_of_the_registry():
    lower = [name for name, variant in registry().items() if variant.better == "lower"]
    every = directions(pd.Index([*registry(), "unknown"]))
    assert (every < 0).sum() == len(lower)
    assert every[-1] == 1
