"""Which tools are called right, missed, invented or confused, over all cases."""

from __future__ import annotations

import numpy as np
import pandas as pd

from toolcorrect.dataset import Dataset
from toolcorrect.encoding import Encoding
from toolcorrect.explaining.alignment import (
    SAME_NAME,
    Alignment,
    align,
    closest_reference,
    nth_with_nth,
    reading_order,
)
from toolcorrect.names import Names
from toolcorrect.references.matching import resolve
from toolcorrect.validity.offering import offer

NOTHING, NOT_OFFERED = "(nothing)", "(not offered)"


def per_tool(data: Dataset, *, scope: str = "assistant", names: str | Names = "exact") -> pd.DataFrame:
    """Count for every tool how often it was expected, called, missed and called wrongly.

    Parameters
    ----------
    data
        The runs; cases of which a list is not known are left out.
    scope, names
        As in `toolcorrect.score`.

    Returns
    -------
    pandas.DataFrame
        Index ``tool``, most used first. Counts (int64) ``expected``, ``called``, ``matched`` (expected calls that a
        call of the same tool answers, one to one, against the closest reference), ``missing``, ``extra``,
        ``repeated`` (not asked for, of a tool called before in its case), ``wrong_arguments`` (of the matched) and
        ``failed``; ``precision`` (matched over called) and ``recall`` (matched over expected), NaN where it
        divides by nothing.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "b"], "expected": ["a", "c"]}])
    >>> per_tool(data)[["expected", "called", "matched"]].to_dict("index")["b"]
    {'expected': 0, 'called': 1, 'matched': 0}
    """
    pairs, mine = _known_pairs(data, scope, names)
    encoding = pairs.encoding
    expected, called = encoding.expected, encoding.called
    mine_e, mine_c = mine[expected.owner], mine[called.owner]

    def count(tool: np.ndarray, marked: np.ndarray) -> np.ndarray:
        return np.bincount(tool[marked], minlength=len(encoding.tool_names))

    same = ~pairs.missing & (pairs.grade != SAME_NAME)
    failed = encoding.column("called", "error").fillna(False).to_numpy(dtype=bool)
    made = pd.DataFrame(
        {
            "expected": count(expected.tool, mine_e),
            "called": count(called.tool, mine_c),
            "matched": count(expected.tool, mine_e & same),
            "missing": count(expected.tool, mine_e & ~same),
            "extra": count(called.tool, mine_c & pairs.extra),
            "repeated": count(called.tool, mine_c & pairs.repeated),
            "wrong_arguments": count(expected.tool, mine_e & pairs.wrong_arguments),
            "failed": count(called.tool, mine_c & failed),
        },
        index=pd.Index(encoding.tool_names, name="tool", dtype=object),
    )
    made["precision"] = made["matched"] / made["called"].where(made["called"] > 0)
    made["recall"] = made["matched"] / made["expected"].where(made["expected"] > 0)
    made = made[made["expected"] + made["called"] > 0]
    return made.iloc[np.argsort(-(made["expected"] + made["called"]).to_numpy(), kind="stable")]


def confusion(data: Dataset, *, scope: str = "assistant", names: str | Names = "exact") -> pd.DataFrame:
    """Count which tool was called where which was expected.

    Parameters
    ----------
    data, scope, names
        As in `per_tool`.

    Returns
    -------
    pandas.DataFrame
        Index ``expected``, columns ``called``, int64: answered calls on the diagonal. A missing call and an extra one
        that stand between the same answered calls are taken for each other; what is left over is counted under
        "(nothing)", and unasked calls of tools that their case does not offer under "(not offered)". What
        `toolcorrect.charts.confusion` draws.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "z"], "expected": ["a", "b"]}])
    >>> confusion(data).loc["b", "z"].item()
    1
    """
    pairs, mine = _known_pairs(data, scope, names)
    encoding = pairs.encoding
    lines = reading_order(pairs)
    owner, line_e, line_c = (part[mine[lines[0]]] for part in lines)
    # Numbered by the answered calls before them: missing and extra calls of one gap are taken for each other.
    gap = owner * (len(owner) + 1) + np.cumsum((line_e >= 0) & (line_c >= 0))
    missing, extra = np.flatnonzero(line_c < 0), np.flatnonzero(line_e < 0)
    extra = extra[pairs.extra[line_c[extra]]]
    one, other = nth_with_nth(gap[missing], np.zeros_like(missing), gap[extra], np.zeros_like(extra))
    line_c[missing[one]] = line_c[extra[other]]
    line_e, line_c = np.delete(line_e, extra[other]), np.delete(line_c, extra[other])

    labels = np.array([*encoding.tool_names, NOT_OFFERED, NOTHING], dtype=object)
    nothing = len(labels) - 1
    # One entry more in each, for lines with a call on one side only (-1).
    tool_e = np.append(encoding.expected.tool, nothing)[line_e]
    tool_c = np.append(encoding.called.tool, nothing)[line_c]
    offered = offer(data, names=names)
    strange = np.append((offered.known & ~offered.listed)[encoding.called.row], False)[line_c]
    tool_c = np.where(strange & (tool_e != tool_c), nothing - 1, tool_c)
    table = pd.crosstab(pd.Series(labels[tool_e], name="expected"), pd.Series(labels[tool_c], name="called"))
    return table.astype("int64")


def _known_pairs(data: Dataset, scope: str, names: str | Names) -> tuple[Alignment, np.ndarray]:
    """Align all cases; mark the closest list of each known case."""
    encoding = Encoding(resolve(data, scope=scope, names=names), scope=scope, names=names)
    pairs = align(encoding)
    closest = closest_reference(pairs)
    mine = np.zeros(encoding.list_count, dtype=bool)
    # One closest list a case, in the order of cases.
    mine[closest] = encoding.called_known & encoding.expected_known & encoding.effect_known
    return pairs, mine
