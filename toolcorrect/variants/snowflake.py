"""Snowflake Cortex agent evaluations: tool selection accuracy, as documented."""

from __future__ import annotations

from toolcorrect.variants.definition import Axes, Empty, Variant

VARIANTS = (
    Variant(
        "snowflake.tool_selection",
        axes=Axes("multiset", "free", "max_overlap"),
        empty=Empty(both=1.0, unexpected=0.0, uncalled=0.0),
        title="Snowflake tool selection accuracy",
        rule="tool names matched one to one over the longer of both lists, in any order",
        upstream="Snowflake documentation",
        properties=frozenset(
            {"in_range", "perfect_is_full", "order_free", "extra_never_helps", "missing_never_helps"}
        ),
        faults=("both sides empty is 0/0 in the documented formula; 1 is inferred",),
    ),
)
