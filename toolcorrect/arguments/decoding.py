"""Argument texts: from what a trace holds to JSON text, its form and its status.

Rules: a text is parsed as JSON; a text inside the text is parsed again (at most twice); then Python's
literal syntax, code fences, stray template tokens and trailing commas are tried. What still cannot be
read is ``failed`` and unknown: never ``{}``.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import orjson
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from toolcorrect.tables import FORMS, STATUSES

ABSENT: Final = type("Absent", (), {"__repr__": lambda self: "ABSENT", "__bool__": lambda self: False})()
"""Stands for a key that is not there, which differs from null."""

TEXT: Final = pa.large_string()
"""Arrow type of every text column; pandas keeps it without a copy."""

POOL: Final = pa.system_memory_pool()
"""For what is as large as a block of a file: it gives such memory back at once, which costs far fewer page faults."""

FORM: Final[dict[str, int]] = {name: code for code, name in enumerate(FORMS.categories)}
STATUS: Final[dict[str, int]] = {name: code for code, name in enumerate(STATUSES.categories)}

# Integers that orjson would turn into floats; the character before keeps digits inside texts out.
WIDE_INTEGER: Final = r"(?:^|[\s:,\[-])(?:[0-9]{20}|9[2-9][0-9]{17})"
_WIDE_INTEGER = re.compile(WIDE_INTEGER.encode())
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_MANY_DIGITS = b"0" * 19
# Beyond so many bytes Arrow's search is worth its call.
_LONG_DOCUMENT = 4000

# Spellings that Arrow's parser takes for something else, or that need a closer look: letters one by one.
_ODD_SPELLINGS = ((b"\n",), (b"N", b"a", b"N"), (b"I", b"n", b"f"), (b"\\", b"u", b"dD", b"89abcdefABCDEF"))
# Below this many texts a loop is faster.
_FEW = 64

# Literals longer than this are not worth the parser's memory.
_LONGEST_LITERAL = 200_000
_FENCE = re.compile(r"^```[a-zA-Z]*|```$")
_TEMPLATE_TOKEN = re.compile(r"<\|[a-z_]{1,40}\|>|</?(?:s|tool_call|function_call)>")
# A text that never ends is passed over at once, so that each character is looked at once only.
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+"?)|,(\s*+[}\]])', re.DOTALL)
_OPENERS = ("{", "[", "(", "'", '"')


class Decoded(NamedTuple):
    """One decoded argument value.

    Attributes
    ----------
    text
        JSON text of the value; None where it is not known.
    form
        How the value came: a category of ``toolcorrect.tables.FORMS``.
    status
        A category of ``toolcorrect.tables.STATUSES``.
    raw
        The text as it came, where it is not plainly ok.
    """

    text: str | None
    form: str
    status: str
    raw: str | None


class DecodedTexts(NamedTuple):
    """Decoded argument texts, as columns.

    Attributes
    ----------
    text, raw
        String arrays; null where not known, and where the text is plainly ok.
    form, status
        int8 codes of ``toolcorrect.tables.FORMS`` and ``STATUSES``.
    twice
        How many texts held their value as a text again.
    """

    text: pa.Array
    form: np.ndarray
    status: np.ndarray
    raw: pa.Array
    twice: int


def parse_json(text: str | bytes) -> Any:
    """Parse JSON without losing anything: integers of up to 4,300 digits, NaN and lone surrogates included.

    Parameters
    ----------
    text
        One JSON document.

    Raises
    ------
    ValueError
        Where it is not JSON, is nested too deeply, or holds a longer integer, on which Python would spend too long.

    Examples
    --------
    >>> parse_json('{"id": 123456789012345678901}')
    {'id': 123456789012345678901}
    """
    try:
        data = text.encode() if isinstance(text, str) else text
        if not _has_wide_integers(data):
            return orjson.loads(data)
    except ValueError as cause:
        if "ecursion" in str(cause):
            raise
    return parse_json_slowly(text)


def _has_wide_integers(data: bytes) -> bool:
    """Search for `WIDE_INTEGER`, but only where as many digits stand in a row."""
    if _MANY_DIGITS not in data.translate(_DIGITS):
        return False
    if len(data) < _LONG_DOCUMENT:
        return _WIDE_INTEGER.search(data) is not None
    ends = np.array([0, len(data)])
    column = pa.Array.from_buffers(pa.large_binary(), 1, [None, pa.py_buffer(ends), pa.py_buffer(data)])
    return bool(pc.match_substring_regex(column, WIDE_INTEGER)[0].as_py())


def parse_json_slowly(text: str | bytes) -> Any:
    """Parse JSON by the standard library, which keeps what orjson refuses or shortens."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except ValueError as cause:
        if str(cause).startswith("Exceeds the limit"):
            raise ValueError("an integer has more than 4,300 digits") from None
        raise


