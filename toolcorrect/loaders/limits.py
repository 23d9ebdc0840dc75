"""How much a file may be, or become, before it is refused."""

from __future__ import annotations

from typing import IO

from toolcorrect.errors import LoadError
from toolcorrect.loaders.lines import LONGEST_LINE

# One JSON document, or a file of another kind, is read whole up to this many bytes; an archive may hold more.
LARGEST_DOCUMENT = 1 << 30
LARGEST_ARCHIVE = 1 << 36
# What is packed may grow by this factor once it is beyond LARGEST_FREE bytes.
LARGEST_GROWTH = 200
LARGEST_FREE = 64 << 20


def read_whole(name: str, stream: IO[bytes]) -> bytes:
    """Read a whole document, unless it or a line of it is too long: looked at in pieces before it is held.

    Raises
    ------
    LoadError
        Where it is too long.
    """
    size = line = 0
    while piece := stream.read(1 << 20):
        size += len(piece)
        newline = piece.rfind(b"\n")
        line = line + len(piece) if newline < 0 else len(piece) - newline - 1
        if size > LARGEST_DOCUMENT or line > LONGEST_LINE:
            what = f"one document of more than {LARGEST_DOCUMENT >> 20}"
            if line > LONGEST_LINE:
                what = f"a document with a line of more than {LONGEST_LINE >> 20}"
            raise LoadError(f"{name} is {what} MB; write one record a line, as JSONL.")
    stream.seek(0)
    data = stream.read()
    stream.seek(0)
    return data


def refuse_bomb(name: str, size: int, packed: int, largest: int = LARGEST_DOCUMENT) -> None:
    """Raise `LoadError` where few bytes unpack to very many.

    Parameters
    ----------
    name
        For the message.
    size, packed
        Bytes, unpacked (so far) and as they came.
    largest
        More than this is refused whatever it came from.
    """
    if size > LARGEST_FREE and (size > LARGEST_GROWTH * packed or size > largest):
        raise LoadError(
            f"{name} unpacks from {packed:,} to more than {size:,} bytes, as an attack would; unpack it first."
        )
