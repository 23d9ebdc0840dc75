"""A slider over many cases, and a dashboard of hostile runs."""

from __future__ import annotations

import statistics

import pytest
from playwright.sync_api import Page, expect

from tests.browser.hosts import RUN, Host
from tests.browser.looking import finished, press_timed, sticking_out

MADE = """
import numpy as np, pandas as pd, toolcorrect as tc

def made(n):
    chance = np.random.default_rng(1)
    cases = pd.Index([f"run-{i:06d}" for i in range(n)])
    tools = np.array(["find_order", "read_policy", "refund", "write_mail", "close_ticket"])
    def calls(most):
        counts = chance.integers(0, most, n)
        return pd.DataFrame({
            "case": np.repeat(cases, counts), "tool": tools[chance.integers(0, 5, counts.sum())],
            "arguments": "{}", "arguments_form": "object",
        })
    return tc.Dataset(
        cases=pd.DataFrame({"model": np.where(chance.random(n) < 0.5, "a", "b")}, index=cases),
        calls=calls(6).assign(arguments_status="ok"), expected=calls(4),
    )

def shown(n):
    board = tc.dashboards.disagreements(made(n), "recall", "jaccard", minimum=0.1, variants=["recall", "jaccard"])
    board.add_class(f"of-{n}")
    return board

display(shown(1_000), shown(100_000))
"""
HOSTILE = r"""
bad = [
    "<script>window.hacked = 1</script>", "<img src=x onerror='window.hacked = 1'>", "\x1b[31mred\x1b[0m",
    "\u202egnp.exe\u2066", "\"><svg onload=window.hacked=1>", "M" * 10_000, "two words " * 1_000,
]
data = tc.load([
    {"case": b, "model": b, "task": b, "called": [{"name": b, "arguments": {b: b}}],
     "expected": [{"name": b, "arguments": {b: "else"}}]} for b in bad
])
board = tc.dashboards.disagreements(data, "recall", "exact.args", minimum=0.0)
board.add_class("hostile")
board
"""


@pytest.fixture(scope="module")
def opened(page: Page, host: Host) -> Page:
    host.open(page, host.write("large", [MADE, HOSTILE]))
    for root in (".of-1000", ".of-100000", ".hostile"):
        finished(page, "recall|", root, timeout=RUN)
    return page


@pytest.mark.parametrize(("cases", "most"), [(1_000, 400), (100_000, 1_000)])
def test_slider_to_painted(opened: Page, cases: int, most: int) -> None:
    root = f".of-{cases}"
    opened.locator(f"{root} .noUi-handle").focus()
    took = []
    for i, key in enumerate(["ArrowRight"] * 5 + ["ArrowLeft"] * 5, start=1):
        took.append(press_timed(opened, key, root, both=True))
        finished(opened, f"recall|jaccard|{0.1 + 0.05 * (i if i <= 5 else 10 - i):.2f}", root)
    print(f"slider at {cases:,}: {statistics.median(took):.0f} ms median, {max(took):.0f} most")
    assert statistics.median(took) < most


def test_hostile_runs(opened: Page) -> None:
    board = opened.locator(".hostile")
    board.scroll_into_view_if_needed()
    for i in range(7):
        board.locator(".tc-body [role=row]").nth(i).click()
        expect(board.locator(".tc-body [aria-selected=true]")).to_have_attribute("aria-rowindex", str(i + 2))
        assert board.bounding_box()["height"] < 1_400, "a long name stretches the dashboard"
    for name in ("tool", "model"):
        for i in range(1, 8):
            board.get_by_label(name).select_option(index=i)
            expect(board.locator(".tc-finding-note")).to_contain_text(f"{name} ")
        assert sticking_out(board) == []
        board.get_by_label(name).select_option(index=0)
        finished(opened, "recall|exact.args|0.00|all|any|any|", ".hostile")
    board.get_by_role("button", name="show code").click()
    assert opened.evaluate("() => window.hacked") is None
    assert board.locator("script, svg, img:not(.widget-image)").count() == 0
    assert sticking_out(board) == []
