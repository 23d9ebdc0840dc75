"""A notebook with a dashboard, run by a real kernel and saved with the state of its widgets."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from traitlets.config import Config

from tests.shared import ROOT

NOTEBOOK = ROOT / "notebooks" / "02_where_they_disagree.ipynb"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *sys.path]))
        NotebookClient(notebook, timeout=180, resources={"metadata": {"path": str(NOTEBOOK.parent)}}).execute()
    path = tmp_path_factory.mktemp("saved") / NOTEBOOK.name
    nbformat.write(notebook, path)
    return path


@pytest.mark.notebook
def test_it_stays_small(saved: Path) -> None:
    text = saved.read_text(encoding="utf-8")
    assert "application/vnd.jupyter.widget-state+json" in text
    assert len(text.encode()) < 180_000


@pytest.mark.notebook
def test_an_export_holds_the_still_picture(saved: Path) -> None:
    order = ["text/html", "image/svg+xml", "image/png", "text/markdown", "text/plain"]
    settings = Config()
    settings.NbConvertBase.display_data_priority = order
    page, _ = HTMLExporter(config=settings).from_filename(str(saved))
    assert page.count('alt="extra calls') == 1
    assert "run the notebook to choose others" in page
