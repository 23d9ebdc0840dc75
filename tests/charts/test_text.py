"""Texts that may hold anything are drawn as they are, and labels keep their distance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcorrect.charts import _text
from toolcorrect.charts._style import COLOURS, group_looks, look, on_fill, readable
from toolcorrect.errors import OptionError

ANY = st.text(st.characters(), max_size=60)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("recall", "recall"),
        ("", "(no name)"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\u202egnp", "\\u202egnp"),
        ("\ud800", "\\ud800"),
        ("$x$ \\frac", "$x$ \\frac"),
        ("שלום", "שלום"),
        (None, "None"),
        (3, "3"),
    ],
)
def test_plain(name: object, shown: str) -> None:
    assert _text.plain(name) == shown


@settings(max_examples=80, deadline=None)
@given(ANY)
def test_plain_is_printable_and_settles(name: str) -> None:
    shown = _text.plain(name)
    assert shown.isprintable()
    assert _text.plain(shown) == shown


@settings(max_examples=80, deadline=None)
@given(st.lists(ANY, max_size=8, unique=True), st.floats(30, 300), st.floats(5, 20))
def test_short_names_fit_and_stay_apart(names: list[str], points: float, size: float) -> None:
    made = _text.short_names(names, points, size)
    assert len(set(made)) == len(names)
    for text in made:
        # A number that keeps equal ones apart comes on top; one letter each side is the least.
        bare = text.rsplit(" #", 1)[0]
        assert _text.text_width(bare, size) <= max(
            points, _text.text_width(_text.plain(bare[:2] + "…" + bare[-1:]), size)
        )


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(codec="ascii", exclude_characters="\n\r"), max_size=120), st.floats(60, 300))
def test_wrapping_loses_nothing(text: str, points: float) -> None:
    lines = _text.wrapped(text, points, 10).split("\n")
    assert "".join(lines).replace(" ", "") == (_text.plain(text) if text else "").replace(" ", "")
    assert all(_text.text_width(line, 10) <= points or len(line) == 1 for line in lines)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0.001, 0.08))
def test_spread_keeps_distance_order_and_range(wanted: list[float], gap: float) -> None:
    placed = _text.spread(wanted, gap, 0, 1)
    order = np.argsort(wanted, kind="stable")
    assert (np.diff(placed[order]) >= gap - 1e-9).all()
    assert placed.min() >= -1e-9
    assert placed.max() <= 1 + 1e-9
    apart = np.diff(np.sort(wanted)).min(initial=1) >= gap
    if apart:
        assert placed == pytest.approx(wanted)


def test_looks_are_stable_and_core_ones_differ() -> None:
    core = ["recall", "precision", "f1", "jaccard", "exact", "exact.args", "sequence", "deepeval", "deepeval.exact"]
    core += ["notebook.jaccard", "galtea"]
    assert len({(look(name).colour, look(name).marker) for name in core}) == len(core)
    assert look("ragas.f1") == look("ragas.f1")
    assert look("\ud800").colour in COLOURS
    many = [look(f"family{i}.mode").colour for i in range(150)]
    assert set(many) == set(COLOURS)


def test_groups_never_share_a_colour_while_there_are_few() -> None:
    assert len({way.colour for way in group_looks([f"agent-{i}" for i in range(7)]).values()}) == 7
    assert group_looks(["b", "a"]) == group_looks(["a", "b", "a"])


@pytest.mark.parametrize("colour", COLOURS)
def test_texts_have_contrast(colour: str) -> None:
    assert readable("#ffffff") != "#ffffff"
    assert readable(readable(colour)) == readable(colour)
    assert on_fill("#ffffff") != on_fill("#000000")


def test_context_is_checked() -> None:
    from tests.charts import frames

    with pytest.raises(OptionError, match="notebook"):
        frames.draw("causes", ["extra"], context="poster")
