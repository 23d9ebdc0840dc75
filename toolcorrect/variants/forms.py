"""How arguments arrived (``arguments_form``), and which lists an upstream refuses for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from toolcorrect.encoding import SIDES, Encoding, SideName
from toolcorrect.overlap import Overlap

NO_OBJECT = ("text", "list", "other")
NOT_GIVEN = ("null", "absent")


def arrived(encoding: Encoding, side: SideName, forms: Iterable[str]) -> np.ndarray:
    """Mark the calls of a side whose arguments came in one of some forms."""
    wanted = tuple(forms)

    def mark() -> np.ndarray:
        column = encoding.column(side, "arguments_form")
        # One entry more, for what is missing (-1).
        return np.append(column.cat.categories.isin(wanted), False)[column.cat.codes]

    return encoding.remember(("arrived", side, wanted), mark)


def lists_with(encoding: Encoding, side: SideName, marked: np.ndarray) -> np.ndarray:
    """Mark the lists that hold a marked call of a side."""
    made = np.zeros(encoding.list_count, dtype=bool)
    made[getattr(encoding, side).owner[marked]] = True
    return made


def nameless(encoding: Encoding, side: SideName) -> np.ndarray:
    """Mark the calls of a side whose name is empty."""
    empty = [number for number, name in enumerate(encoding.tool_names) if not name]
    return np.isin(getattr(encoding, side).tool, empty)


def refuses(
    *, expected: Iterable[str] = NO_OBJECT, called: Iterable[str] = NO_OBJECT, unnamed: Iterable[SideName] = ()
) -> Callable[[Overlap], np.ndarray]:
    """Return a ``Variant.rejects``: mark lists with a call whose arguments came in a form that upstream refuses.

    Parameters
    ----------
    expected, called
        The refused forms of each side, see ``arguments_form`` in `toolcorrect.tables`.
    unnamed
        Sides whose calls must have a name that is not empty.
    """
    refused = {"expected": tuple(expected), "called": tuple(called)}

    def mark(encoding: Encoding) -> np.ndarray:
        marked = [lists_with(encoding, side, arrived(encoding, side, refused[side])) for side in SIDES]
        marked += [lists_with(encoding, side, nameless(encoding, side)) for side in unnamed]
        return np.logical_or.reduce(marked)

    what = ("refused", *refused.values(), *unnamed)
    return lambda overlap: overlap.encoding.remember(what, lambda: mark(overlap.encoding))


def unless_refused(
    words: Callable[[Overlap, int], str], rejects: Callable[[Overlap], np.ndarray]
) -> Callable[[Overlap, int], str]:
    """Return a ``Variant.words`` that is silent about lists which upstream refuses."""
    return lambda overlap, place: "" if rejects(overlap)[place] else words(overlap, place)


def as_text(encoding: Encoding) -> Encoding:
    """Read a text that came where an object belonged as that text, not as the object it holds."""
    marked = [arrived(encoding, side, ("text",)) for side in SIDES]
    if not any(side.any() for side in marked):
        return encoding
    raw, arguments = (encoding.column("called", name)[marked[1]] for name in ("arguments_raw", "arguments"))
    texts = [encoding.column("expected", "arguments")[marked[0]], raw.fillna(arguments)]
    code, distinct = pd.factorize(pd.concat(texts))
    numbers = np.split(np.where(code < 0, -1, len(encoding.texts) + code), [len(texts[0])])
    expected, called = encoding.expected.text.copy(), encoding.called.text.copy()
    expected[marked[0]], called[marked[1]] = numbers
    return encoding.with_texts(expected, called, [json.dumps(text) for text in distinct])
