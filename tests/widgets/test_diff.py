"""What the diff puts into its state, and what it keeps out."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from toolcorrect.errors import DataError
from toolcorrect.widgets import Diff

SUMS = pd.DataFrame(
    {"score": [1.0, np.nan], "sum": ["2 of 2 expected found", ""], "status": ["ok", "called_unknown"]},
    index=pd.Index(["deepeval", "notebook.jaccard"], name="variant"),
)


def alignment(**columns: object) -> pd.DataFrame:
    base = {
        "kind": pd.Categorical(["matched", "missing", "extra", "arguments"]),
        "expected_position": pd.array([0, 1, None, 2], dtype="Int64"),
        "called_position": pd.array([0, None, 1, 2], dtype="Int64"),
        "tool_expected": pd.array(["find", "pay", None, "book"], dtype="string"),
        "tool_called": pd.array(["find", None, "look", "book"], dtype="string"),
        "arguments_expected": pd.array(["{}", None, None, '{"n": 1}'], dtype="string"),
        "arguments_called": pd.array(["{}", None, '{"q": 2}', '{"n": 2}'], dtype="string"),
        "differences": [[], [], [], [{"path": "n", "code": "value", "expected": 1, "called": "2"}]],
    }
    return pd.DataFrame({**base, **columns})


def test_each_side_and_each_difference_is_there() -> None:
    diff = Diff(alignment(), title="case-17", sums=SUMS)
    assert [pair["kind"] for pair in diff.pairs] == ["matched", "missing", "extra", "arguments"]
    assert diff.pairs[0]["expected"] == {"place": 1, "tool": "find", "arguments": "{}"}
    assert "called" not in diff.pairs[1]
    assert "expected" not in diff.pairs[2]
    assert diff.pairs[1]["expected"]["arguments"] == "arguments not known"
    assert diff.pairs[3]["differences"] == [{"path": "n", "code": "value", "expected": "1", "called": '"2"'}]
    assert diff.sums[0] == {"variant": "deepeval", "words": "2 of 2 expected found", "result": "1.00"}
    assert diff.sums[1]["result"] == "not scored: called unknown"


def test_hostile_text_is_visible_and_bounded() -> None:
    bad = "<img src=x onerror=alert(1)>\x1b[31m\u202e" + "y" * 10_000
    diff = Diff(alignment(tool_called=[bad] * 4, arguments_called=[bad] * 4), title=bad)
    assert "\\x1b[31m\\u202e" in diff.pairs[0]["called"]["tool"]
    assert diff.pairs[0]["called"]["arguments"].endswith("(10,034 characters)")
    assert len(json.dumps(diff.get_state()["pairs"])) < 30_000


def test_a_case_of_thousands_of_calls_stays_small() -> None:
    n = 3_000
    long = pd.DataFrame(
        {
            "kind": ["extra"] * n,
            "expected_position": pd.array([None] * n, dtype="Int64"),
            "called_position": range(n),
            "tool_expected": pd.array([None] * n, dtype="string"),
            "tool_called": ["search"] * n,
            "arguments_called": ["z" * 5_000] * n,
        }
    )
    diff = Diff(long)
    assert (len(diff.pairs), diff.left_out) == (100, 2_900)
    assert len(json.dumps(diff.pairs)) < 100_000


def test_many_differences_are_counted() -> None:
    many = [{"path": f"p{i}", "code": "missing", "expected": None, "called": None} for i in range(40)]
    diff = Diff(alignment(differences=[many, [], [], []]))
    assert len(diff.pairs[0]["differences"]) == 8
    assert diff.pairs[0]["more"] == 32
    assert diff.pairs[0]["differences"][0] == {"path": "p0", "code": "missing", "expected": "null", "called": ""}


def test_nothing_to_show_and_a_missing_column() -> None:
    assert Diff().pairs == []
    with pytest.raises(DataError, match="lacks kind, tool_called"):
        Diff(alignment().drop(columns=["kind", "tool_called"]))
