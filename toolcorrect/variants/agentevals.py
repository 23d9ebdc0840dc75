"""Trajectory match of agentevals, and of openevals, where the direction of argument rules is mended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from toolcorrect import pairing
from toolcorrect.arguments.values import Agreement
from toolcorrect.encoding import Encoding, Match, SideName
from toolcorrect.key_agreement import by_key
from toolcorrect.overlap import Overlap, step_ranks
from toolcorrect.variants.definition import Axes, Empty, Variant, every_property_but
from toolcorrect.variants.forms import arrived, lists_with, refuses
from toolcorrect.variants.shares import NAMES_ONLY

# mode: (rule, axes where calls are equal or not, empty sides)
_MODES = {
    "strict": ("the same messages one by one; within one message calls in any order", None, Empty(1.0, 0.0, 0.0)),
    "unordered": ("the same calls in any order", Axes("multiset", "free", "equal"), Empty(1.0, 0.0, 0.0)),
    "subset": ("no call but expected ones", Axes("multiset", "free", "within"), Empty(1.0, 0.0, 1.0)),
    "superset": ("every expected call was made", Axes("multiset", "free", "contains"), Empty(1.0, 1.0, 0.0)),
}
_ARGUMENTS = {
    "exact": "arguments equal",
    "ignore": "arguments ignored",
    "subset": "arguments made are among the expected ones",
    "superset": "expected arguments are among those made",
}
# Which side's arguments must all be among the other's.
_PART: dict[str, SideName] = {"subset": "called", "superset": "expected"}
# What is said of a pair: equal, or all arguments of one side are among the other's.
_BOTH = 1.0
_ALL_OF: dict[SideName, float] = {"expected": 0.5, "called": 0.25}
_OTHER: dict[SideName, SideName] = {"expected": "called", "called": "expected"}

_FIRST_FIT = "takes the first call that fits, not the best pairing: the order of calls can make it fail"
_DIRECTION = "the argument rule is applied the wrong way round (mended in openevals 0.2.2)"
_BOTH_WAYS = "the argument rule must hold both ways round, so nearly equal arguments (mended in openevals 0.2.2)"


def _all_found(encoding: Encoding, walked: SideName, part: SideName, *, by_step: bool = False) -> np.ndarray:
    """Mark lists in which each call of a side, in order, finds a free partner whose arguments fit: the first."""

    def mark() -> np.ndarray:
        pairs = pairing.remembered(encoding, "pairs by name", lambda: _undecided(encoding))
        inclusion = encoding.remember("inclusion by name", lambda: by_key(pairs, _includes_which))
        pairs = pairs.only((inclusion == _BOTH) | (inclusion == _ALL_OF[part]))
        if by_step:
            ranks = step_ranks(encoding, "expected")[pairs.expected], step_ranks(encoding, "called")[pairs.called]
            pairs = pairs.only(ranks[0] == ranks[1])
        chosen, _ = pairing.greedy(pairs, np.ones(len(pairs.expected)), getattr(pairs, _OTHER[walked]), walked)
        found = np.bincount(pairs.owner[chosen], minlength=encoding.list_count)
        return np.asarray(found == getattr(encoding, walked).lengths)

    return encoding.remember(("all found", walked, part, by_step), mark)


def _undecided(encoding: Encoding) -> pairing.Pairs:
    """Pair calls by name, in lists whose names do not settle it."""
    names = Overlap(encoding, NAMES_ONLY)
    return pairing.candidates(encoding, NAMES_ONLY, names.shared == np.minimum(names.expected, names.called))


def _includes_which(found: Agreement) -> np.ndarray:
    all_of = {"expected": found.equal == found.expected, "called": found.equal == found.called}
    conditions = [all_of["expected"] & all_of["called"], all_of["expected"], all_of["called"]]
    return np.select(conditions, [_BOTH, _ALL_OF["expected"], _ALL_OF["called"]])


def _formula(mode: str, arguments: str, fixed: bool) -> Callable[[Overlap], np.ndarray]:
    part = _PART[arguments]
    of_called = part if fixed else _OTHER[part]

    def value(overlap: Overlap) -> np.ndarray:
        encoding = overlap.encoding
        if mode == "strict":
            return _all_found(encoding, "called", part, by_step=True) & (overlap.expected == overlap.called)
        met = np.ones(encoding.list_count, dtype=bool)
        if mode in ("superset", "unordered"):
            met &= _all_found(encoding, "expected", part)
        if mode in ("subset", "unordered"):
            met &= _all_found(encoding, "called", of_called)
        return met

    return value


def _refuses(arguments: str) -> Callable[[Overlap], np.ndarray]:
    """Refuse what is no JSON text of an object; where arguments are ignored, absent ones may stand for any."""
    forms = ("list", "other", "null") if arguments == "ignore" else ("list", "other", "null", "absent")
    by_form = refuses(expected=forms, called=forms)

    def rejects(overlap: Overlap) -> np.ndarray:
        encoding = overlap.encoding
        marked = by_form(overlap)
        for side in ("expected", "called"):
            unread = (getattr(encoding, side).text < 0) & arrived(encoding, side, ("text",))
            marked |= lists_with(encoding, side, unread)
        return marked

    return rejects


def _faults(mode: str, arguments: str, fixed: bool) -> Iterator[str]:
    if arguments in _PART:
        yield _FIRST_FIT
        if not fixed and mode == "subset":
            yield _DIRECTION
        if not fixed and mode == "unordered":
            yield _BOTH_WAYS
    if not fixed:
        yield "#66: gives no reason beside the verdict"


def _lacking(mode: str, arguments: str) -> Iterator[str]:
    yield "repeat_free"
    if mode == "strict" or arguments in _PART:
        yield "order_free"
    if mode == "subset" and arguments in _PART:
        yield "missing_never_helps"


def _variants(upstream: str, version: str, *, fixed: bool) -> Iterator[Variant]:
    for mode, (rule, axes, empty) in _MODES.items():
        for arguments, condition in _ARGUMENTS.items():
            own: dict[str, Any] = {"axes": axes}
            if arguments in _PART:
                own = {"formula": _formula(mode, arguments, fixed), "notation": f"[{mode}]"}
            elif mode == "strict":
                own = {"formula": lambda overlap: overlap.steps_equal, "notation": "[steps equal]"}
            yield Variant(
                f"{upstream}.{mode}" + ("" if arguments == "exact" else f".{arguments}"),
                title=f"{upstream}, {mode}, arguments {arguments}",
                rule=f"1 if {rule}; {condition}",
                upstream=upstream,
                version=version,
                match=Match(arguments="python" if arguments == "exact" else None),
                looks_at=frozenset(["steps"] * (mode == "strict") + ["arguments"] * (arguments in _PART)),
                empty=empty,
                rejects=_refuses(arguments),
                properties=every_property_but(*_lacking(mode, arguments)),
                faults=tuple(_faults(mode, arguments, fixed)),
                **own,
            )


VARIANTS = (
    *_variants("agentevals", "0.0.9", fixed=False),
    *_variants("openevals", "0.2.2", fixed=True),
)
