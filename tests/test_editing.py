from __future__ import annotations

import json
from collections import Counter

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcorrect.editing import EDITS, edit, editable
from toolcorrect.errors import DataError, OptionError, UnknownNameError
from toolcorrect.loaders import load

CALLS = st.one_of(
    st.none(),
    st.lists(
        st.builds(
            lambda name, arguments: {"name": name, **({} if arguments is None else {"arguments": arguments})},
            st.sampled_from("abc"),
            st.one_of(st.none(), st.just({}), st.just({"x": 1}), st.just({"y": "text", "z": [1]})),
        ),
        max_size=7,
    ),
)
RUNS = st.lists(CALLS, min_size=1, max_size=5)


def runs(lists):
    return load([{"case": f"c{i}", "called": called, "expected": ["a"]} for i, called in enumerate(lists)])


def by_case(data):
    return {case: data.calls.loc[data.calls.case == case, "tool"].to_list() for case in data.cases.index}


@given(RUNS, st.sampled_from(EDITS), st.integers(0, 3), st.integers(0, 5))
@settings(max_examples=100, deadline=None)
def test_edits_do_what_they_say_to_the_cases_that_can_take_them(lists, kind, count, seed):
    data = runs(lists)
    edited = edit(data, kind, count=count, seed=seed)
    able = editable(data, kind, count=count)
    before, after = by_case(data), by_case(edited)
    for case, tools in before.items():
        new = after[case]
        if not able[case] or not count:
            assert new == tools
        elif kind == "add":
            assert new == tools + ["unrelated_tool"] * count
        elif kind == "drop":
            assert len(new) == len(tools) - count
            assert not Counter(new) - Counter(tools)
        elif kind == "repeat":
            assert len(new) == len(tools) + count
            assert set(new) == set(tools)
            assert [t for i, t in enumerate(new) if i == 0 or t != new[i - 1]] == [
                t for i, t in enumerate(tools) if i == 0 or t != tools[i - 1]
            ]
        elif kind == "swap":
            assert Counter(new) == Counter(tools)
            assert sum(a != b for a, b in zip(new, tools)) == 2 * count
        else:
            assert new == tools
            old_texts, new_texts = (d.calls.loc[d.calls.case == case, "arguments"] for d in (data, edited))
            assert (old_texts.fillna("").to_numpy() != new_texts.fillna("").to_numpy()).sum() == count
    assert edited.calls["position"].equals(edited.calls.groupby("case", sort=False).cumcount().astype("int64"))
    assert edited.expected.equals(data.expected)


@given(RUNS, st.sampled_from(["drop", "repeat"]))
@settings(max_examples=40, deadline=None)
def test_more_edits_include_fewer(lists, kind):
    data = runs(lists)
    able = editable(data, kind, count=2)
    one, two = by_case(edit(data, kind, count=1, seed=4)), by_case(edit(data, kind, count=2, seed=4))
    for case in able.index[able]:
        fewer, more = (two[case], one[case]) if kind == "drop" else (one[case], two[case])
        assert not Counter(fewer) - Counter(more)


def test_what_if_for_one_call_of_one_case():
    data = runs([[{"name": "a"}, {"name": "b"}, {"name": "c"}], [{"name": "a"}]])
    assert by_case(edit(data, "drop", cases=["c0"], position=1)) == {"c0": ["a", "c"], "c1": ["a"]}
    assert by_case(edit(data, "add", cases=["c0"], position=1, tool="new"))["c0"] == ["a", "new", "b", "c"]
    assert by_case(edit(data, "swap", cases=["c0"], position=1))["c0"] == ["a", "c", "b"]
    assert by_case(edit(data, "repeat", cases=["c0"], position=2))["c0"] == ["a", "b", "c", "c"]
    changed = edit(data, "change", cases=["c1"], position=0, arguments={"q": 1})
    assert changed.calls["arguments"].isna().to_list() == [True, True, True, False]


def test_an_added_call_has_known_arguments_and_the_turn_of_its_neighbour():
    data = load([{"case": "x", "called": [{"name": "a", "turn": 0}, {"name": "b", "turn": 2}], "expected": []}])
    new = edit(data, "add", arguments={"q": 1}).calls.iloc[-1]
    assert (new["turn"], json.loads(new["arguments"]), new["arguments_status"]) == (2, {"q": 1}, "ok")
    assert edit(data, "add", position=0).calls["turn"].to_list() == [0, 0, 2]


def test_swapped_calls_trade_places_but_not_turns():
    data = load([{"case": "x", "called": [{"name": "a", "turn": 0, "id": "1"}, {"name": "b", "turn": 1, "id": "2"}]}])
    calls = edit(data, "swap").calls
    assert calls[["tool", "call_id", "turn"]].to_numpy().tolist() == [["b", "2", 0], ["a", "1", 1]]
    assert edit(data, "repeat").calls["call_id"].notna().sum() == 2


def test_changed_arguments_are_other_arguments_of_the_same_keys():
    for arguments in ({"n": 1}, {"n": True}, {"n": None}, {"n": "x", "m": 2}, {"n": [1]}, {"n": 0.5}):
        data = load([{"case": "x", "called": [{"name": "a", "arguments": arguments}]}])
        changed = json.loads(edit(data, "change").calls["arguments"].item())
        assert set(changed) == set(arguments)
        assert changed["n"] != arguments["n"]


def test_calls_of_others_stay():
    called = [{"name": "a", "actor": "user"}, {"name": "b"}, {"name": "c", "type": "handoff"}]
    data = load([{"case": "x", "called": called}])
    assert edit(data, "drop").calls["tool"].to_list() == ["a", "c"]
    assert not editable(data, "drop", count=2).item()


def test_refusals():
    data = runs([[{"name": "a"}]])
    with pytest.raises(OptionError, match="kind='remove' is not known"):
        edit(data, "remove")
    with pytest.raises(OptionError, match="count=-1"):
        edit(data, "drop", count=-1)
    with pytest.raises(OptionError, match="position=0 is one call, so count must be 1"):
        edit(data, "drop", count=2, position=0)
    with pytest.raises(DataError, match="Not every case has a call at position 3 to drop"):
        edit(data, "drop", position=3)
    with pytest.raises(DataError, match="The arguments of call 0 are not known"):
        edit(data, "change", position=0)
    with pytest.raises(UnknownNameError, match="no case 'c9'"):
        edit(data, "drop", cases=["c9"])


def test_no_cases_at_all():
    data = load([{"case": "x", "called": []}]).select(pd.Index([]))
    for kind in EDITS:
        assert len(edit(data, kind)) == 0


def test_integers_beyond_all_floats_are_changed_too():
    wide = 10**400
    data = load([{"case": "x", "called": [{"name": "a", "arguments": {"n": wide}}], "expected": []}])
    assert edit(data, "change").calls.arguments.to_list() == [f'{{"n":{wide + 1}}}']
