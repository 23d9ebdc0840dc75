"""Levenshtein distance of two texts."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=1 << 16)
def edits(first: str, second: str) -> int:
    """Return the fewest insertions, deletions and changes of a character that turn one text into the other.

    All characters of the first text are one integer's bits. Source: Myers, "A fast bit-vector algorithm for
    approximate string matching based on dynamic programming" (1999), as simplified by Hyyrö (2003).

    Examples
    --------
    >>> edits("kitten", "sitting"), edits("", "abc")
    (3, 3)
    """
    if not first:
        return len(second)
    places: dict[str, int] = {}
    for place, character in enumerate(first):
        places[character] = places.get(character, 0) | 1 << place
    every, last = (1 << len(first)) - 1, 1 << (len(first) - 1)
    # Where going one character down in the first text raises or lowers the distance.
    raises, lowers, distance = every, 0, len(first)
    for character in second:
        same = places.get(character, 0)
        across = (((same & raises) + raises) ^ raises) | same
        up, down = lowers | ~(across | raises), raises & across
        distance += bool(up & last) - bool(down & last)
        up, down = up << 1 | 1, down << 1
        same |= lowers
        raises, lowers = (down | ~(same | up)) & every, up & same & every
    return distance


def similarity(first: str, second: str) -> float:
    """Return 1 minus the distance over the longer length; two empty texts are alike.

    Examples
    --------
    >>> similarity("abcd", "abxd"), similarity("", "")
    (0.75, 1.0)
    """
    return 1.0 - edits(first, second) / max(len(first), len(second), 1)
