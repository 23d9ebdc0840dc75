from __future__ import annotations

import json

import numpy as np
import pandas as pd

from toolcorrect.dataset import Dataset
from toolcorrect.explaining.one_case import explain
from toolcorrect.scoring import score
from toolcorrect.variants.checks import VARIANTS

SCHEMA = json.dumps({"properties": {"day": {"type": "string", "format": "date"}}, "required": ["day"]})


def data() -> Dataset:
    good, bad = '{"day": "2031-04-09"}', '{"day": "soon"}'
    calls = pd.DataFrame({"case": ["x", "y", "y", "z"], "tool": ["book", "book", "pay", "book"]})
    calls["arguments"] = [good, bad, good, good]
    expected = pd.DataFrame(
        {
            "case": ["x", "x", "y", "z"],
            "reference": [0, 1, 0, 0],
            "tool": ["pay", "book", "book", "book"],
            "arguments": [good, '{"day": {"$match": {"format": "date"}}}', bad, bad],
        }
    )
    return Dataset(
        pd.DataFrame({"references": [2, 1, 1]}, index=["x", "y", "z"]),
        calls,
        expected,
        pd.DataFrame({"rule": ["forbid"], "tool": ["pay"]}),
        pd.DataFrame({"tool": ["book", "pay"], "parameters": [SCHEMA, SCHEMA]}),
    )


def test_scores_stand_beside_the_others() -> None:
    found = score(data(), variants=VARIANTS)
    assert found.loc["x"].to_list() == [1.0, 1.0, 1.0, 1.0]
    assert found.loc["y"].to_list() == [0.0, 0.5, 1.0, 0.0]
    assert found.loc["z"].to_list() == [1.0, 1.0, 1.0, 0.0]


def test_each_score_comes_with_its_reason() -> None:
    sums = explain(data(), "y", variants=VARIANTS).sums["sum"]
    assert sums["agentarts.parameters"] == 'Calls that fail, 1 of 2: book: day: "soon" is not a "date".'
    assert sums["reference.pass"] == "pay is forbidden and was called once"
    assert explain(data(), "z", variants=VARIANTS).sums["sum"]["reference.pass"] == "book is missing"


def test_without_schemas_and_rules_only_the_reference_speaks() -> None:
    bare = data().replace(rules=pd.DataFrame(), tools=pd.DataFrame())
    found = score(bare, variants=VARIANTS)
    assert found[["agentarts.parameters", "deepeval.permission"]].isna().all(axis=None)
    assert np.array_equal(found["reference.pass"], [1.0, 1.0, 0.0])
