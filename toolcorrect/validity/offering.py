"""Which tool of the offer each call names, and by which schema it is to be read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from toolcorrect.dataset import Dataset
from toolcorrect.encoding import Encoding
from toolcorrect.names import Names, resolve


@dataclass(frozen=True, eq=False)
class Offer:
    """The offered tool of every row of a table.

    Parameters
    ----------
    known
        bool, one a row: whether the tools offered in its case are known.
    listed
        bool, one a row: whether its tool is among them.
    schema
        int64, one a row: position in ``schemas``, or -1 where no schema is stated.
    schemas
        The distinct schema texts.
    """

    known: np.ndarray
    listed: np.ndarray
    schema: np.ndarray
    schemas: list[str]


def offer(data: Dataset, *, table: str = "calls", names: str | Names = "exact") -> Offer:
    """Look every call (or expected call) up among the tools offered in its case.

    Parameters
    ----------
    data
        The dataset. A list of tools counts as known where ``cases.tools_known`` says so or where `tools` has
        offered rows for the case or for all cases. Rows of one case win over rows for all.
    table
        ``"calls"`` or ``"expected"``.
    names
        When two names are the same, as in `toolcorrect.names`.

    Examples
    --------
    >>> tools = pd.DataFrame({"tool": ["search"], "parameters": ['{"type": "object"}']})
    >>> calls = pd.DataFrame({"case": ["x", "x"], "tool": ["search", "serach"]})
    >>> offer(Dataset(pd.DataFrame(index=["x"]), calls, tools=tools)).listed.tolist()
    [True, False]
    """
    cases, tools = data.cases, data.tools
    tools = tools[tools["offered"].to_numpy() & tools["tool"].notna().to_numpy()]
    frame = data.calls if table == "calls" else data.expected
    rows = data.case_rows(table)
    name_codes, _ = pd.factorize(_canonical(pd.concat([tools["tool"], frame["tool"]]), names))
    offered_names, called_names = name_codes[: len(tools)], name_codes[len(tools) :]
    schema_codes, schemas = pd.factorize(tools["parameters"])
    # Rows for all cases stand under a case of their own, behind the others.
    everywhere = len(cases)
    of_case = np.where(tools["case"].isna(), everywhere, cases.index.get_indexer(pd.Index(tools["case"].array)))
    width = int(name_codes.max(initial=0)) + 1
    keys, first = np.unique(of_case * width + offered_names, return_index=True)
    found = _found(keys, rows * width + called_names)
    found = np.where(found < 0, _found(keys, everywhere * width + called_names), found)
    has_offer = np.zeros(everywhere + 1, dtype=bool)
    has_offer[of_case] = True
    known = cases["tools_known"].to_numpy() | has_offer[:-1] | has_offer[-1]
    schema = np.full(len(frame), -1, dtype=np.int64)
    schema[found >= 0] = schema_codes[first[found[found >= 0]]]
    return Offer(known[rows], found >= 0, schema, [str(text) for text in schemas])


def calls_in_scope(encoding: Encoding) -> np.ndarray:
    """Mark the rows of ``Dataset.calls`` that count in an encoding."""
    counted = np.zeros(len(encoding.data.calls), dtype=bool)
    counted[encoding.called.row] = True
    return counted


def _canonical(names: pd.Series, level: str | Names) -> np.ndarray:
    codes, distinct = pd.factorize(names)
    steps = resolve(level)
    return np.array([steps(name) for name in distinct], dtype=object)[codes] if len(distinct) else np.array([])


def _found(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the position of each wanted key among sorted keys, or -1."""
    if not len(keys):
        return np.full(len(wanted), -1, dtype=np.int64)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, place, -1)
