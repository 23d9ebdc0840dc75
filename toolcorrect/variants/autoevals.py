"""Braintrust autoevals: no tool metric of its own, but a similarity of JSON values and one of lists."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from toolcorrect import pairing
from toolcorrect.overlap import Overlap
from toolcorrect.variants.definition import Axes, Empty, Variant, every_property_but
from toolcorrect.variants.text_distance import similarity


def json_diff(first: Any, second: Any) -> float:
    """Return the similarity of two JSON values: objects by key, lists by place, texts by edits, numbers by size.

    Examples
    --------
    >>> json_diff({"a": 1, "b": "cat"}, {"a": 1, "b": "cut"}), json_diff({}, None)
    (0.8333333333333334, 0.0)
    """
    first, second = _read(first), _read(second)
    if isinstance(first, dict) and isinstance(second, dict):
        # In an order of their own, for the sum would else hang on the run.
        keys = first | second
        return sum(json_diff(first.get(key), second.get(key)) for key in keys) / len(keys) if keys else 1.0
    if isinstance(first, list) and isinstance(second, list):
        longer = max(len(first), len(second))
        return sum(map(json_diff, first, second)) / longer if longer else 1.0
    if isinstance(first, str) and isinstance(second, str):
        return similarity(first, second)
    if isinstance(first, int | float) and isinstance(second, int | float):
        try:
            size = abs(first) + abs(second)
            return 1 - abs(first - second) / size if size else 1.0
        except OverflowError:
            # Upstream fails on a float beside an integer beyond all floats.
            return math.nan
    if first is None or second is None:
        return float(first is second)
    return similarity(_text(first), _text(second))


def _read(value: Any) -> Any:
    """Read a text that holds a JSON object or list as its value."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def _calls_diff(overlap: Overlap) -> np.ndarray:
    """Compare the calls at each place: half by name, half by arguments."""
    encoding = overlap.encoding
    pairs = pairing.by_position(encoding)
    arguments = pairing.compare(pairs, json_diff, same="json")
    tools = np.stack((encoding.expected.tool[pairs.expected], encoding.called.tool[pairs.called]))
    different, place = np.unique(tools, axis=1, return_inverse=True)
    names = np.array([json_diff(*(encoding.tool_names[tool] for tool in pair)) for pair in different.T.tolist()])
    scores = (names[place.reshape(-1)] + arguments) / 2
    total = np.bincount(pairs.owner, weights=scores, minlength=encoding.list_count)
    return total / np.maximum(overlap.expected, overlap.called)


def _upstream(name: str, title: str, rule: str, **fields: Any) -> Variant:
    return Variant(
        f"autoevals.{name}",
        title=title,
        rule=rule,
        upstream="autoevals",
        version="0.4.1",
        empty=Empty(1.0, 0.0, 0.0),
        **fields,
    )


VARIANTS = (
    _upstream(
        "list_contains",
        "autoevals list contains, names",
        "shared tool names over the longer of both lists, best pairing",
        axes=Axes("multiset", "free", "max_overlap"),
        properties=every_property_but("repeat_free"),
    ),
    _upstream(
        "list_contains.extra",
        "autoevals list contains, extra allowed",
        "share of the expected tool names that were called, best pairing",
        axes=Axes("multiset", "free", "recall"),
        properties=every_property_but("repeat_free"),
        faults=("nothing expected scores 0 although extra calls are allowed",),
    ),
    _upstream(
        "json_diff",
        "autoevals JSON diff of calls",
        "similarity of the lists of calls, place by place: half by name, half by arguments; texts by edit distance, "
        "numbers by size",
        formula=_calls_diff,
        notation="Σ similarity by place / max(E,C)",
        looks_at=frozenset({"arguments"}),
        properties=frozenset({"in_range", "perfect_is_full"}),
        faults=("a similarity: wrong values earn credit",),
    ),
)
