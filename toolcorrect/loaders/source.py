"""`Source`: one opened file, list of records or frame, whatever its bytes are."""

from __future__ import annotations

import copy
import gzip
import io
import itertools
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import pandas as pd

from toolcorrect.arguments.decoding import parse_json, parse_json_slowly
from toolcorrect.errors import LoadError, OptionError
from toolcorrect.loaders import cells
from toolcorrect.loaders.limits import LARGEST_ARCHIVE, read_whole, refuse_bomb
from toolcorrect.loaders.lines import LONGEST_LINE, Block, Lines, OneBlock, parsed_lines

# Detection looks at this many records.
HEAD = 50

_SUFFIXES = re.compile(r"(\.(json|jsonl|ndjson|csv|tsv|parquet|eval|txt|log|gz|zip))+$", re.IGNORECASE)
_UNLIKE_JSON = re.compile(rb"\s*(?:<\?xml|<!DOCTYPE|<html|%YAML|---\s)", re.IGNORECASE)


class Source:
    """An open source of records, with what detection needs to look at.

    Attributes
    ----------
    name, stem
        File name for messages, and what case ids are prefixed with where they collide.
    container
        ``json``, ``jsonl``, ``csv``, ``parquet``, ``frame``, ``records`` or ``zip``.
    shape
        ``object`` (one JSON object), ``array`` (one JSON array), ``lines`` (a record a line), ``table`` (CSV,
        Parquet, frame) or ``archive``.
    head
        The first records (at most 50): items of an array, lines, rows of a table, or the one object.
    columns
        Names of the columns of a table, else empty.
    skipped
        Label to reason, for records that could not be read.
    renamed_seen
        Which keys of ``renamed`` the records have.
    """

    def __init__(
        self,
        name: str,
        *,
        container: str,
        shape: str,
        stem: str | None = None,
        document: Any = None,
        lines: Callable[[], Lines] | None = None,
        archive: zipfile.ZipFile | None = None,
        strict: bool = False,
        renamed: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.stem = stem or _SUFFIXES.sub("", Path(name).name)
        self.container = container
        self.shape = shape
        self.archive = archive
        self.strict = strict
        self.renamed = dict(renamed or {})
        self.skipped: dict[str, str] = {}
        self.renamed_seen: set[str] = set()
        self._document = document
        self._lines = lines
        self.columns: list[str] = []
        if shape == "table":
            self.columns = [self.renamed.get(str(c), str(c)) for c in document.columns]
            self.renamed_seen.update(self.renamed.keys() & set(map(str, document.columns)))
        # Looking ahead must not report: the same lines are read again.
        self.head = [] if shape == "archive" else list(itertools.islice((v for _, v in self._each(quiet=True)), HEAD))

    @property
    def document(self) -> Any:
        """The whole JSON value, or the frame of a table."""
        return self._document

    def let_go(self) -> None:
        """Let go of what is read already, where the rows of a source wait for those of others."""
        self._document, self.head = None, []

    def records(self) -> Iterator[tuple[str, Any]]:
        """Yield every record with its label; what cannot be read is noted in ``skipped``.

        Yields
        ------
        (str, object)
            ``("line 3", {...})`` for JSONL, ``("record 0", ...)`` for an array, ``("row 0", ...)`` for a table
            (empty cells left out). A JSON object is one record, ``("", {...})``.

        Examples
        --------
        >>> list(open_records([{"run": "a"}]).records())
        [('record 0', {'run': 'a'})]
        """
        return self._each(quiet=False)

    def raw_head(self) -> list[Any]:
        """Return ``head`` under the keys that the file has."""
        return list(itertools.islice((value for _, value in self._unrenamed(quiet=True)), HEAD))

    def part(self, block: Block | None, too_long: Iterable[int]) -> Source:
        """Return a source of one block of lines only, and of lines that are too long to be read."""
        one = copy.copy(self)
        one._lines = lambda: OneBlock(block, too_long)
        one.skipped = {}
        return one

    def lines(self) -> Lines:
        """Return the raw lines of a JSONL source, to be read in blocks."""
        if self._lines is None:
            raise LoadError(f"{self.name} is not JSONL, so it has no lines.")
        return self._lines()

    def skip(self, label: str, reason: str) -> None:
        """Note a record that cannot be read.

        Raises
        ------
        LoadError
            Under ``strict=True``.
        """
        if self.strict:
            where = f"{self.name}, {label}" if label else self.name
            raise LoadError(f"{where}: {reason}. Mend it, or load without strict=True to have it reported.")
        self.skipped[label] = reason

    def _each(self, *, quiet: bool) -> Iterator[tuple[str, Any]]:
        found = self._unrenamed(quiet=quiet)
        if not self.renamed:
            return found
        return ((label, self._rename(value)) for label, value in found)

    def _unrenamed(self, *, quiet: bool) -> Iterator[tuple[str, Any]]:
        if self._lines is not None:
            return parsed_lines(self._lines(), (lambda label, reason: None) if quiet else self.skip)
        if self.shape == "table":
            return cells.rows(self._document)
        if self.shape == "array":
            return ((f"record {i}", value) for i, value in enumerate(self._document))
        return iter([("", self._document)])

    def _rename(self, value: Any) -> Any:
        if not isinstance(value, dict) or not self.renamed.keys() & value.keys():
            return value
        self.renamed_seen.update(self.renamed.keys() & value.keys())
        names = [self.renamed.get(key, key) for key in value]
        if len({*names}) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise OptionError(f"columns= makes two keys of a record of {self.name} {twice!r}; rename one to it.")
        return dict(zip(names, value.values()))


def open_bytes(name: str, stream: IO[bytes], **options: Any) -> Iterator[Source]:
    """Open a binary stream as one source, or as several where it is a zip of files.

    Parameters
    ----------
    name
        For messages; its suffix decides nothing.
    stream
        Seekable binary stream.
    options
        ``strict`` and ``renamed`` of `Source`.

    Raises
    ------
    LoadError
        Where the bytes are of no kind that holds records.
    """
    gzipped = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    if not gzipped:
        yield from _open_plain(name, stream, options)
        return
    stream, damage = _unzipped(name, stream)
    for source in _open_plain(name, stream, options):
        if damage:
            source.skip("end of file", damage)
        yield source


def _open_plain(name: str, stream: IO[bytes], options: dict[str, Any]) -> Iterator[Source]:
    start = stream.read(4096)
    stream.seek(0)
    if start.startswith(b"PK\x03\x04"):
        yield from _archive(name, stream, options)
        return
    if start.startswith(b"PAR1"):
        frame = cells.read_parquet(name, stream)
        yield Source(name, container="parquet", shape="table", document=frame, **options)
        return
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = read_whole(name, stream).decode("utf-16", errors="replace")
        for source in _open_plain(name, io.BytesIO(text.encode("utf-8", "surrogatepass")), options):
            if "\ufffd" in text:
                source.skip("text", "it is not all UTF-16: what is not is read as \ufffd; save the file as UTF-8")
            yield source
        return
    start = start.removeprefix(b"\xef\xbb\xbf")
    if not start.strip():
        while not start.strip() and (piece := stream.read(1 << 20)):
            start = piece
        stream.seek(0)
    if not start.strip():
        yield Source(name, container="jsonl", shape="array", document=[], **options)
    elif start.lstrip()[:1] in (b"{", b"["):
        yield _json(name, stream, options)
    elif b"\0" in start or _UNLIKE_JSON.match(start) or start.startswith(b"\x80"):
        raise LoadError(
            f"{name} is neither JSON, JSONL, CSV, Parquet, gzip nor zip. Export the runs as one of these."
        )
    else:
        yield _text(name, stream, options)


def _json(name: str, stream: IO[bytes], options: dict[str, Any]) -> Source:
    """Tell one JSON document from a record a line, by what the first lines hold."""
    try:
        if _is_lines(stream):
            return Source(name, container="jsonl", shape="lines", lines=lambda: Lines(stream), **options)
    except ValueError as cause:
        raise LoadError(f"{name} cannot be read: {cause}.") from None
    data = read_whole(name, stream)
    try:
        value = parse_json(data.removeprefix(b"\xef\xbb\xbf"))
    except UnicodeDecodeError as cause:
        raise LoadError(f"{name} is not UTF-8 (byte {cause.start}). Save it as UTF-8.") from None
    except ValueError as cause:
        pieces = _concatenated(data)
        if pieces:
            return Source(name, container="json", shape="array", document=pieces, **options)
        if _holds_a_record(data):
            # Bad lines among good ones: each is reported.
            return Source(name, container="jsonl", shape="lines", lines=lambda: Lines(stream), **options)
        raise LoadError(f"{name} starts like JSON but cannot be read ({cause}). Is the file cut off?") from None
    shape = "object" if isinstance(value, dict) else "array"
    return Source(name, container="json", shape=shape, document=value, **options)


def _text(name: str, stream: IO[bytes], options: dict[str, Any]) -> Source:
    """Open what starts like neither an object nor an array: CSV, or JSONL whose first line is bad."""
    first = stream.read(1 << 16)
    stream.seek(0)
    if any(line.lstrip()[:1] in (b"{", b"[") for line in first.splitlines()[1:3]) or _holds_a_record(first):
        return Source(name, container="jsonl", shape="lines", lines=lambda: Lines(stream), **options)
    frame, damage = cells.read_csv(name, read_whole(name, stream))
    source = Source(name, container="csv", shape="table", document=frame, **options)
    for label, reason in damage.items():
        source.skip(label, reason)
    return source


def _is_lines(stream: IO[bytes]) -> bool:
    """Tell whether the first line that is a whole value is followed by another line."""
    first = b""
    while not first.strip():
        first = stream.readline(LONGEST_LINE + 1)
    rest = stream.readline(4096)
    while rest and not rest.strip():
        rest = stream.readline(4096)
    stream.seek(0)
    if not rest:
        return False
    if len(first) > LONGEST_LINE:
        # Whether more lines follow: one that is too long is skipped, a whole file that is too long is refused.
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(1 << 20)
        more = bool(stream.read(1))
        stream.seek(0)
        if not more:
            raise ValueError(f"it is one line of more than {LONGEST_LINE >> 20} MB; write one record a line")
        return True
    try:
        parse_json(first.removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        # A first line that is cut off: the second one tells, unless it is the inside of a document.
        return rest.lstrip()[:1] == b"{" and first.strip() not in (b"[", b"{") and first.lstrip()[:1] == b"{"
    return True


def _holds_a_record(data: bytes) -> bool:
    """Tell whether any line is a whole record, which no line of an indented document is."""
    for line in data.split(b"\n"):
        start, end = line[:1], line.rstrip()[-1:]
        if (start, end) in ((b"{", b"}"), (b"[", b"]")):
            try:
                if parse_json(line):
                    return True
            except ValueError:
                continue
    return False


def _concatenated(data: bytes) -> list[Any]:
    """Read objects that follow each other without commas, as console exporters print them."""
    text = data.decode("utf-8", "replace").strip()
    pieces = re.split(r"(?<=\n[}\]])\s*\n(?=[{\[])|(?<=^[}\]])\s*\n(?=[{\[])", text)
    if len(pieces) < 2:
        return []
    try:
        return [parse_json_slowly(piece) for piece in pieces]
    except ValueError:
        return []


def _unzipped(name: str, stream: IO[bytes]) -> tuple[IO[bytes], str]:
    """Unpack gzip, refusing a bomb; keep what comes before damage and tell what that is."""
    damage = ""
    packed = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    whole = io.BytesIO()
    with gzip.GzipFile(fileobj=stream) as unpacked:
        try:
            while block := unpacked.read1(1 << 16):
                whole.write(block)
                refuse_bomb(name, whole.tell(), packed)
        except (OSError, EOFError, zlib.error) as cause:
            if not whole.tell():
                raise LoadError(f"{name} is gzip that cannot be unpacked ({cause}).") from None
            damage = f"the gzip file is damaged ({cause}): what follows is lost"
    whole.seek(0)
    return whole, damage


def _archive(name: str, stream: IO[bytes], options: dict[str, Any]) -> Iterator[Source]:
    try:
        archive = zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, OSError, ValueError) as cause:
        raise LoadError(f"{name} is a zip file that cannot be opened ({cause}).") from None
    members = [m for m in archive.infolist() if not m.is_dir() and not Path(m.filename).name.startswith(".")]
    # Members are read one after the other, but many of them can be a bomb together.
    sizes = [(member.file_size, max(member.compress_size, 1)) for member in members]
    for member, (size, packed) in zip(members, sizes):
        refuse_bomb(f"{member.filename} in {name}", size, packed)
    refuse_bomb(name, sum(size for size, _ in sizes), sum(packed for _, packed in sizes), LARGEST_ARCHIVE)
    # Inspect logs: one log in many members, which only their own format can read.
    if any(m.filename in ("header.json", "_journal/start.json") for m in members):
        yield Source(name, container="zip", shape="archive", archive=archive, **options)
        return
    for member in members:
        try:
            # Reading all of it would unpack what lies beyond the size that the directory says.
            with archive.open(member) as unpacked:
                data = unpacked.read(member.file_size)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, zlib.error) as cause:
            raise LoadError(f"{member.filename} in {name} cannot be unpacked ({cause}).") from None
        if data[:4] == b"PK\x03\x04":
            raise LoadError(f"{member.filename} in {name} is a zip inside a zip; unpack the outer one first.")
        yield from open_bytes(f"{name}/{member.filename}", io.BytesIO(data), **options)


def open_frame(frame: pd.DataFrame, name: str = "frame", **options: Any) -> Source:
    """Open a DataFrame: a row a record, list columns welcome."""
    return Source(name, container="frame", shape="table", document=frame, **options)


def open_records(records: list[Any], name: str = "records", **options: Any) -> Source:
    """Open Python records as if they were one JSON array."""
    return Source(name, container="records", shape="array", document=records, **options)