def to_json(value: Any) -> str:
    """Write a value as compact JSON text, without loss where JSON's grammar allows it.

    NaN and infinities are written as Python's json does; keys that are not texts become texts; what JSON
    has no form for becomes its text.

    Examples
    --------
    >>> to_json({"city": "Málaga", "n": 1.0})
    '{"city":"Málaga","n":1.0}'
    """
    try:
        text = orjson.dumps(value)
        # orjson writes NaN as null: only then look again.
        if b"null" not in text:
            return text.decode()
    except TypeError:
        pass
    try:
        text_slowly = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_as_text)
        text_slowly.encode()
    except UnicodeEncodeError:
        # Lone surrogates exist in JSON only as escapes.
        return json.dumps(value, separators=(",", ":"), default=_as_text)
    except (RecursionError, ValueError):
        return json.dumps(_as_text(value)[:10_000])
    return text_slowly


def _as_text(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if value is pd.NA or value is pd.NaT:
        return None
    try:
        return str(value)
    except RecursionError:
        return type(value).__name__


def decode(value: Any, *, wire: bool = False) -> Decoded:
    """Decode one argument value as a trace holds it.

    Parameters
    ----------
    value
        A mapping, a text, None for null, `ABSENT` for a missing key, or anything else.
    wire
        The format sends arguments as JSON text, so that a text that decodes is no surprise: its form is
        that of the value inside.

    Examples
    --------
    >>> decode('{"a": 1}', wire=True)
    Decoded(text='{"a": 1}', form='object', status='ok', raw=None)
    >>> decode("{'a': 1}").status, decode('{"a": ').status
    ('repaired', 'failed')
    """
    if isinstance(value, str):
        status, form, text, _ = _decode_text(value)
        return Decoded(text, form if wire else "text", status, None if text is value else value)
    if isinstance(value, dict):
        return Decoded(to_json(value), "object", "ok", None)
    if value is ABSENT:
        return Decoded(None, "absent", "absent", None)
    if value is None:
        return Decoded(None, "null", "null", None)
    return Decoded(to_json(value), "list" if isinstance(value, list | tuple) else "other", "non_object", None)


def decode_texts(texts: pa.Array, *, wire: bool = False) -> DecodedTexts:
    """Decode a column of argument texts, each distinct text once.

    Parameters
    ----------
    texts
        String array of n texts; a null is a missing key (form and status ``absent``).
    wire
        See `decode`.

    Returns
    -------
    DecodedTexts
        Columns of length n. Texts with status ok are kept verbatim.
    """
    return DistinctTexts.of(texts).columns(0, len(texts), wire=wire)


@dataclass(frozen=True)
class DistinctTexts:
    """Argument texts of several columns, one behind the other, each distinct text decoded once.

    Attributes
    ----------
    texts
        String array, all as they came.
    number
        int64, for each its place among the distinct ones; -1 is a missing key.
    distinct
        String array.
    odd
        int64, places of those that are not plainly ok.
    decoded
        What `_decode_text` says of these.
    changed
        bool, for each of these, whether it is not kept verbatim.
    """

    texts: pa.Array
    number: np.ndarray
    distinct: pa.Array
    odd: np.ndarray
    decoded: list[tuple[str, str, str | None, bool]]
    changed: np.ndarray

    @classmethod
    def of(cls, texts: pa.Array) -> DistinctTexts:
        """Decode texts; see `decode_texts`."""
        if isinstance(texts, pa.ChunkedArray):
            texts = texts.combine_chunks()
        texts = texts.cast(TEXT)
        encoded = pc.dictionary_encode(texts, memory_pool=POOL)
        number = encoded.indices.fill_null(-1).to_numpy().astype(np.int64)
        odd = _not_plain(encoded.dictionary)
        given = encoded.dictionary.take(pa.array(odd)).to_pylist()
        decoded = [_decode_text(text) for text in given]
        # Texts that are kept verbatim come back as the same object.
        changed = np.array([made is not text for text, (_, _, made, _) in zip(given, decoded)], dtype=bool)
        return cls(texts, number, encoded.dictionary, odd, decoded, changed)

    def columns(self, begin: int, end: int, *, wire: bool) -> DecodedTexts:
        """Return the columns of the texts from one place to before another; see `decode_texts`."""
        texts, number = self.texts.slice(begin, end - begin), self.number[begin:end]
        status = self._for_each("ok", "absent", STATUS, [word for word, *_ in self.decoded])[number]
        inside = self._for_each("object", "absent", FORM, [shape for _, shape, *_ in self.decoded])[number]
        form = inside if wire else np.where(number < 0, inside, np.int8(FORM["text"]))
        twice = np.zeros(len(self.distinct) + 1, dtype=np.int64)
        twice[self.odd] = [again for *_, again in self.decoded]
        mask = self._is_changed[number]
        made = self._made().take(pa.array(np.searchsorted(self.odd[self.changed], number[mask])))
        arguments = pc.replace_with_mask(texts, mask, made, memory_pool=POOL)
        raw = texts.take(pa.array(np.arange(len(texts)), mask=~mask))
        return DecodedTexts(arguments, form, status, raw, int(twice[number].sum()))

    def numbered(self) -> tuple[np.ndarray, pa.Array]:
        """Return for each decoded text its number (int64, -1: not known) among the distinct ones, and these."""
        # Texts may be equal that came unequal.
        texts = pc.replace_with_mask(self.distinct, self._is_changed[:-1], self._made(), memory_pool=POOL)
        encoded = pc.dictionary_encode(texts, memory_pool=POOL)
        number = np.append(encoded.indices.fill_null(-1).to_numpy(), -1)[self.number]
        return number.astype(np.int64), encoded.dictionary

    @property
    def _is_changed(self) -> np.ndarray:
        """Mark the distinct texts that are not kept verbatim; one entry more, for the missing key."""
        marked = np.zeros(len(self.distinct) + 1, dtype=bool)
        marked[self.odd[self.changed]] = True
        return marked

    def _made(self) -> pa.Array:
        """Return what came of the texts that are not kept verbatim."""
        return pa.array([made for (_, _, made, _), new in zip(self.decoded, self.changed) if new], TEXT)

    def _for_each(self, usual: str, missing: str, codes: Mapping[str, int], words: list[str]) -> np.ndarray:
        """Return the code (int8) of each distinct text, and one more: for the missing key."""
        made = np.full(len(self.distinct) + 1, codes[usual], dtype=np.int8)
        made[self.odd] = [codes[word] for word in words]
        made[-1] = codes[missing]
        return made


def _not_plain(texts: pa.Array) -> np.ndarray:
    """Return the rows (int64) whose text is not surely one JSON object in its plainest spelling.

    Notes
    -----
    All candidates are parsed at once as lines of JSON, by Arrow. A candidate begins and ends with a brace and
    holds no newline, so that between two of them a value must end: as many values as lines means that each
    line is one object. Where Arrow objects to any, each is looked at by itself.
    """
    if len(texts) < _FEW:
        return _not_objects(texts, np.arange(len(texts)))
    offsets = np.frombuffer(texts.buffers()[1], np.int64, len(texts) + 1, texts.offset * 8)
    octets = np.frombuffer(texts.buffers()[2], np.uint8)
    # A short text cannot be nested too deeply for orjson.
    plain = (np.diff(offsets) > 1) & (np.diff(offsets) < 2000)
    plain[plain] = octets[offsets[:-1][plain]] == ord("{")
    plain[plain] = octets[offsets[1:][plain] - 1] == ord("}")
    odd = offsets[0] + _oddly_spelt(octets[offsets[0] : offsets[-1]])
    plain[np.searchsorted(offsets, odd, side="right") - 1] = False
    candidates = texts if plain.all() else pc.filter(texts, pa.array(plain), memory_pool=POOL)
    empty, newline = pa.scalar("", TEXT), pa.scalar("\n", TEXT)
    ended = pc.binary_join_element_wise(candidates, empty, newline, memory_pool=POOL)
    # The bytes of all texts lie one behind the other.
    lines = ended.buffers()[2].slice(0, pc.sum(pc.binary_length(ended)).as_py() or 0)
    try:
        values = pj.read_json(
            pa.BufferReader(lines),
            read_options=pj.ReadOptions(use_threads=False, block_size=lines.size + 1),
            parse_options=pj.ParseOptions(explicit_schema=pa.schema([]), unexpected_field_behavior="ignore"),
            memory_pool=POOL,
        ).num_rows
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        values = -1
    if values == len(candidates):
        return np.flatnonzero(~plain)
    return np.sort(np.concatenate([np.flatnonzero(~plain), _not_objects(candidates, np.flatnonzero(plain))]))


def _oddly_spelt(octets: np.ndarray) -> np.ndarray:
    """Return the places (int64) where a spelling begins that is not plain."""
    begins = np.zeros(len(octets), dtype=bool)
    for first, *_ in _ODD_SPELLINGS:
        begins |= octets == ord(first)
    place = np.flatnonzero(begins)
    found = np.zeros(len(place), dtype=bool)
    for letters in _ODD_SPELLINGS:
        same = np.ones(len(place), dtype=bool)
        for ahead, choice in enumerate(letters):
            same &= np.isin(octets[np.minimum(place + ahead, len(octets) - 1)], list(choice))
        found |= same
    return place[found]


def _not_objects(texts: pa.Array, rows: np.ndarray) -> np.ndarray:
    """Return those rows whose text is there but is not one JSON object that orjson reads."""
    odd = []
    loads = orjson.loads
    for row, text in zip(rows.tolist(), texts.to_pylist()):
        try:
            if type(loads(text)) is dict:
                continue
        except ValueError:
            pass
        odd.append(row)
    return np.array(odd, dtype=np.int64)


def _decode_text(text: str) -> tuple[str, str, str | None, bool]:
    """Return status, form of the value inside, JSON text (the same object where verbatim), decoded twice."""
    if not text.strip():
        return "empty", "object", "{}", False
    inner = text
    for depth in range(3):
        try:
            value = parse_json(inner)
        except ValueError:
            if depth:
                # A text that holds no JSON is the value itself.
                return "non_object", "other", to_json(inner), False
            return _repair(text)
        if not isinstance(value, str):
            return _judged(value, inner, text, depth > 0)
        inner = value
    return "non_object", "other", to_json(inner), False


def _judged(value: Any, inner: str, text: str, again: bool) -> tuple[str, str, str | None, bool]:
    kept = text if inner is text else inner
    if isinstance(value, dict):
        return "ok", "object", _storable(kept), again
    if value is None:
        return "null", "null", None, again
    if inner is text:
        # A new text, so that the raw one is kept beside it.
        kept = to_json(value)
    return "non_object", "list" if isinstance(value, list) else "other", _storable(kept), again


def _storable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return to_json(parse_json(text))
    return text


def _repair(text: str) -> tuple[str, str, str | None, bool]:
    value = _literal(text)
    if value is ABSENT:
        bare = _TEMPLATE_TOKEN.sub("", _FENCE.sub("", text.strip())).strip()
        bare = _TRAILING_COMMA.sub(lambda found: found[1] or found[2], bare)
        try:
            value = json.loads(bare, strict=False)
        except (ValueError, RecursionError):
            value = _literal(bare)
    if value is ABSENT:
        return "failed", "text", None, False
    if value is None:
        return "null", "null", None, False
    if isinstance(value, dict):
        return "repaired", "object", to_json(value), False
    return "non_object", "list" if isinstance(value, list) else "other", to_json(value), False


def _literal(text: str) -> Any:
    """Read Python's literal syntax, as printing a dict gives it; `ABSENT` where it is none."""
    stripped = text.strip()
    if (
        len(stripped) > _LONGEST_LITERAL
        or not stripped.startswith(_OPENERS)
        or re.search(r"[-+~(\[{]{200}", stripped)
    ):
        return ABSENT
    try:
        value = ast.literal_eval(stripped)
        value = list(value) if isinstance(value, tuple) else value
        json.dumps(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ABSENT
    return value
