"""MLflow's ToolCallCorrectness with exact matching (its other modes ask a model)."""

from __future__ import annotations

import numpy as np

from toolcorrect.encoding import Encoding, Match
from toolcorrect.overlap import Overlap
from toolcorrect.variants.definition import Axes, Empty, Variant
from toolcorrect.variants.forms import NO_OBJECT, NOT_GIVEN, arrived, lists_with

_SIGNATURE = (
    "a call is its name and the sorted JSON text of its arguments; one expected call without arguments: names only"
)
_NOTHING = "nothing expected raises, so it cannot be tested"


def _compares(encoding: Encoding) -> np.ndarray:
    """Mark lists whose expected calls all state arguments: only there are arguments looked at."""
    return ~lists_with(encoding, "expected", arrived(encoding, "expected", NOT_GIVEN))


def read(encoding: Encoding) -> Encoding:
    """Read arguments as upstream does: not given is {}, and all are {} where none are compared."""
    nothing, compares = len(encoding.texts), _compares(encoding)
    sides = (encoding.expected, encoding.called)
    expected, called = (np.where(compares[s.owner] & (s.text >= 0), s.text, nothing) for s in sides)
    return encoding.with_texts(expected, called)


def _refused(overlap: Overlap) -> np.ndarray:
    """Mark lists upstream raises on: before it compares, or when it meets called arguments that are no object."""
    encoding = overlap.encoding
    status = encoding.column("called", "arguments_status").isin(["failed", "non_object"]).to_numpy()
    late = lists_with(encoding, "called", status) & _compares(encoding) & (overlap.expected == overlap.called)
    early = lists_with(encoding, "called", arrived(encoding, "called", ["list"]))
    return late | early | lists_with(encoding, "expected", arrived(encoding, "expected", NO_OBJECT))


def _same_sets(o: Overlap) -> np.ndarray:
    found = o.shared_distinct
    return (found == o.distinct_expected) & (found == o.distinct_called) & (o.expected == o.called)


def _variant(name: str, title: str, rule: str, **fields: object) -> Variant:
    return Variant(
        name,
        match=Match(arguments="dump"),
        empty=Empty(both="rejected", unexpected="rejected", uncalled=0.0),
        reads=read,
        rejects=_refused,
        title=title,
        rule=f"{rule}; {_SIGNATURE}",
        upstream="mlflow",
        version="3.17.2",
        **fields,  # type: ignore[arg-type]
    )


VARIANTS = (
    _variant(
        "mlflow.exact",
        "MLflow tool call correctness",
        "1 if as many calls were made as expected and both are the same set",
        formula=_same_sets,
        notation="[|E|=|C|, set E = set C]",
        properties=frozenset({"in_range", "perfect_is_full", "order_free", "extra_never_helps"}),
        faults=(_NOTHING, "sets beside a length: [a, a, b] passes for [a, b, b]"),
    ),
    _variant(
        "mlflow.exact.ordered",
        "MLflow tool call correctness, ordered",
        "1 if both lists are equal place by place",
        axes=Axes("list", "longest", "equal"),
        properties=frozenset({"in_range", "perfect_is_full", "extra_never_helps", "missing_never_helps"}),
        faults=(_NOTHING,),
    ),
)
