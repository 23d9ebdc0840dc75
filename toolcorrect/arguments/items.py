"""Argument texts as tables of numbers: which key of each holds which value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, pairwise
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from toolcorrect.arguments.atoms import Atoms, Unreadable
from toolcorrect.arguments.decoding import TEXT, parse_json
from toolcorrect.arguments.equality import sorted_json
from toolcorrect.arguments.members import split_objects

# What orjson would refuse or round: long integers, NaN and infinities, lone surrogates.
_DELICATE = r"\d{19}|NaN|Infinity|\\u[dD][89abAB]"
_PLAIN_INTEGER = r"^(?:0|-?[1-9][0-9]{0,17})$"
# Bytes of the texts split at a time, or twice these: few enough that what is made of them stays in the cache.
_BLOCK = 1 << 20
# The key under which a value stands that is no object.
_WHOLE = None


@dataclass(frozen=True)
class Items:
    """The (key, value) pairs of all texts, those of a text together, by number of the key.

    ``offsets`` says where each text begins, ``sizes`` how many pairs it has; ``key`` and ``atom`` are, for each
    pair, numbers of its key and of its value; ``held`` is text and key as one number (text times ``keys``, plus
    key), ascending, with a last one beyond all; ``is_object`` and ``padded`` tell the texts that hold
    an object, and a key with outer blanks. What is said of texts has one entry more: an object without keys.
    """

    offsets: np.ndarray
    sizes: np.ndarray
    key: np.ndarray
    atom: np.ndarray
    held: np.ndarray
    keys: int
    is_object: np.ndarray
    padded: np.ndarray
    atoms: Atoms


def items_of(texts: pa.ChunkedArray) -> Items:
    """Return the pairs of JSON texts, most of them by whole columns.

    Parameters
    ----------
    texts
        Strings, none of them null.
    """
    keys: dict[str | None, int] = defaultdict(count().__next__)
    atoms = Atoms()
    made, rest, total = [], [], 0
    for block in _blocks(texts):
        row, key, atom, apart = _pairs(block, keys, atoms)
        made.append((row + np.int32(total), key, atom))
        rest.append((apart + total, block.take(pa.array(apart))))
        total += len(block)
    row, key, atom = _with_apart(made, rest, keys, atoms)
    width = max(len(keys), 1)
    is_object, padded = np.ones(total + 1, dtype=bool), np.zeros(total + 1, dtype=bool)
    is_object[row[key == keys.get(_WHOLE, -1)]] = False
    blank = [number for name, number in keys.items() if name and name != name.strip()]
    if blank:
        padded[row[np.isin(key, blank)]] = True
    offsets = np.searchsorted(row, np.arange(total + 1))
    held = np.append(row * np.int64(width) + key, np.iinfo(np.int64).max)
    return Items(offsets, np.append(np.diff(offsets), 0), key, atom, held, width, is_object, padded, atoms)


def _blocks(texts: pa.ChunkedArray) -> Iterator[pa.Array]:
    """Cut texts anew, into blocks of about one size."""
    begin, size = 0, 0
    for end, chunk in enumerate(texts.chunks, 1):
        size += chunk.nbytes
        if size >= _BLOCK or end == texts.num_chunks:
            block = pa.concat_arrays([chunk.cast(TEXT) for chunk in texts.chunks[begin:end]])
            number = np.cumsum(pc.binary_length(block).to_numpy()) // (2 * _BLOCK)
            cuts = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(block)]
            yield from (block.slice(first, last - first) for first, last in pairwise(cuts))
            begin, size = end, 0


def _pairs(
    texts: pa.Array, keys: dict[str | None, int], atoms: Atoms
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return text, key and value of all pairs, as numbers and ascending, and the texts to be looked at apart."""
    members = split_objects(texts)
    names = _values_of(members.key.dictionary)
    key = np.array([keys[str(name)] for name in names], dtype=np.int32)[members.key.indices]
    no_name = np.array([type(name) is not str for name in names], dtype=bool)[members.key.indices]
    atom = _atoms_of(members.value.dictionary, atoms)[members.value.indices]
    order = np.argsort(members.row * len(keys) + key)
    row, key, repeats = members.row[order], key[order], np.zeros(len(order), dtype=bool)
    # Of a key that repeats the last one counts.
    repeats[1:] = (row[1:] == row[:-1]) & (key[1:] == key[:-1])
    apart = ~members.split
    apart[members.row[no_name | atoms.unreadable[atom]]] = apart[row[repeats]] = True
    kept = ~apart[row]
    return row[kept].astype(np.int32), key[kept], atom[order][kept], np.flatnonzero(apart)


