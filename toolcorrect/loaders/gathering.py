"""`Layout` and `Gathered`: how a family's messages, a few at a time, become the columns of `Told`."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from toolcorrect.arguments.columns import DecodedTexts, decode_texts
from toolcorrect.arguments.decoding import ABSENT, FORM, STATUS, TEXT, to_json
from toolcorrect.loaders.calls import held, text_of
from toolcorrect.loaders.parts import Note, category, note_statuses, times
from toolcorrect.loaders.told import Calls, Results, Said, Told
from toolcorrect.tables import KINDS


@dataclass(frozen=True)
class Layout:
    """How records of a family hold regular messages.

    Attributes
    ----------
    messages
        Returns the messages of a record.
    gather
        Says of conversations what the family's reader would say. Returns in which of them (numbers from 0) there
        is something that shows the family; raises what is in `MALFORMED` where anything is not regular.
    elsewhere
        Keys by which a record would hold messages in another place too, unless they are null.
    tools
        Keys from which ``unfold`` takes the tools that a record offers.
    wire
        As in `decode_texts`, for arguments that are texts.
    beside
        Returns what ``unfold`` says of a record beside its messages; by default all of it.
    """

    messages: Callable[[dict[str, Any]], Any]
    gather: Callable[[Sequence[list[Any]], Gathered], set[int]]
    elsewhere: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset({"tools"})
    wire: bool = False
    beside: Callable[[dict[str, Any]], dict[str, Any]] = dict


class Gathered:
    """What messages say while a few of them after the other are looked at, so that these stay in fast memory.

    Attributes
    ----------
    lengths, begins
        As of `Told`.
    asked, answered
        Messages (rows) with the text.
    named
        Messages (rows) with what they say of their case, by its column.
    said, sizes
        Hashes of what the blocks say, and how many blocks each message has.
    calls, results
        Columns as lists, by their names.
    """

    def __init__(self) -> None:
        self.lengths: list[int] = []
        self.begins: list[bool] = []
        self.asked: list[tuple[int, str]] = []
        self.answered: list[tuple[int, str]] = []
        self.named: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self.calls: dict[str, list[Any]] = defaultdict(list)
        self.results: dict[str, list[Any]] = defaultdict(list)
        self.said: list[int] = []
        self.sizes: list[int] = []
        self.places = 0

    def told(self, notes: list[Note], *, wire: bool) -> Told:
        """Return what was gathered; note what of argument texts was mended."""
        made, returned = self.calls, self.results
        columns = {name: _COLUMNS.get(name, texts_of)(made[name]) for name in made.keys() - _OWN}
        if {*made["kind"]} - {"function"}:
            columns["kind"] = category(made["kind"], KINDS)
        message = np.repeat(np.arange(len(self.sizes)), self.sizes)
        made_at, returned_at = (np.array(table["place"], dtype=np.int64) for table in (made, returned))
        calls = Calls(
            message[made_at],
            made_at,
            pa.array(made["name"], TEXT),
            decoded_arguments(
                pa.array(made["arguments"], TEXT), np.array(made["form"], dtype=np.int8), notes, wire=wire
            ),
            pa.array(made["id"], TEXT),
            columns,
        )
        results = Results(
            message[returned_at],
            returned_at,
            pa.array(returned["id"], TEXT),
            pa.array(returned["tool"], TEXT),
            {
                "output": pa.array(returned["output"], TEXT),
                "error": pa.array(returned["error"], pa.bool_()),
                "error_message": texts_of(returned["error_message"]),
            },
        )
        return Told(
            np.array(self.lengths),
            _said(self.asked),
            _said(self.answered),
            np.array(self.begins, dtype=bool),
            calls,
            results,
            self._numbers(),
            {name: _said(found) for name, found in self.named.items()},
        )

    def _numbers(self) -> np.ndarray:
        """Return a number for each message: the sum of those of its blocks."""
        sums = np.append(np.uint64(0), np.cumsum(np.array(self.said, dtype=np.int64).view(np.uint64)))
        sizes = np.array(self.sizes, dtype=np.int64)
        after = np.cumsum(sizes)
        return sums[after] - sums[after - sizes]


# Columns of calls that are no texts.
_COLUMNS: dict[str, Callable[[list[Any]], pa.Array]] = {
    "depth": lambda depths: pa.array(depths, pa.int64()),
    "started": times,
}
# Those that are made by themselves.
_OWN = frozenset({"place", "name", "arguments", "form", "id", "kind"})


class Blocks:
    """The blocks of some conversations, one behind the other.

    Parameters
    ----------
    gathered
        Where what they say goes.
    lengths
        Messages of each conversation.
    contents
        Blocks of each message.
    begins
        For each message, whether a step begins with it.
    said
        What each block says in words; by default its text.
    """

    def __init__(
        self,
        gathered: Gathered,
        lengths: Sequence[int],
        contents: Sequence[Sequence[Any]],
        begins: Sequence[bool],
        said: Sequence[Any] | None = None,
    ) -> None:
        self.all = list(itertools.chain.from_iterable(contents))
        self._gathered, self._lengths, self._contents = gathered, lengths, contents
        self._first, self._place = len(gathered.begins), gathered.places
        gathered.lengths += lengths
        gathered.begins += begins
        gathered.places += len(self.all)
        gathered.said += map(hash, [block.get("text") for block in self.all] if said is None else said)
        gathered.sizes += map(len, contents)

    @cached_property
    def message(self) -> list[int]:
        """The message, counted from the first of these, of each block."""
        return [row for row, blocks in enumerate(self._contents) for _ in blocks]

    def calls(
        self,
        rows: Sequence[int],
        names: Sequence[Any],
        arguments: Sequence[Any],
        ids: Sequence[Any],
        kinds: Sequence[str],
        **columns: Sequence[Any],
    ) -> set[int]:
        """Take calls from blocks; return which conversations they are of.

        Raises
        ------
        ValueError
            Where one is marked as no call of the model's own.
        """
        if not _MARKED.isdisjoint(kinds):
            raise ValueError("calls that are to be reported")
        self._add(self._gathered.calls, rows, id=ids, name=names, kind=kinds, **columns)
        texts, forms = held_arguments(arguments)
        self._gathered.calls["arguments"] += texts
        self._gathered.calls["form"] += forms
        blocks = np.append(0, np.cumsum(self._gathered.sizes[self._first :]))
        return set(np.searchsorted(blocks[np.cumsum(self._lengths)], rows, side="right").tolist())

    def results(
        self,
        rows: Sequence[int],
        returned: Sequence[tuple[Any, bool | None, Any]],
        ids: Sequence[Any],
        tools: Sequence[Any] | None = None,
    ) -> None:
        """Take results from blocks: each an output, whether it is an error, and the message of that."""
        outputs, errors, messages = zip(*returned) if returned else ((), (), ())
        columns = {"output": json_texts(outputs), "error": errors, "error_message": messages}
        self._add(self._gathered.results, rows, id=ids, tool=tools or [None] * len(rows), **columns)

    def asked(self, asks: Iterable[bool], words: Callable[[Any], str | None]) -> None:
        """Take what is asked in some of the messages, if it is anything."""
        said = ((row, words(self._contents[row])) for row, one in enumerate(asks) if one)
        self._gathered.asked += [(self._first + row, text) for row, text in said if text]

    def answered(self, answers: Sequence[bool], words: Callable[[Any], str | None]) -> None:
        """Take the last answer of each conversation."""
        end = 0
        for length in self._lengths:
            end += length
            for row in range(end - 1, end - length - 1, -1):
                if answers[row] and (text := words(self._contents[row])):
                    self._gathered.answered.append((self._first + row, text))
                    break

    def named(self, column: str, values: Iterable[Any]) -> None:
        """Take what messages say of their case, those left out that say nothing."""
        self._gathered.named[column] += [(self._first + row, value) for row, value in enumerate(values) if value]

    def _add(self, table: dict[str, list[Any]], rows: Sequence[int], **columns: Sequence[Any]) -> None:
        table["place"] += [self._place + row for row in rows]
        for name, values in columns.items():
            table[name] += values


def listed_contents(messages: Sequence[Any]) -> list[list[Any]]:
    """Return the blocks of each message, as `toolcorrect.loaders.message_lists.said` does.

    Raises
    ------
    TypeError
        Where a content is none that is regular.
    """
    contents = [message.get("content") for message in messages]
    kinds = {*map(type, contents)}
    if not kinds <= {list, str, type(None)}:
        raise TypeError("content is a text or a list of blocks")
    if kinds == {list}:
        return contents
    return [
        content if type(content) is list else [{"type": "text", "text": content}] if content is not None else []
        for content in contents
    ]


def of_each(work: Callable[[Any], Any], values: Sequence[Any]) -> list[Any]:
    """Return what comes of each value, worked out once for equal ones."""
    known = {value: work(value) for value in {*values}}
    return [known[value] for value in values]


_MARKED = frozenset({"handoff", "pseudo"})


def _said(said: list[tuple[int, str]]) -> Said:
    return np.array([row for row, _ in said], dtype=np.int64), pa.array([text for _, text in said], TEXT)


def texts_of(values: Sequence[Any]) -> pa.Array:
    """Return values as texts, as `text_of` does."""
    kinds = {*map(type, values)}
    if kinds <= {type(None)}:
        return pa.nulls(len(values), TEXT)
    if kinds <= {str, type(None)}:
        return pa.array(values, TEXT)
    return pa.array([text_of(value) for value in values], TEXT)


def held_arguments(arguments: Sequence[Any]) -> tuple[list[Any], list[int]]:
    """Return arguments as texts with their forms, as `held` does; -1 for a text still to be decoded."""
    if {*map(type, arguments)} <= {dict}:
        return json_texts(arguments), [FORM["object"]] * len(arguments)
    if {*map(type, arguments)} == {str}:
        return list(arguments), [-1] * len(arguments)
    pairs = [held(value) for value in arguments]
    return [text for text, _ in pairs], [-1 if form is None else form for _, form in pairs]


def decoded_arguments(text: pa.Array, form: np.ndarray, notes: list[Note], *, wire: bool) -> DecodedTexts:
    """Return what `held_arguments` gives as columns; note what of the texts was mended."""
    raw, status, twice = pa.nulls(len(form), TEXT), _STATUS_OF_FORM[form], 0
    encoded = form < 0
    if len(form) and encoded.all():
        decoded = decode_texts(text, wire=wire)
        note_statuses(notes, decoded.status, decoded.twice)
        return decoded
    if encoded.any():
        decoded = decode_texts(text.filter(pa.array(encoded)), wire=wire)
        text, raw = (
            pc.replace_with_mask(old, encoded, new) for old, new in ((text, decoded.text), (raw, decoded.raw))
        )
        form[encoded], status[encoded], twice = decoded.form, decoded.status, decoded.twice
        note_statuses(notes, decoded.status, twice)
    return DecodedTexts(text, form, status, raw, twice)


_STATUS_OF_FORM = np.full(len(FORM), STATUS["non_object"], dtype=np.int8)
for _form, _status in (("object", "ok"), ("null", "null"), ("absent", "absent")):
    _STATUS_OF_FORM[FORM[_form]] = STATUS[_status]


def json_texts(values: Sequence[Any]) -> list[str | None]:
    """Return values as `to_json` writes them; None for `ABSENT`."""
    try:
        texts = [text.decode() for text in map(orjson.dumps, values)]
    except TypeError:
        return [None if value is ABSENT else to_json(value) for value in values]
    # NaN would be null.
    return [to_json(value) if "null" in text else text for text, value in zip(texts, values)]
