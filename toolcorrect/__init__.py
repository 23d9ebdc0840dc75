"""Tool-call correctness: every published definition side by side, and why they disagree."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from toolcorrect.attributing import why
from toolcorrect.dataset import Dataset, concat
from toolcorrect.disagreeing import disagreeing_pairs, disagreements
from toolcorrect.errors import ToolcorrectError
from toolcorrect.explaining import explain
from toolcorrect.loaders import detect, formats, load
from toolcorrect.names import Names, collisions
from toolcorrect.overlap import overlap
from toolcorrect.scoring import best_reference, score, status
from toolcorrect.variants import variants
from toolcorrect.variants.definition import Axes, Empty, Variant, tversky

if TYPE_CHECKING:
    from toolcorrect import charts, dashboards, examples, widgets

__version__ = "0.1.0"

# Imported on first use: they need matplotlib, ipywidgets or the network.
_LAZY = ("charts", "dashboards", "examples", "widgets")

__all__ = [
    "Axes",
    "Dataset",
    "Empty",
    "Names",
    "ToolcorrectError",
    "Variant",
    "best_reference",
    "charts",
    "collisions",
    "concat",
    "dashboards",
    "detect",
    "disagreeing_pairs",
    "disagreements",
    "examples",
    "explain",
    "formats",
    "load",
    "overlap",
    "score",
    "status",
    "tversky",
    "variants",
    "why",
    "widgets",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return importlib.import_module(f"toolcorrect.{name}")
    raise AttributeError(f"module 'toolcorrect' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
