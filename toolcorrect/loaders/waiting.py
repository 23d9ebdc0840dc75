"""`Waiting`: which announced call an execution belongs to."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Any

from toolcorrect.arguments.decoding import parse_json, to_json
from toolcorrect.loaders.calls import Call


class Waiting:
    """The calls of a case that no execution was joined with yet, found without a search.

    Parameters
    ----------
    calls
        Of the case: those added later are looked at too.
    """

    def __init__(self, calls: list[Call]) -> None:
        self._calls = calls
        self._seen = 0
        self._lines: dict[Any, deque[tuple[int, Call]]] = defaultdict(deque)
        self._last: dict[str, Call] = {}

    def call_of(self, probe: Call) -> Call | None:
        """Return the call that was executed: by id; without one by tool and equal arguments, then by tool and order.

        An id that stands for several calls stands for them in their order; one that was executed before, for
        the last of them.
        """
        self._look()
        if probe.call_id and probe.call_id in self._last:
            return self._first([probe.call_id]) or self._last[probe.call_id]
        # Where both sides have ids, and they differ, they are two calls.
        sides = (False,) if probe.call_id else (False, True)
        found = None
        if probe.arguments is not None:
            found = self._first([(probe.tool, side, canonical(probe.arguments)) for side in sides])
        found = found or self._first([(probe.tool, side) for side in sides])
        if found is not None and probe.call_id:
            self._last[probe.call_id] = found
        return found

    def _look(self) -> None:
        for number, call in enumerate(self._calls[self._seen :], self._seen):
            if call.call_id:
                self._last[call.call_id] = call
            if call.source == "llm":
                side = bool(call.call_id)
                for key in (call.call_id, (call.tool, side), (call.tool, side, canonical(call.arguments))):
                    self._lines[key].append((number, call))
        self._seen = len(self._calls)

    def _first(self, keys: list[Any]) -> Call | None:
        """Return the earliest call of some lines that still waits."""
        heads = []
        for line in (self._lines[key] for key in keys if key in self._lines):
            while line and line[0][1].source != "llm":
                line.popleft()
            if line:
                heads.append(line[0])
        return min(heads, key=lambda head: head[0])[1] if heads else None


def canonical(arguments: str | None) -> str | None:
    """Return one text for all spellings of the same arguments; a text that is no JSON as it is.

    Examples
    --------
    >>> canonical('{"b": 1, "a": 2}') == canonical('{"a":2,"b":1}')
    True
    """
    if arguments is None:
        return None
    try:
        value = parse_json(arguments)
        value = parse_json(value) if isinstance(value, str) else value
    except ValueError:
        return arguments
    return to_json(_sorted(value))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(item) for key, item in sorted(value.items())}
    return [_sorted(item) for item in value] if isinstance(value, list) else value
