"""A choice that turns a verdict, against scoring under that choice."""

import pytest

import toolcorrect as tc
from tests.build import dataset

CASES = {
    "repeat": (["a", "a"], ["a"]),
    "order": (["b", "a"], ["a", "b"]),
    "name": (["functions.a"], ["a"]),
    "blank": ([{"name": "a", "arguments": {"q": "x "}}], [{"name": "a", "arguments": {"q": "x"}}]),
    "right": ([{"name": "a", "arguments": {}}], [{"name": "a", "arguments": {}}]),
    "unknown": (None, ["a"]),
    "nothing": ([], []),
}
DATA = dataset(*CASES.values(), name=list(CASES))


def turned(variant, case, **options):
    made = tc.flips(DATA, variant, **options).set_axis(list(CASES)).loc[case]
    return made[made].index.to_list()


def test_what_turns_each_case():
    assert "multiplicity=set" in turned("exact", "repeat")
    assert "scope=effect" not in turned("exact", "repeat")
    assert "order=free" in turned("lcs", "order")
    assert turned("exact", "name") == ["names=galtea", "names=loose"]
    assert {"arguments=ignored", "arguments=lenient", "trim"} <= set(turned("exact.args", "blank"))
    assert "casefold" not in turned("exact.args", "blank")
    assert turned("exact", "nothing") == ["empty=zero"]


def test_a_case_that_is_not_scored_is_not_turned():
    assert turned("recall", "unknown") == []


def test_the_threshold_says_what_passes():
    assert "formula=precision" in turned("recall", "repeat")
    assert "formula=precision" not in turned("recall", "repeat", threshold=0.5)


@pytest.mark.parametrize("variant", ["exact.args", "deepeval", "galtea", "toolscore.redundant", "bfcl.ast"])
def test_every_kind_of_definition_has_choices(variant):
    made = tc.flips(DATA, variant)
    assert made.index.equals(DATA.cases.index)
    assert made.dtypes.eq("bool").all()


def test_a_label_is_a_call_of_score():
    made = tc.flips(DATA, "exact")
    for label, options in {
        "names=galtea": {"names": "galtea"},
        "scope=everyone": {"scope": "everyone"},
        "empty=zero": {"empty": "zero"},
        "optional=left_out": {"optional": "left_out"},
    }.items():
        plain, other = (tc.score(DATA, variants="exact", **o).exact for o in ({}, options))
        known = plain.notna() & other.notna()
        assert made[label].to_list() == (known & ((plain == 1) != (other == 1))).to_list()
