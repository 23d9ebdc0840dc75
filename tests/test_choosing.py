from __future__ import annotations

import pytest

from toolcorrect.comparing.choosing import choices, specifications
from toolcorrect.errors import DataError
from toolcorrect.loaders import load
from toolcorrect.scoring import score


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


def test_every_combination_is_scored_once_and_as_the_plain_variants_do():
    data = load(
        [
            {"case": "x", "called": [call("a", x=1), call("b")], "expected": [call("b"), call("a", x=1)]},
            {"case": "y", "called": [call("a", x=2), call("a")], "expected": [call("a", x=1)]},
        ]
    ).mark_effects(["a"])
    table = specifications(data)
    axes = ["scope", "names", "arguments", "matching", "formula", "empty"]
    assert len(table) == 2 * 2 * 2 * 3 * 5 * 3 == len(table[axes].drop_duplicates())
    assert table["mean"].is_monotonic_increasing
    found = table.set_index(axes)["mean"]
    for variant, point in {
        "recall": ("ignored", "multiset", "recall"),
        "jaccard.set.args": ("json", "set", "jaccard"),
        "sequence": ("ignored", "sequence", "equal"),
        "precision.args": ("json", "multiset", "precision"),
    }.items():
        for scope in ("assistant", "effect"):
            expected = score(data, variants=variant, scope=scope).mean().item()
            assert found[(scope, "exact", *point, "skip")] == pytest.approx(expected)


def test_the_axis_that_matters_has_the_share():
    # Right tools, wrong arguments: only the axis arguments matters.
    data = load([{"case": f"c{i}", "called": [call("a", x=1)], "expected": [call("a", x=2)]} for i in range(3)])
    table = choices(data)
    assert table.index[0] == "arguments"
    assert table.loc["arguments", ["share", "lowest", "highest", "range"]].to_list() == [1, "json", "ignored", 1]
    assert table["share"].sum() == pytest.approx(1)
    assert "scope" not in table.index


def test_only_names_that_differ_in_form_make_the_axis_names_matter():
    data = load([{"case": "x", "called": ["getOrder"], "expected": ["get_order"]}])
    assert choices(data).loc["names", ["share", "highest"]].to_list() == [1, "loose"]


def test_shares_add_up_with_what_only_combinations_explain():
    data = load(
        [
            {"case": "x", "called": [call("a", x=1), call("b"), call("b")], "expected": [call("a", x=2), call("b")]},
            {"case": "y", "called": [], "expected": []},
            {"case": "z", "called": [call("c"), call("b")], "expected": [call("b"), call("c")]},
        ]
    )
    table = choices(data)
    assert table["share"].sum() == pytest.approx(1)
    assert (table["share"] >= 0).all()
    assert table.loc["together", "share"] > 0
    assert table.loc["empty", "range"] > 0


def test_nothing_scored_is_refused():
    with pytest.raises(DataError, match="No definition scores any case"):
        choices(load([{"case": "x", "called": None, "expected": ["a"]}]))
