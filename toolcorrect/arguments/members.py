"""JSON objects split into their members by whole columns: no Python object a text.

Only where members begin and end is looked for: the keys and values themselves, mostly few distinct ones, are for
the JSON parser, and a text is an object exactly if all of them are what they should be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

_ESCAPE, _QUOTE, _COLON, _COMMA, _OPEN, _CLOSE = range(1, 7)
_KINDS = bytes.maketrans(b'":,{[}]\\', bytes([_QUOTE, _COLON, _COMMA, _OPEN, _OPEN, _CLOSE, _CLOSE, _ESCAPE]))
# Values nested deeper than this are not split: other code may not get to their bottom.
_DEEPEST = 50
# Every other character is of no kind.
_KIND_OF = bytes(kind if kind != octet else 0 for octet, kind in enumerate(_KINDS))


class Members(NamedTuple):
    """Members of the objects of some texts.

    Attributes
    ----------
    row
        int64, for each member its text, non-decreasing.
    key, value
        Dictionary-encoded strings, for each member its key and its value as they are written.
    split
        bool, for each text, whether its members are here: not what is plainly no object, nor what is nested
        deeply.
    """

    row: np.ndarray
    key: pa.DictionaryArray
    value: pa.DictionaryArray
    split: np.ndarray


def split_objects(texts: pa.Array) -> Members:
    """Split texts that are written like JSON objects.

    Parameters
    ----------
    texts
        Large strings, none of them null.

    Returns
    -------
    Members
        If every key of a text that was split is a JSON string, and every value a JSON value, the text is an
        object with these members; else it is no JSON.

    Examples
    --------
    >>> made = split_objects(pa.array(['{"a": 1,"b":[2, {}]}', "[3]"], pa.large_string()))
    >>> made.key.to_pylist(), made.value.to_pylist(), made.split.tolist()
    (['"a"', '"b"'], [' 1', '[2, {}]'], [True, False])
    """
    offsets = np.frombuffer(texts.buffers()[1], np.int64, len(texts) + 1, texts.offset * 8)
    text = texts.buffers()[2].slice(offsets[0], offsets[-1] - offsets[0])
    offsets = offsets - offsets[0]
    place, kind = _outside_strings(text, offsets)
    close = kind == _CLOSE
    # How many brackets are open behind each character.
    depth = _since_begin(np.subtract(kind == _OPEN, close, dtype=np.int32), np.searchsorted(place, offsets))
    deep = place[depth > _DEEPEST]
    # Behind what closes the outermost value the depth is one less.
    outermost = depth == 1 - close
    place, kind = place[outermost], kind[outermost]
    first = np.searchsorted(place, offsets)
    split = _alternate(place, kind, first, offsets)
    split[np.searchsorted(offsets, deep, side="right") - 1] = False
    octets = np.frombuffer(text, np.uint8)
    split[split] = (octets[offsets[:-1][split]] == ord("{")) & (octets[offsets[1:][split] - 1] == ord("}"))
    colon = np.flatnonzero((kind == _COLON) & np.repeat(split, np.diff(first)))
    row = np.searchsorted(first, colon, side="right") - 1
    # Each member is a key, its colon, a value, and what lies between it and the next member.
    cuts = np.stack((place[colon - 1] + 1, place[colon], place[colon] + 1, place[colon + 1]), axis=-1).ravel()
    pieces = pa.LargeStringArray.from_buffers(max(len(cuts) - 1, 0), pa.py_buffer(cuts), text)
    key, value = (pieces.take(pa.array(np.arange(begin, len(cuts), 4))).dictionary_encode() for begin in (0, 2))
    return Members(row, key, value, split)


def _outside_strings(text: pa.Buffer, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return place and kind of the characters that are structure: in no string, and no quotes."""
    kinds = np.frombuffer(text.to_pybytes().translate(_KIND_OF), np.uint8)
    place = np.flatnonzero(kinds != 0)
    kind = kinds[place]
    escape = kind == _ESCAPE
    if escape.any():
        kind[_escaped(place[escape], len(kinds))[place]] = 0
    # A number of quotes may run over: whether it is odd is all that counts.
    quotes = _since_begin((kind == _QUOTE).view(np.uint8), np.searchsorted(place, offsets))
    structure = (kind > _QUOTE) & (quotes & 1 == 0)
    return place[structure], kind[structure]


def _escaped(backslash: np.ndarray, size: int) -> np.ndarray:
    """Mark the characters that a backslash stands before which is itself not escaped."""
    number = np.arange(len(backslash))
    begins = np.diff(backslash, prepend=-2) != 1
    within = number - np.maximum.accumulate(np.where(begins, number, 0))
    marked = np.zeros(size + 1, dtype=bool)
    marked[backslash[within % 2 == 0] + 1] = True
    return marked


def _since_begin(steps: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Sum up steps anew from where each text begins."""
    total = np.add.accumulate(steps)
    before = np.concatenate((np.zeros(1, total.dtype), total))[first[:-1]]
    return total - np.repeat(before, np.diff(first)) if before.any() else total


def _alternate(place: np.ndarray, kind: np.ndarray, first: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Mark the texts that begin and end with the outermost brackets, colons and commas by turns between them."""
    count = np.diff(first)
    within = np.arange(len(place)) - np.repeat(first[:-1], count)
    wanted = np.where(within % 2 == 1, _COLON, _COMMA)
    some = count > 1
    begin, end = first[:-1][some], first[1:][some] - 1
    wanted[begin], wanted[end] = _OPEN, _CLOSE
    wrong = np.add.reduceat(np.append(kind != wanted, False), first[:-1]) if len(count) else count
    good = np.zeros(len(count), dtype=bool)
    whole = (place[begin] == offsets[:-1][some]) & (place[end] == offsets[1:][some] - 1)
    # Between two brackets there is nothing, else an odd number of colons and commas.
    good[some] = whole & ((count[some] % 2 == 1) | (place[end] == place[begin] + 1)) & (wrong[some] == 0)
    return good
