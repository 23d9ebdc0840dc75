"""Tool-call correctness: every published definition side by side, and why they disagree."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from toolcorrect.arguments.differences import differences
from toolcorrect.calibrating.labelling import join_labels, kappa, read_labels, sample_for_labels, write_label_sheet
from toolcorrect.calibrating.nulls import null_scores
from toolcorrect.calibrating.outcomes import auc_by_group, calibrate
from toolcorrect.calibrating.trials import Repeated, repeated
from toolcorrect.calibrating.verdicts import calibration_bins, four_boxes
from toolcorrect.comparing.agreeing import agreement, families, inclusion
from toolcorrect.comparing.choosing import choices, specifications
from toolcorrect.comparing.implying import strictness
from toolcorrect.comparing.paired import RunComparison, compare_runs, failures
from toolcorrect.comparing.penalty import penalty_curve
from toolcorrect.comparing.ranking import order_agreement, rank_flips, rankings
from toolcorrect.dataset import Dataset
from toolcorrect.editing import edit, editable
from toolcorrect.errors import ToolcorrectError
from toolcorrect.explaining.attributing import why
from toolcorrect.explaining.by_tool import confusion, per_tool
from toolcorrect.explaining.diagnosing import diagnose
from toolcorrect.explaining.disagreeing import disagreeing_pairs, disagreements
from toolcorrect.explaining.flipping import flips
from toolcorrect.explaining.one_case import explain
from toolcorrect.joining import concat
from toolcorrect.loaders import detect, formats, load
from toolcorrect.names import Names, collisions
from toolcorrect.overlap import overlap
from toolcorrect.references.conduct import redundant_calls
from toolcorrect.references.judging import Demands, verdict_changes, verdicts
from toolcorrect.references.linting import lint
from toolcorrect.references.matching import resolve
from toolcorrect.references.preparing import ArgumentOptions, prepare
from toolcorrect.references.rules import check_rules, forbidden_calls
from toolcorrect.scoring import best_reference, score, status
from toolcorrect.statistics.means import summarise
from toolcorrect.statistics.thresholds import passes
from toolcorrect.validity.grounding import grounding
from toolcorrect.validity.validating import schema_scores, validate
from toolcorrect.variants import variants
from toolcorrect.variants.definition import Axes, Empty, Variant
from toolcorrect.variants.formulas import tversky

if TYPE_CHECKING:
    from toolcorrect import charts, dashboards, examples, widgets

__version__ = "0.1.0"

# Imported on first use: they need matplotlib, ipywidgets or the network.
_LAZY = ("charts", "dashboards", "examples", "widgets")

__all__ = [
    "ArgumentOptions",
    "Axes",
    "Dataset",
    "Demands",
    "Empty",
    "Names",
    "Repeated",
    "RunComparison",
    "ToolcorrectError",
    "Variant",
    "agreement",
    "auc_by_group",
    "best_reference",
    "calibrate",
    "calibration_bins",
    "charts",
    "check_rules",
    "choices",
    "collisions",
    "compare_runs",
    "concat",
    "confusion",
    "dashboards",
    "detect",
    "diagnose",
    "differences",
    "disagreeing_pairs",
    "disagreements",
    "edit",
    "editable",
    "examples",
    "explain",
    "failures",
    "families",
    "flips",
    "forbidden_calls",
    "formats",
    "four_boxes",
    "grounding",
    "inclusion",
    "join_labels",
    "kappa",
    "lint",
    "load",
    "null_scores",
    "order_agreement",
    "overlap",
    "passes",
    "penalty_curve",
    "per_tool",
    "prepare",
    "rank_flips",
    "rankings",
    "read_labels",
    "redundant_calls",
    "repeated",
    "resolve",
    "sample_for_labels",
    "schema_scores",
    "score",
    "specifications",
    "status",
    "strictness",
    "summarise",
    "tversky",
    "validate",
    "variants",
    "verdict_changes",
    "verdicts",
    "why",
    "widgets",
    "write_label_sheet",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return importlib.import_module(f"toolcorrect.{name}")
    raise AttributeError(f"module 'toolcorrect' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
