"""Runs to try things on: bundled sets made by this project."""

from __future__ import annotations

import shutil
from pathlib import Path

from toolcorrect.dataset import Dataset
from toolcorrect.errors import LoadError

_HERE = Path(__file__).resolve().parent


def support_desk() -> Dataset:
    """Return 720 runs of six simulated agents at a small shop's support desk.

    Returns
    -------
    Dataset
        40 tasks, 3 trials each; ``outcome`` is 1 where the run left the shop in the state it should.

    Examples
    --------
    >>> len(support_desk())
    720
    """
    return _load("support_desk")


def seeds() -> Dataset:
    """Return the worked examples that the seed definitions are known by, with their stated scores as tags.

    Examples
    --------
    >>> seeds().calls.tool.iloc[0]
    'control_smart_light'
    """
    return _load("seeds")


def copy_notebooks(folder: str | Path) -> int:
    """Copy the notebooks into a folder; those that are there already stay as they are.

    Returns
    -------
    int
        How many were copied.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    copied = 0
    for notebook in sorted(_bundled("notebooks").glob("*.ipynb")):
        if not (target / notebook.name).exists():
            shutil.copy(notebook, target / notebook.name)
            copied += 1
    return copied


def _load(name: str) -> Dataset:
    from toolcorrect.loaders import load

    return load(_bundled("data") / name)


def _bundled(folder: str) -> Path:
    """Find what a wheel carries inside the package, and a source tree beside it."""
    for place in (_HERE / "_bundled" / folder, _HERE.parent / folder):
        if place.is_dir():
            return place
    raise LoadError(f"The bundled {folder} are not in this installation; install toolcorrect again.")
