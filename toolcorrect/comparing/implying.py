"""Which definition implies which: from how they are made, and from how cases come out."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from toolcorrect.comparing.agreeing import inclusion
from toolcorrect.errors import DataError, listed
from toolcorrect.statistics.aligning import score_frame
from toolcorrect.statistics.thresholds import TOLERANCE
from toolcorrect.variants import Wanted, resolve
from toolcorrect.variants.definition import Variant
from toolcorrect.variants.formulas import Counted

# Pairs (finer, coarser): what is the same under the first is the same under the second. None: arguments ignored.
_RELATIONS = {("dump", "json"), ("json", "python"), ("python", "lenient"), ("typed", "json"), ("typed", "python")}
_RELATIONS |= {("dump", "python"), ("dump", "lenient"), ("json", "lenient"), ("typed", "lenient")}
_NAMES = ("exact", "format", "galtea", "loose")
# To contain, or to lie within, under one way of matching implies it under these.
_SETS = {("set", "free"), ("members", "free")}
_MULTISET = {("multiset", "free"), *_SETS}
_SUBSEQUENCE = {("list", "longest"), ("list", "leading"), *_MULTISET}
_REACHES = {
    ("list", "position"): {("list", "position"), *_SUBSEQUENCE},
    ("list", "longest"): _SUBSEQUENCE,
    ("list", "leading"): _SUBSEQUENCE,
    ("set of a list", "free"): {("set of a list", "free"), *_MULTISET},
    ("multiset", "free"): _MULTISET,
    ("set", "free"): _SETS,
    ("members", "free"): _SETS,
}


def strictness(variants: Wanted = "core", scores: pd.DataFrame | None = None) -> pd.DataFrame:
    """Say of every two variants whether a full score under the one means a full score under the other.

    Parameters
    ----------
    variants
        As in `toolcorrect.score`.
    scores
        Scores of these variants on some data, to set beside the logic.

    Returns
    -------
    pandas.DataFrame
        Index (variant, other), all ordered pairs of two. ``implies``: True where a case with score 1 under
        ``variant`` has score 1 under ``other``, whatever the data (or none); False where the axes allow otherwise; NA
        where the axes do not say (a variant with a formula of its own). ``equivalent``: implies both ways. With
        ``scores`` also inside, h, passed, exceptions and n, see `toolcorrect.inclusion` at threshold 1.

    Examples
    --------
    >>> strictness(["exact", "recall"]).implies.to_dict()
    {('exact', 'recall'): True, ('recall', 'exact'): False}
    """
    chosen = resolve(variants)
    if scores is not None:
        given = score_frame(scores).columns
        lacking = [v.name for v in chosen if v.name not in given]
        if lacking:
            raise DataError(f"scores lacks {listed(lacking)}; score the variants that are compared.")
    index = pd.MultiIndex.from_product([[v.name for v in chosen]] * 2, names=["variant", "other"])
    implied = {(a.name, b.name): _implies(a, b) for a in chosen for b in chosen}
    table = pd.DataFrame({"implies": pd.array([implied[pair] for pair in index], dtype="boolean")}, index=index)
    back = pd.array([implied[b, a] for a, b in index], dtype="boolean")
    table["equivalent"] = table["implies"] & back
    table = table[index.get_level_values(0) != index.get_level_values(1)]
    if scores is None:
        return table
    return table.join(inclusion(scores[[v.name for v in chosen]], threshold=1.0))


def _implies(a: Variant, b: Variant) -> bool | None:
    """Decide from the axes alone; None where they do not say."""
    if a.name == b.name:
        return None
    if a.axes is None or b.axes is None or "turn" in (a.by, b.by) or a.rejects or b.rejects:
        return None
    way_a, way_b = (a.axes.multiplicity, a.axes.order), (b.axes.multiplicity, b.axes.order)
    if a.reads is not b.reads or {way_a, way_b} - set(_REACHES):
        return None
    if not isinstance(a.names, str) or not isinstance(b.names, str):
        return None
    demands_a, demands_b = _demands(a), _demands(b)
    # Equal lists are the same lists, whether that was told by place or by common subsequence.
    same_lists = demands_a == {"contained", "within"} and ("list", "longest") in _REACHES[way_a]
    reached = _REACHES["list", "position"] if same_lists else _REACHES[way_a]
    finer = (
        a.match.arguments == b.match.arguments
        or b.match.arguments is None
        or (a.match.arguments, b.match.arguments) in _RELATIONS
    )
    return (
        demands_b <= demands_a
        and way_b in reached
        and finer
        and a.match.kinds >= b.match.kinds
        and a.match.outputs >= b.match.outputs
        and _NAMES.index(a.names) <= _NAMES.index(b.names)
        and a.scope == b.scope
        and all(y != y or y == 1 for x, y in zip(_empty_cells(a), _empty_cells(b)) if x == 1)
    )


def _demands(variant: Variant) -> set[str]:
    """Tell what a full score asks for: all expected calls found, all called calls wanted, or both."""
    assert variant.axes is not None
    # One list each: an extra call, and a missing one.
    probe = Counted(*np.array([[1.0, 1.0], [1.0, 1.0], [1.0, 2.0], [2.0, 1.0]]))
    extra, missing = variant.axes.rule.value(probe) >= 1 - TOLERANCE
    return {name for name, full in (("within", extra), ("contained", missing)) if not full}


def _empty_cells(variant: Variant) -> Iterable[float]:
    """Return the score where both sides, only the expected, or only the called side is empty; NaN: none."""
    assert variant.axes is not None
    rule = variant.empty
    if rule is not None:
        return [np.nan if cell == "rejected" else float(cell) for cell in (rule.both, rule.unexpected, rule.uncalled)]
    nothing = np.zeros(3)
    with np.errstate(invalid="ignore", divide="ignore"):
        return list(variant.axes.rule.value(Counted(nothing, nothing, np.array([0.0, 0, 1]), np.array([0.0, 1, 0]))))
