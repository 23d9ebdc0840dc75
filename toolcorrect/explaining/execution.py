"""How calls went: failed, repeated as they were after a failure, recovered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from toolcorrect.encoding import Encoding, Match


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What is known of the called calls of an encoding, one entry a call.

    Parameters
    ----------
    failed, unknown
        bool: the call failed; it is not known whether it did.
    blind
        bool: equal in name and arguments to an earlier call of its list that failed.
    mended
        float64: for failed calls, 1.0 where a later call of the same tool succeeded, 0.0 where none did, NaN where
        it is not known.
    """

    failed: np.ndarray
    unknown: np.ndarray
    blind: np.ndarray
    mended: np.ndarray


def outcomes(encoding: Encoding) -> Outcomes:
    """Find failed calls and what came after them."""
    called = encoding.called
    error = encoding.column("called", "error")
    unknown = error.isna().to_numpy()
    failed = error.fillna(False).to_numpy(dtype=bool)
    made = Outcomes(failed, unknown, np.zeros(len(failed), dtype=bool), np.full(len(failed), np.nan))
    # Only lists with a failure have anything to find.
    mine = np.flatnonzero(np.isin(called.owner, called.owner[failed]))
    if len(mine):
        owner, bad = called.owner[mine], failed[mine]
        codes = encoding.codes(Match(arguments="json"))[1][mine]
        same = (called.text[mine] >= 0) & (_before(bad, owner, codes) > 0)
        made.blind[mine] = same
        # Read backwards, what came later came before.
        tool, back = called.tool[mine], slice(None, None, -1)
        later, perhaps = (
            _before(flag[back], owner[back], tool[back])[back] for flag in (~bad & ~unknown[mine], unknown[mine])
        )
        made.mended[mine[bad]] = np.where(later > 0, 1.0, np.where(perhaps > 0, np.nan, 0.0))[bad]
    return made


def _before(marked: np.ndarray, owner: np.ndarray, code: np.ndarray) -> np.ndarray:
    """Count the marked calls before each one in its list, of its own kind."""
    counts = pd.Series(marked.astype(np.int64)).groupby([owner, code]).cumsum().to_numpy()
    return counts - marked
