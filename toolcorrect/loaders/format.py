"""`Format`: what a loader is; `Detection`: which one was chosen, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pandas as pd

from toolcorrect.errors import OptionError, check_name, listed
from toolcorrect.loaders.rows import MALFORMED, Rows
from toolcorrect.loaders.source import Source

Combine: TypeAlias = Callable[[Sequence[Rows]], Sequence[Rows]]


@dataclass(frozen=True)
class Format:
    """A format of traces or test cases.

    Parameters
    ----------
    name
        The word for ``tc.load(..., format=)``.
    title
        A few words for people.
    detect
        Looks at an open `Source` (its ``shape``, ``head``, ``columns``, ``document``) and returns
        ``(confidence, reason)``, the confidence above 0 and at most 1, or None. It may raise `rows.MALFORMED`
        where the content is of another shape.
    read
        Fills `Rows` from a `Source`. See `each_record` for formats whose records stand alone.
    combine
        Joins what belongs together across all sources that are loaded at once and have the same ``combine``, and
        returns the rows.

    Examples
    --------
    >>> from toolcorrect.loaders import load
    >>> def detect(source):
    ...     return (0.9, "records with a run") if "run" in source.head[0] else None
    >>> def read_one(record, rows):
    ...     rows.case(record["run"]).call(record["tool"])
    >>> mine = Format("mine", "runs of my agent", detect, each_record(read_one))
    >>> load([{"run": "a", "tool": "search"}], format=mine).calls.tool.to_list()
    ['search']
    """

    name: str
    title: str
    detect: Callable[[Source], tuple[float, str] | None]
    read: Callable[[Source, Rows], None]
    combine: Combine | None = None


@dataclass(frozen=True)
class Detection:
    """Which format a source has.

    Attributes
    ----------
    format
        Its name, or None where no format fits.
    reason
        What in the content says so.
    confidence
        From 0 to 1.
    """

    format: str | None
    reason: str
    confidence: float


def each_record(read_one: Callable[[Any, Rows], None]) -> Callable[[Source, Rows], None]:
    """Make a ``read`` that reads every record by itself, so that a bad one does not lose the others.

    Parameters
    ----------
    read_one
        Fills rows from one record. A malformed record may raise any of `rows.MALFORMED`: nothing of it stays,
        and the report says so.
    """

    def read(source: Source, rows: Rows) -> None:
        for label, record in source.records():
            with rows.record(label):
                read_one(record, rows)

    return read


_FORMATS: dict[str, Format] = {}
# Short names that are understood too.
_SHORT = {"records": "plain_records"}


def register(*formats: Format) -> None:
    """Make formats known to `load`, `detect` and `formats`.

    Raises
    ------
    OptionError
        Where another format has that name.
    """
    for one in formats:
        if one.name in _FORMATS and _FORMATS[one.name] != one:
            raise OptionError(f"A format {one.name!r} is registered already; choose another name.")
        _FORMATS[one.name] = one


def formats() -> pd.DataFrame:
    """List the formats that `load` understands.

    Returns
    -------
    pandas.DataFrame
        Index ``format``, column ``title``.

    Examples
    --------
    >>> formats().loc["plain_records", "title"]
    'records with the calls made and the calls expected'
    """
    index = pd.Index(list(_FORMATS), name="format")
    return pd.DataFrame({"title": [one.title for one in _FORMATS.values()]}, index=index)


def format_named(name: str) -> Format:
    """Return a registered format.

    Raises
    ------
    UnknownNameError
        Where there is none of that name.
    """
    check_name("format", name, [*_FORMATS, *_SHORT], "tc.formats() lists them.")
    return _FORMATS[_SHORT.get(name, name)]


def detected(source: Source) -> Detection:
    """Find the format whose evidence is strongest; of equals, the one registered first."""
    best = Detection(None, f"no format fits: {seen(source)}", 0.0)
    # A file that is only a header is an empty file; a frame may well be empty.
    if source.shape == "table" and source.container != "frame" and not source.head:
        return best
    for one in _FORMATS.values():
        try:
            found = one.detect(source)
        except MALFORMED:
            # Content of another shape than the format has.
            continue
        if found is not None and found[0] > best.confidence:
            best = Detection(one.name, found[1], found[0])
    return best


def seen(source: Source) -> str:
    """Describe what the content looks like."""
    if source.shape == "archive":
        return "a zip archive"
    if source.shape == "table":
        return f"a table with the columns {listed(name[:40] for name in source.columns)}"
    if not source.head:
        return "no record in it"
    first = source.head[0]
    kind = {"object": "one JSON object", "array": "a JSON array", "lines": "JSON lines"}[source.shape]
    if isinstance(first, dict):
        return f"{kind} with {f'the keys {listed(str(key)[:40] for key in first)}' if first else 'no keys'}"
    return f"{kind} of {_JSON_WORDS.get(type(first), type(first).__name__)}"


_JSON_WORDS = {
    list: "lists",
    str: "texts",
    bool: "true and false",
    int: "numbers",
    float: "numbers",
    type(None): "null",
}
