import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shared import shared
from toolcorrect.errors import OptionError
from toolcorrect.names import LEVELS, Names, collisions, resolve


def proposed():
    path = shared("samples/galtea/name_normalisation_proposed.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("level", ["format", "galtea", "loose"])
def test_all_41_worked_examples_of_a_level(level):
    rows = proposed()
    assert len(rows) == 41
    assert {row["raw"]: LEVELS[level](row["raw"]) for row in rows} == {row["raw"]: row[level] for row in rows}


@given(st.text(max_size=30))
def test_no_level_empties_a_name_or_changes_on_a_second_fold(name):
    for steps in LEVELS.values():
        assert bool(steps(name)) == bool(name)
    assert LEVELS["exact"](name) == name


@pytest.mark.parametrize(
    ("steps", "raw", "wanted"),
    [
        (Names(mcp="first"), "mcp__my__server__do_thing", "server__do_thing"),
        (Names(mcp="last"), "mcp__my__server__do_thing", "do_thing"),
        (Names(servers=("my__server",)), "mcp__my__server__do_thing", "do_thing"),
        (Names(servers=("shop",)), "mcp_shop_search", "search"),
        (Names(dots=True), "math.factorial", "math_factorial"),
        (Names(aliases={"x": "search"}, fold=True), "x", "search"),
        (Names(affix=True), "tool_search_tool", "search"),
    ],
)
def test_each_switch(steps, raw, wanted):
    assert steps(raw) == wanted


def test_collisions_name_what_is_merged():
    found = collisions(["github.search", "jira.search", "open", "search"])
    assert found.loc["search", "raw"] == ["github.search", "jira.search", "search"]
    assert list(found.index) == ["search"]


def test_an_unknown_level_is_refused_with_the_choices():
    with pytest.raises(OptionError, match=r"names='strict' is not known; choose one of 'exact', 'format'"):
        resolve("strict")
