"""How much each choice matters: every combination of the axes on one dataset."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd

from toolcorrect.dataset import Dataset
from toolcorrect.encoding import Match
from toolcorrect.errors import DataError
from toolcorrect.scoring import Scorer
from toolcorrect.variants.definition import Axes, Variant

# The options of each axis; the first is the one our plain definitions take.
OPTIONS: dict[str, tuple[str, ...]] = {
    "scope": ("assistant", "effect"),
    "names": ("exact", "loose"),
    "arguments": ("ignored", "json"),
    "matching": ("multiset", "set", "sequence"),
    "formula": ("recall", "precision", "f1", "jaccard", "equal"),
    "empty": ("skip", "perfect", "zero"),
}
_MATCHING = {"multiset": ("multiset", "free"), "set": ("set", "free"), "sequence": ("list", "longest")}


def specifications(data: Dataset) -> pd.DataFrame:
    """Score a dataset under every combination of the axes.

    Parameters
    ----------
    data
        The runs. Without `Dataset.mark_effects` the axis scope has one option.

    Returns
    -------
    pandas.DataFrame
        One row a definition, sorted by ``mean``: the columns scope, names, arguments, matching, formula, empty (what
        is scored where the formula divides by nothing), then mean, n_scored, n.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "b"], "expected": ["a"]}])
    >>> specifications(data)["mean"].agg(["size", "min", "max"]).to_list()
    [90.0, 0.0, 1.0]
    """
    options = dict(OPTIONS)
    effects = Scorer(data, scope="effect").overlap(Variant("any", axes=Axes())).encoding.effect_known
    if not len(data) or not effects.all():
        options["scope"] = ("assistant",)
    arguments_known = data.calls["arguments"].notna().any() and data.expected["arguments"].notna().any()
    if not arguments_known:
        options["arguments"] = ("ignored",)
    rows = []
    for empty in options["empty"]:
        # One scorer for all but the empty sides: what the definitions share is counted once.
        scorer = Scorer(data, empty=empty)
        for point in itertools.product(*(values for axis, values in options.items() if axis != "empty")):
            scope, names, arguments, matching, formula = point
            variant = Variant(
                "specification",
                axes=Axes(*_MATCHING[matching], formula),
                match=Match(arguments=None if arguments == "ignored" else arguments),
                names=names,
                scope=scope,
                needs_arguments=arguments != "ignored",
            )
            values = scorer.cases(variant).score
            known = values[~np.isnan(values)]
            rows.append((*point, empty, known.mean() if len(known) else math.nan, len(known), len(values)))
    table = pd.DataFrame(rows, columns=[*options, "mean", "n_scored", "n"])
    return table.sort_values("mean", kind="stable", ignore_index=True)


def choices(data: Dataset) -> pd.DataFrame:
    """Say which axis of the definition moves the mean score most on this data.

    Parameters
    ----------
    data
        The runs.

    Returns
    -------
    pandas.DataFrame
        Index axis, largest share first, then ``together``. share: the part of the variance of the mean over all
        definitions (`specifications`) that the axis explains by itself (its main effect; ``together``: what only
        combinations of axes explain); lowest, highest: the options with the lowest and highest mean; range: the
        difference of these two means.

    Raises
    ------
    DataError
        Where no definition scores any case.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "b"], "expected": ["a"]}])
    >>> choices(data)[["share", "lowest", "highest"]].to_dict("index")["formula"]
    {'share': 1.0, 'lowest': 'equal', 'highest': 'recall'}
    """
    table = specifications(data)
    axes = [axis for axis in OPTIONS if table[axis].nunique() > 1]
    if table["mean"].isna().all():
        raise DataError("No definition scores any case of this data, so no choice can be weighed; see tc.status.")
    scored = table.dropna(subset="mean")
    centre = scored["mean"].mean()
    total = ((scored["mean"] - centre) ** 2).sum()
    rows = {}
    for axis in axes:
        by_option = scored.groupby(axis, sort=False)["mean"].agg(["mean", "size"])
        between = (by_option["size"] * (by_option["mean"] - centre) ** 2).sum()
        low, high = by_option["mean"].idxmin(), by_option["mean"].idxmax()
        spread = by_option["mean"].max() - by_option["mean"].min()
        rows[axis] = (between / total if total > 0 else 0.0, low, high, spread)
    found = pd.DataFrame.from_dict(rows, orient="index", columns=["share", "lowest", "highest", "range"])
    found = found.sort_values("share", ascending=False, kind="stable")
    found.loc["together"] = (max(0.0, 1 - found["share"].sum()) if total > 0 else 0.0, None, None, math.nan)
    return found.rename_axis("axis")
