import json

import numpy as np
import pandas as pd
import pytest

import toolcorrect as tc
from tests.build import dataset
from tests.shared import ROOT, shared
from toolcorrect import scoring
from toolcorrect.dataset import Dataset
from toolcorrect.errors import DataError, LoadError, OptionError, UnknownNameError
from toolcorrect.references.preparing import ArgumentOptions
from toolcorrect.variants import CORE, registry
from toolcorrect.variants.autoevals import json_diff


def one(called, expected, variant, **options):
    return tc.score(dataset((called, expected)), variants=variant, **options).iloc[0, 0]


def records(name):
    return [json.loads(line) for line in shared(f"samples/seeds/{name}.jsonl").read_text().splitlines()]


def seed(name):
    return dataset(*((row["called"], row["expected"]) for row in records(name)))


def test_stated_scores_of_the_smart_home():
    made = tc.score(seed("smart_home"), variants=["notebook.jaccard", "deepeval", "deepeval.exact", "deepeval.docs"])
    assert made["notebook.jaccard"].to_list() == [1.0, 0.0, 0.5]
    assert made["deepeval"].to_list() == [1.0, 0.0, 1.0]
    assert made.iloc[2][["deepeval.exact", "deepeval.docs"]].to_list() == [0.0, 0.5]


def test_stated_scores_of_the_order_desk():
    made = tc.score(seed("technest"), variants=["deepeval", "deepeval.args"])
    assert made["deepeval"].to_list() == [1.0, 1.0, 1.0]
    assert made["deepeval.args"].to_list() == [1.0, 0.0, 0.5]


def test_core_is_the_default_and_named_columns_keep_their_order():
    data = dataset((["a"], ["a"]))
    assert list(tc.score(data).columns) == list(CORE)
    assert list(tc.score(data, variants=["jaccard", "deepeval.ordered*", "recall"]).columns) == [
        "jaccard",
        *(name for name in registry() if name.startswith("deepeval.ordered")),
        "recall",
    ]
    assert set(tc.score(data, variants="all").columns) == {n for n, v in registry().items() if not v.asks_model}


def test_an_unknown_variant_names_its_neighbours():
    with pytest.raises(UnknownNameError, match=r"There is no variant 'jacard'. Did you mean jaccard"):
        tc.score(dataset((["a"], ["a"])), variants="jacard")


def test_two_variants_of_one_name_are_refused():
    mine = tc.Variant("recall", lambda o: o.called * 0.0)
    with pytest.raises(OptionError, match="Two variants are called 'recall'"):
        tc.score(dataset((["a"], ["a"])), variants=["recall", mine])


def test_a_formula_of_the_wrong_shape_is_refused_by_name():
    with pytest.raises(OptionError, match="variant 'mine' returned shape"):
        tc.score(dataset((["a"], ["a"])), variants=[tc.Variant("mine", lambda o: np.ones(7))])


EMPTY_SIDES = {
    # variant: both empty, nothing expected but called, expected but nothing called
    "recall": (1.0, np.nan, 0.0),
    "in_order": (1.0, np.nan, 0.0),
    "any_order": (1.0, np.nan, 0.0),
    "lcs": (1.0, np.nan, 0.0),
    "precision": (1.0, 0.0, 0.0),
    "jaccard.set": (1.0, 0.0, 0.0),
    "sequence": (1.0, 0.0, 0.0),
    "deepeval": (1.0, 0.0, 0.0),
    "notebook.jaccard": (1.0, 1.0, 0.0),
    "galtea": (1.0, 0.0, 0.0),
}


@pytest.mark.parametrize("variant", EMPTY_SIDES)
def test_empty_sides(variant):
    made = tc.score(dataset(([], []), (["a"], []), ([], ["a"])), variants=variant)[variant]
    np.testing.assert_array_equal(made.to_numpy(), EMPTY_SIDES[variant])


@pytest.mark.parametrize(("word", "value"), [("perfect", 1.0), ("skip", np.nan), ("zero", 0.0)])
def test_a_word_for_empty_speaks_only_of_what_the_formula_leaves_open(word, value):
    data = dataset(([], []), (["a"], []), ([], ["a"]))
    made = tc.score(data, variants=["recall", "f1"], empty=word)
    np.testing.assert_array_equal(made["recall"].to_numpy(), [value, value, 0.0])
    np.testing.assert_array_equal(made["f1"].to_numpy(), [value, 0.0, 0.0])


