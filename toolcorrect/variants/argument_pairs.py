"""F1 over single arguments, of the best pairing of calls of one tool."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from toolcorrect import pairing
from toolcorrect.encoding import Encoding, SideName
from toolcorrect.key_agreement import agreement
from toolcorrect.overlap import Overlap
from toolcorrect.variants.shares import by_name

# Above so many calls of one tool upstream pairs greedily.
MOST = 12


def argument_f1(*, strict: bool) -> Callable[[Overlap], np.ndarray]:
    """Return the formula: precision and recall count the arguments of all paired calls of a list together."""
    relation = "typed" if strict else "lenient"

    def value(overlap: Overlap) -> np.ndarray:
        encoding = overlap.encoding
        lists = encoding.list_count
        pairs = by_name(encoding)
        hits = agreement(pairs, relation)
        scores = np.where(hits.objects, hits.equal, 0.0)
        chosen = _first_best(pairs, scores)
        paired = np.bincount(pairs.owner[chosen], minlength=lists) > 0
        # An expected call that states no arguments is not checked.
        chosen = chosen[encoding.expected.text[pairs.expected[chosen]] >= 0]
        hit = np.bincount(pairs.owner[chosen], weights=scores[chosen], minlength=lists)
        made, owner = _counts(encoding, "called")[pairs.called[chosen]], pairs.owner[chosen]
        given = np.bincount(owner, weights=made, minlength=lists)
        wanted = np.bincount(encoding.expected.owner, weights=_counts(encoding, "expected"), minlength=lists)
        # 2PR/(P+R) with P = hit/given and R = hit/wanted.
        return np.where(given + wanted == 0, paired, 2 * hit / (given + wanted))

    return value


def _counts(encoding: Encoding, side: SideName) -> np.ndarray:
    """Return the number of arguments of each call of a side."""

    def count() -> np.ndarray:
        values = pairing.parsed(encoding.texts, np.arange(-1, len(encoding.texts)))
        return np.array([len(value) if isinstance(value, dict) else 0 for value in values])

    return encoding.remember("argument counts", count)[getattr(encoding, side).text + 1]


def _first_best(pairs: pairing.Pairs, scores: np.ndarray) -> np.ndarray:
    """Choose the best pairing; among equals the one whose earlier expected calls take earlier called ones."""
    nth_e, nth_c = (_nth_of_tool(pairs.encoding, side)[getattr(pairs, side)] for side in ("expected", "called"))
    group = pairs.owner * len(pairs.encoding.tool_names) + pairs.encoding.expected.tool[pairs.expected]
    largest = pd.Series(np.maximum(nth_e, nth_c)).groupby(group).transform("max").to_numpy()
    few = np.flatnonzero(largest < MOST)
    # A tie-break as digits below the score: the first expected call's digit counts most, each taking a partner as
    # early as it can.
    base = MOST + 1
    digits = (base - 1 - nth_c[few]) * float(base) ** (MOST - 1 - nth_e[few])
    best = few[pairing.optimal(pairs.only(few), scores[few] * float(base) ** MOST + digits)]
    many = np.flatnonzero(largest >= MOST)
    taken, _ = pairing.greedy(pairs.only(many), scores[many] + 1, pairs.called[many])
    return np.concatenate((best, many[taken]))


def _nth_of_tool(encoding: Encoding, side: SideName) -> np.ndarray:
    part = getattr(encoding, side)
    return pd.DataFrame({"owner": part.owner, "tool": part.tool}).groupby(["owner", "tool"]).cumcount().to_numpy()
