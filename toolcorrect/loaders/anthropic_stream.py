"""Streamed Anthropic messages: the pieces of each block are joined."""

from __future__ import annotations

from typing import Any

from toolcorrect.loaders.anthropic import add_answer
from toolcorrect.loaders.conversation import Conversation
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.telling import objects

# Type of a piece -> the key that holds its text, and the key of the block that it goes on.
_PIECES = {"text_delta": ("text", "text"), "input_json_delta": ("partial_json", "input")}


class _Message:
    """One message in the making."""

    def __init__(self, label: str, start: dict[str, Any]) -> None:
        self.label = label
        self.id = start.get("id")
        self.model = start.get("model")
        self._blocks: dict[Any, dict[str, Any]] = {}
        self._pieces: dict[tuple[Any, str], list[str]] = {}

    def add(self, event: dict[str, Any]) -> None:
        if event["type"] == "content_block_start":
            self._blocks[event.get("index")] = dict(event["content_block"])
        elif event["type"] == "content_block_delta" and event["delta"].get("type") in _PIECES:
            given, key = _PIECES[event["delta"]["type"]]
            self._pieces.setdefault((event.get("index"), key), []).append(event["delta"][given])

    def blocks(self) -> list[dict[str, Any]]:
        """Return the blocks; arguments that came in pieces are their text, cut off where the stream is."""
        for (index, key), pieces in self._pieces.items():
            if index in self._blocks:
                self._blocks[index][key] = "".join(pieces)
        return list(self._blocks.values())


def read(source: Source, rows: Rows) -> None:
    """Read events; each message is a case."""
    messages: list[_Message] = []
    for label, record in source.records():
        with rows.record(label):
            # Raw server-sent events put the payload under data.
            event = record["data"] if isinstance(record.get("data"), dict) else record
            if event["type"] == "message_start":
                messages.append(_Message(label, event["message"]))
            elif messages:
                messages[-1].add(event)
    for message in messages:
        with rows.record(message.label):
            talk = Conversation(rows.case(message.id, model=message.model))
            add_answer(talk, message.blocks())


def detect(source: Source) -> tuple[float, str] | None:
    """Recognise the events of a stream by their types."""
    for record in objects(source):
        event = record["data"] if isinstance(record.get("data"), dict) else record
        if event.get("type") == "message_start" and isinstance(event.get("message"), dict):
            return 0.95, "events of type message_start"
    return None


ANTHROPIC_STREAM = Format("anthropic_stream", "Anthropic messages as streamed events", detect, read)
