"""Random cases beside changed copies of themselves, to see what a definition promises."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any, TypeAlias

import pandas as pd

from toolcorrect.arguments.equality import RELATIONS, canonical_text
from toolcorrect.dataset import Dataset
from toolcorrect.scoring import score
from toolcorrect.variants.definition import Variant

Call: TypeAlias = dict[str, Any]

NAMES = ("a", "b", "c", "d")
# Equal under some relations and not under others.
VALUES = (1, 1.0, True, "1", 2, "x", "x ", None, [1, 2])
_canonical = cache(canonical_text)
TOLERANCE = 1e-9
SCHEMA = {"type": "object", "properties": {"p": {}, "q": {"type": ["integer", "string"]}, "r": {}}}
TOOLS = pd.DataFrame(
    {
        "tool": NAMES,
        "parameters": [json.dumps(SCHEMA | ({"required": ["p"]} if name == "c" else {})) for name in NAMES],
    }
)
RULES = pd.DataFrame({"rule": ["forbid"], "tool": ["d"]})


def _call(r: Random, *, plain: bool) -> Call:
    keys = r.sample(("p", "q", "r"), r.choice((0, 1, 1, 2)))
    arguments = {key: r.choice(VALUES) for key in keys}
    made = {"tool": r.choice(NAMES), "arguments": json.dumps(arguments), "arguments_form": "object"}
    if r.random() < 0.05:
        made |= {"arguments": None, "arguments_form": r.choice(("absent", "null"))}
    if not plain:
        made |= {"kind": r.choice(("function", "mcp")), "output": r.choice((None, '"done"'))}
    return made


def _calls(r: Random, *, plain: bool, turns: int) -> list[Call]:
    pool = [_call(r, plain=plain) for _ in range(r.choice((1, 2, 3)))]
    drawn = [dict(r.choice(pool) if r.random() < 0.6 else _call(r, plain=plain)) for _ in range(r.choice(range(5)))]
    for call, turn in zip(drawn, sorted(r.randrange(turns) for _ in drawn)):
        call["turn"] = turn
    return drawn


def _edited(r: Random, expected: list[Call]) -> list[Call]:
    """The expected calls with a few changes."""
    made = [dict(call) for call in expected]
    for _ in range(r.randrange(3)):
        at = r.randrange(len(made) + 1)
        change = r.choice(("drop", "repeat", "swap", "arguments", "add"))
        if change == "add" or at == len(made):
            made.insert(at, _at_turn(_call(r, plain=True), made, at))
        elif change == "drop":
            del made[at]
        elif change == "repeat":
            made.insert(at, dict(made[at]))
        elif change == "swap":
            other = r.randrange(len(made))
            made[at], made[other] = (
                {**made[other], "turn": made[at]["turn"]},
                {**made[at], "turn": made[other]["turn"]},
            )
        else:
            made[at]["arguments"] = _call(r, plain=True)["arguments"]
    return made


def _at_turn(call: Call, calls: list[Call], at: int) -> Call:
    """A call in the turn of its neighbour."""
    return call | {"turn": calls[min(at, len(calls) - 1)]["turn"] if calls else 0}


def _perfect(r: Random, expected: list[Call], called: list[Call]) -> list[Call] | None:
    return [dict(call) for call in expected]


def _shuffled(r: Random, expected: list[Call], called: list[Call]) -> list[Call] | None:
    """Other places; each call stays in its turn."""
    return r.sample(called, len(called))


def _repeated(r: Random, expected: list[Call], called: list[Call]) -> list[Call] | None:
    if not called:
        return None
    again = r.choice(called)
    at = r.choice([i for i in range(len(called) + 1) if _at_turn(again, called, i)["turn"] == again["turn"]])
    return [*called[:at], dict(again), *called[at:]]


def _extra(r: Random, expected: list[Call], called: list[Call]) -> list[Call] | None:
    free = sorted({*NAMES, "z"} - {call["tool"] for call in expected})
    at = r.randrange(len(called) + 1)
    made = _at_turn(_call(r, plain=True) | {"tool": r.choice(free)}, called, at)
    return [*called[:at], made, *called[at:]]


def _missing(r: Random, expected: list[Call], called: list[Call]) -> list[Call] | None:
    """Without a call that is expected just so, and made no more often than expected however one compares."""
    wanted = [_same_call(call) for call in expected]
    needed = [i for i, call in enumerate(called) if not call.get("error") and _same_call(call) in wanted]
    for relation in (None, *RELATIONS):
        for whole in (False, True):
            often, due = (Counter(_class(call, relation, whole) for call in calls) for calls in (called, expected))
            classes = [_class(call, relation, whole) for call in called]
            needed = [i for i in needed if often[classes[i]] <= due[classes[i]]]
    if not needed:
        return None
    at = r.choice(needed)
    return called[:at] + called[at + 1 :]


def _same_call(call: Call) -> tuple[Any, ...]:
    return tuple(call.get(key) for key in ("tool", "arguments", "kind", "output", "turn"))


def _class(call: Call, relation: str | None, whole: bool) -> tuple[Any, ...]:
    """What two calls have in common that are the same under a relation, with kind and output or without."""
    arguments = call["arguments"] and relation and _canonical(call["arguments"], relation)
    return (call["tool"], arguments, call.get("kind"), call.get("output")) if whole else (call["tool"], arguments)


CHANGES: dict[str, Callable[[Random, list[Call], list[Call]], list[Call] | None]] = {
    "as_is": lambda r, expected, called: called,
    "perfect": _perfect,
    "shuffled": _shuffled,
    "repeated": _repeated,
    "extra": _extra,
    "missing": _missing,
}


def random_cases(r: Random, count: int) -> Dataset:
    """So many random cases, each beside its changed copies: case ``3/extra`` is case ``3/as_is`` with a call more."""
    rows: dict[str, list[Call]] = {"calls": [], "expected": []}
    cases = []
    for number in range(count):
        plain, turns, stepped = r.random() < 0.6, r.choice((1, 1, 2)), r.random() < 0.3
        expected = _calls(r, plain=plain, turns=turns)
        called = _edited(r, expected) if r.random() < 0.6 else _calls(r, plain=plain, turns=turns)
        for call in called:
            if r.random() < 0.1:
                call["error"] = True
        for name, change in CHANGES.items():
            changed = change(r, expected, called)
            if changed is None:
                continue
            case = f"{number}/{name}"
            cases.append({"case": case, "turns": turns})
            for table, calls in (("expected", expected), ("calls", changed)):
                rows[table] += [
                    {"case": case, "position": i, **call} | ({"step": i // 2} if stepped else {})
                    for i, call in enumerate(calls)
                ]
    return Dataset(
        cases=pd.DataFrame(cases).set_index("case"),
        calls=pd.DataFrame(rows["calls"]),
        expected=pd.DataFrame(rows["expected"]).drop(columns="error", errors="ignore"),
        rules=RULES,
        tools=TOOLS,
    )


def scored(data: Dataset, variants: Any) -> pd.DataFrame:
    """Scores, index the number of the case, columns (variant, change)."""
    made = score(data, variants=variants)
    made.index = pd.MultiIndex.from_tuples([tuple(case.split("/")) for case in made.index])
    return made.unstack().reindex(columns=pd.MultiIndex.from_product([made.columns, CHANGES]))


def breaks(variant: Variant, declared: str, scores: pd.DataFrame) -> tuple[pd.Series, int]:
    """Cases that break a property, and how many could have."""
    table = scores[variant.name]
    sign = 1 if variant.better == "higher" else -1
    if declared == "in_range":
        both, broken = table, (table < variant.low - TOLERANCE) | (table > variant.high + TOLERANCE)
        return broken.any(axis=1), int(both.notna().any(axis=1).sum())
    before, best = table["as_is"], variant.high if sign > 0 else variant.low
    after = table[CHANGE_OF[declared]]
    seen = after.notna() & (before.notna() | (declared == "perfect_is_full"))
    gain = (after - (best if declared == "perfect_is_full" else before)) * sign
    broken = gain > TOLERANCE if declared.endswith("never_helps") else gain.abs() > TOLERANCE
    return broken & seen, int(seen.sum())


CHANGE_OF = {
    "perfect_is_full": "perfect",
    "order_free": "shuffled",
    "repeat_free": "repeated",
    "extra_never_helps": "extra",
    "missing_never_helps": "missing",
}
