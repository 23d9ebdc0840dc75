"""Finds the shared files (recorded outputs, samples, public runs) that tests compare with."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def shared(path: str) -> Path:
    """Return a shared file or folder; skip where it is absent, but fail in CI."""
    base = os.environ.get("TOOLCORRECT_SHARED")
    found = (Path(base) if base else ROOT.parent / "shared") / path
    if not found.exists():
        reason = f"shared {path} is not there: set TOOLCORRECT_SHARED to the folder that holds it"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return found
