"""Which called call satisfies which expected one where equality does not settle it: matchers and options by pair."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from toolcorrect.arguments.decoding import parse_json
from toolcorrect.arguments.differences import differences
from toolcorrect.dataset import Dataset, check_dataset
from toolcorrect.encoding import Encoding, Match
from toolcorrect.errors import check_option
from toolcorrect.names import Names
from toolcorrect.pairing import Pairs, candidates, greedy
from toolcorrect.references.preparing import ArgumentOptions, prepare
from toolcorrect.tables import holding

PLAIN = ArgumentOptions()

Optional = Literal["counted", "left_out"]


def fits(pairs: Pairs, options: ArgumentOptions = PLAIN) -> np.ndarray:
    """Tell for each pair of the same tool whether the called arguments are what was expected.

    Parameters
    ----------
    pairs
        The candidates, of data that is prepared already (see `toolcorrect.references.preparing.prepare`).
    options
        ``keys`` and tolerances count; by default only matchers make unequal values fit.

    Returns
    -------
    numpy.ndarray
        float64, one entry a pair: 1.0, 0.0, or NaN where the called arguments are not known. An expected call
        that states no arguments fits any.

    Notes
    -----
    Equal values are settled by their codes; each other distinct pair of texts is looked at once, and only if
    the expected text holds a matcher or an option asks for it.
    """
    encoding = pairs.encoding
    text_e, text_c = encoding.expected.text[pairs.expected], encoding.called.text[pairs.called]
    code_e, code_c = encoding.codes(Match(arguments="json"))
    flexible = flexible_texts(encoding.texts, options)
    made = (code_e[pairs.expected] == code_c[pairs.called]).astype(np.float64)
    open_ = np.flatnonzero((text_e >= 0) & (text_c >= 0) & flexible[text_e])
    both, place = np.unique(np.column_stack((text_e[open_], text_c[open_])), axis=0, return_inverse=True)

    @lru_cache(maxsize=100_000)
    def value(text: int) -> Any:
        return parse_json(encoding.texts[text].as_py())

    def fit(expected: int, called: int) -> bool:
        try:
            one, other = value(expected), value(called)
        except ValueError:
            return False
        bounds = {"absolute": options.absolute, "relative": options.relative}
        return not differences(one, other, keys=options.keys, limit=1, **bounds)

    made[open_] = np.array([fit(*texts) for texts in both.tolist()], dtype=np.float64)[place.ravel()]
    made[(text_e >= 0) & (text_c < 0)] = np.nan
    made[text_e < 0] = 1.0
    return made


def flexible_texts(texts: pa.ChunkedArray, options: ArgumentOptions = PLAIN) -> np.ndarray:
    """Mark the argument texts that as expected ones may fit unequal ones; one entry more: no text."""
    if options.by_pair:
        return np.arange(len(texts) + 1) < len(texts)
    return np.append(holding(texts, b'"$match"'), False)


def assign(pairs: Pairs, usable: np.ndarray, later: np.ndarray | None = None) -> np.ndarray:
    """Choose pairs, each call in at most one, so that as many expected calls as possible have one.

    Parameters
    ----------
    pairs
        The candidates.
    usable
        bool, one a pair: whether it may be chosen.
    later
        bool, one an expected call: calls that get a partner only after all others have what they can.

    Returns
    -------
    numpy.ndarray
        For each expected call the place of its partner among the called calls, or -1. Earlier calls are given
        earlier partners where that costs none.
    """
    count = len(pairs.encoding.expected.row)
    later = np.zeros(count, dtype=bool) if later is None else later
    partner = np.full(count, -1, dtype=np.int64)
    for turn in (~later, later) if later.any() else (~later,):
        taken = np.zeros(len(pairs.encoding.called.row), dtype=bool)
        taken[partner[partner >= 0]] = True
        free = usable & turn[pairs.expected] & ~taken[pairs.called]
        chosen, _ = greedy(pairs, free.astype(np.float64), pairs.called)
        partner[pairs.expected[chosen]] = pairs.called[chosen]
        _augment(pairs, usable, np.flatnonzero(turn & (partner < 0)), partner)
    return partner


def resolve(
    data: Dataset,
    *,
    options: ArgumentOptions = PLAIN,
    scope: str = "assistant",
    names: str | Names = "exact",
) -> Dataset:
    """Return the dataset with the reference brought down to plain values, so that equality says it all.

    Each expected call with matchers (or, with ``keys`` or tolerances, each expected call) that a called call
    satisfies takes the arguments of that call: as many as can be are satisfied, one to one, and every definition then
    counts them as equal. An expected call that nothing satisfies keeps what it says.

    Parameters
    ----------
    data
        The runs.
    options
        What to overlook; both sides are prepared first.
    scope, names
        Which calls count, and when two tool names are the same.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = {"case": ["x"], "tool": ["log"]}
    >>> data = Dataset(
    ...     pd.DataFrame(index=["x"]),
    ...     pd.DataFrame({**frame, "arguments": ['{"id": "9f1c"}']}),
    ...     pd.DataFrame({**frame, "arguments": ['{"id": {"$match": {}}}']}),
    ... )
    >>> resolve(data).expected.arguments.to_list()
    ['{"id": "9f1c"}']
    """
    check_dataset(data)
    data = prepare(data, options)
    flexible_text = flexible_texts(data.argument_numbers()[2], options)
    if not flexible_text.any():
        return data
    encoding = Encoding(data, scope=scope, names=names)
    expected = encoding.expected
    flexible = flexible_text[expected.text]
    concerned = np.zeros(encoding.list_count, dtype=bool)
    concerned[expected.owner[flexible]] = True
    if not concerned.any():
        return data
    pairs = candidates(encoding, Match(), concerned)
    partner = assign(pairs, fits(pairs, options) == 1.0)
    changed = flexible & (partner >= 0)
    arguments = data.expected["arguments"].copy()
    arguments.iloc[expected.row[changed]] = data.calls["arguments"].iloc[encoding.called.row[partner[changed]]].array
    return data.replace(expected=data.expected.assign(arguments=arguments))


def treat_optional(encoding: Encoding, how: Optional) -> Encoding:
    """Leave optional expected calls as they are, or take them and the calls that answer them out of all lists.

    Equal arguments are paired first, then calls of the same tool; required calls come before optional ones.
    """
    check_option("optional", how, ("counted", "left_out"))
    optional = (encoding.column("expected", "role") == "optional").to_numpy(dtype=bool)
    if how == "counted" or not optional.any():
        return encoding
    pairs = candidates(encoding, Match())
    fit, spare = fits(pairs) == 1.0, optional[pairs.expected]
    open_e, open_c = np.ones(len(optional), dtype=bool), np.ones(len(encoding.called.row), dtype=bool)
    kept = open_c.copy()
    for stage in (fit & ~spare, fit & spare, ~spare, spare):
        usable = stage & open_e[pairs.expected] & open_c[pairs.called]
        chosen, _ = greedy(pairs, usable.astype(np.float64), pairs.called)
        open_e[pairs.expected[chosen]] = open_c[pairs.called[chosen]] = False
        kept[pairs.called[chosen[spare[chosen]]]] = False
    return encoding.only(~optional, kept)


def _augment(pairs: Pairs, usable: np.ndarray, open_: np.ndarray, partner: np.ndarray) -> None:
    """Give open expected calls a partner by moving others to another one of theirs (Kuhn's algorithm)."""
    owner = pairs.encoding.expected.owner
    lacking = np.isin(pairs.expected, open_) & usable
    lists = np.zeros(pairs.encoding.list_count, dtype=bool)
    lists[owner[pairs.expected[lacking]]] = True
    inside = np.flatnonzero(usable & lists[owner[pairs.expected]])
    partners: dict[int, list[int]] = defaultdict(list)
    for one, other in zip(pairs.expected[inside].tolist(), pairs.called[inside].tolist()):
        partners[one].append(other)
    taken_by = {int(partner[one]): one for one in partners if partner[one] >= 0}
    for start in np.unique(pairs.expected[lacking]).tolist():
        # Breadth first: from the open call over its partners to who holds them, until one is free.
        came_from: dict[int, int] = {}
        queue, free = [start], None
        while queue and free is None:
            one = queue.pop(0)
            for other in partners[one]:
                if other not in came_from:
                    came_from[other] = one
                    if other not in taken_by:
                        free = other
                        break
                    queue.append(taken_by[other])
        while free is not None:
            one = came_from[free]
            before = int(partner[one])
            partner[one], taken_by[free] = free, one
            free = before if one != start else None
