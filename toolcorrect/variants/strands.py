"""The scorers on plain lists that strands-agents-evals hands to its trajectory judge."""

from __future__ import annotations

from collections.abc import Iterator

from toolcorrect.encoding import Match
from toolcorrect.variants.definition import Axes, Empty, Variant, every_property_but
from toolcorrect.variants.forms import as_text

# mode: (title, rule, axes, empty sides, properties, faults)
_MODES = {
    "exact": (
        "Strands exact match",
        "share of expected calls that stand at their own place",
        Axes("list", "position", "recall"),
        Empty("rejected", "rejected", 0.0),
        every_property_but("order_free", "repeat_free", "extra_never_helps", "missing_never_helps"),
        ("divides by zero where nothing is expected", "one call too many at the front costs all the rest"),
    ),
    "in_order": (
        "Strands in-order match",
        "share of expected calls made in order before the first that is not found",
        Axes("list", "leading", "recall"),
        Empty(1.0, 1.0, 0.0),
        every_property_but("order_free", "repeat_free"),
        ("a missing first call scores 0 whatever follows",),
    ),
    "any_order": (
        "Strands any-order match",
        "different expected names that were called, over all expected calls",
        Axes("set of a list", "free", "recall"),
        Empty(1.0, 1.0, 0.0),
        every_property_but("perfect_is_full"),
        ("a perfect run that repeats a tool scores below 1: a set of matches is divided by a list's length",),
    ),
}


def _variants() -> Iterator[Variant]:
    for mode, (title, rule, axes, empty, properties, faults) in _MODES.items():
        # Any-order raises on whole calls: it puts them into a set.
        for arguments in (None,) if mode == "any_order" else (None, "python"):
            yield Variant(
                f"strands.{mode}" + (".args" if arguments else ""),
                axes=axes,
                match=Match(arguments=arguments),
                empty=empty,
                reads=as_text if arguments else None,
                title=title + (" of whole calls" if arguments else ""),
                rule=rule + ("; a call is its name and its arguments" if arguments else ""),
                upstream="strands-agents-evals",
                version="1.7.0",
                properties=properties,
                faults=faults,
            )


VARIANTS = tuple(_variants())
