"""Lint, format, types and stripped notebooks: the same checks as pre-commit."""

import shutil
import subprocess
import sys

import pytest

from tests.shared import ROOT

CHECKS = {
    "ruff check": ["ruff", "check", "."],
    "ruff format": ["ruff", "format", "--check", "."],
    "mypy": ["mypy"],
    "nbstripout": ["nbstripout", "--verify", *map(str, sorted((ROOT / "notebooks").glob("*.ipynb")))],
}


@pytest.mark.parametrize("check", CHECKS)
def test_the_tree_is_clean(check):
    tool, *options = CHECKS[check]
    found = shutil.which(tool, path=str(ROOT.__class__(sys.executable).parent)) or shutil.which(tool)
    if found is None:
        pytest.fail(f"{tool} is not installed; install the 'test' extra")
    done = subprocess.run([found, *options], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
