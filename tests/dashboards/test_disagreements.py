"""State to view, and the widgets that follow it: no kernel, no browser."""

from __future__ import annotations

import json
import sys
import threading
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolcorrect as tc
from tests.shared import ROOT
from tests.widgets.messages import update
from toolcorrect.dashboards.disagreement_view import Pairs, State, cause_bars, code, view
from toolcorrect.dashboards.disagreements import Disagreements
from toolcorrect.errors import OptionError, UnknownNameError
from toolcorrect.explaining.disagreeing import CAUSES_IN_WORDS
from toolcorrect.variants import resolve

EVERY = tc.load(ROOT / "data" / "support_desk")
DATA = EVERY.select(EVERY.cases.index[::5])
PAIRS = Pairs(DATA, resolve("core"))
TOOLS = sorted(DATA.calls.tool.unique())
MODELS = sorted(DATA.cases.model.unique())


def run(text: str, data: Any) -> pd.DataFrame:
    """Run the code a dashboard shows, and return its last line's value."""
    lines = text.split("\n")
    assert lines[-1] == "cases"
    space: dict[str, Any] = {"data": data}
    exec(text, space)
    return space["cases"]


states = st.builds(
    State,
    a=st.sampled_from(["deepeval", "recall", "exact.args"]),
    b=st.sampled_from(["notebook.jaccard", "galtea", "sequence"]),
    minimum=st.sampled_from([round(0.05 * i, 2) for i in range(21)]),
    causes=st.none() | st.frozensets(st.sampled_from(list(CAUSES_IN_WORDS))),
    tool=st.sampled_from(["", *TOOLS]),
    model=st.sampled_from(["", *MODELS]),
)


@settings(max_examples=15, deadline=None)
@given(states)
def test_the_code_gives_the_rows_of_the_view(state: State) -> None:
    shown = view(PAIRS, state)
    pd.testing.assert_frame_equal(run(shown.code, DATA), shown.cases[shown.mask])


@settings(max_examples=40, deadline=None)
@given(states)
def test_the_view_against_plain_pandas(state: State) -> None:
    shown = view(PAIRS, state)
    scores = tc.score(DATA, variants=[state.a, state.b])
    gap = (scores[state.a] - scores[state.b]).abs()
    wanted = (gap > 0) & (gap >= state.minimum - 1e-9)
    if state.model:
        wanted &= DATA.cases.model == state.model
    if state.tool:
        used = {
            *DATA.calls.case[DATA.calls.tool == state.tool],
            *DATA.expected.case[DATA.expected.tool == state.tool],
        }
        wanted &= DATA.cases.index.isin(used)
    assert sum(shown.counts.values()) == wanted.sum()
    rows = shown.cases[shown.mask]
    if state.causes is None:
        assert set(rows.index) == set(DATA.cases.index[wanted])
    else:
        assert len(rows) == sum(n for cause, n in shown.counts.items() if cause in state.causes)
    assert rows["gap"].abs().round(9).is_monotonic_decreasing
    assert shown.rows["case"].to_list() == rows.index.to_list()


def test_the_finding_says_who_is_higher_and_why() -> None:
    data = tc.load(
        [
            {"case": "extra", "called": ["a", "b", "c"], "expected": ["a"]},
            {"case": "equal", "called": ["a"], "expected": ["a"]},
            {"case": "unknown", "called": None, "expected": ["a"]},
        ]
    )
    shown = view(Pairs(data, resolve("core")), State("recall", "jaccard", 0.3))
    assert shown.finding == "1 of 3 runs differs by 0.30 or more. recall is higher; the cause is extra calls."
    assert shown.note == "n = 3 runs · 1 not scored by one of the two"
    none = view(Pairs(data, resolve("core")), State("recall", "jaccard", 0.9))
    assert none.finding == "None of 3 runs differs by 0.90 or more under this choice."
    every = view(Pairs(data, resolve("core")), State("recall", "jaccard", 0.9, frozenset(), "a"))
    assert every.note.endswith("tool a · causes: none chosen")


def test_the_same_definition_twice_is_refused() -> None:
    with pytest.raises(OptionError, match="not 'recall' twice"):
        view(PAIRS, State("recall", "recall"))


def test_the_bars_are_the_same_bytes_for_the_same_counts() -> None:
    one = cause_bars((("extra", 5), ("order", 2)))
    cause_bars.cache_clear()
    assert cause_bars((("extra", 5), ("order", 2))) == one
    assert cause_bars((("extra", 5), ("order", 3))) != one
    assert cause_bars(()).startswith(b"\x89PNG")


def test_code_quotes_whatever_a_name_holds() -> None:
    text = code(State("a", "b", 0.25, frozenset({"extra"}), "t'\"\n", 'm"\u202e'))
    compile(text, "shown", "exec")
    assert "\u202e" not in text
    assert text.count("\n") == 8


@pytest.fixture
def dashboard() -> Disagreements:
    return tc.dashboards.disagreements(DATA)


def marker(dashboard: Disagreements) -> str:
    return dashboard._marker.value


def test_every_control_changes_the_view(dashboard: Disagreements) -> None:
    assert dashboard.state == State("deepeval", "notebook.jaccard", 0.3)
    update(dashboard._minimum, value=0.55)
    update(dashboard._a, index=dashboard._a.options.index("exact"))
    update(dashboard._model, index=2)
    update(dashboard._causes["extra"], value=False)
    state = State(
        "exact", "notebook.jaccard", 0.55, frozenset(CAUSES_IN_WORDS) - {"extra"}, "", dashboard._model.value
    )
    assert dashboard.state == state
    wanted = view(PAIRS, state)
    assert dashboard.table.rows.tolist() == np.flatnonzero(wanted.mask).tolist()
    assert dashboard.picture.value == wanted.picture
    assert wanted.finding in dashboard._finding.value
    assert f"{state}|{wanted.cases.index[wanted.mask][0]}".replace("&", "&amp;") in marker(dashboard)


