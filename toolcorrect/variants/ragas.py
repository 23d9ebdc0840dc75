"""Ragas' ToolCallAccuracy and ToolCallF1."""

from __future__ import annotations

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
from toolcorrect.variants.forms import NO_OBJECT, NOT_GIVEN, refuses, unless_refused
from toolcorrect.variants.formulas import rounded

NO_MAPPING = (*NO_OBJECT, *NOT_GIVEN)
_REFUSED = refuses(expected=NO_MAPPING, called=NO_MAPPING)
F1 = Axes("set", "free", "f1")

_TEXTS = "compares the Python texts of values: 1 equals '1', but 1 differs from 1.0"
_REPEATS = "#1658, #1665: repeats of a call do not count"


def _key_share(found: Agreement) -> np.ndarray:
    """Return the share of expected keys that were given with a value of the same Python text."""
    return np.where(found.expected == 0, found.called == 0, found.equal / found.expected)


def _total_share(pairs: pairing.Pairs) -> np.ndarray:
    """Add up the pairs of each list; 0 where a list has none."""
    shares = by_key(pairs, _key_share, relation="str")
    return np.bincount(pairs.owner, weights=shares, minlength=pairs.encoding.list_count)


def _strict(overlap: Overlap) -> np.ndarray:
    same_names = (overlap.longest == overlap.expected) & (overlap.expected == overlap.called)
    return _total_share(pairing.by_position(overlap.encoding, same_names))


def _flexible(overlap: Overlap) -> np.ndarray:
    same_names = (overlap.shared == overlap.expected) & (overlap.expected == overlap.called)
    return _total_share(_sorted(overlap.encoding, same_names))


def _sorted(encoding: Encoding, lists: np.ndarray) -> pairing.Pairs:
    """Pair the calls of lists with equal names in sorted order: by name, then by argument names and texts."""
    sides = (encoding.expected, encoding.called)
    kept = [np.flatnonzero(lists[side.owner]) for side in sides]
    # In the order of the names upstream adds up.
    names = encoding.tool_names
    by_name = np.argsort(sorted(range(len(names)), key=names.__getitem__))
    tools = [side.owner[k] * len(by_name) + by_name[side.tool[k]] for side, k in zip(sides, kept)]
    texts = [side.text[k] for side, k in zip(sides, kept)]
    # Only calls of one tool among each other need their arguments for the order.
    repeated = np.concatenate([pd.Series(tool).duplicated(keep=False).to_numpy() for tool in tools])
    numbers = np.unique(np.concatenate(texts)[repeated])
    values = pairing.parsed(encoding.texts, numbers)
    keys = [tuple((k, str(v[k])) for k in sorted(v)) if type(v) is dict else () for v in values]
    place = {key: at for at, key in enumerate(sorted(set(keys)))}
    rank = np.zeros(len(encoding.texts) + 1, dtype=np.int64)
    rank[numbers] = [place[key] for key in keys]
    e, c = (k[np.lexsort((rank[text], tool))] for k, tool, text in zip(kept, tools, texts))
    return pairing.Pairs(encoding, e, c)


def _mean(total: Callable[[Overlap], np.ndarray]) -> dict[str, Any]:
    """Return the fields of a variant that divides a total by the number of expected calls."""
    return {
        "formula": lambda overlap: total(overlap) / overlap.expected,
        "looks_at": frozenset({"arguments"}),
        "words": unless_refused(
            lambda overlap, at: f"shares of arguments add up to {total(overlap)[at]:g} of {overlap.expected[at]}",
            _REFUSED,
        ),
    }


def _upstream(name: str, title: str, rule: str, **fields: Any) -> Variant:
    return Variant(
        name,
        title=title,
        rule=rule,
        upstream="ragas",
        version="0.4.3",
        rejects=_REFUSED,
        **fields,
    )


VARIANTS = (
    _upstream(
        "ragas.accuracy",
        "Ragas tool call accuracy",
        "0 unless the names are the same in the same order; then the mean share of expected arguments given, "
        "compared as Python texts",
        **_mean(_strict),
        properties=every_property_but("order_free", "repeat_free"),
        notation="[names equal] · Σ key share / E",
        empty=Empty(1.0, 0.0, 0.0),
        faults=(
            _TEXTS,
            "the documented penalty for too few calls never applies: other lengths score 0",
        ),
    ),
    _upstream(
        "ragas.accuracy.flexible",
        "Ragas tool call accuracy, any order",
        "both lists are sorted by name and arguments; 0 unless the names are the same; then the mean share of "
        "expected arguments given, compared as Python texts",
        **_mean(_flexible),
        properties=every_property_but("repeat_free"),
        notation="[names equal] · Σ key share / E",
        empty=Empty(1.0, 0.0, 0.0),
        faults=(_TEXTS, "pairs calls by sorting, not by the best assignment"),
    ),
    _upstream(
        "ragas.f1",
        "Ragas tool call F1",
        "F1 of the sets of whole calls, rounded to four digits; nothing on both sides scores 0",
        axes=F1,
        formula=lambda overlap: rounded(F1.value(overlap), 4),
        match=Match(arguments="python"),
        properties=every_property_but("perfect_is_full"),
        empty=Empty(0.0, 0.0, 0.0),
        faults=(_REPEATS, "scores nothing expected and nothing called 0, where its accuracy gives 1"),
    ),
)
