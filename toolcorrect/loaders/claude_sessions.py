"""Sessions of Claude Code over all files: those of sub-agents, and resumed ones that tell an earlier one again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from toolcorrect.loaders.calls import Call
from toolcorrect.loaders.rows import Case, Rows


def combine(sources: Sequence[Rows]) -> Sequence[Rows]:
    """Join what is of one session, and leave out a session that another tells again and goes beyond."""
    by_session: dict[str | None, list[Case]] = defaultdict(list)
    for case in (case for rows in sources for case in rows.cases):
        by_session[case.identity].append(case)
    kept: list[Case] = []
    for same in by_session.values():
        # What a person asked is in the file of the session, not in those of its sub-agents.
        first, *others = sorted(same, key=lambda case: case.columns.get("input") is None)
        for other in others:
            other.rows.report("session_joined", "what another file tells of the same session", record="")
        _join(first, others)
        kept.append(first)
    own = set(map(id, _without_repeated(kept)))
    for rows in sources:
        rows.cases = [case for case in rows.cases if id(case) in own]
    return sources


def _join(case: Case, others: Sequence[Case]) -> None:
    """Add the calls of other files to a session, in the order of their times; a call told again counts once."""
    if not others:
        return
    told: dict[Any, Call] = {}
    steps: dict[tuple[int, int | None], int] = {}
    made = [(part, call) for part, one in enumerate((case, *others)) for call in one.calls]
    if all(isinstance(call.started, str) for _, call in made):
        made.sort(key=lambda item: item[1].started)
    for part, call in made:
        known = told.setdefault(call.call_id or id(call), call)
        if known is not call:
            known.join(call)
            continue
        call.step = steps.setdefault((part, call.step), len(steps))
    case.calls = list(told.values())
    for other in others:
        case.tools += other.tools
        case.columns = {**other.columns, **{name: value for name, value in case.columns.items() if value is not None}}


def _without_repeated(cases: Sequence[Case]) -> list[Case]:
    """Leave out the sessions whose calls are those with which another begins."""
    begun: set[int] = set()
    kept = []
    for case in sorted(cases, key=lambda case: len(case.calls), reverse=True):
        ids = [call.call_id for call in case.calls]
        # A number for each beginning of the calls.
        beginnings = list(accumulate(ids, lambda before, identity: hash((before, identity)), initial=0))[1:]
        if beginnings and None not in ids and beginnings[-1] in begun:
            case.rows.report("history_merged", "sessions that another tells again and goes beyond", record="")
            continue
        begun.update(beginnings)
        kept.append(case)
    return kept
