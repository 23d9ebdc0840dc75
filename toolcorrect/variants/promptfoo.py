"""promptfoo's tool assertions: F1 of names, and checks of a trajectory whose expected names are patterns."""

from __future__ import annotations

import fnmatch
import re
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from toolcorrect import pairing
from toolcorrect.arguments.values import Agreement
from toolcorrect.encoding import Encoding, Match
from toolcorrect.grouping import distinct
from toolcorrect.key_agreement import by_key
from toolcorrect.overlap import Overlap
from toolcorrect.variants.definition import Axes, Empty, Variant
from toolcorrect.variants.forms import NOT_GIVEN, arrived, lists_with

SAME = Match(arguments="json")
EMPTY = Empty(both="rejected", unexpected="rejected", uncalled=0.0)
_PATTERNS = "expected names are patterns (* and ?) without regard to case"
_SPANS = "the name of the span counts as a name of its tool too (not known here)"
_BLANKS = "called names are trimmed, expected ones are not"


def contains(expected: Any, called: Any) -> bool:
    """Tell whether a called value holds an expected one: objects by their keys, lists item by item.

    Examples
    --------
    >>> contains({"a": {}}, {"a": {"b": 1}, "c": 2}), contains([1], [1, 2])
    (True, False)
    """
    if isinstance(expected, dict):
        return isinstance(called, dict) and all(
            key in called and contains(value, called[key]) for key, value in expected.items()
        )
    if isinstance(expected, list):
        return isinstance(called, list) and len(expected) == len(called) and all(map(contains, expected, called))
    return equal(expected, called)


def equal(expected: Any, called: Any) -> bool:
    """Tell whether two values are the same JSON value; 1 and 1.0 are.

    Examples
    --------
    >>> equal({"a": [1.0]}, {"a": [1]}), equal(1, True)
    (True, False)
    """
    if isinstance(expected, dict) and isinstance(called, dict):
        return expected.keys() == called.keys() and all(equal(expected[key], called[key]) for key in expected)
    if isinstance(expected, list) and isinstance(called, list):
        return len(expected) == len(called) and all(map(equal, expected, called))
    return isinstance(expected, bool) == isinstance(called, bool) and bool(expected == called)


def _pairs(encoding: Encoding) -> pairing.Pairs:
    """Pair calls whose called name fits the expected pattern."""
    related = "pairs by name pattern"
    return pairing.remembered(encoding, related, lambda: pairing.related(encoding, *_related(encoding)))


