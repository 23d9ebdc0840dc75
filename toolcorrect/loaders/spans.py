"""What loaders of spans share: who is above whom."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def ancestry(
    spans: Iterable[dict[str, Any]], *, identity: str, parent: str
) -> Callable[[dict[str, Any]], list[dict[str, Any]]]:
    """Return a function that lists the spans above a span, the nearest first.

    Parameters
    ----------
    spans
        All spans of one trace.
    identity, parent
        The keys that hold a span's id and that of the span above it.

    Examples
    --------
    >>> above = ancestry([{"id": "a"}, {"id": "b", "up": "a"}], identity="id", parent="up")
    >>> above({"id": "c", "up": "b"})
    [{'id': 'b', 'up': 'a'}, {'id': 'a'}]
    """
    by_id = {span.get(identity): span for span in spans if span.get(identity)}

    def above(span: dict[str, Any]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        seen = {span.get(identity)}
        while (key := span.get(parent)) in by_id and key not in seen:
            seen.add(key)
            span = by_id[key]
            found.append(span)
        return found

    return above