def test_controls_moved_at_once_in_two_threads_are_both_drawn(
    dashboard: Disagreements, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, go = threading.Event(), threading.Event()
    compute = dashboard.compute

    def slow() -> Any:
        made = compute()
        entered.set()
        assert go.wait(20)
        return made

    monkeypatch.setattr(dashboard, "compute", slow)
    threads = [threading.Thread(target=update, args=(dashboard._minimum,), kwargs={"value": 0.5})]
    threads.append(threading.Thread(target=update, args=(dashboard._model,), kwargs={"index": 2}))
    threads[0].start()
    assert entered.wait(20)
    threads[1].start()
    go.set()
    for thread in threads:
        thread.join(20)
    assert dashboard.state == State("deepeval", "notebook.jaccard", 0.5, model=dashboard._model.value)
    assert str(dashboard.state) in marker(dashboard)
    assert dashboard.table.count == view(PAIRS, dashboard.state).mask.sum()


def test_a_chosen_case_is_explained(dashboard: Disagreements) -> None:
    row = int(dashboard.table.rows[-1])
    update(dashboard.table, selection=[dashboard.table.revision, dashboard.table.count - 1])
    case = dashboard.view.cases.index[row]
    assert dashboard.case == case
    assert dashboard.diff.title.startswith(case)
    assert [one["variant"] for one in dashboard.diff.sums] == ["deepeval", "notebook.jaccard"]
    assert f"|{case}" in marker(dashboard)


def test_errors_are_shown_and_go_away(dashboard: Disagreements, monkeypatch: pytest.MonkeyPatch) -> None:
    dashboard._b.value = "deepeval"
    assert "does not disagree with itself" in dashboard._error.value
    assert 'data-state="error"' in marker(dashboard)
    dashboard._b.value = "galtea"
    assert dashboard._error.value == ""

    def broken(*_: object, **options: object) -> None:
        raise ValueError("<script>deep</script>")

    monkeypatch.setattr(sys.modules[Disagreements.__module__], "explain", broken)
    dashboard.table.choose(int(dashboard.table.rows[1]))
    assert "&lt;script&gt;deep" in dashboard._error.value
    assert "ValueError" in dashboard._error.value


def test_nothing_left_to_show(dashboard: Disagreements) -> None:
    for box in dashboard._causes.values():
        box.value = False
    assert dashboard.table.count == 0
    assert dashboard.case is None
    assert dashboard.diff.pairs == []
    assert marker(dashboard).endswith('|none"></span>')


def test_a_still_and_the_first_rows_for_exports(dashboard: Disagreements) -> None:
    bundle = dashboard._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert 'src="data:image/png;base64,' in bundle["text/html"]
    assert bundle["text/html"].count("<tr>") == 11
    assert len(bundle["text/html"]) < 60_000
    assert repr(dashboard) == f"Disagreements: {dashboard.view.finding}"


def test_a_model_has_a_column_only_where_the_case_does_not_name_it() -> None:
    records = [{"case": f"run-{i}", "model": f"m{i}", "called": ["a", "b"], "expected": ["a"]} for i in range(3)]
    shown = tc.dashboards.disagreements(tc.load(records)).table
    assert [column["name"] for column in shown.columns] == [
        "case",
        "model",
        "deepeval",
        "notebook.jaccard",
        "gap",
        "cause",
    ]
    for record in records:
        record["case"] = f"{record['model']}/{record['case']}"
    shown = tc.dashboards.disagreements(tc.load(records)).table
    assert [column["name"] for column in shown.columns] == ["case", "deepeval", "notebook.jaccard", "gap", "cause"]


def test_the_code_can_be_shown(dashboard: Disagreements) -> None:
    update(dashboard._button, value=True)
    assert "tc-none" not in dashboard._code._dom_classes
    update(dashboard._button, value=False)
    assert "tc-none" in dashboard._code._dom_classes


def test_hostile_names_stay_text() -> None:
    bad = "<script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31m\u202e" + "z" * 10_000
    data = tc.load([{"case": f"{bad}{i}", "model": bad, "called": [bad, "b"], "expected": [bad]} for i in range(3)])
    dashboard = tc.dashboards.disagreements(data, "recall", "jaccard", minimum=0.5)
    dashboard._model.value = bad
    dashboard._tool.value = bad
    assert dashboard.table.count == 3
    for widget in (dashboard._finding, dashboard._code, dashboard._marker, dashboard._error, dashboard._described):
        assert "<script" not in widget.value
        assert "<img" not in widget.value
        assert "\u202e" not in widget.value
    assert "<script" not in dashboard.still()
    assert max(len(label) for label, _ in dashboard._tool.options) < 120


def test_no_cases_at_all() -> None:
    dashboard = tc.dashboards.disagreements(DATA.select([]))
    assert "None of 0 runs" in dashboard._finding.value
    assert dashboard._error.value == ""


def test_unknown_definitions_are_named_at_once() -> None:
    with pytest.raises(UnknownNameError, match="deepevl"):
        tc.dashboards.disagreements(DATA, "deepevl")


def test_the_state_of_all_widgets_stays_small(dashboard: Disagreements) -> None:
    def size(widget: Any) -> int:
        own = {k: v for k, v in widget.get_state().items() if k not in ("_esm", "_css")}
        return len(json.dumps(own, default=str)) + sum(size(child) for child in getattr(widget, "children", ()))

    assert size(dashboard) < 100_000
