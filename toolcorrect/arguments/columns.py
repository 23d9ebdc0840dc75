"""Argument texts of whole columns, decoded with each distinct text looked at once, most of them by Arrow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from toolcorrect.arguments.decoding import FORM, STATUS, TEXT, decode_text

POOL: Final = pa.system_memory_pool()
"""For what is as large as a block of a file: it gives such memory back at once, which costs far fewer page faults."""

# Spellings that Arrow's parser takes for something else, or that need a closer look: letters one by one.
_ODD_SPELLINGS = ((b"\n",), (b"N", b"a", b"N"), (b"I", b"n", b"f"), (b"\\", b"u", b"dD", b"89abcdefABCDEF"))
# Below this many texts a loop is faster.
_FEW = 64


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


def decode_texts(texts: pa.Array, *, wire: bool = False) -> DecodedTexts:
    """Decode a column of argument texts, each distinct text once.

    Parameters
    ----------
    texts
        String array of n texts; a null is a missing key (form and status ``absent``).
    wire
        See `toolcorrect.arguments.decoding.decode`.

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
        What `decode_text` says of these.
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
        decoded = [decode_text(text) for text in given]
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
