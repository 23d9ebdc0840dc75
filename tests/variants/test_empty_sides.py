"""What the table of definitions says of empty sides is what is scored."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from tests.build import dataset
from toolcorrect.scoring import score, status
from toolcorrect.variants import variants

SIDES = ("empty_both", "empty_unexpected", "empty_uncalled")
TABLE = variants()
STATED = [name for name in TABLE.index if TABLE.loc[name, "empty_both"] != "formula"]


@pytest.fixture(scope="module")
def found() -> tuple[pd.DataFrame, pd.DataFrame]:
    call = {"name": "a", "arguments": {"x": 1}}
    data = dataset(([], []), ([call], []), ([], [call]))
    return score(data, variants=STATED), status(data, variants=STATED)


@pytest.mark.parametrize("name", STATED)
def test_the_table_says_what_is_scored(name: str, found: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    scores, told = (table[name].to_list() for table in found)
    for said, made, state in zip(TABLE.loc[name, list(SIDES)], scores, told):
        if isinstance(said, str) or math.isnan(said):
            assert math.isnan(made)
            assert state == (said if isinstance(said, str) else "undefined")
        else:
            assert (made, state) == (said, "ok")


def test_what_has_no_rule_for_empty_sides_says_so() -> None:
    by_formula = TABLE.index.difference(STATED)
    assert set(by_formula) >= {
        "agentarts.parameters",
        "bfcl.ast",
        "deepeval.permission",
        "deepeval.repetition",
        "reference.pass",
    }
    assert (TABLE.loc[by_formula, list(SIDES)] == "formula").all(axis=None)
