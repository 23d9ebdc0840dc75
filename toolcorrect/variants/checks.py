"""Definitions that look at schemas and rules: what was permitted, repeated, well filled in, and asked for."""

from __future__ import annotations

import numpy as np

from toolcorrect.overlap import Overlap
from toolcorrect.references.conduct import permission, repetition
from toolcorrect.references.judging import judge, reasons
from toolcorrect.validity.validating import parameter_reasons, parameter_scores
from toolcorrect.variants.definition import Variant


def _of_cases(overlap: Overlap, scores: np.ndarray) -> np.ndarray:
    """Give each list the score of its case: these definitions ask no reference."""
    return scores[overlap.encoding.list_case]


VARIANTS = (
    Variant(
        "agentarts.parameters",
        needs_expected=False,
        formula=lambda o: _of_cases(o, parameter_scores(o.encoding)),
        title="AgentArts parameter filling, by schema",
        rule="1 if every call fits the schema of its tool: nothing missing, mistyped, made up or left unfilled",
        notation="[every call fits]",
        looks_at=frozenset({"arguments", "schemas"}),
        upstream="Huawei Cloud AgentArts manual",
        properties=frozenset({"in_range", "order_free", "repeat_free"}),
        faults=("upstream asks a model; this is the part of its rubric that rules can settle",),
        words=lambda o, place: str(parameter_reasons(o.encoding).iloc[o.encoding.list_case[place]]),
    ),
    Variant(
        "deepeval.permission",
        needs_expected=False,
        formula=lambda o: _of_cases(o, permission(o.encoding)),
        title="DeepEval tool permission",
        rule="share of the calls that no forbid-rule denies; 1 without calls, none without a forbid-rule",
        notation="permitted/C",
        looks_at=frozenset({"arguments", "rules"}),
        upstream="deepeval",
        version="4.3.1",
        properties=frozenset({"in_range", "order_free"}),
        faults=("a permitted call more makes a forbidden one weigh less",),
    ),
    Variant(
        "deepeval.repetition",
        needs_expected=False,
        formula=lambda o: _of_cases(o, repetition(o.encoding)),
        title="DeepEval loop detection, its repetition part",
        rule="0.5 from three identical calls on, 0 from six, else 1",
        notation="1, 0.5 or 0",
        looks_at=frozenset({"arguments"}),
        upstream="deepeval",
        version="4.3.1",
        properties=frozenset({"in_range", "order_free", "extra_never_helps"}),
        faults=("arguments are compared as Python texts: 1 and '1' are the same",),
    ),
    Variant(
        "reference.pass",
        needs_expected=False,
        formula=lambda o: judge(o.encoding).passed,
        title="Reference and rules kept",
        rule="1 if every required call is met (matchers understood), optional ones fit, and every rule holds",
        notation="[all hold]",
        looks_at=frozenset({"expected", "arguments", "rules"}),
        properties=frozenset({"in_range"}),
        words=lambda o, place: reasons(o.encoding, judge(o.encoding))[place] or "everything asked for was done",
    ),
)
