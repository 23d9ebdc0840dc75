"""Our plain definitions: multisets, sets and sequences of tool names, or of whole calls."""

from __future__ import annotations

import math
from collections.abc import Iterator

from toolcorrect.encoding import Match
from toolcorrect.variants.definition import Axes, Empty, Variant, every_property_but

UNDEFINED = math.nan
GRADED = Empty(both=1.0, unexpected=0.0, uncalled=0.0)
OF_EXPECTED = Empty(both=1.0, unexpected=UNDEFINED, uncalled=0.0)

# name: (title, rule, axes, empty sides, properties)
_PLAIN = {
    "recall": ("Recall", "share of the expected calls that were made", Axes(formula="recall"), OF_EXPECTED),
    "precision": ("Precision", "share of the calls made that were expected", Axes(formula="precision"), GRADED),
    "f1": ("F1", "harmonic mean of precision and recall", Axes(formula="f1"), GRADED),
    "jaccard": ("Jaccard", "shared calls over all calls of either side", Axes(formula="jaccard"), GRADED),
    "exact": ("Exact", "1 if the same calls were made, as often, in any order", Axes(formula="equal"), GRADED),
    "sequence": (
        "Exact sequence",
        "1 if the same calls were made in the same order and nothing else",
        Axes("list", "longest", "equal"),
        GRADED,
    ),
    "in_order": (
        "In order",
        "1 if the expected calls occur in their order, others allowed between",
        Axes("list", "longest", "contains"),
        OF_EXPECTED,
    ),
    "any_order": (
        "Any order",
        "1 if every expected call was made, as often, others allowed",
        Axes("multiset", "free", "contains"),
        OF_EXPECTED,
    ),
    "lcs": (
        "Longest common subsequence",
        "share of the expected calls in the longest common subsequence",
        Axes("list", "longest", "recall"),
        OF_EXPECTED,
    ),
}
_WITH_SETS = ("recall", "precision", "f1", "jaccard", "exact")
_ORDERED = ("sequence", "in_order", "lcs")


def _variants() -> Iterator[Variant]:
    for name, (title, rule, axes, empty) in _PLAIN.items():
        for as_set in (False, True) if name in _WITH_SETS else (False,):
            for arguments in (None, "json"):
                lacking = ["order_free"] * (name in _ORDERED) + ["repeat_free"] * (not as_set)
                yield Variant(
                    name + (".set" if as_set else "") + (".args" if arguments else ""),
                    axes=Axes("set", "free", axes.formula) if as_set else axes,
                    match=Match(arguments=arguments),
                    empty=empty,
                    needs_arguments=arguments is not None,
                    title=title + (" of sets" if as_set else "") + (", whole calls" if arguments else ""),
                    rule=rule
                    + ("; repeats do not count" if as_set else "")
                    + ("; a call is its name and its arguments" if arguments else "; a call is its tool name"),
                    upstream="",
                    properties=every_property_but(*lacking),
                )


VARIANTS = tuple(_variants())