def _with_apart(
    made: Sequence[tuple[np.ndarray, ...]],
    rest: list[tuple[np.ndarray, pa.Array]],
    keys: dict[str | None, int],
    atoms: Atoms,
) -> list[np.ndarray]:
    """Put the pairs of texts that are parsed one by one among those of the others."""
    nothing = np.empty(0, dtype=np.int32)
    values = [_parsed(text) for _, texts in rest for text in texts.to_pylist()]
    # What is no object stands under one key of its own.
    objects = [value if type(value) is dict else {_WHOLE: value} for value in values]
    text = np.concatenate([nothing, *(rows for rows, _ in rest)])
    row = np.repeat(text, np.fromiter(map(len, objects), np.int64, len(objects)))
    key = np.array([keys[name] for one in objects for name in one], dtype=np.int32)
    atom = np.array(atoms.numbers(chain.from_iterable(map(dict.values, objects))), dtype=np.int32)
    order = np.lexsort((key, row))
    others = [np.concatenate([nothing, *parts]) for parts in zip((nothing,) * 3, *made)]
    places = np.searchsorted(others[0], row[order])
    return [np.insert(whole, places, part[order]) for whole, part in zip(others, (row, key, atom))]


def _atoms_of(texts: pa.Array, atoms: Atoms) -> np.ndarray:
    """Return the numbers of values of members; most are integers, which need no parser."""
    whole = pc.match_substring_regex(texts, _PLAIN_INTEGER)
    integer = whole.to_numpy(zero_copy_only=False)
    made = np.empty(len(texts), dtype=np.int32)
    made[integer] = atoms.numbers_of_integers(texts.filter(whole).cast(pa.int64()).to_pylist())
    made[~integer] = atoms.numbers(_values_of(texts.filter(pc.invert(whole))))
    return made


def _values_of(texts: pa.Array) -> list[Any]:
    """Parse the keys or values of members; what is no JSON is unreadable."""
    given = texts.to_pylist()
    delicate = np.flatnonzero(_delicate(texts)).tolist()
    quick = given.copy()
    for place in delicate:
        quick[place] = "null"
    try:
        # They hold no comma outside of quotes and brackets, so that each is a value if all together are.
        values: list[Any] = orjson.loads(f"[{','.join(quick)}]")
    except orjson.JSONDecodeError:
        values = []
    # A single one may be blank.
    if len(values) < len(given):
        return list(map(_parsed, given))
    for place in delicate:
        values[place] = _parsed(given[place])
    return values


def _parsed(text: str) -> Any:
    """Parse one text, be it no JSON at all."""
    value = _read(text)
    try:
        # Some levels deeper than it will be written.
        sorted_json([[[[[[[[value]]]]]]]])
    except RecursionError:
        return Unreadable(text)
    return value


def parse_texts(texts: pa.Array) -> list[Any]:
    """Parse JSON texts without loss; what is no JSON is unreadable."""
    return _parse(texts.to_pylist(), _delicate(texts))


def _delicate(texts: pa.Array) -> np.ndarray:
    return np.asarray(pc.match_substring_regex(texts, _DELICATE).to_numpy(zero_copy_only=False), dtype=bool)


def _parse(texts: list[str], delicate: np.ndarray) -> list[Any]:
    loads, apart = orjson.loads, np.flatnonzero(delicate).tolist()
    quick = texts.copy()
    for place in apart:
        quick[place] = "null"
    try:
        values = [loads(text) for text in quick]
    except orjson.JSONDecodeError:
        # Nested too deeply for it, or no JSON.
        values = list(map(_read, quick))
    for place in apart:
        values[place] = _read(texts[place])
    return values


def _read(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        return Unreadable(text)
