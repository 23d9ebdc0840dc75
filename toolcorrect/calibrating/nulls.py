"""Scores that know nothing of the expected calls: what a definition must beat to say something."""

from __future__ import annotations

import math

import pandas as pd

from toolcorrect.dataset import Dataset
from toolcorrect.scoring import score
from toolcorrect.variants.definition import Variant

NULLS = (
    Variant("null.fewer_calls", lambda o: -o.called, title="Fewer calls", low=-math.inf, high=0.0),
    Variant("null.any_effect", lambda o: o.called > 0, scope="effect", title="Any effect"),
    Variant(
        "null.fewer_effects", lambda o: -o.called, scope="effect", title="Fewer effects", low=-math.inf, high=0.0
    ),
    Variant("null.do_nothing", lambda o: o.called == 0, title="Do nothing"),
)


def null_scores(data: Dataset) -> pd.DataFrame:
    """Score the runs without looking at what was expected, to stand beside the variants in `calibrate`.

    Parameters
    ----------
    data
        The runs.

    Returns
    -------
    pandas.DataFrame
        Index case; columns null.fewer_calls (minus the number of calls), null.any_effect (1 if any call changes
        state), null.fewer_effects (minus the number of such calls), null.do_nothing (1 if nothing was called). NaN
        where a variant would have no score either; the two of effects where `Dataset.mark_effects` has not said.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["find", "book"], "expected": ["book"]}]).mark_effects(["book"])
    >>> null_scores(data).loc["x"].to_list()
    [-2.0, 1.0, -1.0, 0.0]
    """
    return score(data, variants=NULLS)
