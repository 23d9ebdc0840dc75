"""The table's half in Python: windows, order, filters, choice. No kernel, no browser."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.widgets.messages import ask, update
from toolcorrect.errors import DataError, UnknownNameError
from toolcorrect.tables import STRING
from toolcorrect.widgets import Table


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "case": pd.array(["d", "b", None, "a", "c"], dtype=STRING),
            "gap": [0.5, np.nan, 0.25, 1.0, 0.5],
            "cause": pd.Categorical(["extra", "order", "extra", None, "order"]),
            "calls": pd.array([3, 1200, None, 5, 7], dtype="Int64"),
        }
    )


def window(table: Table, first: int = 0, last: int = 50) -> list[list[str]]:
    (answer,) = ask(table, kind="rows", revision=table.revision, first=first, last=last)
    assert (answer["first"], answer["revision"]) == (first, table.revision)
    return answer["rows"]


def test_values_are_written_for_people() -> None:
    rows = window(Table(frame()))
    assert rows[0] == ["d", "0.50", "extra", "3"]
    assert rows[1] == ["b", "not scored", "order", "1,200"]
    assert rows[2][0] == rows[2][3] == rows[3][2] == ""


def test_the_state_holds_no_rows() -> None:
    long = pd.DataFrame({"case": [f"secret-{i}" for i in range(5000)]})
    table = Table(long)
    state = table.get_state()
    state.pop("_esm"), state.pop("_css")
    assert state["count"] == 5000
    assert "secret" not in json.dumps(state, default=str)


def test_a_window_is_bounded_whatever_is_asked() -> None:
    table = Table(pd.DataFrame({"n": range(10_000)}))
    assert len(window(table, 0, 10_000)) == 200
    assert window(table, 9_990, 10_050)[-1] == ["9,999"]
    assert window(table, 20_000, 20_050) == []


def test_stale_questions_get_no_answer() -> None:
    table = Table(frame())
    old = table.revision
    table.show(mask=[True, True, False, False, True])
    assert ask(table, kind="rows", revision=old, first=0, last=50) == []
    assert [row[0] for row in window(table)] == ["d", "b", "c"]


@pytest.mark.parametrize("nonsense", ["text", None, {"kind": "rows"}, {"kind": "strange", "revision": 1}, {}])
def test_nonsense_gets_no_answer(nonsense: object) -> None:
    table = Table(frame())
    answers: list[object] = []
    table.send = lambda message, buffers=None: answers.append(message)
    table._answer(table, nonsense, [])
    assert answers == []


@pytest.mark.parametrize(
    ("column", "descending", "order"),
    [
        ("gap", True, [3, 0, 4, 2, 1]),
        ("gap", False, [2, 0, 4, 3, 1]),
        ("case", False, [3, 1, 4, 0, 2]),
        ("case", True, [0, 4, 1, 3, 2]),
        ("cause", False, [0, 2, 1, 4, 3]),
        ("calls", False, [0, 3, 4, 1, 2]),
    ],
)
def test_sorting_is_stable_with_missing_values_last(column: str, descending: bool, order: list[int]) -> None:
    table = Table(frame())
    update(table, sort={"column": column, "descending": descending})
    assert table.rows.tolist() == order
    update(table, sort={"column": "", "descending": False})
    assert table.rows.tolist() == [0, 1, 2, 3, 4]


def test_a_column_of_mixed_objects_sorts_as_text() -> None:
    table = Table(pd.DataFrame({"tag": pd.Series([10, "b", None, "a"], dtype=object)}))
    table.sort_by("tag")
    assert table.rows.tolist() == [0, 3, 1, 2]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1) | st.just(float("nan")), st.booleans()), max_size=40), st.booleans())
def test_sorted_and_filtered_as_pandas_would(rows: list[tuple[float, bool]], descending: bool) -> None:
    data = pd.DataFrame({"gap": pd.Series([r[0] for r in rows], dtype="float64")})
    mask = np.array([r[1] for r in rows], dtype=bool)
    table = Table(data, mask=mask)
    table.sort_by("gap", descending=descending)
    wanted = data[mask].sort_values("gap", ascending=not descending, kind="stable").index
    assert table.rows.tolist() == wanted.tolist()
    assert table.count == mask.sum()


def test_a_choice_survives_sorting_and_filtering_while_it_is_shown() -> None:
    table = Table(frame())
    assert table.chosen == 0
    update(table, selection=[table.revision, 4])
    assert table.chosen == 4
    table.sort_by("gap", descending=True)
    assert table.chosen == 4
    assert table.selection == [table.revision, 2]
    table.show(mask=[False, True, True, False, True])
    assert table.chosen == 4
    table.show(mask=[False, True, True, False, False])
    assert table.chosen == 2, "the first row shown, in the order shown"
    table.show(mask=[False] * 5)
    assert (table.chosen, table.count, table.selection[1]) == (-1, 0, -1)


def test_a_choice_made_in_older_rows_is_dropped() -> None:
    table = Table(frame())
    old = table.revision
    table.show(mask=[False, True, True, True, True])
    update(table, selection=[old, 3])
    assert table.chosen == 1
    assert table.selection == [table.revision, 0]
    update(table, selection=[table.revision, 99])
    assert table.selection == [table.revision, 0]


def test_choosing_can_be_observed_and_done_from_python() -> None:
    table = Table(frame())
    seen: list[int] = []
    table.observe(lambda change: seen.append(change.new), "chosen")
    table.choose(3)
    update(table, selection=[table.revision, 1])
    assert seen == [3, 1]
    table.choose(77)
    assert table.chosen == 1


def test_another_frame_forgets_a_sort_it_cannot_keep() -> None:
    table = Table(frame())
    table.sort_by("gap")
    other = pd.DataFrame({"case": ["x", "y"], "gap": [2.0, 1.0]})
    table.show(other)
    assert table.rows.tolist() == [1, 0]
    table.show(other.rename(columns={"gap": "width"}))
    assert table.rows.tolist() == [0, 1]
    assert table.sort["column"] == ""
    assert [c["name"] for c in table.columns] == ["case", "width"]


def test_hostile_and_long_cells_are_made_visible_and_cut() -> None:
    hostile = "\x1b[31m<script>\u202e" + "x" * 10_000
    table = Table(pd.DataFrame({"case": [hostile], "n\u202e": [1]}))
    ((cell, _),) = window(table)
    assert cell.startswith("\\x1b[31m<script>\\u202ex")
    assert cell.endswith("… (10,014 characters)")
    assert len(cell) < 250
    assert table.columns[1]["title"] == "n\\u202e"
    (answer,) = ask(table, kind="row", revision=table.revision, first=0)
    assert 4_000 < len(answer["texts"][0]) < 4_100


def test_mistakes_are_named() -> None:
    table = Table(frame())
    with pytest.raises(DataError, match="2 entries for 5 rows"):
        table.show(mask=[True, False])
    with pytest.raises(UnknownNameError, match=r"no column 'gaps'.*gap"):
        table.sort_by("gaps")
    assert table.count == 5


def test_a_million_rows_sort_and_filter_at_once() -> None:
    n = 1_000_000
    values = np.random.default_rng(1).random(n)
    table = Table(pd.DataFrame({"gap": values}))
    table.sort_by("gap", descending=True)
    table.show(mask=values > 0.5)
    assert table.count == (values > 0.5).sum()
    assert window(table, 0, 1) == [[f"{values.max():.2f}"]]
    state = table.get_state()
    assert len(json.dumps(state, default=str)) < 40_000