def test_three_values_for_empty_override_every_variant():
    data = dataset(([], []), (["a"], []), ([], ["a"]), (["a"], ["a"]))
    made = tc.score(data, variants=["recall", "deepeval"], empty=(0.25, "rejected", 0.75))
    np.testing.assert_array_equal(made["deepeval"].to_numpy(), [0.25, np.nan, 0.75, 1.0])
    assert tc.status(data, variants="recall", empty=(0.25, "rejected", 0.75)).recall.iloc[1] == "rejected"


def test_status_says_why_there_is_no_score():
    wrong = [{"name": "a", "arguments": None}]
    data = dataset(
        (None, ["a"]), (["a"], None), (wrong, [{"name": "a", "arguments": {}}]), (["a"], []), (["a"], ["a"])
    )
    made = tc.status(data, variants=["recall", "exact.args", "deepeval.args"])
    assert made["recall"].to_list() == ["called_unknown", "expected_unknown", "ok", "undefined", "ok"]
    assert made["exact.args"].to_list()[2:] == ["arguments_unknown", "arguments_unknown", "arguments_unknown"]
    assert made["deepeval.args"].to_list()[2:] == ["rejected", "ok", "ok"]
    scores = tc.score(data, variants=list(made.columns))
    assert ((made == "ok") == scores.notna()).all().all()


def test_unparsable_arguments_are_not_an_empty_object():
    called = [{"name": "a", "arguments_status": "failed", "arguments_raw": "{oops"}]
    assert np.isnan(one(called, [{"name": "a", "arguments": {}}], "exact.args"))


def test_the_best_reference_counts_and_is_told():
    data = dataset((["fetch", "extract"], {"any_of": [["search"], ["fetch", "extract"], []]}))
    assert tc.score(data, variants=["recall", "f1"]).iloc[0].to_list() == [1.0, 1.0]
    assert tc.best_reference(data, variants=["recall", "f1"]).iloc[0].to_list() == [1, 1]


def test_scopes():
    calls = [
        {"name": "get_order"},
        {"name": "refund_order", "error": True},
        {"name": "refund_order", "error": False},
        {"name": "rate", "actor": "user"},
        {"name": "transfer_to_human", "kind": "handoff"},
    ]
    data = dataset((calls, ["refund_order"]))
    marked = data.mark_effects(["refund_*"])
    assert tc.overlap(data).called.item() == 3
    assert tc.overlap(data, scope="everyone").called.item() == 4
    assert tc.overlap(data, scope="succeeded").called.item() == 2
    assert tc.overlap(marked, scope="effect").called.item() == 2
    assert tc.status(data, scope="effect", variants="recall").recall.item() == "effect_unknown"
    with pytest.raises(OptionError, match="scope='all' is not known; choose one of 'assistant', 'effect'"):
        tc.score(data, scope="all")


def test_a_case_can_say_otherwise_what_a_tool_does():
    tools = pd.DataFrame({"case": [pd.NA, pd.NA, "1"], "tool": ["set", "get", "get"], "effect": [True, False, True]})
    data = dataset((["get", "set"], ["set"]), (["get", "set"], ["set"])).replace(tools=tools)
    assert tc.overlap(data, scope="effect").called.to_list() == [1, 2]


def test_names_give_way_only_where_a_variant_does_not_say_its_own():
    data = dataset((["functions.getOrder"], ["get_order"]))
    assert tc.score(data, variants=["exact", "galtea"]).iloc[0].to_list() == [0.0, 1.0]
    assert tc.score(data, variants=["exact"], names="galtea").exact.item() == 1.0


def test_tversky_by_name_and_by_function_agree():
    data = dataset((["a", "b"], ["a", "c", "d"]))
    mine = tc.Variant("mine", axes=tc.Axes(formula=tc.tversky(extra=0.5, missing=2)))
    made = tc.score(data, variants=[mine, "tversky(extra=0.5,missing=2)"]).iloc[0]
    assert made.to_list() == pytest.approx([1 / 5.5, 1 / 5.5])
    for weights, twin in (((0, 1), "recall"), ((1, 0), "precision"), ((0.5, 0.5), "f1"), ((1, 1), "jaccard")):
        name = f"tversky(extra={weights[0]},missing={weights[1]})"
        assert tc.score(data, variants=[name]).iloc[0, 0] == pytest.approx(one(["a", "b"], ["a", "c", "d"], twin))


