"""Two small packages: trajscore's tool accuracy and trajeval's tool order."""

from __future__ import annotations

import numpy as np

from toolcorrect.overlap import Overlap
from toolcorrect.variants.definition import Axes, Empty, Variant, every_property_but
from toolcorrect.variants.forms import lists_with, nameless, refuses


def _named_f1(overlap: Overlap) -> np.ndarray:
    """F1 of the sets of names; an empty name counts on the expected side only."""
    dropped = lists_with(overlap.encoding, "called", nameless(overlap.encoding, "called"))
    in_both = dropped & lists_with(overlap.encoding, "expected", nameless(overlap.encoding, "expected"))
    shared, called = overlap.shared_distinct - in_both, overlap.distinct_called - dropped
    return 2 * shared / (overlap.distinct_expected + called)


VARIANTS = (
    Variant(
        "trajscore.f1",
        _named_f1,
        axes=Axes("set", "free", "f1"),
        title="trajscore tool accuracy",
        rule="F1 of the sets of tool names; nothing expected is always 1",
        upstream="trajscore",
        version="1.1.6",
        empty=Empty(1.0, 1.0, 0.0),
        rejects=refuses(expected=()),
        properties=every_property_but("perfect_is_full"),
        faults=(
            "nothing expected scores 1 whatever was called",
            "a called tool with an empty name is dropped: a perfect run of it scores 0",
        ),
    ),
    Variant(
        "trajeval.order",
        title="trajeval tool order",
        rule="1 if the expected tools were called in their order, others allowed between",
        upstream="trajeval",
        version="0.2.0",
        axes=Axes("list", "longest", "contains"),
        empty=Empty(1.0, 1.0, 0.0),
        properties=every_property_but("order_free", "repeat_free"),
    ),
)
