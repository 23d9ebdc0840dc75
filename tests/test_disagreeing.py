import pytest

import toolcorrect as tc
from tests.build import dataset
from toolcorrect.errors import OptionError


def cause(called, expected, a, b, **options):
    return tc.disagreements(dataset((called, expected)), a, b, **options)["cause"].item()


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


@pytest.mark.parametrize(
    ("called", "expected", "a", "b", "wanted"),
    [
        (["a", "x"], ["a"], "deepeval", "notebook.jaccard", "extra"),
        (["a", "a"], ["a"], "recall", "precision", "repeat"),
        (["b", "a"], ["a", "b"], "exact", "sequence", "order"),
        (["a"], ["a", "b"], "precision", "recall", "missing"),
        ([call("a", x=1)], [call("a", x=2)], "exact", "exact.args", "arguments"),
        (["functions.a"], ["a"], "galtea", "exact", "names"),
        (["a"], [], "deepeval", "notebook.jaccard", "empty"),
        (["a", "a"], ["a", "a"], "deepeval", "notebook.jaccard", "rule"),
    ],
)
def test_each_cause(called, expected, a, b, wanted):
    assert cause(called, expected, a, b) == wanted


def test_the_widest_gap_comes_first_and_equal_scores_are_left_out():
    data = dataset((["a"], ["a"]), (["a", "x"], ["a"]), (["a", "x", "y", "z"], ["a"]), (None, ["a"]))
    made = tc.disagreements(data, "recall", "precision")
    assert made.index.to_list() == ["2", "1"]
    assert made["gap"].to_list() == [0.75, 0.5]
    assert tc.disagreements(data, "recall", "precision", minimum=0.6).index.to_list() == ["2"]


def test_the_cause_is_the_fault_that_makes_most_of_the_gap():
    assert cause(["x", "y", "z", "b", "a"], ["a", "b"], "recall", "f1") == "extra"
    assert cause(["b", "a", "x"], ["a", "b"], "recall", "lcs") == "order"


def test_a_custom_variant_gets_causes_too():
    picky = tc.Variant("picky", lambda o: 1.0 * (o.called == o.expected))
    made = tc.disagreements(dataset((["a", "x"], ["a"])), "recall", picky)
    assert made["cause"].item() == "extra"


def test_a_missing_call_is_put_where_it_was_due():
    made = cause(["a", "c"], ["a", "b", "c"], "precision", "sequence")
    assert made == "missing"


def test_pairs_are_ranked():
    data = dataset((["a", "x", "y"], ["a"]), (["a"], ["a"]))
    made = tc.disagreeing_pairs(data, variants=["recall", "jaccard", "exact"], top=2)
    assert made[["a", "b"]].to_numpy().tolist() == [["recall", "exact"], ["recall", "jaccard"]]
    assert made.loc[0, ["differ", "cases", "share"]].to_list() == [1, 2, 1.0]


def test_a_variant_against_itself_is_refused():
    with pytest.raises(OptionError, match="A variant does not disagree with itself"):
        tc.disagreements(dataset((["a"], ["a"])), "recall", "recall")


def test_nothing_disagrees():
    made = tc.disagreements(dataset((["a"], ["a"])), "recall", "precision")
    assert made.empty
    assert list(made.columns) == ["task", "model", "recall", "precision", "gap", "cause"]
