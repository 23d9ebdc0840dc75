"""JSONL in blocks of whole lines, with a limit on the length of a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import IO, Any

import numpy as np
import orjson

from toolcorrect.arguments.decoding import parse_json

BLOCK = 16 << 20
# A longer line is skipped and reported.
LONGEST_LINE = 64 << 20


@dataclass(frozen=True)
class Block:
    """Whole lines of a file: the bytes and the number (from 1) of the first line."""

    data: bytes
    first: int

    @cached_property
    def newlines(self) -> np.ndarray:
        """Return the places of the newlines (int64)."""
        return np.flatnonzero(np.frombuffer(self.data, dtype=np.uint8) == ord("\n"))


class Lines:
    """The blocks of a stream, read from its start."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.too_long: list[int] = []

    def blocks(self, size: int = BLOCK) -> Iterator[Block]:
        """Yield blocks of about ``size`` bytes, cut at the last newline.

        Numbers of lines beyond the limit are put into ``too_long``; their bytes are not kept.
        """
        self._stream.seek(0)
        rest: list[bytes] = []
        held, number = 0, 1
        if self._stream.read(3) != b"\xef\xbb\xbf":
            self._stream.seek(0)
        while data := self._stream.read(size):
            cut = data.rfind(b"\n") + 1
            if not cut:
                rest.append(data)
                held += len(data)
                if held > LONGEST_LINE:
                    self.too_long.append(number)
                    number += 1
                    rest = [self._after_newline()]
                    held = len(rest[0])
                continue
            block = Block(b"".join([*rest, data[:cut]]), number)
            rest = [data[cut:]]
            held = len(rest[0])
            yield block
            number += len(block.newlines)
        last = b"".join(rest)
        if last.strip():
            yield Block(last, number)

    def _after_newline(self) -> bytes:
        """Read on to the end of the present line and return what follows it in the same read."""
        while data := self._stream.read(1 << 20):
            cut = data.find(b"\n")
            if cut >= 0:
                return data[cut + 1 :]
        return b""


class OneBlock(Lines):
    """Lines of one block that is in memory already."""

    def __init__(self, block: Block | None, too_long: Iterable[int] = ()) -> None:
        self._block = block
        self.too_long = list(too_long)

    def blocks(self, size: int = BLOCK) -> Iterator[Block]:
        """Yield the block."""
        if self._block is not None:
            yield self._block


def parsed_lines(lines: Lines, skip: Callable[[str, str], None]) -> Iterator[tuple[str, Any]]:
    """Yield ``("line N", value)`` for every line that is JSON, and call ``skip`` for the others."""
    # Small blocks first, so that looking at the head of a file is cheap.
    for block in lines.blocks(1 << 20):
        yield from parsed_block(block, skip)
    for number in lines.too_long:
        skip(f"line {number}", f"it is longer than {LONGEST_LINE >> 20} MB")


def parsed_block(block: Block, skip: Callable[[str, str], None]) -> Iterator[tuple[str, Any]]:
    """Yield the values of one block of lines."""
    wide = wide_lines(block)
    for number, line in enumerate(block.data.split(b"\n"), block.first):
        if not line or line.isspace():
            continue
        try:
            value = parse_json(line) if number - block.first in wide else _loads(line)
        except ValueError as cause:
            skip(f"line {number}", f"it is not JSON ({reason(cause)})")
            continue
        yield f"line {number}", value


def wide_lines(block: Block) -> set[int]:
    """Return the lines (from 0) in which `WIDE_INTEGER` may be found: where as many digits begin so."""
    data = np.frombuffer(block.data, dtype=np.uint8)
    digit = np.zeros(len(data) + 32, dtype=bool)
    np.less(data - np.uint8(ord("0")), 10, out=digit[: len(data)])
    # As many digits in a row fill one of the words of eight.
    words = np.flatnonzero(digit[: len(digit) // 8 * 8].view(np.uint64) == 0x0101010101010101)
    begins = words[np.diff(words, prepend=-2) > 1] * 8
    goes_on = np.ones(len(begins), dtype=bool)
    for _ in range(7):
        goes_on &= digit[begins - 1]
        begins -= goes_on
    begins = begins[digit[begins[:, np.newaxis] + np.arange(8, 19)].all(axis=1)]
    large = (data[begins] == ord("9")) & (data[begins + 1] >= ord("2"))
    return set(np.searchsorted(block.newlines, begins[digit[begins + 19] | large]).tolist())


def _loads(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except ValueError:
        return parse_json(line)


def reason(cause: Exception) -> str:
    """Return the message of a parser without the document it may quote."""
    return re.sub(r"\s+", " ", str(cause))[:160]
