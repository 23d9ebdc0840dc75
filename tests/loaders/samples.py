"""Sample files of every format: a folder each, with what a loader must yield in ``expected.json``.

Those made by this project are in ``tests/samples``; those from elsewhere stay outside the repository.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.shared import ROOT, shared

HERE = ROOT / "tests" / "samples"
# Files of other people's repositories.
OUTSIDE = (
    "adk_legacy_test",
    "bfcl",
    "bfcl_hard",
    "claude_code",
    "claude_code_edge",
    "sharegpt_function_call",
    "tau_bench",
)
SAMPLES = sorted([*OUTSIDE, *(path.parent.name for path in HERE.glob("*/expected.json"))])


def folder(sample: str) -> Path:
    return shared(f"samples/{sample}") if sample in OUTSIDE else HERE / sample


def files(sample: str) -> list[Path]:
    """The data files of a sample."""
    return sorted(path for path in folder(sample).iterdir() if path.name != "expected.json" and path.suffix != ".md")


def expectation(sample: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder(sample) / "expected.json").read_text("utf-8"))
    return found
