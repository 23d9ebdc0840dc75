"""DeepEval's ToolCorrectnessMetric as its releases compute it, as its page documents it, and mended."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from toolcorrect import pairing
from toolcorrect.arguments.values import Agreement
from toolcorrect.encoding import Encoding, Match
from toolcorrect.key_agreement import by_key
from toolcorrect.overlap import Overlap
from toolcorrect.variants.definition import Axes, Empty, Variant, every_property_but
from toolcorrect.variants.forms import refuses

VERSION = "4.2-4.3"
EMPTY = Empty(both=1.0, unexpected=0.0, uncalled=0.0)
TYPED = Match(kinds=True)
VALUE = Match(arguments="python", outputs=True)
# What makes called values distinct, so that each is used once.
DISTINCT = frozenset({"arguments", "outputs"})

_DUPLICATES = "#3141: of two equal expected calls met by two equal calls only one counts"
_NONE = "#3172: raises where arguments are given on one side only"
_GREEDY = "pairs greedily: the score depends on the order of the expected calls"


def similarity(expected: Any, called: Any) -> float:
    """Return DeepEval's partial credit for two unequal argument objects; NaN where it raises.

    Each key of either side is worth the same; a shared key with equal values earns its worth, one with
    two objects its share of that. Source: measured, deepeval 4.3.1.

    Examples
    --------
    >>> similarity({"a": 1, "b": 2}, {"a": 1, "c": 2}), similarity(None, {})
    (0.3333333333333333, nan)
    """
    if type(expected) is not dict or type(called) is not dict:
        return math.nan
    share = 1 / len(expected.keys() | called.keys())
    total = 0.0
    for key, one in expected.items():
        if key in called:
            other = called[key]
            if one == other:
                total += share
            elif type(one) is dict and type(other) is dict:
                total += share * similarity(one, other)
    return total


def _added_up(found: Agreement) -> np.ndarray:
    """Do what `similarity` does where no key holds two objects: add up the worth of each equal key."""
    share = 1 / (found.expected + found.called - found.shared)
    total = np.zeros(len(share))
    # One by one, as upstream, for the last digit decides between equals.
    for times in range(int(found.equal.max(initial=0))):
        total += np.where(found.equal > times, share, 0.0)
    return total


def _pairs(encoding: Encoding) -> pairing.Pairs:
    return pairing.candidates(encoding, TYPED)


def _scores(encoding: Encoding, arguments: bool, outputs: bool) -> np.ndarray:
    """Score every pair of equal name and type; NaN where DeepEval raises."""
    pairs = _pairs(encoding)
    scores = np.ones(len(pairs.expected))
    if arguments:
        scores = encoding.remember("deepeval similarity", lambda: by_key(pairs, _added_up, similarity, nested=True))
    if outputs:
        expected, called = np.split(encoding.output_values, [len(encoding.expected.row)])
        scores = np.where(expected[pairs.expected] == called[pairs.called], scores, scores * 0)
    return scores


def _greedy(encoding: Encoding, arguments: bool, outputs: bool) -> np.ndarray:
    """Sum of the best pairs, each called *value* used once; NaN where a pair that is looked at raises."""
    pairs, scores = _pairs(encoding), _scores(encoding, arguments, outputs)
    dense, uniques = pd.factorize(encoding.codes(VALUE)[1])
    slots = pd.factorize(encoding.called.owner * max(len(uniques), 1) + dense)[0]
    chosen, met = pairing.greedy(pairs, np.nan_to_num(scores), slots[pairs.called])
    total = pairing.total(pairs, chosen, scores)
    total[pairs.owner[met & np.isnan(scores)]] = np.nan
    return total


def _default(overlap: Overlap) -> np.ndarray:
    """Count distinct called values a tool; a value called under two types needs the pairing itself."""
    total = overlap.reused.astype(np.float64)
    lists = _two_types(overlap.encoding)
    if lists.any():
        total[lists] = _greedy(overlap.encoding, False, False)[lists]
    return total / overlap.expected


def _two_types(encoding: Encoding) -> np.ndarray:
    """Mark lists in which one value is called under more than one type."""
    value, kind = encoding.codes(VALUE)[1], encoding.column("called", "kind").cat.codes.to_numpy()
    marked = np.zeros(encoding.list_count, dtype=bool)
    if len(kind) and (kind != kind[0]).any():
        called = pd.DataFrame({"owner": encoding.called.owner, "value": value, "kind": kind})
        kinds = called.groupby(["owner", "value"])["kind"].transform("nunique")
        marked[called["owner"][kinds > 1]] = True
    return marked


def _unordered(arguments: bool, outputs: bool) -> Callable[[Overlap], np.ndarray]:
    return _shared(_greedy, arguments, outputs)


def _in_order(encoding: Encoding, arguments: bool, outputs: bool) -> np.ndarray:
    """Largest sum of pairs that do not cross; NaN where a pair raises."""
    pairs, scores = _pairs(encoding), _scores(encoding, arguments, outputs)
    total = pairing.ordered(pairs, np.nan_to_num(scores))
    total[pairs.owner[np.isnan(scores)]] = np.nan
    return total


def _shared(
    total: Callable[[Encoding, bool, bool], np.ndarray], arguments: bool, outputs: bool
) -> Callable[[Overlap], np.ndarray]:
    """Divide a total by the calls expected; where no call has an output, comparing outputs changes nothing."""

    def value(overlap: Overlap) -> np.ndarray:
        encoding = overlap.encoding
        what = (total, arguments, outputs and encoding.any_output)
        return encoding.remember(what, lambda: total(encoding, *what[1:])) / overlap.expected

    return value


def _best(overlap: Overlap) -> np.ndarray:
    """Sum of the best assignment; arguments that are not expected are any, unknown called ones undefined."""
    encoding = overlap.encoding
    pairs = _pairs(encoding)
    scores = np.where(encoding.expected.text[pairs.expected] < 0, 1.0, _scores(encoding, True, False))
    chosen = pairing.optimal(pairs, np.nan_to_num(scores))
    total = pairing.total(pairs, chosen, scores)
    total[pairs.owner[np.isnan(scores)]] = np.nan
    return total / overlap.expected


def _upstream(name: str, title: str, rule: str, **fields: Any) -> Variant:
    return Variant(
        name,
        title=title,
        rule=rule,
        upstream="deepeval",
        version=VERSION,
        empty=EMPTY,
        rejects=refuses(),
        **fields,
    )


def _modes(suffix: str, arguments: bool, outputs: bool) -> list[Variant]:
    """Return the unordered, exact and ordered variant of one choice of what is compared."""
    what = " and ".join(["name and type", *["arguments"] * arguments, *["output"] * outputs])
    match = Match(kinds=True, arguments="python" if arguments else None, outputs=outputs)
    notation = "Σ best pair score / E" if arguments else "m/E"
    faults = (_DUPLICATES, *((_NONE, _GREEDY) if arguments else ()))
    made = [
        _upstream(
            f"deepeval{suffix}",
            "DeepEval",
            f"share of expected calls found ({what}); each called value is used once, extra calls cost nothing",
            notation=notation,
            match=match,
            formula=_unordered(arguments, outputs) if arguments or outputs else _default,
            axes=None if arguments or outputs else Axes("values", "free", "recall"),
            looks_at=DISTINCT,
            properties=every_property_but("perfect_is_full", "order_free", "repeat_free"),
            faults=faults,
        ),
        _upstream(
            f"deepeval.ordered{suffix}",
            "DeepEval, ordering considered",
            f"weighted longest common subsequence over expected calls ({what})",
            notation=notation,
            match=match,
            formula=_shared(_in_order, True, outputs) if arguments else None,
            axes=None if arguments else Axes("list", "longest", "recall"),
            faults=(_NONE,) if arguments else (),
            properties=every_property_but("order_free", "repeat_free"),
        ),
    ]
    if arguments or not outputs:
        made.append(
            _upstream(
                f"deepeval.exact{suffix}",
                "DeepEval, exact match",
                f"1 if both lists are equal place by place ({what})",
                match=match,
                axes=Axes("list", "longest", "equal"),
                properties=every_property_but("order_free", "repeat_free"),
            )
        )
    return made


VARIANTS = (
    *_modes("", False, False),
    *_modes(".args", True, False),
    *_modes(".args.output", True, True),
    *_modes(".output", False, True),
    Variant(
        "deepeval@0.21",
        title="DeepEval, release 0.21",
        rule="share of the different expected tool names that were called",
        upstream="deepeval",
        version="0.21.74",
        axes=Axes("set", "free", "recall"),
        empty=Empty(both="rejected", unexpected="rejected", uncalled=0.0),
        properties=every_property_but(),
        faults=("nothing expected divides by zero", "read from its source, not run"),
    ),
    Variant(
        "deepeval.docs",
        title="DeepEval, as documented",
        rule="correct calls over calls made, as the metric's page states; the code divides by expected calls",
        upstream="deepeval documentation",
        axes=Axes("values", "free", "precision"),
        looks_at=DISTINCT,
        match=TYPED,
        empty=EMPTY,
        properties=every_property_but("perfect_is_full", "repeat_free", "missing_never_helps"),
        faults=("#2691: the page and the code divide by different numbers",),
    ),
    Variant(
        "deepeval.fixed",
        title="DeepEval, mended",
        rule="share of expected calls found, each call used once (not each value)",
        axes=Axes("multiset", "free", "recall"),
        match=TYPED,
        empty=EMPTY,
        properties=every_property_but("repeat_free"),
    ),
    Variant(
        "deepeval.fixed.args",
        _best,
        title="DeepEval with arguments, mended",
        rule="best one-to-one assignment with partial credit for arguments; arguments not expected may be anything",
        notation="max Σ pair score / E",
        looks_at=frozenset({"arguments"}),
        match=TYPED,
        empty=EMPTY,
        properties=every_property_but("repeat_free"),
    ),
)
