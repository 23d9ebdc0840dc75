"""`Histories`: of requests that repeat each other's messages, only what is new in each."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from toolcorrect.loaders.span import decoded

# Of so many histories, those of as many agents that talk in one trace, the latest request is remembered.
_MOST = 16
# Under these a request holds its messages; the first that says something counts.
MESSAGES = ("messages", "contents", "input", "prompt", "prompts", "question", "query")
# A key of an object with the mark before it, or its end.
_KEY = re.compile(r'[ \t\n\r]*(?:([{,])[ \t\n\r]*("[^"\\]*(?:\\.[^"\\]*)*")[ \t\n\r]*:[ \t\n\r]*|\}\Z)')
# A list that is closed before another key: in a request it may be that of the messages.
_CLOSED = re.compile(r'\][ \t\n\r]*,[ \t\n\r]*"[^"\\]*"[ \t\n\r]*:')
_decode = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


@dataclass(slots=True, eq=False)
class History:
    """Messages, as the latest of the requests that repeat each other holds them.

    Attributes
    ----------
    given
        A list of messages, or the text of a request up to where its list of messages is closed; of a request
        without such a list, what it is.
    tail
        Of a text with a list, what follows.
    start
        Where in a text the messages begin.
    offer
        The tools that the request offers beside its messages.
    told
        A counter for the user of the history.
    """

    given: Any
    tail: str = ""
    start: int = 0
    offer: Any = None
    told: Counter[Any] = field(default_factory=Counter)

    def grows(self, given: Any) -> bool:
        """Tell whether a request repeats this history, and remember it if so."""
        known = self.given
        if isinstance(given, str) and isinstance(known, str):
            start, end = len(known), len(given) - len(self.tail)
            if start > end or not (given.startswith(known) and given.endswith(self.tail)):
                return False
            # Only another message can follow where one ended.
            if given[start : min(end, start + 50)].lstrip()[:1] not in ("", ","):
                return False
            if self.tail != "]" and _CLOSED.search(given, start, end) and not _is_list(_listed(given[start:end])):
                return False
            self.given = given[:end]
            return True
        if isinstance(given, list) and isinstance(known, list) and _begins_with(given, known):
            self.given = given
            return True
        return False


class Part(NamedTuple):
    """What one request adds to a history: the messages between two places in it."""

    history: History
    start: int
    end: int

    def messages(self) -> Any:
        """Return the new messages: a list, or the text of one; a request without a list is returned whole."""
        given = self.history.given
        if isinstance(given, list):
            return given[self.start : self.end]
        return _listed(given[self.start : self.end]) if self.history.tail else given


class Histories:
    """The histories of a trace.

    Examples
    --------
    >>> histories = Histories()
    >>> histories.part('[{"a": 1}]').messages(), histories.part('[{"a": 1}, {"b": 2}]').messages()
    ('[{"a": 1}]', '[ {"b": 2}]')
    >>> histories.part('{"model": "m", "messages": [{"b": 3}], "tools": []}').messages()
    '[{"b": 3}]'
    """

    def __init__(self) -> None:
        self._known: list[History] = []

    def part(self, given: Any) -> Part:
        """Return what a request adds to the one it repeats; all of it where it repeats none.

        Parameters
        ----------
        given
            A list of messages, the JSON text of one, or that of an object that holds one.
        """
        text = given.rstrip() if isinstance(given, str) else given
        for place, history in enumerate(self._known):
            before = len(history.given)
            if history.grows(text):
                if place:
                    self._known.insert(0, self._known.pop(place))
                return Part(history, before, len(history.given))
        begun = _begun(text) or History(given)
        if not begun.tail and not isinstance(given, list):
            return Part(begun, 0, 0)
        self._known.insert(0, begun)
        del self._known[_MOST:]
        return Part(begun, begun.start, len(begun.given))


def _begun(given: Any) -> History | None:
    if isinstance(given, list):
        return History(given)
    if isinstance(given, str):
        if given.startswith("[") and given.endswith("]"):
            return History(given[:-1], "]", 1)
        if given.startswith("{") and given.endswith("}"):
            return _request(given) or History(given, offer=_tools(decoded(given)))
    return None


def _request(text: str) -> History | None:
    """Read the text of a request, an object that holds the messages under one of its keys."""
    body: dict[str, Any] = {}
    places: dict[str, tuple[int, int]] = {}
    mark = _KEY.match(text)
    try:
        while mark and mark[1] == ("," if body else "{"):
            key = mark[2][1:-1] if "\\" not in mark[2] else _decode(mark[2], 0)[0]
            if key in body:
                return None
            start = mark.end()
            body[key], end = _decode(text, start)
            places[key] = start, end
            mark = _KEY.match(text, end)
    except (ValueError, StopIteration, RecursionError):
        return None
    if not mark or mark[1]:
        return None
    held = next((key for key in MESSAGES if body.get(key)), None)
    messages = None if held is None or "role" in body else body[held]
    if not isinstance(messages, list) or not isinstance(messages[0], dict):
        return History(text, offer=_tools(body))
    start, end = places[str(held)]
    return History(text[: end - 1], text[end - 1 :], start + 1, _tools(body))


def _tools(body: Any) -> Any:
    return body.get("tools") if isinstance(body, dict) else None


def _listed(items: str) -> str:
    """Return the text of a list of what follows, or begins, another."""
    return f"[{items.lstrip().removeprefix(',')}]"


def _is_list(text: str) -> bool:
    try:
        return bool(_decode(text, 0)[1] == len(text))
    except (ValueError, StopIteration, RecursionError):
        return False


def _begins_with(given: list[Any], known: list[Any]) -> bool:
    try:
        return given[: len(known)] == known
    except RecursionError:
        return False
