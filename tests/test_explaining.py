import pandas as pd
import pytest

import toolcorrect as tc
from tests.build import dataset
from toolcorrect.errors import UnknownNameError


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


def kinds(called, expected):
    return tc.explain(dataset((called, expected)), "0").alignment["kind"].to_list()


def test_each_kind_of_line():
    assert kinds(["a", "b", "c"], ["b", "a", "d"]) == ["matched", "missing", "moved", "extra"]
    assert kinds(["a", "a"], ["a"]) == ["matched", "repeated"]
    assert kinds([call("a", x=1)], [call("a", x=2)]) == ["arguments"]
    assert kinds(["functions.a"], ["a"]) == ["names"]
    assert kinds([call("a", x=1)], ["a"]) == ["matched"]
    assert kinds([], []) == []


def test_equal_calls_are_paired_before_calls_of_the_same_tool():
    made = tc.explain(dataset(([call("s", q=2), call("s", q=1)], [call("s", q=1), call("s", q=3)])), "0").alignment
    assert made[["expected_position", "called_position"]].to_numpy().tolist() == [[1, 0], [0, 1]]
    assert made["differences"].iloc[0] == [{"path": "q", "code": "value", "expected": 3, "called": 2}]


def test_text_and_sums():
    text = str(tc.explain(dataset((["a", "x"], ["a"])), "0", variants=["deepeval", "notebook.jaccard", "exact.args"]))
    assert "= matched   a" in text
    assert "+ extra     x" in text
    assert "deepeval          1.00  1 of 1 expected found" in text
    assert "notebook.jaccard  0.50  1 shared of 2 in either" in text
    assert "exact.args        arguments unknown" in text


def test_an_empty_side_is_said_in_words():
    made = tc.explain(dataset((["a"], [])), "0", variants=["deepeval", "notebook.jaccard"]).sums
    assert made["sum"].to_list() == ["nothing expected, 1 called"] * 2
    assert made["score"].to_list() == [0.0, 1.0]


def test_unknown_lists_are_named():
    assert tc.explain(dataset((None, ["a"])), "0").note == "calls not known"


def test_the_closest_reference_is_shown():
    made = tc.explain(dataset((["b", "c"], {"any_of": [["a"], ["b", "c"]]})), "0")
    assert (made.reference, made.note) == (1, "against reference 1 of 2")
    assert made.alignment["kind"].to_list() == ["matched", "matched"]


def test_html_escapes_hostile_text():
    nasty = "<script>alert(1)</script>\x1b[31m\u202e"
    made = tc.explain(dataset(([call(nasty, **{"<img onerror=x>": "</td>" + "x" * 10_000})], [nasty])), "0")
    shown = made._repr_html_()
    assert "<script" not in shown
    assert "<img" not in shown
    assert "\x1b" not in shown + str(made)
    assert "\u202e" not in shown + str(made)
    assert len(shown) < 20_000


def test_a_case_that_is_not_there():
    with pytest.raises(UnknownNameError, match="There is no case '9'"):
        tc.explain(dataset((["a"], ["a"])), "9")


def test_what_breaks_a_schema_a_rule_or_the_reference_is_told():
    tool = {"name": "a", "parameters": {"properties": {"n": {"type": "integer", "default": 1}}, "required": ["n"]}}
    record = {"case": "x", "called": [call("a", n="2"), "zap"], "expected": [call("a", n=1)], "tools": [tool]}
    data = tc.load([record])
    data = data.replace(rules=pd.DataFrame({"rule": ["forbid"], "tool": ["zap"]}))
    made = tc.explain(data, "x", variants="recall")
    assert made.findings["about"].to_list() == ["call", "call", "rule", "reference"]
    told = str(made)
    assert "! call: a, n: " in told
    assert "! call: zap: not among the tools offered" in told
    assert "! rule: zap is forbidden and was called once" in told
    assert "zap is forbidden" in made._repr_html_()
    assert tc.explain(dataset((["a"], ["a"])), "0").findings.empty


def test_a_matcher_that_is_met_is_a_match():
    expected = [call("a", id={"$match": {"type": "integer"}})]
    assert kinds([call("a", id=7)], expected) == ["matched"]
    assert kinds([call("a", id="7")], expected) == ["arguments"]


def test_calls_are_not_judged_where_the_other_side_is_unknown():
    data = tc.load([{"case": "a", "called": ["x", "x"]}, {"case": "b", "called": None, "expected": ["y"]}])
    for case, tool in (("a", "x"), ("b", "y")):
        found = tc.explain(data, case, variants="recall")
        assert set(found.alignment["kind"]) == {"unknown"}
        assert f"? unknown   {tool}" in str(found)
        assert "not known" in found.note
    assert tc.charts.timeline(data, "a").get_title(loc="left") == "a: 2 right or not: not known"


def test_faults_of_other_cases_are_not_shown():
    data = tc.load(
        [
            {"case": "good", "called": ["a"], "expected": ["a"]},
            {"case": "bad", "called": ["a"], "expected": [["a"], ["b"]]},
        ]
    )
    assert not len(tc.explain(data, "good", variants="recall").findings)
    unknown = tc.load([{"case": "u", "called": None, "expected": {"any_of": [["a"], ["b"]]}}])
    assert tc.explain(unknown, "u", variants="recall").note == "calls not known; against reference 0 of 2"


def test_a_timeline_says_which_side_is_not_known():
    data = tc.load([{"case": "a", "called": []}, {"case": "b", "called": None, "expected": ["y"]}])
    words = [[text.get_text() for text in tc.charts.timeline(data, case).texts] for case in ("a", "b")]
    assert any("what was expected is not known" in text for text in words[0])
    assert any("calls made not known, 1 expected" in text for text in words[1])
