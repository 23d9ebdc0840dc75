"""The table at a million rows, and hostile text in the table and the diff, in both hosts."""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Page, WebSocket, expect

from tests.browser.hosts import RUN, Host
from tests.browser.looking import press_timed

ROWS = 1_000_000
BIG = f"""
import numpy as np, pandas as pd, toolcorrect as tc
from toolcorrect.widgets import Table, Diff
n = np.arange({ROWS})
frame = pd.DataFrame({{
    "case": pd.array(np.char.add("case-", n.astype(str)), dtype=pd.StringDtype("pyarrow")),
    "deepeval": (n % 101) / 100, "gap": ((n * 7919) % 1009) / 1009,
    "cause": pd.Categorical.from_codes(n % 4, ["extra", "missing", "order", "repeat"]),
}})
table = Table(frame, label="cases", bold=["gap"])
table.add_class("big")
table
"""
HOSTILE = r"""
bad = [
    "<script>window.hacked = 1</script>", "<img src=x onerror='window.hacked = 1'>", "\x1b[31mred\x1b[0m",
    "\u202egnp.exe\u2066", "\"><svg onload=window.hacked=1>", "M" * 10_000, "two words " * 1_000, "",
    "\u0645\u0631\u062d\u0628\u0627",
]
cases = pd.DataFrame({"case": bad, "<b>gap</b>": np.linspace(0, 1, len(bad)), "cause": bad[::-1]})
hostile = Table(cases, label="<script>window.hacked = 1</script>", height=len(bad))
hostile.add_class("hostile")
kinds = ["matched", "missing", "extra", "repeated", "moved", "arguments"]
pairs = pd.DataFrame({
    "kind": [kinds[i % 6] for i in range(len(bad))],
    "expected_position": range(len(bad)), "called_position": range(len(bad)),
    "tool_expected": bad, "tool_called": bad, "arguments_expected": bad, "arguments_called": bad,
    "differences": [[{"path": b, "code": "value", "expected": b, "called": b}] for b in bad],
})
sums = pd.DataFrame({"score": [0.5, float("nan")], "sum": bad[:2], "status": ["ok", "failed"]}, index=bad[:2])
diff = Diff(pairs, title=bad[0] + bad[1], sums=sums)
diff.add_class("hostile-diff")
display(hostile, diff)
"""


@dataclass
class Wire:
    """Counts the bytes of every socket of a page."""

    received: int = 0
    sent: int = 0
    sockets: list[WebSocket] = field(default_factory=list)

    def watch(self, socket: WebSocket) -> None:
        self.sockets.append(socket)
        socket.on("framereceived", lambda data: setattr(self, "received", self.received + len(data)))
        socket.on("framesent", lambda data: setattr(self, "sent", self.sent + len(data)))

    @property
    def total(self) -> int:
        return self.received + self.sent


@pytest.fixture(scope="module")
def wire(page: Page, host: Host) -> Wire:
    """Open the notebook, with its sockets watched."""
    made = Wire()
    page.on("websocket", made.watch)
    host.open(page, host.write("widgets", [BIG, HOSTILE]))
    expect(page.locator(".hostile-diff .tc-diff-view[data-painted]")).to_be_visible(timeout=RUN)
    return made


def painted(page: Page, row: int) -> None:
    """Wait until a row of the big table is chosen and every row in sight is drawn."""
    expect(page.locator(".big .tc-table")).to_have_attribute("data-painted", re.compile(rf":{row}$"))


def press(page: Page, key: str) -> float:
    return press_timed(page, key, ".big")


def first_cells(page: Page) -> list[str]:
    rows = page.locator(".big [role=row][aria-selected]:not([hidden])")
    return rows.locator("[role=gridcell]:first-child").all_text_contents()


def test_keys_reach_every_row_quickly(page: Page, wire: Wire, host: Host) -> None:
    grid = page.locator(".big [role=grid]")
    expect(grid).to_have_attribute("aria-rowcount", str(ROWS + 1))
    grid.focus()
    painted(page, 0)
    start, took, memory = wire.total, [], host.kernel_memory()
    for key, row in [
        ("End", ROWS - 1),
        ("PageUp", ROWS - 17),
        ("ArrowUp", ROWS - 18),
        ("Home", 0),
        ("PageDown", 16),
        ("ArrowDown", 17),
        ("End", ROWS - 1),
        ("Home", 0),
        ("ArrowDown", 1),
        ("End", ROWS - 1),
    ]:
        took.append(press(page, key))
        painted(page, row)
        chosen = page.locator(".big [aria-selected=true]")
        expect(chosen).to_have_attribute("aria-rowindex", str(row + 2))
        expect(chosen.locator("[role=gridcell]").first).to_have_text(f"case-{row}")
        expect(chosen).to_be_in_viewport()
        assert page.evaluate("() => document.activeElement.getAttribute('aria-activedescendant')") == (
            chosen.locator("[role=gridcell]").first.get_attribute("id")
        )
    print(
        f"keys: {statistics.median(took):.0f} ms median, {max(took):.0f} most, {(wire.total - start) / 10_240:.1f} kB"
    )
    assert statistics.median(took) < 300
    assert (wire.total - start) / 10 < 50_000
    assert host.kernel_memory() - memory < 20e6
    assert first_cells(page)[-1] == f"case-{ROWS - 1}"


