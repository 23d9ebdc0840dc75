"""A browser with a fresh profile that never leaves this machine, and the two hosts it drives."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, Route, sync_playwright

from tests.browser.hosts import Host, start
from tests.shared import ROOT

ARTEFACTS = ROOT / ".artefacts"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE = {"width": 1280, "height": 900}
# Voila's own page template asks for its icons there; the dashboards use none.
FONT_AWESOME = re.compile(r"^https://cdn\.jsdelivr\.net/npm/@fortawesome/fontawesome-free@[^/]+/css/[\w.-]+\.css$")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """Chromium with a fresh profile; skipped where there is none, but failed in CI."""
    path = shutil.which("chromium")
    if path is None:
        reason = "chromium is not installed: apt-get install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(tmp_path_factory.mktemp("profile")), executable_path=path, headless=True, args=FLAGS, viewport=WIDE
        )
        yield context
        context.close()


@pytest.fixture(scope="module", params=["lab", "voila"])
def host(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """JupyterLab, then Voila; ended after each module, since Voila keeps every kernel."""
    request.getfixturevalue("chromium")
    running = start(request.param, tmp_path_factory.mktemp(request.param))
    yield running
    running.stop()


@pytest.fixture(scope="module")
def page(chromium: BrowserContext, host: Host, request: pytest.FixtureRequest) -> Iterator[Page]:
    """One page a module and host. Any request that leaves the machine fails the module."""
    outside: list[str] = []

    def guard(route: Route) -> None:
        if urlsplit(route.request.url).hostname == "127.0.0.1":
            route.continue_()
            return
        if not (host.name == "voila" and FONT_AWESOME.match(route.request.url)):
            outside.append(route.request.url)
        route.abort()

    made = chromium.new_page()
    made.set_default_timeout(15_000)
    made.set_viewport_size(WIDE)
    made.route(re.compile("^(http|ws)s?:"), guard)
    made.on("websocket", lambda s: None if urlsplit(s.url).hostname == "127.0.0.1" else outside.append(s.url))
    yield made
    keep(made, f"last-{request.module.__name__.rpartition('.')[2]}-{host.name}")
    made.close()
    assert outside == [], "requests left the machine"


@pytest.fixture(autouse=True)
def picture(request: pytest.FixtureRequest) -> Iterator[None]:
    """Keep what the page looked like after each test."""
    yield
    if "page" in request.fixturenames:
        keep(request.getfixturevalue("page"), request.node.name)


def keep(page: Page, name: str) -> Path:
    """Save a screenshot under .artefacts, never compared by pixel."""
    ARTEFACTS.mkdir(exist_ok=True)
    path = ARTEFACTS / f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', name).strip('-')}.png"
    page.screenshot(path=path)
    return path
