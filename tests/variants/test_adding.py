"""Adding a definition of an existing kind takes the one entry that the README shows, and no other change."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
ENTRY = re.search(r"<!-- entry: .*?-->\n```python\n(.*?)```", README, re.DOTALL)[1]
FAMILY = re.search(r"end of `VARIANTS` in `(.+?)`", README)[1]
NAME = re.search(r'Variant\(\s+"(.+?)"', ENTRY)[1]
USE = f"""
import toolcorrect as tc
from tests.readme import tables

assert "{ROOT}" not in tc.__file__
data = tc.load([{{"case": "x", "called": ["a", "b", "b"], "expected": ["a"]}}])
assert tc.score(data, variants="acme.*").loc["x"].to_dict() == {{"{NAME}": 0.5}}
assert "{NAME}" in tc.score(data, variants="all")
assert tc.explain(data, "x", variants=["{NAME}"]).sums.loc["{NAME}", "sum"] == "1 shared of 2 in the longer"
assert tc.variants().loc["{NAME}", ["formula", "needs", "empty_both"]].to_list() == ["m/max(E,C)", ["expected"], 1.0]
assert tc.strictness([{NAME!r}, "recall"]).implies.notna().all()
assert "<b>acme-evals</b> 1.0: 1 definition<" in tables()
assert "| `{NAME}` | different tools" in tables()
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package and its tests, with the entry put in."""
    root = tmp_path_factory.mktemp("copy")
    for folder in ("toolcorrect", "tests"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("README.md", "pyproject.toml"):
        shutil.copy(ROOT / file, root / file)
    path = root / FAMILY
    text = path.read_text(encoding="utf-8")
    assert text.endswith("    ),\n)\n")
    path.write_text(text.removesuffix(")\n") + ENTRY + ")\n", encoding="utf-8")
    return root


def run(copy: Path, *options: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(copy)}
    done = subprocess.run(
        [sys.executable, *options], capture_output=True, text=True, cwd=copy, env=environment, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_the_entry_is_scored_explained_and_documented(copy: Path) -> None:
    run(copy, "-c", USE)


def test_no_other_change_is_asked_for(copy: Path) -> None:
    run(copy, "-m", "tests.readme")
    tests = ["tests/test_readme.py", "tests/variants/test_proof.py", "tests/variants/test_empty_sides.py"]
    run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, "-k", "tables or designed or design or no_rule")


def test_the_entry_is_property_tested(copy: Path) -> None:
    tests = ["tests/variants/test_properties.py", "tests/variants/test_empty_sides.py"]
    said = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, "-k", NAME)
    # Six declared properties, and the empty sides.
    assert re.search(r"\b7 passed", said), said