def test_header_sorts_by_keyboard_and_by_mouse(page: Page, wire: Wire) -> None:
    page.locator(".big [role=grid]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    head = page.locator(".big [role=columnheader]")
    took = press(page, "Enter")
    expect(head.nth(2)).to_have_attribute("aria-sort", "descending")
    page.keyboard.press("Home")
    painted(page, 0)
    gap = page.locator(".big [aria-selected=true] [role=gridcell]").nth(2)
    expect(gap).to_have_text("1.00")
    head.nth(2).click()
    expect(head.nth(2)).to_have_attribute("aria-sort", "ascending")
    page.locator(".big [role=grid]").focus()
    page.keyboard.press("Home")
    expect(gap).to_have_text("0.00")
    head.nth(2).click()
    expect(head.nth(2)).to_have_attribute("aria-sort", "none")
    page.locator(".big [role=grid]").focus()
    page.keyboard.press("Home")
    expect(page.locator(".big [aria-selected=true] [role=gridcell]").first).to_have_text("case-0")
    print(f"sort: {took:.0f} ms")
    assert took < 2_000


def test_the_wheel_and_the_scrollbar_move_the_rows(page: Page, wire: Wire) -> None:
    grid = page.locator(".big [role=grid]")
    grid.hover()
    page.mouse.wheel(0, 270)
    expect(page.locator(".big .tc-body [role=gridcell]").first).to_have_text("case-10")
    grid.evaluate("(e) => { e.scrollTop = e.scrollHeight; }")
    expect(page.locator(".big .tc-body [role=row]").last.locator("[role=gridcell]").first).to_have_text(
        f"case-{ROWS - 1}"
    )
    grid.evaluate("(e) => { e.scrollTop = e.scrollHeight / 2; }")
    expect(page.locator(".big .tc-body [role=gridcell]").first).to_have_text(re.compile("case-(49|50)"))


def test_hostile_text_runs_nothing_and_breaks_nothing(page: Page, wire: Wire) -> None:
    table, diff = page.locator(".hostile .tc-table"), page.locator(".hostile-diff .tc-diff-view")
    expect(table).to_have_attribute("data-painted", re.compile(".+"))
    for i in range(9):
        table.locator("[role=row][aria-selected]").nth(i).click()
        expect(table.locator("[aria-selected=true]")).to_have_attribute("aria-rowindex", str(i + 2))
    assert page.evaluate("() => window.hacked") is None
    assert table.locator("script, img, svg").count() == diff.locator("script, img, svg, b b").count() == 0
    expect(table.locator("[role=gridcell]").first).to_have_text("<script>window.hacked = 1</script>")
    expect(table.locator("[role=columnheader]").nth(1)).to_have_text("<b>gap</b>")
    expect(table.get_by_text(r"\x1b[31mred\x1b[0m").first).to_be_visible()
    expect(table.get_by_text(r"\u202egnp.exe\u2066").first).to_be_visible()
    for widget in (table, diff):
        box = widget.evaluate("(e) => [e.scrollWidth - e.clientWidth, e.getBoundingClientRect().right, innerWidth]")
        assert box[0] <= 1, "something is wider than the widget"
        assert box[1] <= box[2]
    grid = table.locator("[role=grid]")
    assert grid.evaluate("(e) => e.scrollWidth - e.clientWidth") <= 1
    heights = table.locator("[role=row]").evaluate_all("(rows) => rows.map((r) => r.getBoundingClientRect().height)")
    assert set(heights) == {27}


def test_the_chosen_row_is_written_out_where_it_does_not_fit(page: Page, wire: Wire) -> None:
    table = page.locator(".hostile .tc-table")
    table.locator("[role=row][aria-selected]").nth(5).click()
    whole = table.locator(".tc-whole")
    expect(whole).to_contain_text("case: " + "M" * 4000 + "… (10,000 characters)")
    assert whole.bounding_box()["height"] < 120


def test_the_diff_is_read_by_keyboard_without_colour(page: Page, wire: Wire) -> None:
    diff = page.locator(".hostile-diff")
    words = diff.locator(".tc-kind").all_text_contents()
    assert words[:6] == ["= matched", "− missing", "+ extra", "× repeated", "↕ moved", "≠ arguments"]
    diff.locator("table").focus()
    page.keyboard.press("ArrowDown")
    expect(diff.locator("tr[aria-selected=true]")).to_have_attribute("data-kind", "matched")
    page.keyboard.press("End")
    expect(diff.locator("tr[aria-selected=true] .tc-place").first).to_have_text("9")
    page.keyboard.press("Home")
    expect(diff.locator("tr[aria-selected=true] .tc-place").first).to_have_text("1")
