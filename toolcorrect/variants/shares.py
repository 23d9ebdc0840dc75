"""How far the arguments of two calls agree, key by key, and the pairs of calls that are asked about it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from toolcorrect import pairing
from toolcorrect.encoding import Encoding, Match
from toolcorrect.key_agreement import by_key

NAMES_ONLY = Match()


Arguments = dict[str, Any]


def of_objects(score: Callable[[Arguments, Arguments], float]) -> Callable[[Any, Any], float]:
    """Return the score for any two values: unknown ones hold no key; what is no object makes NaN (it is refused).

    Examples
    --------
    >>> same_size = of_objects(lambda expected, called: len(expected) == len(called))
    >>> same_size(None, {}), same_size([1], {})
    (True, nan)
    """

    def scored(expected: Any, called: Any) -> float:
        expected, called = {} if expected is None else expected, {} if called is None else called
        return score(expected, called) if type(expected) is type(called) is dict else math.nan

    return scored


def includes(whole: Arguments, part: Arguments) -> bool:
    """Tell whether every key of one object is in the other with an equal value (Python's ``==``).

    Examples
    --------
    >>> includes({"a": 1, "b": 2}, {"a": 1.0}), includes({}, {"a": None})
    (True, False)
    """
    return part.items() <= whole.items()


def by_name(encoding: Encoding) -> pairing.Pairs:
    """Pair every expected call with every called call of the same tool in its list."""
    return pairing.candidates(encoding, NAMES_ONLY)


def included(pairs: pairing.Pairs) -> np.ndarray:
    """Score each pair 1 where all expected arguments are among those made, else 0."""
    return by_key(pairs, lambda found: found.equal == found.expected)