def _related(encoding: Encoding) -> tuple[np.ndarray, np.ndarray]:
    """Return which expected names, as patterns, fit which called names."""
    names = encoding.tool_names
    by_text: dict[str, list[int]] = defaultdict(list)
    for tool in distinct(encoding.called.tool).tolist():
        by_text[names[tool].strip().lower()].append(tool)
    made: list[tuple[int, int]] = []
    for tool in distinct(encoding.expected.tool).tolist():
        text = names[tool].lower()
        fitting = [text] if text in by_text else []
        if "*" in text or "?" in text:
            pattern = re.compile(fnmatch.translate(text.replace("[", "[[]")))
            fitting = [name for name in by_text if pattern.match(name)]
        made += [(tool, called) for name in fitting for called in by_text[name]]
    table = np.array(made, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _served(pairs: pairing.Pairs, usable: np.ndarray | slice) -> np.ndarray:
    """Count, for each list, the expected calls in a usable pair."""
    return pairs.encoding.expected.count(pairing.served(pairs, usable))


def _used(overlap: Overlap) -> np.ndarray:
    return _served(_pairs(overlap.encoding), np.s_[:]) == overlap.expected


def _in_order(overlap: Overlap) -> np.ndarray:
    pairs = _pairs(overlap.encoding)
    pairs = pairs.only(_used(overlap)[pairs.owner])
    return pairing.ordered(pairs, np.ones(len(pairs.expected))) == overlap.expected


def _exact(overlap: Overlap) -> np.ndarray:
    encoding, pairs = overlap.encoding, _pairs(overlap.encoding)
    same = encoding.expected.place[pairs.expected] == encoding.called.place[pairs.called]
    return (_served(pairs, same) == overlap.expected) & (overlap.expected == overlap.called)


def _share(
    comparison: Callable[[Any, Any], bool], counts: Callable[[Agreement], np.ndarray], *, by_value: bool
) -> Callable[[Overlap], np.ndarray]:
    """Share of the expected calls that some call meets; texts are read as JSON on the called side only."""
    compared = partial(by_key, score=counts, function=comparison, relation="json", nested=not by_value)

    def value(overlap: Overlap) -> np.ndarray:
        encoding, pairs = overlap.encoding, _pairs(overlap.encoding)
        text = arrived(encoding, "expected", ["text"])
        broken = encoding.column("called", "arguments_status").isin(["empty", "repaired", "failed"]).to_numpy()
        usable = ~text[pairs.expected] & ~broken[pairs.called]
        if by_value:
            # Of one name it is known already which arguments are equal.
            code_e, code_c = (
                codes[side] for codes, side in zip(encoding.codes(SAME), (pairs.expected, pairs.called))
            )
            other_name = encoding.expected.tool[pairs.expected] != encoding.called.tool[pairs.called]
            usable &= (code_e == code_c) | other_name
        return encoding.expected.count(pairing.satisfied(pairs.only(usable), compared, "json")) / overlap.expected

    return value


def _without_arguments(overlap: Overlap) -> np.ndarray:
    """Mark lists with an expected call that states no arguments."""
    return lists_with(overlap.encoding, "expected", arrived(overlap.encoding, "expected", NOT_GIVEN))


def _variant(name: str, title: str, rule: str, *properties: str, **fields: Any) -> Variant:
    return Variant(
        f"promptfoo.{name}",
        title=f"promptfoo {title}",
        rule=rule,
        upstream="promptfoo",
        version="0.121.20",
        empty=EMPTY,
        properties=frozenset({"in_range", *properties}),
        **fields,
    )


def _arguments(
    name: str,
    rule: str,
    comparison: Callable[[Any, Any], bool],
    counts: Callable[[Agreement], np.ndarray],
    faults: tuple[str, ...],
) -> Variant:
    return _variant(
        f"args.{name}",
        f"tool-args-match, {name}",
        f"share of the expected calls that some call of the tool meets, {rule}; {_PATTERNS}",
        "order_free",
        "repeat_free",
        "missing_never_helps",
        formula=_share(comparison, counts, by_value=comparison is equal),
        match=SAME,
        notation="expected calls met / E",
        rejects=_without_arguments,
        faults=(*faults, "one call may meet several expected calls", _SPANS, _BLANKS),
    )


VARIANTS = (
    _variant(
        "f1",
        "tool-call-f1",
        "harmonic mean of precision and recall of the sets of tool names, as written",
        "perfect_is_full",
        "order_free",
        "repeat_free",
        "extra_never_helps",
        "missing_never_helps",
        axes=Axes("set", "free", "f1"),
        faults=("#10659: a lone Responses call object counts as no call",),
    ),
    _variant(
        "used",
        "trajectory:tool-used",
        f"1 if every expected tool was called at least once; {_PATTERNS}",
        "order_free",
        "repeat_free",
        "missing_never_helps",
        formula=_used,
        notation="[every expected name called]",
        faults=(_SPANS, _BLANKS),
    ),
    _variant(
        "sequence",
        "trajectory:tool-sequence, in order",
        f"1 if the expected tools were called in their order, others allowed between; {_PATTERNS}",
        "missing_never_helps",
        formula=_in_order,
        notation="[E is a subsequence of C]",
        faults=(_SPANS, _BLANKS),
    ),
    _variant(
        "sequence.exact",
        "trajectory:tool-sequence, exact",
        f"1 if both lists are equal place by place; {_PATTERNS}",
        formula=_exact,
        notation="[E = C place by place]",
        faults=(_SPANS, _BLANKS),
    ),
    _arguments(
        "partial",
        "its arguments holding the expected ones",
        contains,
        lambda found: found.equal == found.expected,
        ("#9458: invented arguments beside the expected ones pass",),
    ),
    _arguments(
        "exact",
        "its arguments equal to the expected ones",
        equal,
        lambda found: (found.equal == found.expected) & (found.equal == found.called),
        (),
    ),
)
