"""azure-ai-evaluation's task navigation efficiency, by names or with parameters."""

from __future__ import annotations

import numpy as np
import pandas as pd

from toolcorrect.encoding import Encoding, Match
from toolcorrect.names import Names
from toolcorrect.overlap import Overlap
from toolcorrect.variants.definition import Axes, Empty, Variant
from toolcorrect.variants.forms import NO_OBJECT, NOT_GIVEN, arrived, lists_with

# name: (rule, axes, properties)
_METRICS = {
    "exact": (
        "1 if both lists are equal place by place",
        Axes("list", "longest", "equal"),
        {"extra_never_helps", "missing_never_helps"},
    ),
    "in_order": (
        "1 if the expected steps occur in their order, others allowed between",
        Axes("list", "longest", "contains"),
        {"extra_never_helps", "missing_never_helps"},
    ),
    "any_order": (
        "1 if every expected step was made, as often, others allowed",
        Axes("multiset", "free", "contains"),
        {"extra_never_helps", "missing_never_helps", "order_free"},
    ),
    "precision": (
        "share of the steps made that were expected, each used once",
        Axes("multiset", "free", "precision"),
        {"extra_never_helps", "order_free"},
    ),
    "recall": (
        "share of the expected steps that were made, each used once",
        Axes("multiset", "free", "recall"),
        {"extra_never_helps", "missing_never_helps", "order_free"},
    ),
    "f1": (
        "harmonic mean of precision and recall of the steps",
        Axes("multiset", "free", "f1"),
        {"extra_never_helps", "order_free"},
    ),
}
_ONE_PER_NAME = "one set of parameters a tool name: two calls of one tool with different arguments cannot be expected"
_NO_TUPLE = "parameters must come as a Python tuple, which no JSON file can hold"


def _last_given(encoding: Encoding) -> np.ndarray:
    """For each expected call, the place of the last one of its tool in its list that states arguments, or -1."""

    def find() -> np.ndarray:
        side = encoding.expected
        given = ~arrived(encoding, "expected", NOT_GIVEN)
        place = pd.Series(np.where(given, np.arange(len(side.row)), -1))
        return np.asarray(place.groupby([side.owner, side.tool]).transform("max").to_numpy(), dtype=np.int64)

    return encoding.origin.remember("last given", find)


def read(encoding: Encoding) -> Encoding:
    """Read arguments as upstream does: expected ones by tool, the last win; called ones that are no object as {}."""
    nothing = len(encoding.texts)
    last = _last_given(encoding)
    expected = np.where(last >= 0, encoding.expected.text[last], nothing) if len(last) else encoding.expected.text
    status = encoding.column("called", "arguments_status")
    called = np.where((status == "ok").to_numpy(), encoding.called.text, nothing)
    return encoding.with_texts(expected, called)


def _unreadable(overlap: Overlap) -> np.ndarray:
    """Mark lists with a called call whose argument text is broken; it raises, with or without parameters."""
    status = overlap.encoding.column("called", "arguments_status")
    return lists_with(overlap.encoding, "called", status.isin(["failed", "empty", "repaired"]).to_numpy())


def _refused(overlap: Overlap) -> np.ndarray:
    """Mark also lists whose expected parameters are no objects."""
    encoding = overlap.encoding
    last = _last_given(encoding)
    no_object = arrived(encoding, "expected", NO_OBJECT)
    held = no_object[last] & (last >= 0) if len(last) else no_object
    return _unreadable(overlap) | lists_with(encoding, "expected", held)


VARIANTS = tuple(
    Variant(
        f"azure.{name}{suffix}",
        axes=axes,
        match=Match(arguments="azure" if suffix else None),
        names=Names(trim=True),
        empty=Empty(both="rejected", unexpected="rejected", uncalled=0.0),
        reads=read if suffix else None,
        rejects=_refused if suffix else _unreadable,
        title=f"Azure task navigation, {name.replace('_', ' ')}" + (", with parameters" if suffix else ""),
        rule=f"{rule}; a step is its trimmed name"
        + (" and its parameters, compared as texts (1 equals '1'), one set a tool name" if suffix else ""),
        upstream="azure-ai-evaluation",
        version="1.18.10",
        properties=frozenset({"in_range", *properties, *(() if suffix else ("perfect_is_full",))}),
        faults=("nothing expected raises, so it cannot be tested", *((_ONE_PER_NAME, _NO_TUPLE) if suffix else ())),
    )
    for suffix in ("", ".params")
    for name, (rule, axes, properties) in _METRICS.items()
)
