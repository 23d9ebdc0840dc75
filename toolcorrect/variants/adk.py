"""google-adk's tool trajectory: each user turn scored all or nothing, then averaged."""

from __future__ import annotations

from toolcorrect.encoding import Match
from toolcorrect.variants.definition import Axes, Empty, Variant
from toolcorrect.variants.forms import refuses

_FAULTS = ("#5410: 0 is reported where names and arguments look the same (arguments not given are not {})",)

# mode: (title, rule of a turn, axes, score where nothing is expected but something called, properties)
_MODES = {
    "exact": (
        "exact",
        "1 if both lists are equal place by place",
        Axes("list", "longest", "equal"),
        0.0,
        {"extra_never_helps"},
    ),
    "in_order": (
        "in order",
        "1 if the expected calls occur in their order, others allowed between",
        Axes("list", "longest", "contains"),
        1.0,
        {"extra_never_helps", "missing_never_helps"},
    ),
    "any_order": (
        "any order",
        "1 if every expected call was made, as often, others allowed",
        Axes("multiset", "free", "contains"),
        1.0,
        {"extra_never_helps", "missing_never_helps", "order_free"},
    ),
}

VARIANTS = tuple(
    Variant(
        f"adk.{mode}{suffix}",
        axes=axes,
        match=Match(arguments=arguments),
        by="turn",
        empty=Empty(both=1.0, unexpected=unexpected, uncalled=0.0),
        rejects=refuses(),
        title=f"ADK tool trajectory, {title}" + ("" if arguments else ", names only"),
        rule=f"mean over the user turns; a turn is {rule} ({'name and arguments' if arguments else 'names'})",
        upstream="google-adk",
        version="2.13.0",
        properties=frozenset({"in_range", "perfect_is_full", *properties}),
        faults=_FAULTS if arguments else (),
    )
    for suffix, arguments in (("", "python"), (".names", None))
    for mode, (title, rule, axes, unexpected, properties) in _MODES.items()
)
