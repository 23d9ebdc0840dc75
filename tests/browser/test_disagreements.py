"""The dashboard of disagreements on the bundled runs: the same steps in JupyterLab and in Voila."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache

import pandas as pd
import pytest
from playwright.sync_api import Locator, Page, expect

import toolcorrect as tc
from tests.browser.conftest import keep
from tests.browser.hosts import RUN, Host
from tests.browser.looking import finished, sticking_out
from tests.shared import ROOT
from toolcorrect.dashboards.disagreement_view import Pairs, State, View, view
from toolcorrect.explaining.disagreeing import CAUSES_IN_WORDS
from toolcorrect.variants import resolve

FOLDER = ROOT / "data" / "support_desk"
CELL = f"""
import toolcorrect as tc
data = tc.load({str(FOLDER)!r})
dashboard = tc.dashboards.disagreements(data)
dashboard
"""


@cache
def pairs() -> Pairs:
    return Pairs(tc.load(FOLDER), resolve("core"))


def gaps(a: str, b: str) -> pd.Series:
    """Return the gaps of a pair without any code of the dashboard's."""
    scores = tc.score(pairs().data, variants=[a, b])
    return (scores[a] - scores[b]).abs()


def held(page: Page, state: State) -> View:
    """Wait for a state, and hold the page against the view computed here."""
    finished(page, str(state))
    wanted = view(pairs(), state)
    expect(page.locator(".tc-grid")).to_have_attribute("aria-rowcount", str(int(wanted.mask.sum()) + 1))
    expect(page.locator(".tc-finding")).to_have_text(wanted.finding)
    expect(page.locator(".tc-finding-note")).to_have_text(wanted.note)
    assert hashlib.sha256(picture(page)).digest() == hashlib.sha256(wanted.picture).digest()
    return wanted


def picture(page: Page) -> bytes:
    """Return the bytes of the picture, which a host shows from a blob."""
    code = """async (e) => {
        const bytes = new Uint8Array(await (await fetch(e.src)).arrayBuffer());
        return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''));
    }"""
    return base64.b64decode(page.locator("img.widget-image").evaluate(code))


def shown_cases(page: Page) -> list[str]:
    rows = page.locator(".tc-dashboard .tc-body [role=row]:not([hidden])")
    return rows.locator("[role=gridcell]:first-child").all_text_contents()


def control(page: Page, name: str) -> Locator:
    return page.locator(".tc-dashboard").get_by_label(name)


@pytest.fixture(scope="module")
def opened(page: Page, host: Host) -> Page:
    host.open(page, host.write("disagreements", [CELL]))
    finished(page, "deepeval|notebook.jaccard|0.30|", timeout=RUN)
    return page


def test_it_opens_on_the_largest_gaps(opened: Page) -> None:
    wanted = held(opened, State("deepeval", "notebook.jaccard", 0.3))
    far = gaps("deepeval", "notebook.jaccard")
    expect(opened.locator(".tc-finding")).to_contain_text(f"{(far >= 0.3).sum()} of 720 runs differ by 0.30 or more")
    assert shown_cases(opened)[0] == wanted.cases.index[0] == far.reindex(wanted.cases.index).idxmax()


def test_slider_by_keyboard(opened: Page) -> None:
    opened.locator(".tc-dashboard .noUi-handle").focus()
    far = gaps("deepeval", "notebook.jaccard")
    for key, minimum in [("ArrowRight", 0.35), ("ArrowRight", 0.4), ("ArrowLeft", 0.35), ("Home", 0.0)]:
        opened.keyboard.press(key)
        held(opened, State("deepeval", "notebook.jaccard", minimum))
        differing = (far > 0) & (far >= minimum - 1e-9)
        expect(opened.locator(".tc-grid")).to_have_attribute("aria-rowcount", str(differing.sum() + 1))


def test_both_dropdowns(opened: Page) -> None:
    control(opened, "compare").select_option("recall")
    held(opened, State("recall", "notebook.jaccard"))
    control(opened, "against").select_option("exact.args")
    held(opened, State("recall", "exact.args"))
    far = gaps("recall", "exact.args")
    expect(opened.locator(".tc-grid")).to_have_attribute("aria-rowcount", str((far > 0).sum() + 1))
    expect(opened.locator(".tc-finding-note")).to_contain_text(f"{far.isna().sum()} not scored")


