"""How far the arguments of paired calls agree, key by key, counted for all pairs at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from toolcorrect.arguments.values import Agreement
from toolcorrect.encoding import Match
from toolcorrect.pairing import Pairs, compare


def by_key(
    pairs: Pairs,
    score: Callable[[Agreement], np.ndarray],
    function: Callable[[Any, Any], float] | None = None,
    *,
    relation: str = "python",
    nested: bool = False,
) -> np.ndarray:
    """Score the arguments of each pair by how many of their keys and values agree.

    Parameters
    ----------
    pairs
        The candidates.
    score
        Function of an `Agreement` of pairs of unequal objects; one number a pair.
    function
        The same for two values, see `pairing.compare`: for pairs with a side that is not known or no object. None:
        what is not known holds no key, and what is no object makes NaN.
    relation
        When two values of one key are equal. Arguments that are the same score 1 without being asked about.
    nested
        Whether also pairs in which one key holds unequal objects or lists on both sides are left to ``function``.

    Returns
    -------
    numpy.ndarray
        float64, one entry a pair.
    """
    expected, called = pairs.encoding.codes(Match(arguments=relation))
    made = (expected[pairs.expected] == called[pairs.called]).astype(np.float64)
    unequal = np.flatnonzero(made == 0)
    asked = pairs.only(unequal)
    found = agreement(asked, relation)
    with np.errstate(divide="ignore", invalid="ignore"):
        made[unequal] = score(found)
    if function is None:
        made[unequal[~found.objects]] = np.nan
        return made
    text_e, text_c = asked.texts
    left = np.flatnonzero(~found.objects | (text_e < 0) | (text_c < 0) | (found.deeper & nested))
    made[unequal[left]] = compare(asked.only(left), function, same=None)
    return made


def agreement(pairs: Pairs, relation: str) -> Agreement:
    """Hold the arguments of pairs against each other; those that are not known hold no key."""
    return pairs.encoding.agreement(relation, *pairs.texts)
