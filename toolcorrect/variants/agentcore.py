"""The trajectory evaluators of AWS Bedrock AgentCore, as documented: tool names only."""

from __future__ import annotations

import math

from toolcorrect.variants.definition import Axes, Empty, Variant

# name: (evaluator, rule, axes, properties)
_EVALUATORS = {
    "exact": (
        "TrajectoryExactOrderMatch",
        "1 if the same tools were called in the same order and nothing else",
        Axes("list", "longest", "equal"),
        {"extra_never_helps", "missing_never_helps"},
    ),
    "in_order": (
        "TrajectoryInOrderMatch",
        "1 if the expected tools occur in their order, others allowed between",
        Axes("list", "longest", "contains"),
        {"extra_never_helps", "missing_never_helps"},
    ),
    "any_order": (
        "TrajectoryAnyOrderMatch",
        "1 if every expected tool was called, as often, others allowed",
        Axes("multiset", "free", "contains"),
        {"extra_never_helps", "missing_never_helps", "order_free"},
    ),
}

VARIANTS = tuple(
    Variant(
        f"agentcore.{name}",
        axes=axes,
        empty=Empty(both=math.nan, unexpected=math.nan, uncalled=0.0),
        title=f"AgentCore {evaluator}",
        rule=rule,
        upstream="AgentCore documentation",
        properties=frozenset({"in_range", "perfect_is_full", *properties}),
        faults=("what repeats and an empty reference mean is not documented",),
    )
    for name, (evaluator, rule, axes, properties) in _EVALUATORS.items()
)
