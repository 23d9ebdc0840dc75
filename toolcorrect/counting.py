"""The integer counts of two lists, for very many pairs of lists at once.

Pairs of lists of like length form a block, and each pair is a lane in it: for each called place, a word
of bits says which expected places hold the same call. The word is as narrow as the lists allow, so
that most work is done on bytes; lists beyond 64 calls take several words. Source of the bit-parallel
longest common subsequence: Hyyrö, "Bit-parallel LCS-length computation revisited" (2004).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

COUNTS = ("shared", "shared_distinct", "expected_found", "called_wanted", "longest", "leading", "positions")

# Comparisons (bytes) a block may hold at once, and lanes: few enough for the processor's cache.
_BLOCK = 1 << 24
_LANES = 1 << 13
_FEW = 1 << 8
_ONE = np.uint64(1)


def count(
    expected: np.ndarray,
    expected_offsets: np.ndarray,
    called: np.ndarray,
    called_offsets: np.ndarray,
    among: np.ndarray | None = None,
) -> dict[str, np.ndarray]:
    """Count what pairs of lists have in common.

    Parameters
    ----------
    expected, called
        int64, the numbers of the calls of all lists, one list behind the other.
    expected_offsets, called_offsets
        Where each list begins; one entry more than there are lists, equally many on both sides.
    among
        bool, one entry a pair: the others are left at 0. None: all are counted.

    Returns
    -------
    dict of str to numpy.ndarray
        int64 arrays, one entry a pair, named as in `COUNTS`.

    Examples
    --------
    >>> made = count(np.array([1, 2, 2]), np.array([0, 3]), np.array([2, 1, 2]), np.array([0, 3]))
    >>> {name: int(values[0]) for name, values in made.items()}["longest"]
    2
    """
    pairs = len(expected_offsets) - 1
    made = {name: np.zeros(pairs, dtype=np.int64) for name in COUNTS}
    lengths = np.diff(expected_offsets) if among is None else np.where(among, np.diff(expected_offsets), 0)
    called_lengths = np.diff(called_offsets)
    expected, called = _narrow(expected), _narrow(called)
    for lanes, width, depth in blocks(lengths, called_lengths):
        e = padded(expected, expected_offsets, lanes, width, -2)
        c = padded(called, called_offsets, lanes, depth, -1)
        for name, values in _count_block(e, c, called_lengths[lanes]).items():
            made[name][lanes] = values
    return made


def _narrow(numbers: np.ndarray) -> np.ndarray:
    """Return numbers in half the memory, where they fit."""
    return numbers.astype(np.int32) if numbers.max(initial=0) < 2**31 else numbers


def edits(
    expected: np.ndarray, expected_offsets: np.ndarray, called: np.ndarray, called_offsets: np.ndarray
) -> np.ndarray:
    """Count the Levenshtein edits between pairs of lists; see `count` for the parameters.

    Row by row over the expected places: after the usual three choices, a running minimum along the called
    places settles the insertions.
    """
    lengths_e, lengths_c = np.diff(expected_offsets), np.diff(called_offsets)
    made = np.maximum(lengths_e, lengths_c)
    for lanes, width, depth in blocks(lengths_e, lengths_c, cell=8):
        e = padded(expected, expected_offsets, lanes, width, -2)
        c = padded(called, called_offsets, lanes, depth, -1)
        steps = np.arange(depth + 1)
        row = np.tile(steps, (len(lanes), 1))
        result = np.zeros(len(lanes), dtype=np.int64)
        for i in range(width):
            change = row[:, :-1] + (c != e[:, i : i + 1])
            below = np.minimum(row + 1, np.pad(change, ((0, 0), (1, 0)), constant_values=np.iinfo(np.int64).max // 2))
            row = np.minimum.accumulate(below - steps, axis=1) + steps
            done = lengths_e[lanes] == i + 1
            result[done] = row[done, lengths_c[lanes][done]]
        made[lanes] = result
    return made


def blocks(
    expected_lengths: np.ndarray, called_lengths: np.ndarray, cell: int = 1
) -> Iterator[tuple[np.ndarray, int, int]]:
    """Gather pairs of lists of like length; pairs with an empty side are left out.

    Yields
    ------
    tuple
        Positions of the pairs, their called lengths ascending; padded expected length (a power of two); longest
        called length.
    """
    live = np.flatnonzero((expected_lengths > 0) & (called_lengths > 0))
    wide = _few_widths(np.maximum(_power_of_two(expected_lengths[live]), 8))
    order = np.lexsort((called_lengths[live], wide))
    live, wide = live[order], wide[order]
    begins = np.flatnonzero(np.diff(wide, prepend=0))
    for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(live)]):
        width = int(wide[begin])
        # From the longest down, for the longest of a block says how many fit in.
        while end > begin:
            depth = int(called_lengths[live[end - 1]])
            size = min(max(_BLOCK // (width * depth * cell), 1), _LANES)
            yield live[max(end - size, begin) : end], width, depth
            end -= size


def _few_widths(wide: np.ndarray) -> np.ndarray:
    """Put lists of widths that few have to those of the next: a step over few lists costs as much as over many."""
    widths, counts = np.unique(wide, return_counts=True)
    joined = widths.copy()
    begin = 0
    for end in range(1, len(widths) + 1):
        if counts[begin:end].sum() >= _FEW or end == len(widths):
            joined[begin:end] = widths[end - 1]
            begin = end
    return joined[np.searchsorted(widths, wide)]


def padded(values: np.ndarray, offsets: np.ndarray, lanes: np.ndarray, width: int, filler: int) -> np.ndarray:
    """Return some lists as rows of one array, filled up to one width."""
    begins, lengths = offsets[lanes], offsets[lanes + 1] - offsets[lanes]
    column = np.arange(width)
    inside = column < lengths[:, None]
    at = np.where(inside, begins[:, None] + column, 0)
    return np.where(inside, values[at], filler)


def _power_of_two(lengths: np.ndarray) -> np.ndarray:
    return 1 << np.ceil(np.log2(np.maximum(lengths, 1))).astype(np.int64)


def _count_block(e: np.ndarray, c: np.ndarray, lengths: np.ndarray) -> dict[str, np.ndarray]:
    """Count what rows have in common; the true lengths of the called ones ascend."""
    lanes, width = e.shape
    made = {name: np.zeros(lanes, dtype=np.int64) for name in COUNTS}
    ops = _OneWord(width) if width <= 64 else _ManyWords(width)
    zero = ops.zeros(lanes)
    seen, used, free = zero.copy(), zero.copy(), ~zero
    for j, begin in enumerate(np.searchsorted(lengths, np.arange(c.shape[1]), side="right").tolist()):
        # Shorter lists are done.
        live = slice(begin, None)
        same = ops.pack(e[live] == c[live, j : j + 1])
        hit = ops.any(same)
        made["called_wanted"][live] += hit
        made["shared_distinct"][live] += hit & ~ops.any(same & seen[live])
        seen[live] |= same
        used[live] |= ops.lowest(same & ~used[live])
        made["leading"][live] += ops.bit(same, made["leading"][live])
        if j < width:
            made["positions"][live] += ops.bit(same, j)
        free[live] = ops.add(free[live], free[live] & same) | (free[live] & ~same)
    made["shared"] = ops.ones(used)
    made["expected_found"] = ops.ones(seen)
    made["longest"] = ops.ones(~free)
    return made


class _OneWord:
    """Bit operations where a list fits one machine word: arrays of shape (lanes,)."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.word = np.dtype(f"u{width // 8}")

    def zeros(self, lanes: int) -> np.ndarray:
        return np.zeros(lanes, dtype=self.word)

    def pack(self, flags: np.ndarray) -> np.ndarray:
        return np.packbits(flags, axis=1, bitorder="little").view(self.word.newbyteorder("<"))[:, 0].astype(self.word)

    def any(self, words: np.ndarray) -> np.ndarray:
        return words != 0

    def lowest(self, words: np.ndarray) -> np.ndarray:
        return words & (~words + self.word.type(1))

    def bit(self, words: np.ndarray, place: np.ndarray | int) -> np.ndarray:
        at = np.minimum(place, self.width - 1).astype(self.word)
        return ((words >> at) & self.word.type(1)).astype(np.int64) * (place < self.width)

    def add(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return left + right

    def ones(self, words: np.ndarray) -> np.ndarray:
        return np.bitwise_count(words).astype(np.int64)


class _ManyWords:
    """The same operations on arrays of shape (lanes, words) of 64 bits, lowest word first."""

    def __init__(self, width: int) -> None:
        self.width = width

    def zeros(self, lanes: int) -> np.ndarray:
        return np.zeros((lanes, self.width // 64), dtype=np.uint64)

    def pack(self, flags: np.ndarray) -> np.ndarray:
        return np.packbits(flags, axis=1, bitorder="little").view("<u8").astype(np.uint64)

    def any(self, words: np.ndarray) -> np.ndarray:
        return (words != 0).any(axis=1)

    def lowest(self, words: np.ndarray) -> np.ndarray:
        lanes = np.arange(len(words))
        first = (words != 0).argmax(axis=1)
        word = words[lanes, first]
        made = np.zeros_like(words)
        made[lanes, first] = word & (~word + _ONE)
        return made

    def bit(self, words: np.ndarray, place: np.ndarray | int) -> np.ndarray:
        if isinstance(place, int):
            return ((words[:, place // 64] >> np.uint64(place % 64)) & _ONE).astype(np.int64)
        at = np.minimum(place, self.width - 1)
        word = words[np.arange(len(words)), at // 64]
        return ((word >> np.asarray(at % 64).astype(np.uint64)) & _ONE).astype(np.int64) * (place < self.width)

    def add(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        total = left + right
        carry = total < left
        while carry[:, :-1].any():
            moved = np.zeros_like(total)
            moved[:, 1:] = carry[:, :-1]
            total = total + moved
            carry = total < moved
        return total

    def ones(self, words: np.ndarray) -> np.ndarray:
        return np.bitwise_count(words).sum(axis=1).astype(np.int64)
