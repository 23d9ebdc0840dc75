"""`load` and `detect`: from whatever the user has to a Dataset."""

from __future__ import annotations

import gc
import glob as globbing
import io
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

import pandas as pd
import pyarrow as pa
from tqdm import tqdm

from toolcorrect.arguments.decoding import TEXT
from toolcorrect.dataset import Dataset
from toolcorrect.errors import LoadError, OptionError, check_type, listed
from toolcorrect.loaders import openai_columns, sharegpt_columns
from toolcorrect.loaders.assembling import assemble
from toolcorrect.loaders.fast_chat import fast_chat_parts
from toolcorrect.loaders.fast_messages import fast_message_parts
from toolcorrect.loaders.fast_records import fast_parts
from toolcorrect.loaders.faults import described
from toolcorrect.loaders.format import Combine, Detection, Format, detected, format_named
from toolcorrect.loaders.parts import Note, Part, part_of
from toolcorrect.loaders.rows import MALFORMED, Rows
from toolcorrect.loaders.source import Source, open_bytes, open_frame, open_records
from toolcorrect.loaders.unknown import not_known

Loadable: TypeAlias = "str | Path | IO[Any] | pd.DataFrame | Iterable[Any]"


_BY_COLUMNS = {"openai_chat": openai_columns.OPENAI, "sharegpt": sharegpt_columns.SHAREGPT}


def load(
    source: Loadable,
    *,
    format: str | Format | None = None,
    model: str | None = None,
    run: str | None = None,
    columns: Mapping[str, str] | None = None,
    strict: bool = False,
    progress: bool | None = None,
) -> Dataset:
    """Load agent runs or test cases, of any known format, into one dataset.

    Parameters
    ----------
    source
        A path, a glob pattern, a folder (runs, then ``*cases.csv`` joined on ``case``, ``task`` or ``input``, then
        ``tools.json``), an open file, a list of records (dicts), a DataFrame, or a list of any of the first four.
    format
        Name of the format (see `formats`), or a `Format` of your own. By default the content tells.
    model, run
        Columns of ``cases`` to set for everything loaded.
    columns
        Keys of records, or columns of ``cases``, to rename: ``{"question_id": "task"}``.
    strict
        Raise at the first record that cannot be read. By default it is one row of ``report``.
    progress
        Show a bar over the files. By default where there are several and the output is a terminal.

    Returns
    -------
    Dataset
        What was merged, repaired, guessed or skipped is in its ``report``.

    Raises
    ------
    LoadError
        Where nothing can be read: the first reason. Of several files, those that cannot be read are rows of
        ``report`` (an error under ``strict``).

    Examples
    --------
    >>> data = load([{"case": "a", "called": ["search"], "expected": ["search", "book"]}])
    >>> data.expected.tool.to_list()
    ['search', 'book']
    """
    _refuse_text(source)
    for option, value in (("model", model), ("run", run)):
        check_type(option, value, str | None, "a text")
    check_type("strict", strict, bool, "True or False")
    check_type("progress", progress, bool | None, "True, False or None")
    _check_columns(columns)
    if isinstance(source, str) and not source:
        raise LoadError("load(''): the path is empty; give a file, a folder, records or a DataFrame.")
    if isinstance(source, str | Path) and Path(source).is_dir():
        from toolcorrect.loaders.folder import load_folder

        options = {"format": format, "model": model, "run": run, "columns": columns}
        return load_folder(Path(source), strict=strict, progress=progress, **options)
    renamed = dict(columns or {})
    parts: list[Part] = []
    waiting: dict[Combine, list[Rows]] = {}
    used: set[str] = set()
    with _no_collection():
        for one in _bar(_sources(source, strict=strict, renamed=renamed), progress):
            try:
                if isinstance(one, Refused):
                    raise one.cause
                chosen = format if isinstance(format, Format) else _chosen(one, format)
                if chosen.combine:
                    waiting.setdefault(chosen.combine, []).append(_read_rows(one, chosen))
                    one.let_go()
                else:
                    parts += read_parts(one, chosen)
                used |= one.renamed_seen
            except LoadError as cause:
                if strict:
                    raise
                parts.append(_unreadable(one.name, cause))
        parts += [part_of(rows) for combine, read in waiting.items() for rows in combine(read)]
    _check_any(parts)
    data = assemble(parts, model=model, run=run)
    rest = {old: new for old, new in renamed.items() if old not in used}
    return _rename_columns(data, rest) if rest else data


