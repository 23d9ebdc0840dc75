"""Plain facts about every case: what was missing, extra, repeated, moved, wrongly filled in, not offered, failed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from toolcorrect.arguments.decoding import parse_json
from toolcorrect.arguments.differences import differences
from toolcorrect.dataset import Dataset
from toolcorrect.encoding import Encoding
from toolcorrect.explaining.alignment import SAME_NAME, Alignment, align, closest_reference
from toolcorrect.explaining.execution import outcomes
from toolcorrect.names import Names
from toolcorrect.references.matching import resolve
from toolcorrect.validity.defects import SCHEMA_CODES
from toolcorrect.validity.validating import Checked, check_calls

STAGES = pd.CategoricalDtype(["selection", "arguments", "execution"], ordered=True)


def diagnose(data: Dataset, *, scope: str = "assistant", names: str | Names = "exact") -> pd.DataFrame:
    """Say plainly what went how in every case, without any score.

    The calls are held against the closest reference, paired as in `toolcorrect.explain`; matchers are understood.

    Parameters
    ----------
    data
        The runs.
    scope, names
        As in `toolcorrect.score`.

    Returns
    -------
    pandas.DataFrame
        Index case. Counts are Int64, NA where a list, or the tools offered, is not known:

        * ``reference`` (which alternative), ``expected``, ``called``, ``matched`` (pairs of one tool);
        * ``missing``, ``extra``, ``repeated`` (not asked for, of a tool called before), ``moved`` (the fewest calls
          out of order), ``wrong_names`` (the same tool only once names are normalised, see `names`);
        * ``wrong_arguments`` (pairs) and ``differences``: a list of dict for these (``position`` of the call,
          ``path``, ``code``: value, type, missing or extra, ``expected``, ``called``);
        * ``unknown_tools`` (offered in no case) and ``not_offered`` (in another case only): calls of such tools;
          ``invalid_arguments``: calls that break the schema of their tool; ``undeclared`` and ``invented``: lists of
          the arguments that the schema does not name, and of those that are not expected either;
        * ``failed``, ``outcome_unknown`` (calls), ``blind_repeats`` (calls equal to one that failed before),
          ``recovered`` (boolean: each failed call was followed by one of the same tool that succeeded);
        * ``stage``: the first that went wrong: ``selection`` (missing or extra; without a reference: not offered),
          ``arguments`` (wrong or invalid) or ``execution`` (failed without recovery); NA where nothing did.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "a", "z"], "expected": ["a", "b"]}])
    >>> diagnose(data)[["matched", "missing", "extra", "repeated"]].iloc[0].to_list()
    [1, 1, 1, 1]
    """
    encoding = Encoding(resolve(data, scope=scope, names=names), scope=scope, names=names)
    pairs = align(encoding)
    chosen = closest_reference(pairs)
    mine = np.zeros(encoding.list_count, dtype=bool)
    mine[chosen] = True
    facts = _Facts(pairs, chosen, mine)
    expected, called = encoding.expected, encoding.called
    made = {
        "reference": pd.array(encoding.list_reference[chosen], dtype="Int64"),
        "expected": facts.count(expected.owner, np.ones(len(expected.row), dtype=bool), called_needed=False),
        "called": facts.count(called.owner, np.ones(len(called.row), dtype=bool), expected_needed=False),
        "matched": facts.count(expected.owner, ~pairs.missing & (pairs.grade != SAME_NAME)),
        "missing": facts.count(expected.owner, pairs.missing),
        "extra": facts.count(called.owner, pairs.extra),
        "repeated": facts.count(called.owner, pairs.repeated),
        "moved": facts.count(expected.owner, pairs.moved),
        "wrong_names": facts.count(expected.owner, pairs.grade == SAME_NAME),
        "wrong_arguments": facts.count(expected.owner, pairs.wrong_arguments),
    }
    differing = _differing(pairs, mine)
    made["differences"] = facts.lists(differing.index.to_numpy(), differing.to_list())
    made |= _against_schemas(facts, check_calls(encoding.data, names=names), differing)
    made |= _outcomes(facts)
    frame = pd.DataFrame(made, index=data.cases.index)
    frame["stage"] = _stage(frame)
    return frame


class _Facts:
    """Counts and lists a case, of the calls in its closest list."""

    def __init__(self, pairs: Alignment, chosen: np.ndarray, mine: np.ndarray) -> None:
        self.pairs, self.encoding, self.chosen, self.mine = pairs, pairs.encoding, chosen, mine
        self.called_known = self.encoding.called_known & self.encoding.effect_known
        self.expected_known = self.encoding.expected_known & self.encoding.effect_known

    def count(
        self, owner: np.ndarray, marked: np.ndarray, *, called_needed: bool = True, expected_needed: bool = True
    ) -> Any:
        """Count the marked calls; NA where a list that is needed is not known."""
        made = pd.array(np.bincount(owner[marked], minlength=self.encoding.list_count)[self.chosen], dtype="Int64")
        made[(called_needed & ~self.called_known) | (expected_needed & ~self.expected_known)] = pd.NA
        return made

    def lists(self, case: np.ndarray, items: list[list[Any]]) -> np.ndarray:
        """Gather lists of items by case; an empty list where there are none."""
        made = np.empty(len(self.chosen), dtype=object)
        made[:] = [[] for _ in range(len(made))]
        for place, found in zip(case.tolist(), items):
            made[place] = made[place] + found
        return made


def _differing(pairs: Alignment, mine: np.ndarray) -> pd.Series:
    """Return for each pair with wrong arguments its differences; index: the case. Equal pairs are looked at once."""
    encoding = pairs.encoding
    e = np.flatnonzero(pairs.wrong_arguments & mine[encoding.expected.owner])
    c = pairs.partner_of_expected[e]
    both = np.column_stack((encoding.expected.text[e], encoding.called.text[c]))
    distinct, place = np.unique(both, axis=0, return_inverse=True)
    texts = [encoding.texts.take(column).to_pylist() for column in distinct.T]
    found = [_text_differences(one, other) for one, other in zip(*texts)]
    position = encoding.column("called", "position").to_numpy()[c].tolist()
    made = [[{"position": at, **one} for one in found[i]] for at, i in zip(position, place.ravel().tolist())]
    return pd.Series(made, index=encoding.list_case[encoding.expected.owner[e]], dtype=object)


def _text_differences(expected: str, called: str) -> list[dict[str, Any]]:
    try:
        return differences(parse_json(expected), parse_json(called))
    except ValueError:
        return []


def _against_schemas(facts: _Facts, checked: Checked, differing: pd.Series) -> dict[str, Any]:
    """Count calls of tools that are not offered, and list arguments that no schema names."""
    encoding, pairs, data = facts.encoding, facts.pairs, facts.encoding.data
    called = encoding.called
    defects = checked.defects
    code, row = defects["code"].astype(object).to_numpy(), defects["row"].to_numpy()

    def rows(*codes: str) -> np.ndarray:
        marked = np.zeros(len(data.calls), dtype=bool)
        marked[row[np.isin(code, codes)]] = True
        return marked

    def count(marked: np.ndarray, known: np.ndarray) -> Any:
        made = facts.count(called.owner, marked[called.row], expected_needed=False)
        # A call that nothing can be said of leaves only a zero open.
        open_ = facts.count(called.owner, ~known[called.row], expected_needed=False)
        made[((open_ > 0) & (made == 0)).fillna(False).to_numpy(dtype=bool)] = pd.NA
        return made

    strange = rows("unknown_tool")
    offered = {encoding.names(tool) for tool in data.tools.loc[data.tools["offered"], "tool"]}
    nowhere = np.zeros(len(data.calls), dtype=bool)
    nowhere[called.row] = np.array([name not in offered for name in encoding.tool_names], dtype=bool)[called.tool]
    # The arguments of each call in a closest list that nothing declares, and whether they were expected.
    undeclared = defects[np.isin(code, ("undeclared", "unknown_param"))]
    place = np.full(len(data.calls), -1, dtype=np.int64)
    mine = np.flatnonzero(facts.mine[called.owner])
    place[called.row[mine]] = mine
    at = place[undeclared["row"].to_numpy()]
    undeclared, at = undeclared[at >= 0], at[at >= 0]
    case = encoding.list_case[called.owner[at]] if len(at) else at
    extra = {
        (case, one["position"], one["path"])
        for case, found in zip(differing.index, differing)
        for one in found
        if one["code"] == "extra"
    }
    position = data.calls["position"].to_numpy()[undeclared["row"].to_numpy()]
    paths = undeclared["path"].to_list()
    free = pairs.partner_of_called[at] < 0 if len(at) else at
    invented = np.array(
        [alone or key in extra for alone, key in zip(free, zip(case.tolist(), position.tolist(), paths))], dtype=bool
    )
    return {
        "unknown_tools": count(strange & nowhere, checked.offered),
        "not_offered": count(strange & ~nowhere, checked.offered),
        "invalid_arguments": count(rows(*(set(SCHEMA_CODES) - {"unknown_tool"})), checked.judged),
        "undeclared": facts.lists(case, [[path] for path in paths]),
        "invented": facts.lists(case[invented], [[path] for path, new in zip(paths, invented) if new]),
    }


def _outcomes(facts: _Facts) -> dict[str, Any]:
    encoding = facts.encoding
    owner, case = encoding.called.owner, encoding.list_case
    found = outcomes(encoding)
    made = {
        name: facts.count(owner, marked, expected_needed=False)
        for name, marked in (
            ("failed", found.failed),
            ("outcome_unknown", found.unknown),
            ("blind_repeats", found.blind),
        )
    }
    recovered = pd.array([pd.NA] * len(facts.chosen), dtype="boolean")
    for value, marked in (
        (True, found.failed),
        (pd.NA, found.failed & np.isnan(found.mended)),
        (False, found.mended == 0),
    ):
        recovered[case[owner[marked]]] = value
    return {**made, "recovered": recovered}


def _stage(frame: pd.DataFrame) -> pd.Categorical:
    def any_of(*columns: str) -> np.ndarray:
        return np.logical_or.reduce([(frame[name] > 0).fillna(False).to_numpy(dtype=bool) for name in columns])

    stage = np.full(len(frame), -1)
    stage[any_of("failed") & ~frame["recovered"].fillna(False).to_numpy(dtype=bool)] = 2
    stage[any_of("wrong_arguments", "invalid_arguments")] = 1
    unasked = any_of("unknown_tools", "not_offered") & frame["expected"].isna().to_numpy()
    stage[any_of("missing", "extra") | unasked] = 0
    return pd.Categorical.from_codes(stage, dtype=STAGES)
