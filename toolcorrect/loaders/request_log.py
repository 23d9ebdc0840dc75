"""Logs of requests: each repeats the messages of the one before, and is the same run gone further."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import orjson

from toolcorrect.arguments.decoding import to_json
from toolcorrect.loaders.rows import Rows

# Runs that the user tells apart never share a history.
RUN = ("case", "case_id", "task", "task_id", "trial", "model")


class RequestLog:
    """Finds the case whose whole history a later list of messages repeats and goes beyond.

    Parameters
    ----------
    fingerprint
        What of a message must be equal for it to be the same one.
    """

    def __init__(self, rows: Rows, fingerprint: Callable[[Any], Any]) -> None:
        self._rows = rows
        self._fingerprint = fingerprint
        self._ends: dict[int, int] = {}

    def place(self, messages: Iterable[Any], run: Mapping[str, Any]) -> None:
        """Put the case just made in the place of the earlier one that it continues, if there is one.

        Parameters
        ----------
        messages
            Those of the last of ``rows.cases``.
        run
            What the record says beside them.
        """
        total = hash(tuple(str(run.get(name)) for name in RUN))
        sums = []
        for message in messages:
            total = hash((total, self._fingerprint(message)))
            sums.append(total)
        if not sums:
            return
        before = next((self._ends.pop(total) for total in reversed(sums[:-1]) if total in self._ends), None)
        if before is None:
            self._ends[sums[-1]] = len(self._rows.cases) - 1
            return
        # The later request holds all that the earlier one held.
        self._rows.cases[before] = self._rows.cases.pop()
        self._rows.report("history_merged", "requests that repeat the messages of an earlier one", record="")
        self._ends[sums[-1]] = before


def same_message(message: Any) -> bytes:
    """Return the text by which a message is known again: what is null or only for caching does not count."""
    try:
        text = orjson.dumps(message)
    except TypeError:
        return to_json(_bare(message)).encode()
    # Looking at the text is cheaper than walking through the message.
    return to_json(_bare(message)).encode() if b"null" in text or b'"cache_control"' in text else text


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _bare(item) for key, item in value.items() if item is not None and key != "cache_control"}
    return [_bare(item) for item in value] if isinstance(value, list) else value
