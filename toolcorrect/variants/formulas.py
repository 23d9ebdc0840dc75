"""Formulas over counts of matched calls, as notation, as functions, and in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from toolcorrect.errors import check_number


class Counted(NamedTuple):
    """What a formula takes: float64 arrays, one entry a list.

    ``found`` counts matched expected calls, ``wanted`` matched called calls; the two differ only where calls
    may be matched more than once.
    """

    found: np.ndarray
    wanted: np.ndarray
    expected: np.ndarray
    called: np.ndarray


class Formula(NamedTuple):
    """A formula over `Counted`, as notation, as a function, and as the sum of one case in words."""

    notation: str
    value: Callable[[Counted], np.ndarray]
    words: str


def _precision_recall_mean(n: Counted) -> np.ndarray:
    # Written without the two ratios: with one side empty it is 0, with both it divides by nothing.
    return (
        2
        * n.found
        * n.wanted
        / np.where(
            (n.found == 0) | (n.wanted == 0), n.expected + n.called, n.found * n.called + n.wanted * n.expected
        )
    )


def _flag(condition: np.ndarray) -> np.ndarray:
    return np.asarray(condition, dtype=np.float64)


FORMULAS: Mapping[str, Formula] = {
    "recall": Formula("m/E", lambda n: n.found / n.expected, "{found} of {expected} expected found"),
    "precision": Formula("m/C", lambda n: n.wanted / n.called, "{wanted} of {called} called were expected"),
    "f1": Formula("2PR/(P+R)", _precision_recall_mean, "2 × {found} shared of {expected} + {called}"),
    "jaccard": Formula(
        "m/(E+C-m)", lambda n: n.found / (n.expected + n.called - n.found), "{found} shared of {union} in either"
    ),
    "max_overlap": Formula(
        "m/max(E,C)", lambda n: n.found / np.maximum(n.expected, n.called), "{found} shared of {longer} in the longer"
    ),
    "equal": Formula(
        "[m=E=C]",
        lambda n: _flag((n.found == n.expected) & (n.wanted == n.called)),
        "all or nothing: {found} shared, {expected} expected, {called} called",
    ),
    "contains": Formula(
        "[m=E]", lambda n: _flag(n.found == n.expected), "all or nothing: {found} of {expected} expected found"
    ),
    "within": Formula(
        "[m=C]", lambda n: _flag(n.wanted == n.called), "all or nothing: {wanted} of {called} called were expected"
    ),
}

# How calls are counted as matched: for each (multiplicity, order), the counts of an `Overlap` it takes.
MEASURES: Mapping[tuple[str, str], tuple[str, str, str, str]] = {
    ("multiset", "free"): ("shared", "shared", "expected", "called"),
    ("set", "free"): ("shared_distinct", "shared_distinct", "distinct_expected", "distinct_called"),
    ("set of a list", "free"): ("shared_distinct", "shared_distinct", "expected", "called"),
    ("values", "free"): ("reused", "reused", "expected", "called"),
    ("members", "free"): ("expected_found", "called_wanted", "expected", "called"),
    ("list", "longest"): ("longest", "longest", "expected", "called"),
    ("list", "leading"): ("leading", "leading", "expected", "called"),
    ("list", "position"): ("positions", "positions", "expected", "called"),
}


def tversky(*, extra: float, missing: float) -> Formula:
    """Make the Tversky index: extra and missing calls each at their own weight.

    Parameters
    ----------
    extra, missing
        Weights at or above 0 of a called call too many and of an expected call not made. (0, 1) is recall,
        (1, 0) precision, (.5, .5) F1, (1, 1) Jaccard. Source: Tversky, "Features of similarity" (1977).

    Raises
    ------
    OptionError
        For a negative weight.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> tc.Variant("lenient", axes=tc.Axes(formula=tversky(extra=0.25, missing=1))).axes.rule.notation
    'm/(m+0.25(C-m)+1(E-m))'
    """
    for option, weight in (("extra", extra), ("missing", missing)):
        check_number(option, weight, low=0)
    return Formula(
        f"m/(m+{extra:g}(C-m)+{missing:g}(E-m))",
        lambda n: n.found / (n.found + extra * (n.called - n.wanted) + missing * (n.expected - n.found)),
        f"{{found}} shared, extra calls weigh {extra:g} and missing ones {missing:g}",
    )


def rounded(values: np.ndarray, digits: int) -> np.ndarray:
    """Round as Python does (numpy multiplies first, which can tip a last digit).

    Examples
    --------
    >>> rounded(np.array([2 / 3, 0.00625]), 4).tolist()
    [0.6667, 0.0063]
    """
    distinct, place = np.unique(values, return_inverse=True)
    return np.array([round(value, digits) for value in distinct.tolist()], dtype=np.float64)[place]