def test_a_type_takes_part_in_deepeval():
    def call(kind):
        return [{"name": "a", "kind": kind}]

    assert one(call("mcp"), call("function"), "deepeval") == 0.0
    assert one(call("mcp"), call("function"), "recall") == 1.0


def test_no_cases_at_all():
    empty = dataset()
    assert tc.score(empty, variants="all").shape[0] == 0
    assert tc.status(empty, variants="all").shape[0] == 0


def test_options_overlook_what_they_say_and_understand_matchers():
    wanted = [{"name": "a", "arguments": {"q": "x", "id": {"$match": {"type": "integer"}}}}]
    data = dataset(([{"name": "a", "arguments": {"q": "X ", "id": 7}}], wanted))
    variants = ["recall", "recall.args"]

    def scores(options):
        return tc.score(data, variants=variants, options=options).iloc[0].to_list()

    assert scores(None) == scores(ArgumentOptions(trim=True)) == [1.0, 0.0]
    assert scores(ArgumentOptions(trim=True, casefold=True)) == [1.0, 1.0]
    assert tc.overlap(data, arguments="json", options=ArgumentOptions(trim=True, casefold=["q"])).shared.item() == 1


def test_optional_calls_can_be_left_out_of_both_sides():
    optional = {"name": "sum", "role": "optional", "arguments": {"n": 1}}
    data = dataset((["a", "sum"], ["a", optional]), (["a"], ["a", optional]), (["sum", "sum"], ["sum", optional]))
    assert tc.score(data, variants="recall").recall.to_list() == [1.0, 0.5, 1.0]
    made = tc.score(data, variants=["recall", "precision"], optional="left_out")
    assert made.to_numpy().tolist() == [[1.0, 1.0]] * 3
    # The call that answers the optional one best is taken out, and the other stays for the required one.
    calls = [{"name": "sum", "arguments": {"n": n}} for n in (1, 2)]
    both = dataset((calls, [optional, calls[1]]), (calls, {"any_of": [[optional], calls]}))
    made = tc.score(both, variants=["exact.args"], optional="left_out")
    assert made["exact.args"].to_list() == [1.0, 1.0]
    with pytest.raises(OptionError, match="optional"):
        tc.score(both, optional="dropped")


def test_an_exact_alternative_comes_first_among_equals():
    data = dataset(
        (["a", "b"], {"any_of": [["b", "a"], ["a", "b"]]}),
        ([], {"any_of": [["a"], []]}),
        ([], {"any_of": [[], ["a"]]}),
    )
    assert tc.best_reference(data, variants=["f1"]).f1.to_list() == [1, 1, 0]
    skipped = tc.best_reference(data, variants=["f1"], empty="skip")
    assert skipped.f1.to_list() == [1, 1, 0]
    assert tc.score(data, variants="f1", empty="skip").f1.isna().to_list() == [False, True, True]


@pytest.mark.parametrize("size", [1, 7, 100])
def test_cases_are_scored_in_blocks_as_all_at_once(monkeypatch, size):
    runs = tc.load(ROOT / "data" / "support_desk")
    odd = [
        {"case": "refs", "called": ["b"], "expected": {"any_of": [["a"], ["b"]]}},
        {"case": "unknown", "called": None, "expected": ["a"]},
        {"case": "none", "called": [], "expected": []},
        {"case": "nan", "called": [{"name": "a", "arguments": {"x": float("nan")}}], "expected": ["a"]},
    ]
    data = tc.concat([runs.select(runs.cases.index[:60]), tc.load(odd)])
    asked = {"variants": "all", "optional": "left_out"}
    whole = [made(data, **asked) for made in (tc.score, tc.status, tc.best_reference)]
    effects = tc.score(data, variants="core", scope="effect")
    monkeypatch.setattr(scoring, "_BLOCK", size)
    for one, made in zip(whole, (tc.score, tc.status, tc.best_reference)):
        pd.testing.assert_frame_equal(one, made(data, **asked), check_exact=True)
    pd.testing.assert_frame_equal(effects, tc.score(data, variants="core", scope="effect"))


