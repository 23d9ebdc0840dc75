"""What the browser tests look for on a page: finished states, painted tables, times, and what sticks out."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

PAINTED = re.compile(r"^\d+:-?\d+:-?\d+$")

# Resolves with the milliseconds from the key press to the first frame in which both the finished state and
# the table differ from what they were and are whole.
TIMER = """([root, both]) => {
    const box = document.querySelector(root);
    const now = () => {
        const state = box.querySelector('.tc-state')?.dataset.state ?? '';
        const table = box.querySelector('.tc-table').dataset.painted;
        return table ? [state, table] : null;
    };
    const before = now();
    window.timed = new Promise((done) => {
        let began = 0;
        box.addEventListener('keydown', () => { began = performance.now(); }, { once: true, capture: true });
        const look = () => {
            const found = now();
            const changed = found && found[1] !== before[1] && (!both || found[0] !== before[0]);
            if (began && changed) requestAnimationFrame(() => done(performance.now() - began));
            else setTimeout(look, 1);
        };
        look();
    });
}"""

STICKING_OUT = """(root) => {
    const box = root.getBoundingClientRect();
    const inner = '.tc-grid *, .tc-diff-scroll *, .tc-whole *, .tc-spoken';
    return [...root.querySelectorAll('*')].filter((e) => {
        const own = e.getBoundingClientRect();
        return own.width && own.height && !e.matches(inner) && own.right > box.right + 1;
    }).map((e) => `${e.tagName}.${e.className}`);
}"""


def finished(page: Page, state: str, root: str = ".tc-dashboard", timeout: int = 15_000) -> None:
    """Wait until a dashboard has finished drawing a state, and its table and diff have."""
    marker = page.locator(f"{root} .tc-state")
    expect(marker).to_have_attribute("data-state", re.compile(f"^{re.escape(state)}"), timeout=timeout)
    expect(page.locator(f"{root} .tc-table")).to_have_attribute("data-painted", PAINTED)


def press_timed(page: Page, key: str, root: str, *, both: bool = False) -> float:
    """Press a key; return the milliseconds until the table (and the finished state) changed and were painted."""
    page.evaluate(TIMER, [root, both])
    page.keyboard.press(key)
    return float(page.evaluate("() => window.timed"))


def sticking_out(dashboard: Locator) -> list[str]:
    """Return what reaches beyond the right edge of a dashboard."""
    found = dashboard.evaluate(STICKING_OUT)
    assert isinstance(found, list)
    return found
