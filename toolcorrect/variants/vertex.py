"""The trajectory metrics of Vertex AI's evaluation service, as documented (they cannot be run locally)."""

from __future__ import annotations

from toolcorrect.encoding import Match
from toolcorrect.variants.definition import Axes, Empty, Variant

_DUPLICATES = "how often a call must occur is not documented: each occurrence that has its like counts"

# name: (rule, axes, properties, faults)
_METRICS = {
    "exact_match": (
        "1 if the same calls were made in the same order and nothing else",
        Axes("list", "longest", "equal"),
        {"extra_never_helps", "missing_never_helps"},
        (),
    ),
    "in_order_match": (
        "1 if the expected calls occur in their order, others allowed between",
        Axes("list", "longest", "contains"),
        {"extra_never_helps", "missing_never_helps"},
        (),
    ),
    "any_order_match": (
        "1 if every expected call was made, as often, others allowed",
        Axes("multiset", "free", "contains"),
        {"extra_never_helps", "missing_never_helps", "order_free"},
        ("whether a call must occur as often as expected is not documented",),
    ),
    "precision": (
        "share of the calls made that occur among the expected",
        Axes("members", "free", "precision"),
        {"extra_never_helps", "missing_never_helps", "order_free"},
        (_DUPLICATES,),
    ),
    "recall": (
        "share of the expected calls that occur among those made",
        Axes("members", "free", "recall"),
        {"extra_never_helps", "missing_never_helps", "order_free", "repeat_free"},
        (_DUPLICATES,),
    ),
}

VARIANTS = tuple(
    Variant(
        f"vertex.{name}",
        axes=axes,
        match=Match(arguments="json"),
        empty=Empty(both="rejected", unexpected="rejected", uncalled="rejected"),
        title=f"Vertex trajectory {name.replace('_', ' ')}",
        rule=f"{rule}; a call is its name and its whole input",
        upstream="Vertex AI documentation",
        properties=frozenset({"in_range", "perfect_is_full", *properties}),
        faults=(*faults, "generative-ai#2417: a row with an empty side is rejected"),
    )
    for name, (rule, axes, properties, faults) in _METRICS.items()
)
