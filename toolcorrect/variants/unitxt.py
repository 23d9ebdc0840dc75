"""IBM unitxt's ToolCallingMetric: the first call made against the expected ones as alternatives."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from toolcorrect import pairing
from toolcorrect.encoding import Encoding, Match
from toolcorrect.overlap import Overlap
from toolcorrect.variants.definition import Empty, Variant, every_property_but
from toolcorrect.variants.forms import NO_OBJECT, as_text, refuses

_MIXED = "the best of each part may come from different references, and the tool's name is not looked at"
_TEXT = "arguments expected as a text are read letter by letter"


def name_recall(expected: Any, called: Any) -> float:
    """Return the share of the reference's argument names that were given; 1 where it has none.

    Examples
    --------
    >>> name_recall({"a": 1, "b": 2}, {"a": 5})
    0.5
    """
    names = set(expected)
    return len(names & set(called)) / len(names) if names else 1.0


def name_precision(expected: Any, called: Any) -> float:
    """Return the share of the given argument names that the reference has; without any, 1 if it has none either."""
    if not called:
        return float(not expected)
    return len(set(expected) & set(called)) / len(called)


def value_precision(expected: Any, called: Any) -> float:
    """Return the share of the given arguments that the reference has with the same JSON text.

    Examples
    --------
    >>> value_precision({"a": 1, "b": 2}, {"a": 1.0, "b": 2})
    0.5
    """
    if not called:
        return float(not expected)
    if not isinstance(expected, dict):
        return 0.0
    return sum(key in expected and _text(expected[key]) == _text(value) for key, value in called.items()) / len(
        called
    )


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _alternatives(encoding: Encoding) -> pairing.Pairs:
    """Pair each expected call with the first call of its list."""
    e = np.flatnonzero(encoding.called.lengths[encoding.expected.owner] > 0)
    return pairing.Pairs(encoding, e, encoding.called.offsets[encoding.expected.owner[e]])


def _best(pairs: pairing.Pairs, scores: np.ndarray) -> np.ndarray:
    best = np.zeros(pairs.encoding.list_count)
    np.maximum.at(best, pairs.owner, scores)
    return best


def _equal(overlap: Overlap) -> np.ndarray:
    pairs = _alternatives(overlap.encoding)
    expected, called = overlap.encoding.codes(overlap.match)
    return _best(pairs, expected[pairs.expected] == called[pairs.called])


def _graded(function: Callable[[Any, Any], float]) -> Callable[[Overlap], np.ndarray]:
    def score(expected: Any, called: Any) -> float:
        # What is refused need not be scored.
        return function(expected, called) if type(expected) in (dict, str) and type(called) is dict else math.nan

    def value(overlap: Overlap) -> np.ndarray:
        pairs = _alternatives(overlap.encoding)
        return _best(pairs, pairing.compare(pairs, score, same="dump"))

    return value


def _upstream(name: str, what: str, formula: Callable[[Overlap], np.ndarray], **fields: Any) -> Variant:
    unknown = fields.pop("unknown", ("null", "absent"))
    return Variant(
        f"unitxt.{name}",
        formula,
        title=f"unitxt {name.replace('_', ' ')}",
        rule=f"{what}; only the first call made counts, the best of the expected calls as alternatives",
        notation="max over expected",
        upstream="unitxt",
        version="1.26.10",
        empty=Empty("rejected", 0.0, "rejected"),
        reads=as_text,
        properties=every_property_but("order_free", "repeat_free", *fields.pop("lacking", ())),
        rejects=refuses(expected=("list", "other", *unknown), called=(*NO_OBJECT, *unknown)),
        faults=("looks at one call only: further calls made do not count", *fields.pop("faults", ())),
        **fields,
    )


VARIANTS = (
    _upstream("exact", "1 if name and arguments have the same JSON text", _equal, match=Match(arguments="dump")),
    # Absent arguments may stand for any here: only names are looked at.
    _upstream("tool_name", "1 if the name is an expected one", _equal, unknown=("null",)),
    _upstream(
        "argument_name_recall",
        "share of the expected argument names that were given",
        _graded(name_recall),
        looks_at=frozenset({"arguments"}),
        lacking=("extra_never_helps",),
        faults=(_MIXED, _TEXT),
    ),
    _upstream(
        "argument_name_precision",
        "share of the given argument names that are expected",
        _graded(name_precision),
        looks_at=frozenset({"arguments"}),
        lacking=("extra_never_helps",),
        faults=(_MIXED, _TEXT),
    ),
    _upstream(
        "argument_value_precision",
        "share of the given arguments that are expected with the same value",
        _graded(value_precision),
        looks_at=frozenset({"arguments"}),
        lacking=("extra_never_helps",),
        faults=(_MIXED, "an argument left out costs nothing"),
    ),
)
