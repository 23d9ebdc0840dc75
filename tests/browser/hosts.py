"""JupyterLab and Voila on this machine only, cut off from a developer's own settings."""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import nbformat
import psutil
from playwright.sync_api import Page, expect

START = 90  # seconds a server may take
RUN = 60_000  # milliseconds a notebook may take
NO_NEWS = {"fetchNews": "false", "checkForUpdates": False}


@dataclass(frozen=True)
class Host:
    """A running server and the folder it serves."""

    name: str
    port: int
    folder: Path
    token: str
    process: subprocess.Popen[bytes]
    log: Path

    def write(self, name: str, cells: list[str]) -> str:
        """Write a notebook into the folder; return its file name."""
        made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        made.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(made, self.folder / f"{name}.ipynb")
        return f"{name}.ipynb"

    def open(self, page: Page, notebook: str) -> None:
        """Open a notebook and let it run; wait on the notebook's own widgets afterwards."""
        if self.name == "voila":
            page.goto(self._url(f"/voila/render/{notebook}?token={self.token}"), wait_until="commit", timeout=RUN)
            return
        for _ in range(3):
            page.goto(self._url(f"/lab/tree/{notebook}?token={self.token}&reset"))
            page.wait_for_selector(".jp-Notebook", timeout=RUN)
            page.wait_for_selector("#jupyterlab-splash", state="detached", timeout=RUN)
            self._settle(page)
            page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
            ran = page.locator(".jp-Notebook .jp-CodeCell .jp-InputPrompt").last
            try:
                expect(ran).to_have_text(re.compile(r"\d"))
                expect(page.get_by_text("Loading widget...", exact=True)).to_have_count(0)
            except AssertionError:
                continue  # the kernel was changed under the cells; it is up now, so the next page finds it
            return
        raise AssertionError(f"JupyterLab did not run {notebook}:\n{self.log.read_text()[-2000:]}")

    def _settle(self, page: Page) -> None:
        """Wait until one kernel has been idle for two seconds.

        On a busy machine JupyterLab may start two kernels for a notebook and drop the first, refuse a connection to
        one that still starts, or ask for one while it starts another.
        """
        state = """() => {
            const kernel = window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel;
            return document.querySelector('.jp-Dialog') ? 'asked' : kernel?.status === 'idle' ? kernel.id : '';
        }"""
        until, before, since = time.monotonic() + START, "", time.monotonic()
        while time.monotonic() < until:
            now = page.evaluate(state)
            if now == "asked":
                page.keyboard.press("Enter")
            if now != before or now in ("", "asked"):
                before, since = now, time.monotonic()
            elif time.monotonic() - since > 2:
                return
            page.wait_for_timeout(100)
        raise AssertionError(f"No kernel became idle:\n{self.log.read_text()[-2000:]}")

    def kernel_memory(self) -> int:
        """Return the resident bytes of the server's kernels."""
        return sum(child.memory_info().rss for child in psutil.Process(self.process.pid).children(recursive=True))

    def stop(self) -> None:
        """End the server; its kernels end with it."""
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"


def start(name: str, folder: Path) -> Host:
    """Start ``lab`` or ``voila`` on a free port, with every settings folder under ``folder``."""
    served, settings, log = folder / "notebooks", folder / "settings", folder / f"{name}.log"
    served.mkdir(parents=True)
    _write(settings / "@jupyterlab/apputils-extension/notification.jupyterlab-settings", NO_NEWS)
    port, token = _free_port(), secrets.token_hex(16)
    common = ["--no-browser", f"--port={port}"]
    lab = [
        *("jupyterlab", str(served), "--allow-root", "--ip=127.0.0.1"),
        *("--ServerApp.port_retries=0", f"--IdentityProvider.token={token}"),
        *(
            "--LabApp.extension_manager=readonly",
            "--LabApp.expose_app_in_browser=True",
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        ),
    ]
    voila = ["voila", str(served), "--Voila.ip=127.0.0.1", "--show_tracebacks=True", f"--Voila.token={token}"]
    places = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
        "MPLCONFIGDIR": "matplotlib",
    }
    environment = {**os.environ, **{key: str(folder / place) for key, place in places.items()}}
    with log.open("wb") as sink:
        process = subprocess.Popen(
            [sys.executable, "-m", *(lab if name == "lab" else voila), *common],
            env=environment,
            stdout=sink,
            stderr=subprocess.STDOUT,
        )
    host = Host(name, port, served, token, process, log)
    try:
        _wait(host)
    except BaseException:
        host.stop()
        raise
    return host


def _write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(host: Host) -> None:
    until = time.monotonic() + START
    while time.monotonic() < until:
        if host.process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(host._url("/"), timeout=5):
                return
        except urllib.error.HTTPError:
            return  # it answers, and asks who we are
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError(f"{host.name} did not start:\n{host.log.read_text()[-2000:]}")