def detect(source: Loadable, *, columns: Mapping[str, str] | None = None) -> Detection:
    """Tell which format a file, a list of records or a frame has, by its content alone.

    Parameters
    ----------
    source
        As in `load`; of several files the first counts.
    columns
        As in `load`.

    Returns
    -------
    Detection
        With ``format`` None where nothing fits.

    Raises
    ------
    LoadError
        Where there is nothing to look at, or a folder.

    Examples
    --------
    >>> detect([{"called": ["search"], "expected": []}]).format
    'plain_records'
    """
    _check_columns(columns)
    if isinstance(source, str | Path) and Path(source).is_dir():
        raise LoadError(f"{source} is a folder, whose files may be of several formats; give one of them, or load it.")
    for one in _sources(source, renamed=dict(columns or {})):
        if isinstance(one, Refused):
            raise one.cause
        return detected(one)
    return Detection(None, "nothing to look at", 0.0)


def _check_columns(columns: object) -> None:
    check_type("columns", columns, Mapping | None, 'a mapping such as {"found": "wanted"}')


def read_parts(source: Source, chosen: Format) -> list[Part]:
    """Read one source: by whole columns where that is possible, else record by record."""
    if chosen.name == "plain_records" and source.shape == "lines":
        return fast_parts(source, chosen)
    if source.shape == "lines":
        columns = _BY_COLUMNS.get(chosen.name)
        parts = fast_chat_parts(source, columns) if columns else fast_message_parts(source, chosen)
        if parts is not None:
            return parts
    rows = _read_rows(source, chosen)
    return [part_of(one) for one in (chosen.combine([rows]) if chosen.combine else [rows])]


def _read_rows(source: Source, chosen: Format) -> Rows:
    rows = Rows(source)
    try:
        chosen.read(source, rows)
    except MALFORMED as cause:
        if isinstance(cause, LoadError | OptionError):
            raise
        raise LoadError(
            f"{source.name} is not as {chosen.name} should be ({described(cause)}). "
            'Is it another format? Force one with format="...".'
        ) from cause
    return rows


class Refused(NamedTuple):
    """A file that could not be opened."""

    name: str
    cause: LoadError


def _unreadable(name: str, cause: LoadError) -> Part:
    """Return the part of a file that is refused whole: one row of the report."""
    return Part(name, name, pa.nulls(0, TEXT), notes=[Note("", "unreadable", str(cause))])


def _check_any(parts: Iterable[Part]) -> None:
    """Raise the first reason why something could not be read if there is nothing else."""
    notes = [(part, note) for part in parts for note in part.notes if note.code == "unreadable"]
    if notes and not any(len(part.ids) for part in parts):
        part, note = notes[0]
        if not note.record and part.name in note.note:
            raise LoadError(note.note)
        where = f"{part.name}, {note.record}" if note.record else part.name
        raise LoadError(f"{where}: {note.note}. There is nothing else in it that could be read.")


