"""Pydantic Evals' evaluators of tool calls; failed calls do not count, but for the budget."""

from __future__ import annotations

from typing import Any

from toolcorrect.variants.definition import Axes, Empty, Variant, every_property_but

GRADED = Empty(1.0, 0.0, 0.0)


def _upstream(name: str, title: str, rule: str, *, scope: str = "succeeded", **fields: Any) -> Variant:
    return Variant(
        f"pydantic_evals.{name}",
        title=f"Pydantic Evals {title}",
        rule=rule,
        upstream="pydantic-evals",
        version="2.62.0",
        scope=scope,
        **fields,
    )


VARIANTS = (
    _upstream(
        "correctness",
        "tool correctness",
        "1 if the same tools were called, as often, in any order",
        axes=Axes("multiset", "free", "equal"),
        properties=every_property_but("repeat_free"),
        empty=GRADED,
    ),
    _upstream(
        "correctness.extra",
        "tool correctness, extra calls allowed",
        "1 if every expected tool was called, as often; others allowed",
        axes=Axes("multiset", "free", "contains"),
        properties=every_property_but("repeat_free"),
        empty=Empty(1.0, 1.0, 0.0),
    ),
    _upstream(
        "trajectory.exact",
        "trajectory match, exact",
        "1 if the same tools were called in the same order and nothing else",
        axes=Axes("list", "longest", "equal"),
        properties=every_property_but("order_free", "repeat_free"),
        empty=GRADED,
    ),
    _upstream(
        "trajectory.in_order",
        "trajectory match, in order",
        "F1 of the longest common subsequence of tool names",
        axes=Axes("list", "longest", "f1"),
        properties=every_property_but("order_free", "repeat_free", "missing_never_helps"),
        empty=GRADED,
    ),
    _upstream(
        "trajectory.any_order",
        "trajectory match, any order",
        "F1 of the multisets of tool names",
        axes=Axes("multiset", "free", "f1"),
        properties=every_property_but("repeat_free"),
        empty=GRADED,
    ),
    _upstream(
        "max_calls",
        "call budget",
        "1 if no more calls were made than are expected; failed calls count",
        formula=lambda overlap: overlap.called <= overlap.expected,
        notation="[C≤E]",
        properties=every_property_but("repeat_free", "missing_never_helps"),
        words=lambda overlap, at: f"{overlap.called[at]} called, at most {overlap.expected[at]} allowed",
        empty=Empty(1.0, 0.0, 1.0),
        scope="assistant",
    ),
)
