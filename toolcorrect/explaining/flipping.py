"""Which single choice, made otherwise, would turn a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from toolcorrect.arguments.equality import RELATIONS
from toolcorrect.dataset import Dataset
from toolcorrect.encoding import SCOPES
from toolcorrect.errors import check_number
from toolcorrect.explaining.attributing import choices
from toolcorrect.explaining.disagreeing import Point, reads_arguments
from toolcorrect.names import LEVELS, Names
from toolcorrect.references.judging import OPTIONS
from toolcorrect.references.matching import PLAIN
from toolcorrect.scoring import EmptyRule, Scorer
from toolcorrect.statistics.thresholds import TOLERANCE
from toolcorrect.variants import resolve_one
from toolcorrect.variants.definition import POLICIES, Axes, Variant
from toolcorrect.variants.formulas import FORMULAS, MEASURES

Settings = Mapping[str, Any]


def flips(
    data: Dataset,
    variant: str | Variant,
    *,
    threshold: float | None = None,
    scope: str = "assistant",
    names: str | Names | None = None,
    empty: EmptyRule | None = None,
) -> pd.DataFrame:
    """Tell for every case which single choice, made otherwise, would turn its verdict.

    Parameters
    ----------
    data
        The runs.
    variant
        A definition, by name or as a `Variant`.
    threshold
        The score that passes. None: the best there is.
    scope, names, empty
        As in `toolcorrect.score`: the choices that are switched away from, one at a time.

    Returns
    -------
    pandas.DataFrame
        Index case, one bool column a choice: True where a case that passes would fail, or the other way round. The
        columns: ``scope=``, ``names=``, ``empty=``, ``optional=left_out``; for definitions on the axes also
        ``arguments=``, ``multiplicity=``, ``order=``, ``formula=``; for those that read arguments, what could be
        overlooked in them (``trim``, ``keys=expected``, ``fill_defaults``, ...; see `ArgumentOptions`) and
        ``matchers``. A case that either side does not score is False.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "a"], "expected": ["a"]}])
    >>> turned = flips(data, "exact").loc["x"]
    >>> turned[turned].index.to_list()
    ['multiplicity=set', 'multiplicity=members', 'formula=recall', 'formula=contains']
    """
    if threshold is not None:
        check_number("threshold", threshold)
    one = resolve_one(variant)
    chosen = choices(Point(one, scope, names, empty))
    base = replace(one, scope=chosen["scope"], names=chosen["names"])
    worst, best = (one.low, one.high) if one.better == "higher" else (one.high, one.low)
    way = 1.0 if best > worst else -1.0
    least = best if threshold is None else threshold
    scorers: dict[str, Scorer] = {}

    def verdict(switched: Variant, settings: Settings) -> np.ndarray:
        key = repr(settings)
        if key not in scorers:
            scorers[key] = Scorer(data, **{"empty": empty, **settings})
        values = scorers[key].cases(switched).score * way
        return np.where(np.isnan(values), np.nan, values >= least * way - TOLERANCE)

    plain = verdict(base, {})
    made = {}
    for label, switched, settings in _switches(base, chosen):
        other = verdict(switched, settings)
        made[label] = (plain != other) & ~np.isnan(plain) & ~np.isnan(other)
    return pd.DataFrame(made, index=data.cases.index)


def _switches(base: Variant, chosen: dict[str, Any]) -> Iterator[tuple[str, Variant, Settings]]:
    """Yield every definition that is one choice away, with the settings it is scored under."""
    for scope in SCOPES:
        if scope != chosen["scope"]:
            yield f"scope={scope}", replace(base, scope=scope), {}
    for level in LEVELS:
        if level != chosen["names"]:
            yield f"names={level}", replace(base, names=level), {}
    for word in POLICIES:
        if word != chosen["empty"]:
            yield f"empty={word}", base, {"empty": word}
    yield "optional=left_out", base, {"optional": "left_out"}
    if base.axes is not None and base.formula is None:
        yield from ((label, replace(switched, rejects=None), {}) for label, switched in _on_axes(base, base.axes))
    if reads_arguments(base):
        for label, options in {"matchers": PLAIN, **OPTIONS}.items():
            yield label, base, {"options": options}


def _on_axes(base: Variant, axes: Axes) -> Iterator[tuple[str, Variant]]:
    for relation in (None, *RELATIONS):
        if relation != base.match.arguments:
            match = replace(base.match, arguments=relation)
            label = f"arguments={relation or 'ignored'}"
            yield label, replace(base, match=match, needs_arguments=relation is not None, reads=None)
    for multiplicity, order in MEASURES:
        if (multiplicity, order) == (axes.multiplicity, axes.order):
            continue
        # Where the order counts, lists are compared; that is one choice.
        label = f"multiplicity={multiplicity}" if order == "free" else f"order={order}"
        if multiplicity == "multiset" and axes.order != "free":
            label = "order=free"
        elif multiplicity != "list" and axes.order != "free":
            continue
        yield label, replace(base, axes=replace(axes, multiplicity=multiplicity, order=order))
    for formula in FORMULAS:
        if FORMULAS[formula] != axes.rule:
            yield f"formula={formula}", replace(base, axes=replace(axes, formula=formula))
