"""`Waiting`: which announced call an execution belongs to; `Announced`: which announcements are the same."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from typing import Any

import orjson

from toolcorrect.arguments.decoding import decode_text, parse_json, to_json
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
        self._by_tool = self._by_arguments = 0
        # Those with an id; of a tool, and of a tool and arguments: all (False), and those without an id (True).
        self._lines: dict[Any, deque[Call]] = defaultdict(deque)
        self._last: dict[str, Call] = {}

    def call_of(self, probe: Call) -> Call | None:
        """Return the call that was executed: by id; without one by tool and equal arguments, then by tool and order.

        An id that stands for several calls stands for them in their order; one that was executed before, for
        the last of them.
        """
        self._look()
        if probe.call_id and probe.call_id in self._last:
            return self._head(probe.call_id) or self._last[probe.call_id]
        # Where both sides have ids, and they differ, they are two calls.
        bare = bool(probe.call_id)
        self._line_up_by_tool()
        found = self._head((probe.tool, bare))
        if found is not None and probe.arguments is not None and not _equal(found, probe):
            # The arguments of all calls are only compared where the first is another.
            self._line_up_by_arguments()
            found = self._head((probe.tool, bare, canonical(probe.arguments))) or found
        if found is not None and probe.call_id:
            self._last[probe.call_id] = found
        return found

    def _look(self) -> None:
        for call in self._calls[self._seen :]:
            if call.call_id:
                self._last[call.call_id] = call
                if call.source == "llm":
                    self._lines[call.call_id].append(call)
        self._seen = len(self._calls)

    def _line_up_by_tool(self) -> None:
        for call in self._calls[self._by_tool :]:
            self._line_up(call, call.tool)
        self._by_tool = len(self._calls)

    def _line_up_by_arguments(self) -> None:
        for call in self._calls[self._by_arguments :]:
            if call.source == "llm":
                self._line_up(call, call.tool, canonical(call.arguments))
        self._by_arguments = len(self._calls)

    def _line_up(self, call: Call, tool: str, *arguments: str | None) -> None:
        if call.source == "llm":
            self._lines[(tool, False, *arguments)].append(call)
            if not call.call_id:
                self._lines[(tool, True, *arguments)].append(call)

    def _head(self, key: Any) -> Call | None:
        """Return the first of a line that still waits."""
        line = self._lines.get(key)
        while line and line[0].source != "llm":
            line.popleft()
        return line[0] if line else None


def _equal(one: Call, other: Call) -> bool:
    return one.arguments == other.arguments or canonical(one.arguments) == canonical(other.arguments)


class Announced:
    """How often calls were announced, by id and tool, and by arguments too.

    Arguments are only looked at where an id comes again.
    """

    def __init__(self) -> None:
        self._first: dict[str, tuple[str, str | None] | None] = {}
        self._times: Counter[Any] = Counter()

    def times(self, call: Call) -> int:
        """Return how often a call was announced; one whose arguments are not known, with any."""
        if call.call_id not in self._first:
            return 0
        first = self._first[call.call_id]
        if first is not None:
            self._count(call.call_id, *first)
            self._first[call.call_id] = None
        if call.arguments is None:
            return self._times[call.call_id, call.tool]
        return self._times[call.call_id, call.tool, canonical(call.arguments)]

    def add(self, call: Call) -> None:
        """Count a call; without an id it is never the same as another."""
        if not call.call_id:
            return
        if call.call_id in self._first:
            self._count(call.call_id, call.tool, call.arguments)
        else:
            self._first[call.call_id] = call.tool, call.arguments

    def _count(self, call_id: str, tool: str, arguments: str | None) -> None:
        self._times.update([(call_id, tool), (call_id, tool, canonical(arguments))])


def key_of(call: Call) -> Any:
    """Return what a call is known by where it is repeated: its id, or its tool and arguments."""
    return call.call_id or (call.tool, canonical(call.arguments))


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
        # Python's literals, and the like.
        mended = decode_text(arguments)[2]
        if mended is None:
            return arguments
        value = parse_json(mended)
    try:
        text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        # orjson writes NaN as null: only then look again.
        if b"null" not in text:
            return text.decode()
    except TypeError:
        pass
    return to_json(_sorted(value))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(item) for key, item in sorted(value.items())}
    return [_sorted(item) for item in value] if isinstance(value, list) else value
