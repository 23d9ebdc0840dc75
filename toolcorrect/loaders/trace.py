"""`Trace`: what the spans of one trace say, gathered in any order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from toolcorrect.loaders.announcing import asked
from toolcorrect.loaders.faults import described
from toolcorrect.loaders.heard import Heard, heard
from toolcorrect.loaders.histories import Histories
from toolcorrect.loaders.reading import Reading
from toolcorrect.loaders.rows import MALFORMED, Rows
from toolcorrect.loaders.waiting import key_of

_HIGHEST = 100

_Read = TypeVar("_Read")
_Answer = tuple[str | None, bool | None, str | None]


class Offers:
    """The tools that spans offer: read once, as long as they stay the same."""

    def __init__(self) -> None:
        self._offer: Any = None
        self._tools: list[dict[str, Any]] = []

    def same(self, offer: Any) -> Any:
        """Return the offer known last where it is equal, so that one is kept."""
        return self._offer if offer == self._offer else offer

    def tools(self, reading: Reading) -> list[dict[str, Any]]:
        """Return the tools that a span offers."""
        if reading.offer is None:
            return []
        if reading.offer is not self._offer and reading.offer != self._offer:
            self._offer, self._tools = reading.offer, reading.show(reading.offer)
        return self._tools


class Trace:
    """What the spans of one trace say, while they are gathered."""

    def __init__(self, rows: Rows, offers: Offers | None = None) -> None:
        self.readings: list[Reading] = []
        self.tools: dict[str, dict[str, Any]] = {}
        self._rows = rows
        # What one session was told, no other has seen.
        self._histories: defaultdict[Any, Histories] = defaultdict(Histories)
        self._offers = offers or Offers()
        self._offered: list[dict[str, Any]] = []
        self._above: dict[str, str | None] = {}
        self._by_id: dict[str, Reading] = {}
        self._stacks: dict[str | None, list[Reading]] = {}

    def add(self, reading: Reading) -> None:
        """Add one span's reading; a span written twice counts once."""
        if reading.id is not None:
            if reading.id in self._above:
                return
            self._above[reading.id] = reading.parent
        if reading.given:
            reading.part = self._histories[reading.session].part(reading.given)
            if reading.offers_within:
                history = reading.part.history
                reading.offer = history.offer = self._offers.same(history.offer)
        tools = self._offers.tools(reading)
        if tools is not self._offered:
            self._offer(tools)
            self._offered = tools
        reading.given = reading.offer = None
        if reading.kind or reading.session is not None or reading.question is not None:
            self._keep(reading)

    def absorb(self, other: Trace) -> None:
        """Add what another source says of this trace; a span written in both counts once."""
        for reading in other.readings:
            if reading.id is None or reading.id not in self._above:
                self._keep(reading)
        for identity, parent in other._above.items():
            self._above.setdefault(identity, parent)
        self._offer(other.tools.values())

    def _keep(self, reading: Reading) -> None:
        reading.place = len(self.readings)
        self.readings.append(reading)
        if reading.id is not None:
            self._by_id[reading.id] = reading

    def _offer(self, tools: Iterable[dict[str, Any]]) -> None:
        for tool in tools:
            if tool.get("parameters") is not None or tool["name"] not in self.tools:
                self.tools[tool["name"]] = tool

    def answers(self, readings: Iterable[Reading]) -> dict[Any, _Answer]:
        """Return the answers to calls, by what each is known by and how often it was made, of what models were given.

        Parameters
        ----------
        readings
            Those of one session.
        """
        found: dict[Any, _Answer] = {}
        for reading in readings:
            if reading.part is None:
                continue
            before, told = self._given(reading, heard, Heard()), reading.part.history.told
            for call in [*before.calls, *before.loose]:
                key = key_of(call)
                told[key] += 1
                if call.output is not None or call.error is not None:
                    found[key, told[key]] = call.output, call.error, call.error_message
        return found

    def question(self, reading: Reading) -> Any:
        """Return the question that a span states, or that a model was given."""
        if not reading.question:
            reading.question = self._given(reading, asked, None)
        return reading.question

    def _given(self, reading: Reading, read: Callable[[list[Any]], _Read], nothing: _Read) -> _Read:
        """Read what a model was given: only where something is asked that nothing else tells."""
        if reading.part is None:
            return nothing
        try:
            return read(reading.hear(reading.part.messages()))
        except MALFORMED as cause:
            note = f"what a model was given is not as messages should be ({described(cause)})"
            self._rows.report("messages_unreadable", note, record="")
            return nothing

    def above(self, reading: Reading) -> list[Reading]:
        """Return the readings of the spans above one, the nearest first."""
        found = self._stacks.get(reading.parent)
        if found is None:
            found = self._stacks[reading.parent] = list(self._stack(reading.parent))
        return found[: found.index(reading)] if reading in found else found

    def _stack(self, identity: str | None) -> Iterator[Reading]:
        """Yield the readings of a span and of those above it."""
        # Spans that are each other's parents, or stacked without end, are an attack.
        for _ in range(_HIGHEST):
            if identity is None:
                return
            if identity in self._by_id:
                yield self._by_id[identity]
            identity = self._above.get(identity)

    def by_session(self) -> dict[Any, list[Reading]]:
        """Return the readings by session; one without a session belongs to that of the spans above it."""
        known = {r.session for r in self.readings if r.session is not None}
        if len(known) < 2:
            return {next(iter(known), None): self.readings}
        found: dict[Any, list[Reading]] = defaultdict(list)
        for reading in self.readings:
            near = (r.session for r in [reading, *self.above(reading)] if r.session is not None)
            found[next(near, None)].append(reading)
        return found
