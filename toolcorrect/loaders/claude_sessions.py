"""Sessions of Claude Code that tell an earlier one again: one that was resumed begins with the lines of the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from operator import itemgetter
from typing import Any, TypeVar

from toolcorrect.loaders.calls import Call
from toolcorrect.loaders.rows import Case
from toolcorrect.loaders.span import nanoseconds

_Item = TypeVar("_Item")


def leave_out_repeated(cases: Sequence[Case]) -> set[int]:
    """Return the sessions (their ``id``) whose calls are those with which another begins; it takes over the rest."""
    begun: dict[int, Case] = {}
    gone: set[int] = set()
    # Few begin with a call of the same id: only these are compared.
    first = [next((call.call_id for call in case.calls if not call.depth), None) for case in cases]
    alike = Counter(first)
    several = [case for case, identity in zip(cases, first) if identity and alike[identity] > 1]
    for case in sorted(several, key=lambda one: (len(_own(one)), one.columns.get("turns") or 0), reverse=True):
        beginnings = _beginnings(_own(case))
        longer = begun.get(beginnings[-1]) if beginnings else None
        if longer is not None:
            _take_over(longer, case)
            case.rows.report("history_merged", "sessions that another tells again and goes beyond", record="")
            gone.add(id(case))
            continue
        for beginning in beginnings:
            begun.setdefault(beginning, case)
    return gone


def _own(case: Case) -> list[Call]:
    """Return the calls of a session but for those of its sub-agents."""
    return [call for call in case.calls if not call.depth]


def _beginnings(calls: Sequence[Call]) -> list[int]:
    """Return a number for each beginning of some calls; none where ids and times do not tell them from others."""
    # Some models count their calls: an id alone would make two sessions one.
    if not all(call.call_id and isinstance(call.started, str) for call in calls):
        return []
    keys = map(_key, calls)
    return list(accumulate(map(hash, keys), lambda before, key: hash((before, key))))


def _key(call: Call) -> tuple[Any, ...]:
    return call.call_id, call.tool, call.arguments, str(call.started)


def _take_over(case: Case, other: Case) -> None:
    """Add what only the earlier telling of a session holds: results, tools, calls of sub-agents."""
    known = {_key(call): call for call in case.calls}
    more = []
    for call in other.calls:
        same = known.get(_key(call))
        if same is None:
            more.append(call)
        elif same.output is None:
            same.join(call)
    offered = {tool[0] for tool in case.tools}
    case.tools += [tool for tool in other.tools if tool[0] not in offered]
    if not more:
        return
    steps: dict[tuple[bool, int | None], int] = {}
    made = [(False, call) for call in case.calls] + [(True, call) for call in more]
    times = [time for _, call in made if (time := nanoseconds(call.started)) is not None]
    made = in_time(made, times)
    for place, call in made:
        call.step = steps.setdefault((place, call.step), len(steps))
    case.calls = [call for _, call in made]


def in_time(items: list[_Item], times: Sequence[int]) -> list[_Item]:
    """Return items in the order of their times; as they are, where not all of them have one.

    Examples
    --------
    >>> in_time(["b", "a"], [2, 1]), in_time(["b", "a"], [2])
    (['a', 'b'], ['b', 'a'])
    """
    if len(times) < len(items):
        return items
    return [item for _, item in sorted(zip(times, items), key=itemgetter(0))]
