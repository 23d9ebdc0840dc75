"""The metrics of tool-scorer (imported as toolscore)."""

from __future__ import annotations

from typing import Any

import numpy as np

from toolcorrect import pairing
from toolcorrect.encoding import Match
from toolcorrect.overlap import Overlap
from toolcorrect.variants.argument_pairs import argument_f1
from toolcorrect.variants.definition import Axes, Empty, Variant, every_property_but
from toolcorrect.variants.forms import as_text, refuses, unless_refused
from toolcorrect.variants.formulas import Counted, Formula
from toolcorrect.variants.shares import included

GRADED = Empty(1.0, 0.0, 0.0)
WHOLE = Match(arguments="python")
FULL = frozenset({"in_range", "perfect_is_full"})


def _penalised(n: Counted) -> np.ndarray:
    strays = (n.called - n.wanted) + (n.expected - n.found)
    return np.clip((n.found - 0.5 * strays) / n.expected, 0.0, 1.0)


INVOCATION = Formula(
    "(m-½(C-m)-½(E-m))/E", _penalised, "{found} shared, half a point off for each missing or extra, of {expected}"
)
REDUNDANT = Formula(
    "(C-m)/C",
    lambda n: (n.called - n.wanted) / n.called,
    "all but {wanted} of {called} called were too many",
)


def _whole_calls(overlap: Overlap) -> np.ndarray:
    """Recall of whole calls; an expected call that states no arguments takes the first of its tool that is free."""
    found = overlap.shared.copy()
    encoding = overlap.encoding
    unchecked = encoding.expected.text < 0
    lists = encoding.expected.count(unchecked) > 0
    if lists.any():
        pairs = pairing.candidates(encoding, Match(), lists)
        expected, called = encoding.codes(WHOLE)
        fits = unchecked[pairs.expected] | (expected[pairs.expected] == called[pairs.called])
        chosen, _ = pairing.greedy(pairs, fits, pairs.called)
        found[lists] = np.bincount(pairs.owner[chosen], minlength=encoding.list_count)[lists]
    return found / overlap.expected


def _hits(overlap: Overlap) -> np.ndarray:
    """Count the expected calls met at their place."""
    encoding = overlap.encoding
    pairs = pairing.by_position(encoding)
    pairs = pairs.only(encoding.expected.tool[pairs.expected] == encoding.called.tool[pairs.called])
    return np.bincount(pairs.owner, weights=included(pairs), minlength=encoding.list_count)


def _upstream(name: str, title: str, rule: str, *, objects: bool = False, **fields: Any) -> Variant:
    sides: Any = ("expected", "called")
    forms = {} if objects else {"expected": (), "called": ()}
    rejects = refuses(unnamed=sides, **forms)
    if "words" in fields:
        fields["words"] = unless_refused(fields["words"], rejects)
    return Variant(
        f"toolscore.{name}",
        title=f"toolscore {title}",
        rule=rule,
        upstream="tool-scorer",
        version="1.10.0",
        empty=fields.pop("empty", GRADED),
        rejects=rejects,
        **fields,
    )


VARIANTS = (
    _upstream(
        "invocation",
        "invocation accuracy",
        "different tools shared, less half of the missing and extra ones, over those expected; at least 0",
        axes=Axes("set", "free", INVOCATION),
        properties=every_property_but(),
    ),
    _upstream(
        "selection",
        "selection accuracy",
        "share of the calls made whose tool is expected; repeats all count",
        axes=Axes("members", "free", "precision"),
        properties=every_property_but("repeat_free"),
    ),
    _upstream(
        "correctness",
        "tool correctness",
        "share of the different expected tools that were called",
        axes=Axes("set", "free", "recall"),
        properties=every_property_but(),
    ),
    _upstream(
        "correctness.positional",
        "tool correctness, strict order",
        "share of expected tools called at their own place",
        axes=Axes("list", "position", "recall"),
        properties=FULL,
    ),
    _upstream(
        "correctness.args",
        "tool correctness with arguments",
        "share of expected calls made with equal arguments, each call used once; arguments not given are not checked",
        axes=Axes("multiset", "free", "recall"),
        formula=_whole_calls,
        match=WHOLE,
        reads=as_text,
        properties=every_property_but("order_free", "repeat_free"),
        faults=("takes the first call that fits: where arguments are not checked, the order of calls matters",),
    ),
    _upstream(
        "required_recall",
        "required call recall",
        "share of expected tools called, as often; failed calls do not count",
        axes=Axes("multiset", "free", "recall"),
        scope="succeeded",
        properties=every_property_but("repeat_free"),
        empty=Empty(np.nan, np.nan, 0.0),
    ),
    _upstream(
        "trajectory",
        "trajectory accuracy",
        "share of expected calls met at their place, with the expected arguments; shrunk where more were called",
        formula=lambda overlap: _hits(overlap) / np.maximum(overlap.expected, overlap.called),
        words=lambda overlap, at: (
            f"{_hits(overlap)[at]:g} met in place, {max(overlap.expected[at], overlap.called[at])} in the longer list"
        ),
        properties=FULL,
        notation="hits/max(E,C)",
        looks_at=frozenset({"arguments"}),
        objects=True,
        faults=("one call too many at the front costs all the rest",),
    ),
    _upstream(
        "partial",
        "partial trajectory",
        "share of expected tools called, as often",
        axes=Axes("multiset", "free", "recall"),
        properties=every_property_but("repeat_free"),
    ),
    _upstream(
        "sequence",
        "sequence accuracy",
        "1 minus the edits between both sequences of tools over the longer length",
        formula=lambda overlap: 1 - overlap.edits / np.maximum(overlap.expected, overlap.called),
        notation="1-edits/max(E,C)",
        properties=FULL,
        words=lambda overlap, at: (
            f"{overlap.edits[at]} edits between {overlap.expected[at]} expected and {overlap.called[at]} called"
        ),
    ),
    *(
        _upstream(
            "argument_f1" + suffix,
            f"argument F1, {how}",
            f"F1 of arguments over the best pairing of calls of the same tool; {meaning}; extra calls cost nothing",
            formula=argument_f1(strict=strict),
            properties=every_property_but("order_free", "repeat_free", "missing_never_helps"),
            notation="2PR/(P+R) of arguments",
            looks_at=frozenset({"arguments"}),
            objects=True,
            faults=("among equally good pairings the first counts, which changes precision",),
        )
        for suffix, how, meaning, strict in (
            ("", "lenient", "1 equals 1.0, outer blanks of texts do not matter", False),
            (".strict", "strict", "values must have the same type", True),
        )
    ),
    _upstream(
        "redundant",
        "redundant rate",
        "share of the calls made beyond those expected of their tool; lower is better",
        axes=Axes("multiset", "free", REDUNDANT),
        properties=every_property_but("repeat_free"),
        better="lower",
        empty=Empty(0.0, 1.0, 0.0),
    ),
)
