"""tau2-bench's check of actions, as a share."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

import numpy as np
import orjson
import pandas as pd

from toolcorrect import pairing
from toolcorrect.encoding import Encoding, Match
from toolcorrect.key_agreement import by_key
from toolcorrect.overlap import Overlap
from toolcorrect.variants.definition import Empty, Variant, every_property_but
from toolcorrect.variants.forms import refuses


def meets(expected: Any, called: Any, compare: Collection[str] | None = None) -> bool:
    """Tell whether a call is the expected action: equal in the arguments to compare.

    Parameters
    ----------
    expected, called
        Argument values; what is no object meets nothing.
    compare
        Names of the arguments to compare; None: those of the call.

    Examples
    --------
    >>> meets({"id": 1, "note": "x"}, {"id": 1}), meets({"id": 1}, {"id": 1, "note": "x"}, ["id"])
    (True, True)
    """
    if not (isinstance(expected, dict) and isinstance(called, dict)):
        return False
    names = called.keys() if compare is None else compare
    return all((name in expected) == (name in called) and expected.get(name) == called.get(name) for name in names)


def met(encoding: Encoding) -> np.ndarray:
    """Tell for each expected action whether some call meets it; one call may meet several."""
    pairs = pairing.candidates(encoding, Match())
    which, texts = pd.factorize(encoding.column("expected", "compare").iloc[pairs.expected])
    made = np.zeros(len(encoding.expected.row), dtype=bool)
    for number, text in zip(range(-1, len(texts)), (None, *texts)):
        if text is None:
            meeting = partial(by_key, score=lambda found: found.equal == found.called, function=meets)
        else:
            meeting = partial(pairing.compare, function=partial(meets, compare=orjson.loads(text)), same=None)
        made |= pairing.satisfied(pairs.only(which == number), meeting, "python")
    return made


def _share(overlap: Overlap) -> np.ndarray:
    return overlap.encoding.expected.count(met(overlap.encoding)) / overlap.expected


VARIANTS = (
    Variant(
        "tau2.actions",
        _share,
        match=Match(arguments="python"),
        scope="everyone",
        empty=Empty(both=1.0, unexpected=1.0, uncalled=0.0),
        rejects=refuses(),
        needs_arguments=True,
        title="tau2 actions",
        rule="share of the expected actions that some call meets, whoever made it: the same name, and equal in the "
        "arguments the action says to compare, or else in those of the call",
        notation="actions met / E",
        upstream="tau2-bench",
        properties=every_property_but(),
        faults=(
            "arguments that the call leaves out are not missed: a call without any meets every action of its name",
            "one call may meet several actions",
            "the recorded verdict is all or nothing, and most tasks do not base their reward on it",
        ),
    ),
)
