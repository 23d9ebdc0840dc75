"""Every notebook runs top to bottom: with the public runs, and without them on what is bundled."""

import os

import nbformat
import pytest
from nbclient import NotebookClient

from tests.shared import ROOT, shared

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PUBLIC = [path for path in NOTEBOOKS if "tau2_bench" in path.read_text("utf-8")]


def run(path, data):
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}})
    client.execute(env={**os.environ, "TOOLCORRECT_DATA": str(data)})
    return notebook.cells


def said(cells):
    return "\n".join(output.get("text", "") for cell in cells for output in cell.get("outputs", []))


def charts(cells):
    return sum("image/png" in output.get("data", {}) for cell in cells for output in cell.get("outputs", []))


def test_there_are_notebooks():
    assert len(NOTEBOOKS) > len(PUBLIC) > 2


@pytest.mark.notebook
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path):
    cells = run(path, shared("data") if path in PUBLIC else "")
    assert any(cell.get("outputs") for cell in cells)
    assert charts(cells) <= 6
    assert "stand in" not in said(cells)
    assert "stands in" not in said(cells)


@pytest.mark.notebook
@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.stem)
def test_without_public_runs_a_notebook_takes_bundled_ones_and_says_so(path, tmp_path):
    text = said(run(path, tmp_path))
    assert "There is no file tau2_bench/*_airline*" in text
    assert "Until then" in text
