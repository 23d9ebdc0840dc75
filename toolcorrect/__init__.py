"""Tool-call correctness: every published definition side by side, and why they disagree."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from toolcorrect.dataset import Dataset, concat
from toolcorrect.errors import ToolcorrectError
from toolcorrect.loaders import detect, formats, load

if TYPE_CHECKING:
    from toolcorrect import charts, dashboards, examples, widgets

__version__ = "0.1.0"

# Imported on first use: they need matplotlib, ipywidgets or the network.
_LAZY = ("charts", "dashboards", "examples", "widgets")

__all__ = [
    "Dataset",
    "ToolcorrectError",
    "charts",
    "concat",
    "dashboards",
    "detect",
    "examples",
    "formats",
    "load",
    "widgets",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return importlib.import_module(f"toolcorrect.{name}")
    raise AttributeError(f"module 'toolcorrect' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
