"""Why two definitions differ: how much of each gap is owed to which choice.

Two definitions on the axes differ in a few choices. Switching them one after the other leads from the one
to the other; a choice's share is what its switch moves the score by, averaged over every order of
switching (the Shapley value: Shapley, "A value for n-person games", 1953). The shares sum to the gap.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from toolcorrect import html
from toolcorrect.dataset import Dataset
from toolcorrect.errors import OptionError
from toolcorrect.explaining.disagreeing import Point, Points, causes_of, paired, scores_of
from toolcorrect.scoring import Scorer
from toolcorrect.variants.definition import Axes, Empty, Variant
from toolcorrect.variants.formulas import MEASURES, Formula

_TIE = 1e-9
Both = Any  # an option for both definitions, or a pair of options


@dataclass(frozen=True, repr=False)
class Why:
    """What `why` found.

    Attributes
    ----------
    cases
        Index case, widest gap first: ``task``, ``model``, a column for each definition, ``gap`` (a minus b),
        ``cause`` (the fault in the run, as in `disagreements`), ``axis`` (the choice of the largest share) and, for
        each axis on which the two differ, a column with its share of the gap (the shares sum to it).
    axes
        Index axis: ``a`` and ``b`` (the two choices), ``mean_share`` (of the absolute gap, over the differing cases),
        ``decides`` (cases in which it has the largest share).
    causes
        Index cause: ``cases``, ``share`` (of the summed absolute gap), ``mean_gap``.
    scored
        How many cases both definitions score.
    """

    cases: pd.DataFrame
    axes: pd.DataFrame
    causes: pd.DataFrame
    scored: int
    _data: Dataset = field(repr=False, compare=False)

    def by(self, column: str) -> pd.DataFrame:
        """Sum up by model, task, any tag of the cases, or by tool.

        Parameters
        ----------
        column
            A column of `cases` of the dataset, or ``"tool"``: each tool that was called or expected.

        Returns
        -------
        pandas.DataFrame
            Index: the values of the column; ``cases`` (that differ), ``mean_gap`` and a column a cause (share of the
            summed absolute gap).

        Raises
        ------
        OptionError
            For a column that is not there.
        """
        frame = self.cases
        if column == "tool":
            tools = pd.concat([self._data.calls[["case", "tool"]], self._data.expected[["case", "tool"]]])
            pairs = tools.drop_duplicates().set_index("case")["tool"]
            keys = pairs[pairs.index.isin(frame.index)].rename("tool")
            frame = frame.loc[keys.index].assign(tool=keys.array)
        elif column in self._data.cases.columns:
            frame = frame.assign(**{column: self._data.cases[column].reindex(frame.index).array})
        else:
            raise OptionError(f"by({column!r}): the cases have no such column; there is also 'tool'.")
        size = frame["gap"].abs().rename("size")
        shares = size.groupby([frame[column], frame["cause"].astype(str)]).sum().unstack(fill_value=0.0)
        shares = shares.div(shares.sum(axis=1), axis=0)
        made = frame.groupby(column)["gap"].agg(cases="size", mean_gap="mean")
        return made.join(shares).sort_values("cases", ascending=False)

    @property
    def _moving(self) -> pd.DataFrame:
        """The axes that move any score."""
        return self.axes[[bool(self.cases[axis].ne(0).any()) for axis in self.axes.index]]

    def __str__(self) -> str:
        a, b = self.cases.columns[2:4]
        lines = [f"{a} and {b} differ on {len(self.cases):,} of {self.scored:,} cases."]
        lines += [f"  {row.share:.0%} of the gap: {row.Index}" for row in self.causes.itertuples()]
        if len(self._moving):
            lines.append("What makes the gap:")
            lines += [
                f"  {row.Index}: {row.a} / {row.b}, {row.mean_share:.2f} a case, decides {row.decides:,}"
                for row in self._moving.itertuples()
            ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        title = str(self).splitlines()[0]
        return html.table(self.causes.reset_index(), title) + html.table(self._moving.reset_index())


def why(
    data: Dataset,
    a: str | Variant,
    b: str | Variant,
    *,
    scope: Both = "assistant",
    names: Both = None,
    empty: Both = None,
) -> Why:
    """Say why two definitions score the same runs differently.

    Parameters
    ----------
    data
        The runs.
    a, b
        Two variants, by name or as `Variant` objects; the same one twice where an option differs.
    scope, names, empty
        As in `toolcorrect.score`, for both; or a pair, one for each: ``scope=("assistant", "effect")``.

    Returns
    -------
    Why
        Shares by axis and causes, for each case and over all. A definition that is no point on the axes has no
        shares: its gaps have causes only.

    Raises
    ------
    OptionError
        Where the two do not differ in anything.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "b", "b"], "expected": ["a"]}])
    >>> print(tc.why(data, "recall", "jaccard.set"))
    recall and jaccard.set differ on 1 of 1 cases.
      100% of the gap: extra
    What makes the gap:
      multiplicity: multiset / set, -0.08 a case, decides 0
      formula: recall / jaccard, 0.58 a case, decides 1
    """
    points = _points(data, a, b, scope, names, empty)
    scores = scores_of(data, points)
    gap = scores[0] - scores[1]
    differ = np.abs(np.nan_to_num(gap)) > _TIE
    rows = np.flatnonzero(differ)
    on_axes = all(point.variant.axes is not None for point in points)
    apart = data.select(differ)
    shares = shares_of(apart, points, {}) if on_axes else None
    labels = _labels(points)
    found = pd.DataFrame(
        {
            "task": data.cases["task"].array[rows],
            "model": data.cases["model"].array[rows],
            labels[0]: scores[0][rows],
            labels[1]: scores[1][rows],
            "gap": gap[rows],
            "cause": causes_of(apart, points, gap[rows]),
        },
        index=data.cases.index[rows],
    )
    different = differing(points)
    if shares is not None:
        decided = np.asarray([*different, ""], dtype=object)[np.abs(shares).argmax(axis=1)] if len(rows) else []
        found["axis"] = pd.Categorical(decided, categories=list(different))
        found[list(different)] = shares
    else:
        found["axis"] = pd.Categorical([None] * len(rows), categories=[])
    order = np.lexsort((np.arange(len(rows)), -np.abs(gap[rows]).round(9)))
    found = found.iloc[order]
    return Why(found, _axes_table(found, points, different), _causes_table(found), int((~np.isnan(gap)).sum()), data)


def choices(point: Point) -> dict[str, Any]:
    """Return what a definition, with its options, chooses on each axis."""
    variant, axes = point.variant, point.variant.axes or Axes()
    return {
        "scope": variant.scope if point.scope == "assistant" else point.scope,
        "names": point.names if point.names is not None and variant.names == "exact" else variant.names,
        "arguments": (variant.match.arguments, variant.needs_arguments, variant.reads),
        "kinds": variant.match.kinds,
        "outputs": variant.match.outputs,
        "multiplicity": "multiset" if axes.multiplicity == "list" else axes.multiplicity,
        "order": axes.order,
        "formula": axes.formula,
        "empty": point.empty if point.empty is not None else variant.empty or Empty(math.nan, math.nan, math.nan),
    }


def differing(points: Points) -> dict[str, tuple[Any, Any]]:
    """Return the axes on which two definitions differ, with both choices.

    Where the axes of multiplicity and order cannot be switched one without the other, they are one.
    """
    one, other = (choices(point) for point in points)
    found = {axis: (one[axis], other[axis]) for axis in one if _apart(one[axis], other[axis])}
    if {"multiplicity", "order"} <= set(found):
        mixed = [(one["multiplicity"], other["order"]), (other["multiplicity"], one["order"])]
        if not all(_measure(*pair) in MEASURES for pair in mixed):
            joined = [(choice["multiplicity"], choice["order"]) for choice in (one, other)]
            found = {"matching": (joined[0], joined[1]), **found}
            del found["multiplicity"], found["order"]
    return found


def _apart(one: Any, other: Any) -> bool:
    # NaN cells of two empty rules are the same choice.
    return repr(one) != repr(other) if isinstance(one, Empty) else one != other


def _measure(multiplicity: str, order: str) -> tuple[str, str]:
    return ("list", order) if order != "free" and multiplicity == "multiset" else (multiplicity, order)


def _points(data: Dataset, a: str | Variant, b: str | Variant, *options: Both) -> Points:
    pairs = [value if isinstance(value, tuple) and len(value) == 2 else (value, value) for value in options]
    variants = paired(a, b)
    points = tuple(Point(variant, *(pair[i] for pair in pairs)) for i, variant in enumerate(variants))
    if points[0] == points[1]:
        raise OptionError(f"Both sides are {variants[0].name!r} with the same options; give two that differ.")
    return points[0], points[1]


def _labels(points: Points) -> tuple[str, str]:
    names = [point.variant.name for point in points]
    if names[0] != names[1]:
        return names[0], names[1]
    said = [", ".join(str(v) for v in (p.scope, p.names, p.empty) if v is not None) for p in points]
    return f"{names[0]} ({said[0]})", f"{names[1]} ({said[1]})"


def shares_of(data: Dataset, points: Points, scorers: dict[tuple[str, Any], Scorer]) -> np.ndarray:
    """Return the Shapley share of each differing axis, shape (cases, axes); scorers made are kept in ``scorers``."""
    different = differing(points)
    axes = list(different)
    base = choices(points[0])
    scores: dict[frozenset[str], np.ndarray] = {}
    for size in range(len(axes) + 1):
        for switched in itertools.combinations(axes, size):
            chosen = base | {axis: different[axis][1] for axis in switched}
            scores[frozenset(switched)] = _score(data, points, chosen, scorers)
    shares = np.zeros((len(data), len(axes)))
    n = len(axes)
    for place, axis in enumerate(axes):
        for before, value in scores.items():
            if axis not in before:
                weight = math.factorial(len(before)) * math.factorial(n - len(before) - 1) / math.factorial(n)
                shares[:, place] += weight * (value - scores[before | {axis}])
    return shares


def _score(
    data: Dataset, points: Points, chosen: Mapping[str, Any], scorers: dict[tuple[str, Any], Scorer]
) -> np.ndarray:
    """Score the definition that makes the given chosen."""
    multiplicity, order = chosen.get("matching", (chosen["multiplicity"], chosen["order"]))
    arguments, needs_arguments, reads = chosen["arguments"]
    base = points[0].variant
    empty = chosen["empty"]
    variant = replace(
        base,
        name="between",
        formula=None,
        axes=Axes(*_measure(multiplicity, order), chosen["formula"]),
        match=replace(base.match, arguments=arguments, kinds=chosen["kinds"], outputs=chosen["outputs"]),
        needs_arguments=needs_arguments,
        reads=reads,
        names=chosen["names"],
        scope=chosen["scope"],
        empty=empty if isinstance(empty, Empty) else base.empty,
        rejects=None,
    )
    key = (chosen["scope"], repr(None if isinstance(empty, Empty) else empty))
    if key not in scorers:
        scorers[key] = Scorer(data, scope=chosen["scope"], empty=None if isinstance(empty, Empty) else empty)
    return scorers[key].cases(variant).score


def _axes_table(found: pd.DataFrame, points: Points, different: Mapping[str, Any]) -> pd.DataFrame:
    axes = [axis for axis in different if axis in found.columns]
    decides = found["axis"].value_counts()
    return pd.DataFrame(
        {
            "a": [_said(different[axis][0]) for axis in axes],
            "b": [_said(different[axis][1]) for axis in axes],
            "mean_share": [float((found[axis] * np.sign(found["gap"])).mean()) for axis in axes],
            "decides": [int(decides.get(axis, 0)) for axis in axes],
        },
        index=pd.Index(axes, name="axis"),
    )


def _said(choice: Any) -> str:
    if isinstance(choice, Empty):
        cells = (choice.both, choice.unexpected, choice.uncalled)
        return "/".join(cell if isinstance(cell, str) else f"{cell:g}" for cell in cells)
    if isinstance(choice, Formula):
        return choice.notation
    if isinstance(choice, tuple):
        return ", ".join(choice) if isinstance(choice[-1], str) else str(choice[0] or "ignored")
    return str(choice)


def _causes_table(found: pd.DataFrame) -> pd.DataFrame:
    size = found["gap"].abs()
    made = size.groupby(found["cause"], observed=True).agg(cases="size", total="sum", mean_gap="mean")
    made["share"] = made["total"] / size.sum() if len(found) else made["total"]
    return made.sort_values("share", ascending=False)[["cases", "share", "mean_gap"]]
