"""How a run behaves whatever its reference says: calls it may not make, calls it repeats."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from toolcorrect.dataset import Dataset
from toolcorrect.encoding import Encoding, Match
from toolcorrect.grouping import combined, distinct
from toolcorrect.names import Names
from toolcorrect.references.rules import forbidden_rows, match_rules


def permission(encoding: Encoding, *, allowed: Iterable[str] | None = None) -> np.ndarray:
    """Score the share of calls that were permitted: DeepEval's ToolPermission.

    Parameters
    ----------
    encoding
        The lists.
    allowed
        Names of the only tools that may be called; None: all that no rule forbids.

    Returns
    -------
    numpy.ndarray
        float64, one entry a case: 1.0 without calls. NaN where neither list speaks of the case (upstream
        refuses), and where an argument that a rule asks for is not known.

    Notes
    -----
    The deny list is the case's ``forbid`` rules, which win over ``allowed``; a rule with ``arguments`` denies only
    the calls that satisfy it, which upstream, knowing names only, cannot say. The tools offered are no allow list:
    a call of a tool never offered is invented rather than forbidden, and `toolcorrect.validate` tells of it.
    Source: deepeval 4.3.1, ToolPermissionMetric.
    """
    data, calls = encoding.data, encoding.data.calls
    matched = match_rules(encoding)
    row = distinct(encoding.called.row)
    denied = np.zeros(len(calls), dtype=bool)
    denied[forbidden_rows(matched, data)] = True
    forbids = (data.rules["rule"] == "forbid").to_numpy()[matched.rule]
    spoken = np.zeros(len(data), dtype=bool)
    spoken[matched.case[forbids]] = True
    if allowed is not None:
        permitted = {encoding.names(name) for name in allowed}
        codes, names = pd.factorize(calls["tool"])
        denied |= ~np.array([encoding.names(name) in permitted for name in names], dtype=bool)[codes]
        spoken[:] = True
    open_ = matched.row[~matched.certain & forbids[matched.pair]]
    case = data.case_rows("calls")
    total = np.bincount(case[row], minlength=len(data))
    against = np.bincount(case[row], weights=denied[row], minlength=len(data))
    score = np.where(total == 0, 1.0, (total - against) / np.maximum(total, 1))
    score[case[open_[~denied[open_]]]] = np.nan
    return np.where(spoken & encoding.called_known, score, np.nan)


def repetition(encoding: Encoding, *, threshold: int = 3) -> np.ndarray:
    """Score how often the most repeated call was made: the repetition part of DeepEval's AgentLoopDetection.

    Parameters
    ----------
    encoding
        The lists.
    threshold
        From so many identical calls on 0.5, from twice as many on 0.0.

    Returns
    -------
    numpy.ndarray
        float64, one entry a case, 1.0 without calls; NaN where the calls are not known.

    Notes
    -----
    Identical: the same name, and arguments with the same Python text (relation ``str``), wherever in the run; unknown
    arguments are the same as unknown ones. Source: deepeval 4.3.1, AgentLoopDetectionMetric.
    """
    group, case = _groups(encoding, "str")
    times = np.bincount(group)
    most = np.zeros(encoding.case_count, dtype=np.int64)
    np.maximum.at(most, case, times[group])
    score = np.where(most >= 2 * threshold, 0.0, np.where(most >= threshold, 0.5, 1.0))
    return np.where(encoding.called_known, score, np.nan)


def redundant_calls(data: Dataset, *, scope: str = "assistant", names: str | Names = "exact") -> pd.Series:
    """Count the calls of each case that are equal in name and arguments to an earlier one.

    Parameters
    ----------
    data
        The runs.
    scope, names
        Which calls count, and when two tool names are the same.

    Returns
    -------
    pandas.Series
        Int64, index case; NA where the calls are not known. Arguments that are not given equal none but others
        that are not given.

    Examples
    --------
    >>> calls = pd.DataFrame({"case": ["x"] * 3, "tool": ["a", "a", "b"], "arguments": ["{}", "{ }", "{}"]})
    >>> redundant_calls(Dataset(pd.DataFrame(index=["x"]), calls)).to_list()
    [1]
    """
    encoding = Encoding(data, scope=scope, names=names)
    group, case = _groups(encoding, "json")
    repeated = np.asarray(pd.Index(group).duplicated(), dtype=bool)
    counts = pd.array(np.bincount(case[repeated], minlength=len(data)), dtype="Int64")
    counts[~encoding.called_known] = pd.NA
    return pd.Series(counts, index=data.cases.index, name="redundant_calls")


def _groups(encoding: Encoding, relation: str) -> tuple[np.ndarray, np.ndarray]:
    """Number the identical calls of each case; return the numbers, and the case of each call."""
    code = _first_lists(encoding, encoding.codes(Match(arguments=relation))[1])
    case = _first_lists(encoding, encoding.list_case[encoding.called.owner])
    return pd.factorize(combined([case, pd.factorize(code)[0]]))[0], case


def _first_lists(encoding: Encoding, values: np.ndarray) -> np.ndarray:
    """Return values of called calls once, though a case's calls stand in the list of each of its references."""
    return values[encoding.list_reference[encoding.called.owner] == 0]
