"""`Offered`: the lists of tools that many records repeat, each read once."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from toolcorrect.arguments.decoding import parse_json
from toolcorrect.loaders.calllike import add_offered_list
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.source import Source

# In JSON this can only be a key: inside a text its second quote has a backslash before it.
_LIST = re.compile(rb'"tools"[ \t]*:[ \t]*(?=\[)')
# A file with more lists than this offers each record its own.
_MOST = 32


def tools_of(source: Source, tools: Any) -> list[tuple[Any, ...]] | None:
    """Return the tools of one list, as `toolcorrect.loaders.calls.tool_row` has them; None where it is unknown.

    Raises
    ------
    ValueError
        Where there is anything to report.
    """
    rows = Rows(source)
    scratch = rows.case()
    add_offered_list(scratch, tools)
    if rows.reported:
        raise ValueError("tools that are not as they should be")
    return scratch.tools if scratch.columns.get("tools_known") else None


def rows_of(offered: Mapping[int, list[tuple[Any, ...]]]) -> list[dict[str, Any]]:
    """Return the rows of ``Part.tools`` from the tools of some cases."""
    return [dict(zip(_COLUMNS, (case, *row))) for case, rows in offered.items() for row in rows]


_COLUMNS = ("case", "tool", "description", "parameters", "effect")


class OfferedTexts:
    """The lists of tools of records that hold them as texts."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def taken(self, data: bytes) -> tuple[bytes, int]:
        """Return lines as they are; see `Offered.taken`."""
        return data, 0

    def of(self, texts: pa.Array, count: int) -> dict[int, list[tuple[Any, ...]]]:
        """Return the tools of each case that offers some.

        Raises
        ------
        TypeError, ValueError
            Where a text is no list of tools.
        """
        coded = texts.dictionary_encode()
        known = [tools_of(self._source, text) or [] for text in coded.dictionary.to_pylist()]
        codes = coded.indices.fill_null(-1).to_pylist()
        return {case: known[code] for case, code in enumerate(codes) if code >= 0}


class Offered:
    """Takes the lists under ``tools`` out of JSON lines, and leaves a number as text in their place."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._texts: list[bytes] = []
        self._tools: list[list[tuple[Any, ...]]] = []

    def taken(self, data: bytes) -> tuple[bytes, int] | None:
        """Return lines without their lists, and how many were taken; None where they are too many kinds.

        Raises
        ------
        ValueError
            Where a list is not JSON.
        """
        count = 0
        for number, text in enumerate(self._texts):
            count += data.count(text)
            data = data.replace(text, b'"tools":"%d"' % number)
        while (found := _LIST.search(data)) is not None:
            if len(self._texts) == _MOST:
                return None
            line = data[found.end() :].split(b"\n", 1)[0].decode()
            _, length = json.JSONDecoder().raw_decode(line)
            text = found[0] + line[:length].encode()
            self._tools.append(tools_of(self._source, parse_json(line[:length])) or [])
            count += data.count(text)
            data = data.replace(text, b'"tools":"%d"' % len(self._texts))
            self._texts.append(text)
        return data, count

    def of(self, numbers: pa.Array, count: int) -> dict[int, list[tuple[Any, ...]]] | None:
        """Return the tools of each case that offers some, from the texts that were left.

        Parameters
        ----------
        numbers
            String array, a text for each case.
        count
            How many there should be; None is returned where there are others, which were never lists.
        """
        if len(numbers) - numbers.null_count != count:
            return None
        given = pc.fill_null(numbers.cast(pa.int64()), -1).to_pylist()
        return {case: self._tools[number] for case, number in enumerate(given) if number >= 0}
