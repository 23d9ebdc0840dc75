"""How much each definition takes off for extra, missing, repeated, swapped and changed calls."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from toolcorrect.dataset import Dataset
from toolcorrect.editing import EDITS, edit, editable
from toolcorrect.errors import OptionError, check_number, check_option, check_type, listed
from toolcorrect.scoring import score
from toolcorrect.variants import Wanted


def penalty_curve(
    data: Dataset,
    variants: Wanted = "core",
    *,
    edits: Sequence[str] = ("add", "drop", "repeat", "swap"),
    most: int = 5,
    scope: str = "assistant",
    seed: int = 0,
) -> pd.DataFrame:
    """Score the runs after edits of their calls: one more and one more of a kind.

    Parameters
    ----------
    data
        The runs.
    variants
        As in `score`.
    edits
        Kinds of edit, see `edit`: add (extra calls), drop (missing), repeat, swap, change (an argument).
    most
        The largest number of edits in a case.
    scope, seed
        As in `score` and `edit`.

    Returns
    -------
    pandas.DataFrame
        Index (variant, edit, count), sorted, count from 0; columns mean, change (mean change of a case's score from
        count 0 to here: the same cases on both sides), n (cases that can take so many edits and are scored), n_total.

    Notes
    -----
    The more edits, the fewer cases can take them, so compare ``change``, not ``mean``, along a curve.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "b"], "expected": ["a", "b"]}])
    >>> curve = penalty_curve(data, ["recall", "precision"], edits=["add"], most=2)
    >>> curve["mean"].unstack("variant").round(2).to_dict("list")
    {'precision': [1.0, 0.67, 0.5], 'recall': [1.0, 1.0, 1.0]}
    """
    check_type("edits", edits, Sequence, f"some of {listed(EDITS)}")
    if not edits:
        raise OptionError(f"edits is empty; give some of {listed(EDITS)}.")
    for kind in edits:
        check_option("edits", kind, EDITS)
    check_number("most", most, whole=True)
    if most < 1:
        raise OptionError(f"most={most} makes no edit; give 1 or more.")
    before = score(data, variants=variants, scope=scope)
    rows = []
    for kind in edits:
        for count in range(most + 1):
            able = editable(data, kind, count=count)
            edited = edit(data, kind, count=count, seed=seed)
            after = (score(edited, variants=variants, scope=scope) if count else before)[able]
            change = after - before[able]
            rows.append(
                pd.DataFrame(
                    {
                        "mean": after.mean(),
                        "change": change.mean(),
                        "n": after.notna().sum(),
                        "n_total": len(before),
                        "edit": kind,
                        "count": count,
                    }
                )
            )
    table = pd.concat(rows).rename_axis("variant").set_index(["edit", "count"], append=True)
    # Sorted, so that table.loc["recall", "add"] is quick and without pandas' warning.
    return table.sort_index()