def test_a_score_does_not_hang_on_the_cases_beside_it():
    def given(share):
        return {"arguments": {f"k{i}": i for i in range(share)}}

    wanted = [{"name": name, **given(10)} for name in "abc"]
    called = [{"name": name, **given(share)} for name, share in zip("abc", (1, 2, 3))]
    data = dataset((list("cba"), list("cba")), (called, wanted))
    alone = tc.score(data.select(data.cases.index[1:]), variants="all")
    pd.testing.assert_frame_equal(tc.score(data, variants="all").iloc[1:], alone, check_exact=True)
    assert alone["ragas.accuracy.flexible"].item() == (0.1 + 0.2 + 0.3) / 3


def test_keys_are_added_up_in_their_order():
    for size in range(1, 60):
        first, second = ({f"key {i}": i + step for i in range(size)} for step in (0, 3))
        assert json_diff(first, second) == sum(json_diff(first[key], second[key]) for key in first) / size


def test_texts_that_are_no_json_equal_only_themselves():
    def side(texts):
        return pd.DataFrame({"case": list("xyz"), "tool": "t", "arguments": texts})

    cases = pd.DataFrame(index=list("xyz"))
    data = Dataset(cases=cases, calls=side(["nope", "nope", '{"a":}']), expected=side(["nope", '{"a":1}', '{"a":1']))
    scores = tc.score(data, variants="all")
    assert scores["autoevals.json_diff"].loc["x"] == 1 > scores["autoevals.json_diff"].loc[["y", "z"]].max()
    assert scores["deepeval.args"].isna().to_list() == [False, True, True]


def test_wrong_calls_are_told_in_one_sentence():
    data = tc.load([{"case": "a", "model": "m", "called": ["x"], "expected": ["x"]}])
    scores = tc.score(data)
    for call in (
        tc.score,
        tc.status,
        tc.lint,
        tc.diagnose,
        lambda s: tc.explain(s, "a"),
        lambda s: tc.why(s, "f1", "recall"),
        tc.validate,
        tc.grounding,
    ):
        with pytest.raises(OptionError, match="not DataFrame; tc"):
            call(scores)
    for variants in (3, [None], len):
        with pytest.raises(OptionError, match="give names, globs"):
            tc.score(data, variants=variants)
    with pytest.raises(OptionError, match="One variant is needed"):
        tc.disagreements(data, "deepeval", "ragas.*")
    with pytest.raises(OptionError, match="must be a function"):
        tc.Variant("mine", "x")
    with pytest.raises(UnknownNameError, match="no case 'None'"):
        tc.explain(data, None)
    with pytest.raises(DataError, match="is the text 'model'"):
        tc.rankings(scores, by="model")
    with pytest.raises(DataError, match="outcome must hold numbers"):
        tc.calibrate(scores, ["good"])
    with pytest.raises(DataError, match="the frame that tc"):
        tc.rankings(data, by=data.cases.model)
    with pytest.raises(OptionError, match="or three values"):
        tc.score(data, empty=3)
    with pytest.raises(OptionError, match="ArgumentOptions"):
        tc.score(data, options={"trim": True})
    with pytest.raises(OptionError, match="give a mapping"):
        tc.load([{"id": "a"}], columns="id")
    for text in ("x" * 5000, '[{"case": "a"}]'):
        with pytest.raises(LoadError, match="is no path"):
            tc.load(text)


def test_a_case_is_found_by_a_number_too():
    data = tc.load([{"case": 1, "called": ["x"], "expected": ["x"]}])
    assert "case 1" in str(tc.explain(data, 1))


def test_a_file_in_another_encoding_is_told_as_such(tmp_path):
    path = tmp_path / "latin.jsonl"
    path.write_bytes('{"case": "café", "called": ["x"]}\n'.encode("latin-1"))
    with pytest.raises(LoadError, match="not UTF-8"):
        tc.load(path)


def test_a_slip_in_a_formula_is_told_with_the_variant_and_what_it_gets():
    with pytest.raises(OptionError, match=r"variant 'mine' does not run: .*'zz'.* o.shared"):
        tc.score(dataset((["a"], ["a"])), variants=[tc.Variant("mine", lambda o: o.zz)])
