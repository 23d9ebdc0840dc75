"""Streamed chat completions: the fragments of each call are joined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from toolcorrect.loaders.calls import FreeText
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.rows import Case, Rows
from toolcorrect.loaders.source import Source


@dataclass
class _Pieces:
    """One call in the making."""

    id: str | None = None
    name: str | None = None
    arguments: list[str] = field(default_factory=list)
    free: bool = False


class _Choice:
    """One choice of one completion: its calls in the order they began, and its text."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.calls: list[_Pieces] = []
        self.text: list[str] = []
        self._latest: dict[Any, _Pieces] = {}

    def add(self, delta: dict[str, Any]) -> None:
        if isinstance(delta.get("content"), str):
            self.text.append(delta["content"])
        for piece in delta.get("tool_calls") or []:
            self._add_piece(piece)
        if isinstance(delta.get("function_call"), dict):
            self._add_piece({"index": "function_call", "function": delta["function_call"]})

    def _add_piece(self, piece: dict[str, Any]) -> None:
        inner = piece.get("function") or piece.get("custom") or {}
        # Some servers give every call the index 0, or none: another id is another call.
        identity = piece.get("id") or None
        key = piece.get("index", identity)
        known = self._latest.get(key)
        if known is None or (identity and known.id and identity != known.id):
            known = self._latest[key] = _Pieces()
            self.calls.append(known)
        known.id = known.id or identity
        known.name = known.name or inner.get("name")
        known.free = known.free or bool(piece.get("custom"))
        text = inner.get("arguments", inner.get("input"))
        if isinstance(text, str):
            known.arguments.append(text)

    def close(self) -> None:
        for made in self.calls:
            text = "".join(made.arguments)
            if made.name is None:
                self.case.report("unreadable_call", "pieces of a call whose beginning is not in the file")
                continue
            if made.id is None:
                self.case.rows.report("id_missing", "calls without an id", record="")
            self.case.call(made.name, FreeText(text) if made.free else text, id=made.id, wire=True, step=0)
        self.case.columns["output"] = "".join(self.text) or None


def read(source: Source, rows: Rows) -> None:
    """Read chunks; each choice of each completion is a case."""
    choices: dict[tuple[Any, Any], _Choice] = {}
    for label, record in source.records():
        with rows.record(label):
            for chunk in _chunks(record):
                for choice in chunk.get("choices") or []:
                    key = chunk.get("id"), choice.get("index", 0)
                    if key not in choices:
                        identity = f"{key[0]}/{key[1]}" if key[0] and key[1] else key[0]
                        choices[key] = _Choice(rows.case(identity, ids_within="step", model=chunk.get("model")))
                    choices[key].add(choice.get("delta") or {})
    for one in choices.values():
        one.close()


def _chunks(record: Any) -> Iterator[dict[str, Any]]:
    """Yield the chunks of a record, which is one, or the list of those of one stream."""
    for chunk in record if isinstance(record, list) else [record]:
        if not isinstance(chunk, dict):
            raise TypeError("a chunk is an object")
        yield chunk


def detect(source: Source) -> tuple[float, str] | None:
    """Recognise chunks by their object, or by a delta in each choice."""
    if source.shape == "table":
        return None
    chunks = [c for r in source.head for c in (r if isinstance(r, list) else [r]) if isinstance(c, dict)]
    if any(chunk.get("object") == "chat.completion.chunk" for chunk in chunks):
        return 0.96, 'object is "chat.completion.chunk"'
    choices = [choice for chunk in chunks if isinstance(chunk.get("choices"), list) for choice in chunk["choices"]]
    if choices and all(isinstance(choice, dict) and isinstance(choice.get("delta"), dict) for choice in choices):
        return 0.95, "choices with a delta"
    return None


OPENAI_CHAT_STREAM = Format("openai_chat_stream", "OpenAI chat completions as streamed chunks", detect, read)