def test_filters(opened: Page) -> None:
    before = view(pairs(), State("recall", "exact.args"))
    cause = next(iter(before.counts))
    control(opened, re.compile(f"^{cause} ")).press("Space")
    rest = frozenset(CAUSES_IN_WORDS) - {cause}
    without = held(opened, State("recall", "exact.args", causes=rest))
    assert without.mask.sum() == before.mask.sum() - before.counts[cause]
    control(opened, re.compile(f"^{cause} ")).press("Space")
    control(opened, "tool").select_option("get_order")
    held(opened, State("recall", "exact.args", tool="get_order"))
    control(opened, "model").select_option("hasty")
    chosen = held(opened, State("recall", "exact.args", tool="get_order", model="hasty"))
    data = pairs().data
    used = set(data.calls.case[data.calls.tool == "get_order"]) | set(
        data.expected.case[data.expected.tool == "get_order"]
    )
    far = gaps("recall", "exact.args")
    mine = set(data.cases.index[data.cases.model == "hasty"])
    assert set(chosen.cases.index[chosen.mask]) == used & mine & set(far.index[far > 0])


def test_table_by_keyboard_to_the_last_row_and_its_diff(opened: Page) -> None:
    state = State("recall", "exact.args", tool="get_order", model="hasty")
    wanted = view(pairs(), state)
    cases = wanted.cases.index[wanted.mask]
    opened.locator(".tc-dashboard .tc-grid").focus()
    for key, case in [("End", cases[-1]), ("ArrowUp", cases[-2]), ("Home", cases[0]), ("ArrowDown", cases[1])]:
        opened.keyboard.press(key)
        finished(opened, f"{state}|{case}")
        diff = opened.locator(".tc-diff-view")
        told = tc.explain(pairs().data, case, variants=["recall", "exact.args"])
        expect(diff.locator(".tc-diff-title")).to_have_text(re.compile(f"^{re.escape(case)}"))
        expect(diff.locator("tbody tr")).to_have_count(len(told.alignment))
        kinds = [text.split(" ", 1)[1] for text in diff.locator(".tc-kind").all_text_contents()]
        assert kinds == told.alignment["kind"].to_list()
        expect(diff.locator(".tc-sums")).to_contain_text(told.sums.loc["recall", "sum"])


def test_show_code_gives_the_same_rows(opened: Page) -> None:
    expect(opened.locator(".tc-code")).to_be_hidden()
    opened.get_by_role("button", name="show code").click()
    code = opened.locator(".tc-code").inner_text()
    lines = code.rstrip().rsplit("\n", 1)
    assert lines[-1] == "cases"
    space = {"data": pairs().data}
    exec(lines[0], space)
    wanted = view(pairs(), State("recall", "exact.args", tool="get_order", model="hasty"))
    pd.testing.assert_frame_equal(space["cases"], wanted.cases[wanted.mask])
    assert shown_cases(opened) == list(space["cases"].index[: len(shown_cases(opened))])
    opened.get_by_role("button", name="hide code").click()
    expect(opened.locator(".tc-code")).to_be_hidden()


def test_mistakes_are_shown_in_the_view(opened: Page) -> None:
    control(opened, "against").select_option("recall")
    finished(opened, "error")
    expect(opened.get_by_role("alert")).to_have_text(
        "A variant does not disagree with itself: give two, not 'recall' twice."
    )
    control(opened, "against").select_option("deepeval")
    held(opened, State("recall", "deepeval", tool="get_order", model="hasty"))
    expect(opened.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize("width", [1280, 1920])
def test_nothing_sticks_out(opened: Page, host: Host, width: int) -> None:
    other = "notebook.jaccard" if width == 1280 else "exact.args"
    opened.set_viewport_size({"width": width, "height": 1000})
    control(opened, "model").select_option(index=0)
    control(opened, "tool").select_option(index=0)
    control(opened, "against").select_option(other)
    finished(opened, f"recall|{other}|0.00|all|any|any")
    dashboard = opened.locator(".tc-dashboard")
    # Voila takes its theme when it starts.
    for theme in ["dark", "light"] if host.name == "lab" else ["light"]:
        if host.name == "lab":
            change = "(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })"
            opened.evaluate(change, f"JupyterLab {theme.title()}")
            expect(opened.locator("body")).to_have_attribute("data-jp-theme-light", str(theme == "light").lower())
        dashboard.scroll_into_view_if_needed()
        assert sticking_out(dashboard) == []
        keep(opened, f"disagreements-{host.name}-{theme}-{width}")
