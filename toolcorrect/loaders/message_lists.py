"""Families of messages: one reader for lists of them, bare or in records, whatever the family.

A family says how to recognise its messages (`Family.tell`), how one of them is read (`Family.add`) and where
in a record they are (`Family.unfold`); `message_format` makes the `Format` of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from toolcorrect.loaders.conversation import Conversation
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.gathering import Layout
from toolcorrect.loaders.plain_records import add_lists, split_record
from toolcorrect.loaders.request_log import RequestLog, same_message
from toolcorrect.loaders.rows import MALFORMED, Case, Rows
from toolcorrect.loaders.source import Source

# All families say they are as sure: which comes first is settled by the order of the registry.
CONFIDENCE = 0.9
# Detection looks at so many messages of a list.
_MESSAGES = 2000

# Settings of requests, and fields of responses, that say nothing about the run.
PLUMBING = frozenset(
    {
        *("messages", "request", "response", "object", "type", "role", "created", "created_at", "usage", "stream"),
        *("stop_reason", "stop_sequence", "stopReason", "finish_reason", "finishReason", "status", "metrics"),
        *("system", "tool_choice", "toolConfig", "temperature", "top_p", "top_k", "max_tokens", "metadata"),
    }
)

Unfolded = tuple[list[Any], dict[str, Any]]


def under_messages(record: dict[str, Any]) -> Iterator[Unfolded]:
    """Yield the list under ``messages``, with the rest of the record."""
    messages = record.get("messages")
    if isinstance(messages, list) and messages:
        yield messages, record


def request_and_response(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record of a log with the keys of its request and response on the first level."""
    sides = [record[side] for side in ("response", "request") if isinstance(record.get(side), dict)]
    return {key: value for side in [*sides, record] for key, value in side.items()}


@dataclass(frozen=True)
class Family:
    """A family of messages.

    Attributes
    ----------
    name, title
        As of `Format`.
    tell
        Returns what in a list of messages shows the family, or None.
    add
        Reads one message into a conversation.
    unfold
        Yields, for one record, the lists of messages that it holds, each with what the record says beside it
        (``tools`` as names or objects with a name, ``model``, ``id`` and whatever else).
    plumbing
        Keys of records that say nothing about the run, besides the usual ones.
    layout
        How many records are read at once; by default each by itself.
    """

    name: str
    title: str
    tell: Callable[[Sequence[Any]], str | None]
    add: Callable[[Conversation, Any], None]
    unfold: Callable[[dict[str, Any]], Iterator[Unfolded]] = under_messages
    plumbing: frozenset[str] = frozenset()
    layout: Layout | None = None

    def detect(self, source: Source) -> tuple[float, str] | None:
        """Recognise messages, bare or in records."""
        if source.shape in ("table", "archive"):
            return None
        for i, record in enumerate(source.head):
            for messages, _ in self._lists(record):
                reason = self.tell(messages[:_MESSAGES])
                if reason:
                    # Where records are of several families, the first of them counts.
                    return CONFIDENCE - i / 1000, f"messages with {reason}"
        reason = self._whole(source)
        return (CONFIDENCE, f"a list of messages with {reason}") if reason else None

    def read(self, source: Source, rows: Rows) -> None:
        """Read one conversation, or those of every record; requests that repeat history are merged."""
        if self._whole(source):
            with rows.record(""):
                self._read_one([message for _, message in source.records()], {}, rows)
        else:
            self.read_records(source.records(), rows, merge=source.shape != "object")

    def read_records(self, records: Iterable[tuple[str, Any]], rows: Rows, *, merge: bool) -> None:
        """Read the conversations of labelled records, each in its own family.

        Parameters
        ----------
        merge
            Requests may repeat the messages of an earlier one.
        """
        log = RequestLog(rows, same_message)
        for label, record in records:
            with rows.record(label):
                found = list(self._lists(record))
                told = any(self.tell(messages) for messages, _ in found)
                if not told and read_as_other(record, rows):
                    continue
                if not found:
                    raise ValueError("it holds no messages")
                if not told and any(is_openai(m) for messages, _ in found for m in messages):
                    raise ValueError("its messages are openai_chat: put them into a file of their own")
                for messages, context in found:
                    self._read_one(messages, context, rows)
                    if merge:
                        log.place(messages, context)

    def _whole(self, source: Source) -> str | None:
        """Tell whether the source is one list of messages."""
        head = source.head
        if source.shape == "object" or not head or any(list(self._lists(record)) for record in head):
            return None
        return self.tell(head)

    def _lists(self, record: Any) -> Iterator[Unfolded]:
        if isinstance(record, list):
            yield record, {}
        elif isinstance(record, dict):
            yield from self.unfold(record)

    def _read_one(self, messages: list[Any], context: dict[str, Any], rows: Rows) -> None:
        case = case_of(context, rows, PLUMBING | self.plumbing)
        talk = Conversation(case)
        for message in messages:
            self.add(talk, message)
        talk.close()


# In the order of their modules' import: only records that no reader but theirs knows come here.
_FAMILIES: list[Family] = []


def family_named(name: str) -> Family | None:
    """Return the family of a format, if it is one of messages."""
    return next((family for family in _FAMILIES if family.name == name), None)


def family_of(record: Any) -> tuple[Family, list[Unfolded]] | None:
    """Return the family that knows the messages of a record, with what it unfolds."""
    for family in _FAMILIES:
        try:
            found = list(family._lists(record))
            told = any(family.tell(messages) for messages, _ in found)
        except MALFORMED:
            # What a family cannot unfold is not of that family.
            continue
        if told:
            return family, found
    return None


def read_as_other(record: Any, rows: Rows) -> bool:
    """Read a record in a file of another format by the family that knows its messages, if one does."""
    known = family_of(record)
    if known is None:
        return False
    family, found = known
    rows.report("other_format", f"read as {family.name}")
    for messages, context in found:
        family._read_one(messages, context, rows)
    return True


def case_of(context: dict[str, Any], rows: Rows, plumbing: frozenset[str] = PLUMBING) -> Case:
    """Begin a case from what a record says beside its messages: id, model, tools, expected calls, tags."""
    fields, tags = split_record({key: value for key, value in context.items() if key not in plumbing})
    called, expected, tools = (fields.pop(name, None) for name in ("called", "expected", "tools"))
    case = rows.case(fields.pop("case", None), ids_within="step", tags=tags, **fields)
    if called is not None:
        case.report("ignored_keys", "calls stated beside messages: those of the messages count")
    add_lists(case, None, expected, tools, wire=True, called_known=True)
    return case


def is_openai(message: Any) -> bool:
    """Tell whether a message makes calls in OpenAI's way."""
    return isinstance(message, dict) and "role" in message and bool(message.get("tool_calls"))


def message_format(family: Family) -> Format:
    """Make the format of a family, whose records are known from now on in files of other families too."""
    _FAMILIES.append(family)
    return Format(family.name, family.title, family.detect, family.read)


def blocks_of(message: Any, key: str = "content") -> list[dict[str, Any]]:
    """Return the blocks of a message that are objects; none where the content is a text.

    Examples
    --------
    >>> blocks_of({"role": "user", "content": "hi"}), blocks_of({"content": [{"text": "hi"}, "there"]})
    ([], [{'text': 'hi'}])
    """
    content = message.get(key) if isinstance(message, dict) else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def said(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the content of a message as blocks; a text is one block."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if content is None:
        return []
    if not isinstance(content, list):
        raise TypeError("content is a text or a list of blocks")
    return [{"type": "text", "text": block} if isinstance(block, str) else block for block in content]
