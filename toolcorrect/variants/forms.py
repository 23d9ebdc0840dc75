"""How arguments arrived (``arguments_form``), and what an upstream makes of it: refuse it, or read it in its own way."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from toolcorrect.encoding import SIDES, Encoding, SideName
from toolcorrect.overlap import Overlap

NO_OBJECT = ("text", "list", "other")
NOT_GIVEN = ("null", "absent")


def arrived(encoding: Encoding, side: SideName, forms: Iterable[str]) -> np.ndarray:
    """Mark the calls of a side whose arguments came in one of some forms."""
    return np.asarray(encoding.column(side, "arguments_form").isin(list(forms)).to_numpy(), dtype=bool)


def lists_with(encoding: Encoding, side: SideName, marked: np.ndarray) -> np.ndarray:
    """Mark the lists that hold a marked call of a side."""
    made = np.zeros(encoding.list_count, dtype=bool)
    made[getattr(encoding, side).owner[marked]] = True
    return made


def refuses(
    *, expected: Iterable[str] = NO_OBJECT, called: Iterable[str] = NO_OBJECT
) -> Callable[[Overlap], np.ndarray]:
    """Return a ``Variant.rejects``: mark lists with a call whose arguments came in a form that upstream refuses.

    Parameters
    ----------
    expected, called
        The refused forms of each side, see ``arguments_form`` in `toolcorrect.tables`.
    """
    refused = {"expected": tuple(expected), "called": tuple(called)}

    def rejects(overlap: Overlap) -> np.ndarray:
        encoding = overlap.encoding
        marked = (lists_with(encoding, side, arrived(encoding, side, refused[side])) for side in SIDES)
        return np.logical_or(*marked)

    return rejects
