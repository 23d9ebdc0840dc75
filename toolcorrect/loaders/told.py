"""`Told`: what the messages of many conversations say, as columns; results find their calls without a loop.

It says of regular conversations what `Conversation` and `Case` say of any: the same turns, steps and outputs.
Regular is one in which ids stand for one call in their step (or there are none at all), and every result
follows the call that it answers, which no other result does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from toolcorrect.arguments.columns import DecodedTexts
from toolcorrect.loaders.parts import owners

Said: TypeAlias = tuple[np.ndarray, pa.Array]


@dataclass
class Calls:
    """The calls that were made, in order.

    Attributes
    ----------
    message
        The message (a row) that makes each.
    place
        Where each stands among everything said: a result must stand behind its call.
    ids
        Null where there is none.
    columns
        Further columns of ``Dataset.calls``.
    """

    message: np.ndarray
    place: np.ndarray
    names: pa.Array
    arguments: DecodedTexts
    ids: pa.Array
    columns: dict[str, pa.Array] = field(default_factory=dict)


@dataclass
class Results:
    """What came back, in order; ``tools`` counts only for results without an id.

    Attributes
    ----------
    columns
        ``output`` (JSON texts), and where the family can tell ``error`` and ``error_message``.
    """

    message: np.ndarray
    place: np.ndarray
    ids: pa.Array
    tools: pa.Array
    columns: dict[str, pa.Array]


@dataclass
class Told:
    """What messages say.

    Attributes
    ----------
    lengths
        Messages of each conversation.
    asked, answered
        Messages (rows) in which the user or the assistant says something, with the text: all questions, at
        least the last answer.
    begins
        Messages with which a step begins, if they make calls.
    said
        A number (uint64) for what else each message says, the same for equal messages.
    named
        Messages (rows), with what they say of their case, by its column: the first counts.
    """

    lengths: np.ndarray
    asked: Said
    answered: Said
    begins: np.ndarray
    calls: Calls
    results: Results
    said: np.ndarray
    named: dict[str, Said] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.size = len(self.lengths)
        self.case, self.position = (column.to_numpy() for column in owners(self.lengths))
        self.last = np.cumsum(self.lengths) - 1
        self.first = self.last + 1 - self.lengths
        asks = np.zeros(len(self.case), dtype=bool)
        asks[self.asked[0]] = True
        self.turns = self._within(asks)

    def complete(self, cases: dict[str, pa.Array]) -> None:
        """Add first questions, last answers and turns to the columns of the cases, where these say nothing."""
        firsts = {"input": self.asked, **self.named}
        rows, texts = self.answered
        found = {
            # Of rows for one case the last counts.
            **{name: self._first_of(*said) for name, said in firsts.items()},
            "output": texts.take(placed(np.arange(len(rows)), self.case[rows], self.size)),
            "turns": pa.array(self.turns[self.last]),
        }
        for name, derived in found.items():
            cases[name] = _stated(name, cases[name], derived) if name in cases else derived

    def _first_of(self, rows: np.ndarray, texts: pa.Array) -> pa.Array:
        return texts.take(placed(np.arange(len(rows))[::-1], self.case[rows[::-1]], self.size))

    def call_columns(self) -> dict[str, pa.Array] | None:
        """Return the columns of the calls, with what came back; None where that is not regular."""
        calls = self.calls
        case, step = self.case[calls.message], self._steps()
        answers = self._answers(case, step)
        if answers is None:
            return None
        decoded = calls.arguments
        returned = {name: column.take(answers) for name, column in self.results.columns.items()}
        return {
            "case": pa.array(case),
            "position": owners(np.bincount(case, minlength=self.size))[1],
            "tool": calls.names,
            "arguments": decoded.text,
            "arguments_form": pa.array(decoded.form),
            "arguments_status": pa.array(decoded.status),
            "arguments_raw": decoded.raw,
            "turn": pa.array(np.maximum(self.turns - 1, 0)[calls.message]),
            "step": pa.array(step),
            "call_id": calls.ids,
            **calls.columns,
            **returned,
        }

    def _steps(self) -> np.ndarray:
        """Return the step (int64) of each call: those of one message, and what no message divides, are one."""
        message = self.calls.message
        part = np.cumsum(self.begins)[message]
        case = self.case[message]
        new = np.ones(len(message), dtype=bool)
        new[1:] = (np.diff(part) != 0) | (np.diff(case) != 0)
        count = np.cumsum(new)
        first = np.flatnonzero(np.append(True, np.diff(case) != 0)[: len(case)])
        return count - np.repeat(count[first], np.diff(np.append(first, len(case))))

    def _answers(self, case: np.ndarray, step: np.ndarray) -> pa.Array | None:
        """Return which result (a row, or null) answers each call; None where that is not plain.

        Notes
        -----
        By id: of several calls with one id, each of a step of its own, the first result answers the first.
        Without ids the same holds of tools within the step before the result, and without tools of its calls.
        """
        calls, results = self.calls, self.results
        size = len(case)
        owner = np.concatenate([case, self.case[results.message]])
        ids = pa.concat_arrays([calls.ids, results.ids])
        bare = ids.is_null().to_numpy(zero_copy_only=False)
        # Some with ids and some without would answer each other.
        if 0 < bare.sum() < len(bare) and (np.bincount(owner, bare) % np.maximum(np.bincount(owner), 1)).any():
            return None
        words = pc.if_else(pa.array(bare), self._tools(case, bare), ids)
        coded = words.dictionary_encode()
        if coded.null_count or "" in coded.dictionary.to_pylist():
            return None
        keys = owner * (len(coded.dictionary) + 1) + coded.indices.to_numpy()
        if bare.any():
            latest = np.searchsorted(calls.place, results.place) - 1
            steps = np.concatenate([step, np.append(step, -1)[latest]])
            keys = keys * (int(steps.max(initial=-1)) + 2) + np.where(bare, steps, -1) + 1
        made, answering = keys[:size], keys[size:]
        if len(made) > 1 and _repeats(made, step, ~bare[:size]):
            return None
        numbered = np.concatenate([_occurrence(made), _occurrence(answering)])
        keys = keys * (int(numbered.max(initial=0)) + 1) + numbered
        made, answering = keys[:size], keys[size:]
        order = np.argsort(made, kind="stable")
        found = np.searchsorted(made, answering, sorter=order)
        if (found == size).any():
            return None
        call = order[found]
        if (made[call] != answering).any() or (calls.place[call] >= results.place).any():
            return None
        return placed(np.arange(len(call)), call, size)

    def _tools(self, case: np.ndarray, bare: np.ndarray) -> pa.Array:
        """Return the tools of calls and results; one word where the results of a case name none.

        Of a case in which only some do, a null is left.
        """
        calls, results = self.calls, self.results
        unnamed = np.flatnonzero(bare[len(case) :] & results.tools.is_null().to_numpy(zero_copy_only=False))
        owner = np.concatenate([case, self.case[results.message]])
        nameless = np.zeros(self.size, dtype=bool)
        nameless[self.case[results.message[unnamed]]] = True
        names = pa.concat_arrays([calls.names, results.tools])
        if not len(unnamed):
            return names
        mixed = pa.concat_arrays([pa.repeat(True, len(case)), results.tools.is_null()])
        return pc.if_else(pa.array(nameless[owner]), pc.if_else(mixed, "tool", pa.scalar(None, names.type)), names)

    def goes_on(self, runs: np.ndarray, ends: set[int]) -> bool:
        """Tell whether a conversation may begin with the whole of another; note the ends of all in ``ends``.

        Parameters
        ----------
        runs
            A number (uint64) for each conversation: those of different runs never continue each other.

        Notes
        -----
        Each message has a number, each conversation up to a message the sum of them, weighted by place. Equal
        beginnings have equal sums.
        """
        numbers = self.said.copy()
        for items, texts in ((self.calls, self.calls.arguments.text), (self.results, self.results.columns["output"])):
            known = items.ids
            if known.null_count:
                # A null inside an object is as good as nothing there.
                known = pc.coalesce(known, pc.if_else(pc.match_substring(texts, "null"), "", texts))
            np.add.at(numbers, items.message, hashes(known.to_pylist()))
        weights = np.cumprod(np.full(int(self.position.max(initial=0)) + 1, 0x9E3779B97F4A7C15, np.uint64))
        total = np.append(np.uint64(0), np.cumsum(numbers * weights[self.position]))
        total = total[1:] - total[self.first][self.case] + runs[self.case]
        ends.update(total[self.last].tolist())
        inside = np.ones(len(total), dtype=bool)
        inside[self.last] = False
        return not ends.isdisjoint(total[inside].tolist())

    def _within(self, marked: np.ndarray) -> np.ndarray:
        """Count marked messages of the same conversation up to each message (int64)."""
        counts = np.cumsum(marked)
        return counts - (counts - marked)[self.first][self.case]


def _stated(name: str, given: pa.Array, derived: pa.Array) -> pa.Array:
    """Return what records state, where they state something, else what their messages tell."""
    if name not in ("output", "turns"):
        return pc.coalesce(given, derived)
    nothing = pc.equal(given, 0 if name == "turns" else "").fill_null(True)
    return pc.if_else(nothing, pc.coalesce(derived, given), given)


def _occurrence(keys: np.ndarray) -> np.ndarray:
    """Count, for each of some keys, the equal ones before it."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    new = np.append(True, np.diff(ordered) != 0)[: len(keys)]
    starts = np.flatnonzero(new)
    counted = np.empty(len(keys), dtype=np.int64)
    counted[order] = np.arange(len(keys)) - np.repeat(starts, np.diff(np.append(starts, len(keys))))
    return counted


def _repeats(keys: np.ndarray, step: np.ndarray, by_id: np.ndarray) -> bool:
    """Tell whether an id stands for two calls of one step."""
    order = np.lexsort([step, keys])
    same = (np.diff(keys[order]) == 0) & (np.diff(step[order]) == 0)
    return bool((same & by_id[order][1:]).any())


def placed(rows: np.ndarray, places: np.ndarray, size: int) -> pa.Array:
    """Return, for places from 0 to ``size``, the row that belongs there; null where there is none."""
    index = np.full(size, -1, dtype=np.int64)
    index[places] = rows
    return pa.array(index, mask=index < 0)


def hashes(values: Iterable[Any]) -> np.ndarray:
    """Return the hashes of values (uint64)."""
    return np.fromiter(map(hash, values), np.int64).view(np.uint64)
