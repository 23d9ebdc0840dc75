"""What a scoring definition is: `Variant`, and the axes of the space it is a point of."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from toolcorrect.encoding import Encoding, Match
from toolcorrect.errors import OptionError, check_option, check_type, shown
from toolcorrect.names import Names
from toolcorrect.overlap import Overlap
from toolcorrect.variants.formulas import FORMULAS, MEASURES, Counted, Formula

NAMES_ONLY = Match()

Side = float | Literal["rejected"]


@dataclass(frozen=True)
class Empty:
    """The score where a side is empty: a number, NaN (undefined) or ``"rejected"`` (upstream refuses).

    Parameters
    ----------
    both
        Nothing expected and nothing called.
    unexpected
        Nothing expected, but something called.
    uncalled
        Something expected, but nothing called.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": [], "expected": []}, {"case": "y", "called": ["a"], "expected": []}])
    >>> tc.score(data, variants="exact", empty=Empty(both=1.0, unexpected=math.nan)).exact.to_dict()
    {'x': 1.0, 'y': nan}
    """

    both: Side = 1.0
    unexpected: Side = 0.0
    uncalled: Side = 0.0

    @classmethod
    def of(cls, value: Empty | tuple[Side, Side, Side]) -> Empty:
        """Return three values as a rule.

        Raises
        ------
        OptionError
            Unless each is a number or ``"rejected"``.

        Examples
        --------
        >>> Empty.of((1, 0, "rejected"))
        Empty(both=1, unexpected=0, uncalled='rejected')
        """
        if not isinstance(value, Empty | tuple | list):
            raise OptionError(f"empty={shown(value)}: give 'perfect', 'skip', 'zero' or three values, as (1, 0, 0).")
        made = value if isinstance(value, Empty) else cls(*value)
        for cell in (made.both, made.unexpected, made.uncalled):
            if cell != "rejected" and not isinstance(cell, int | float):
                raise OptionError(f"empty={shown(value)}: each of the three must be a number, NaN or 'rejected'.")
        return made


# What to put where a formula divides by nothing, by the word a user writes in ``empty=``.
POLICIES: Mapping[str, float] = {"perfect": 1.0, "skip": math.nan, "zero": 0.0}

# What a definition can promise for every case; tested for each variant that declares it.
PROPERTIES: Mapping[str, str] = {
    "in_range": "the score lies between low and high",
    "perfect_is_full": "the expected calls, made as expected, score best",
    "order_free": "the order of the calls made does not matter",
    "repeat_free": "making a call once more does not matter",
    "extra_never_helps": "a call of a tool that is not expected never makes the score better",
    "missing_never_helps": "leaving out an expected call, not made too often, never makes the score better",
}


# Data beside the names of the calls made, see `Variant.needs`.
NEEDS: Mapping[str, str] = {
    "expected": "the calls that should have been made",
    "arguments": "the arguments of calls",
    "outputs": "what tools returned",
    "kinds": "function, mcp, ...",
    "steps": "which calls one message made",
    "turns": "after which message of the user a call was made",
    "schemas": "JSON Schemas of the tools",
    "rules": "what is forbidden, counted, ordered",
}


def every_property_but(*lacking: str) -> frozenset[str]:
    """Return all of `PROPERTIES` without some.

    Examples
    --------
    >>> "order_free" in every_property_but("order_free"), "in_range" in every_property_but("order_free")
    (False, True)
    """
    for name in lacking:
        check_option("properties", name, PROPERTIES)
    return frozenset(PROPERTIES) - set(lacking)


@dataclass(frozen=True)
class Axes:
    """A point in the space of definitions: how calls are matched, and what is made of the number.

    Parameters
    ----------
    multiplicity
        ``"multiset"`` (each call used once), ``"set"`` (repeats do not count), ``"set of a list"`` (a set of
        matches over lists), ``"values"`` (distinct called values, see `Overlap.reused`), ``"members"`` (a call
        may serve many), or ``"list"`` where the order counts.
    order
        ``"free"``, ``"longest"`` (common subsequence), ``"leading"`` (prefix of the expected list) or ``"position"``.
    formula
        A key of `FORMULAS`, or a `Formula` made by `tversky`.

    Raises
    ------
    OptionError
        For a combination that does not exist.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["b", "a"], "expected": ["a", "b"]}])
    >>> made = [Variant(order, axes=Axes("list", order)) for order in ("longest", "position")]
    >>> tc.score(data, variants=made).loc["x"].to_dict()
    {'longest': 0.5, 'position': 0.0}
    """

    multiplicity: str = "multiset"
    order: str = "free"
    formula: str | Formula = "recall"

    def __post_init__(self) -> None:
        check_option("axes", (self.multiplicity, self.order), MEASURES)
        if not isinstance(self.formula, Formula):
            check_option("formula", self.formula, FORMULAS)

    @property
    def rule(self) -> Formula:
        """The formula itself."""
        return self.formula if isinstance(self.formula, Formula) else FORMULAS[self.formula]

    def count(self, overlap: Overlap) -> Counted:
        """Return the counts the formula takes."""
        names = MEASURES[self.multiplicity, self.order]
        return Counted(*(np.asarray(getattr(overlap, name), dtype=np.float64) for name in names))

    def value(self, overlap: Overlap) -> np.ndarray:
        """Return the score of every list."""
        return self.rule.value(self.count(overlap))


@dataclass(frozen=True)
class Variant:
    """A named scoring definition.

    Most are points on `Axes`; the others bring a ``formula`` of their own.

    Parameters
    ----------
    name
        The column label.
    formula
        Function of an `Overlap` (whose attributes are integer arrays, one entry a case and reference) that
        returns as many floats; NaN where there is no score. Not needed where ``axes`` are given.
    axes
        How calls are matched and what is made of the number.
    match
        When two calls are the same call.
    names
        When two tool names are the same; ``"exact"`` gives way to ``score(names=...)``.
    by
        ``"turn"``: each user turn is scored alone, the case is the mean of its turns.
    scope
        Which calls count where the user says nothing; ``"assistant"`` gives way to ``score(scope=...)``.
    empty
        The score where a side is empty. None: whatever the formula gives.
    reads
        How upstream reads arguments before it compares them, see `Encoding.with_texts`. None: as they are.
    rejects
        Function of an `Overlap` that marks lists upstream raises on.
    needs_arguments
        Whether a call with unknown arguments leaves its case unscored (upstream variants follow upstream).
    needs_expected
        Whether a case without a known reference stays unscored; False for definitions that ask none.
    title, rule, notation
        What it is, the rule in plain words, and the formula in symbols (E, C, m: expected, called, matched).
    upstream, version
        The library whose number this is, and the release it was proven against.
    better
        ``"higher"`` or ``"lower"``.
    low, high
        The range of the score.
    looks_at
        Data that a formula of its own looks at, of `NEEDS`, beside what ``match`` and ``by`` say already.
    properties
        What always holds, of `PROPERTIES`.
    faults
        Known faults of the definition, with the upstream report's number.
    words
        ``(overlap, list) -> text``: the sum of one case in words, where the axes do not give it.
    asks_model
        Whether it asks a language model; such are not in ``"all"``.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "b"], "expected": ["a"]}])
    >>> mine = tc.Variant("mine", lambda o: o.shared / (o.expected + 0.25 * (o.called - o.shared)))
    >>> tc.score(data, variants=[mine]).mine.item()
    0.8
    """

    name: str
    formula: Callable[[Overlap], Any] | None = None
    axes: Axes | None = None
    match: Match = NAMES_ONLY
    names: str | Names = "exact"
    by: Literal["case", "turn"] = "case"
    scope: str = "assistant"
    empty: Empty | None = None
    reads: Callable[[Encoding], Encoding] | None = None
    rejects: Callable[[Overlap], np.ndarray] | None = None
    needs_arguments: bool = False
    needs_expected: bool = True
    title: str = ""
    rule: str = ""
    notation: str = ""
    upstream: str = ""
    version: str = ""
    better: Literal["higher", "lower"] = "higher"
    low: float = 0.0
    high: float = 1.0
    looks_at: frozenset[str] = frozenset()
    properties: frozenset[str] = frozenset()
    faults: tuple[str, ...] = ()
    words: Callable[[Overlap, int], str] | None = None
    asks_model: bool = False

    def __post_init__(self) -> None:
        if self.formula is None and self.axes is None:
            raise OptionError(f"Variant {self.name!r} needs a formula (a function of an Overlap) or axes.")
        if self.formula is not None and not callable(self.formula):
            raise OptionError(
                f"The formula of variant {self.name!r} must be a function of an Overlap, not {shown(self.formula)}."
            )
        for option in ("properties", "looks_at"):
            check_type(option, getattr(self, option), Iterable, "a set of words")
        for declared in self.properties:
            check_option("properties", declared, PROPERTIES)
        for declared in self.looks_at:
            check_option("looks_at", declared, NEEDS)

    @property
    def needs(self) -> frozenset[str]:
        """The data it looks at beside the names of the calls made, of `NEEDS`.

        Examples
        --------
        >>> sorted(Variant("mine", axes=Axes(), match=Match("json"), by="turn").needs)
        ['arguments', 'expected', 'turns']
        """
        said = {
            "expected": self.needs_expected,
            "arguments": self.needs_arguments or self.match.arguments is not None,
            "outputs": self.match.outputs,
            "kinds": self.match.kinds,
            "turns": self.by == "turn",
        }
        return self.looks_at | {name for name, needed in said.items() if needed}

    def raw(self, overlap: Overlap) -> np.ndarray:
        """Return the score of every list, the empty sides as the formula leaves them.

        Examples
        --------
        >>> import toolcorrect as tc
        >>> data = tc.load([{"case": "x", "called": ["a"], "expected": {"any_of": [["a", "b"], []]}}])
        >>> Variant("mine", axes=Axes()).raw(Overlap(Encoding(data), NAMES_ONLY)).tolist()
        [0.5, nan]
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            try:
                values = self.formula(overlap) if self.formula else self.axes.value(overlap) if self.axes else None
            except (AttributeError, NameError, TypeError) as cause:
                # A slip in a formula of the user's own; what upstream variants do is ours to mend.
                raise OptionError(
                    f"The formula of variant {self.name!r} does not run: {cause}. It gets counts such as o.shared, "
                    "o.expected and o.called; see toolcorrect.overlap.Overlap."
                ) from cause
        made = np.asarray(values, dtype=np.float64)
        if made.shape != overlap.expected.shape:
            raise OptionError(
                f"The formula of variant {self.name!r} returned shape {made.shape}; it must return one number "
                f"a list, shape {overlap.expected.shape}, as o.shared / o.expected does."
            )
        return np.where(np.isfinite(made), made, np.nan)

    def sum_in_words(self, overlap: Overlap, place: int) -> str:
        """Say how the score of one list comes about, without the result.

        Examples
        --------
        >>> import toolcorrect as tc
        >>> data = tc.load([{"case": "x", "called": ["a"], "expected": ["a", "b"]}])
        >>> Variant("mine", axes=Axes()).sum_in_words(Overlap(Encoding(data), NAMES_ONLY), 0)
        '1 of 2 expected found'
        """
        if self.words:
            return self.words(overlap, place)
        if not self.axes:
            return self.rule
        found, wanted, expected, called = (int(values[place]) for values in self.axes.count(overlap))
        return self.axes.rule.words.format(
            found=found,
            wanted=wanted,
            expected=expected,
            called=called,
            union=expected + called - found,
            longer=max(expected, called),
        )