@contextmanager
def _no_collection() -> Iterator[None]:
    """Hold the collector off while many small objects are made that all stay: a quarter of the time."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _chosen(source: Source, name: str | None) -> Format:
    if name is not None:
        return format_named(name)
    found = detected(source).format
    if found is None:
        raise not_known(source)
    return format_named(found)


def _sources(source: Loadable, **options: Any) -> Iterator[Source | Refused]:
    """Open whatever `load` was given, one source after the other."""
    if isinstance(source, pd.DataFrame):
        yield open_frame(source, **options)
    elif isinstance(source, str | Path):
        for path in paths_of(source):
            yield from _tried(path.name, _of_path(path, options))
    elif hasattr(source, "read"):
        name = str(getattr(source, "name", "file"))
        yield from _tried(name, _of_stream(name, source, options))
    elif isinstance(source, Mapping):
        yield open_records([dict(source)], **options)
    elif isinstance(source, Iterable):
        items = list(source)
        if items and all(isinstance(item, str | Path | pd.DataFrame) or hasattr(item, "read") for item in items):
            for item in items:
                yield from _sources(item, **options)
        else:
            yield open_records(items, **options)
    else:
        raise OptionError(
            f"load cannot open {type(source).__name__}; give a path, folder, glob, open file, records or a frame."
        )


def _of_path(path: Path, options: dict[str, Any]) -> Iterator[Source]:
    with path.open("rb") as stream:
        yield from open_bytes(path.name, stream, **options)


def _of_stream(name: str, stream: Any, options: dict[str, Any]) -> Iterator[Source]:
    yield from open_bytes(name, _binary(stream), **options)


def _tried(name: str, opened: Iterator[Source]) -> Iterator[Source | Refused]:
    """Yield sources, and in place of an error what was refused: other files are not lost by it."""
    try:
        yield from opened
    except LoadError as cause:
        yield Refused(name, cause)
    except UnicodeDecodeError as cause:
        yield Refused(name, LoadError(f'{name} is not {cause.encoding} text; open it as bytes (mode "rb").'))
    except OSError as cause:
        yield Refused(name, LoadError(f"{name} cannot be opened ({cause.strerror or cause})."))


def _refuse_text(source: object) -> None:
    """Raise `LoadError` for the text of a file where its path belongs."""
    if not isinstance(source, str):
        return
    too_long = len(source.rpartition("/")[2]) > 255  # Of this length no file system has names.
    if too_long or source.lstrip().startswith(('{"', "[{")):
        raise LoadError(
            f"This text of {len(source):,} characters is no path; of a file's text give the records, "
            "json.loads(text), or io.StringIO(text)."
        )


def paths_of(pattern: str | Path) -> list[Path]:
    """Return the file of a path, or the files of a glob pattern, sorted.

    Raises
    ------
    LoadError
        Where there is no such file.
    """
    path = Path(pattern)
    if path.is_file():
        return [path]
    # Path.glob does not follow links to folders under **, which may lead in circles.
    root = Path(path.anchor) if path.anchor else Path()
    inner = path.relative_to(path.anchor) if path.anchor else path
    try:
        found = sorted(root.glob(str(inner))) if globbing.has_magic(str(pattern)) else []
    except (ValueError, NotImplementedError) as cause:
        raise LoadError(f"{pattern} is no pattern for files: {cause}.") from None
    files = [file for file in found if not file.name.startswith(".") and file.is_file()]
    if not files:
        near = [p.name for p in sorted(path.parent.glob("*"))[:8]] if path.parent.is_dir() else []
        there = f" In {path.parent} are {listed(near)}." if near else ""
        raise LoadError(f"There is no file {pattern}.{there}")
    return files


def _binary(stream: Any) -> IO[bytes]:
    """Return a seekable binary stream of an open file, whether opened as text or bytes."""
    if isinstance(stream, io.TextIOBase):
        return io.BytesIO(stream.read().encode("utf-8", "surrogatepass"))
    if isinstance(stream, io.IOBase) and stream.seekable():
        return stream  # type: ignore[return-value]
    data = stream.read()
    return io.BytesIO(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)


def _bar(sources: Iterator[Source | Refused], progress: bool | None) -> Iterable[Source | Refused]:
    shown = sys.stderr.isatty() if progress is None else progress
    return tqdm(sources, unit=" files", leave=False, delay=1.0 if progress is None else 0.0) if shown else sources


def _rename_columns(data: Dataset, renamed: Mapping[str, str]) -> Dataset:
    cases = data.cases
    strangers = [old for old in renamed if old not in cases.columns]
    if strangers:
        raise OptionError(
            f"columns= renames {listed(map(repr, strangers))}, which no record and no column of cases has; "
            f"columns of cases are {listed(cases.columns, 30)}."
        )
    # The new name wins over a column that held nothing.
    cases = cases.drop(columns=[new for new in renamed.values() if new in cases.columns])
    return data.replace(cases=cases.rename(columns=dict(renamed)))
