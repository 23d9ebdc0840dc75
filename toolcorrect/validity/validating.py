"""Calls against the JSON Schemas of the offered tools, without a reference and without a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from toolcorrect.arguments.schemas import BrokenSchemaError, validator
from toolcorrect.dataset import Dataset, check_dataset
from toolcorrect.encoding import Encoding
from toolcorrect.errors import check_type
from toolcorrect.names import Names
from toolcorrect.tables import STRING
from toolcorrect.validity.defects import RUBRIC_CODES, SCHEMA_CODES, Defect, rubric_defects, schema_defects
from toolcorrect.validity.offering import Offer, calls_in_scope, offer

CODES = pd.CategoricalDtype([*SCHEMA_CODES, *RUBRIC_CODES, "broken_schema"])

_REASONS_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Checked:
    """The calls of a table, checked once a distinct schema and text.

    Parameters
    ----------
    defects
        One row a defect: ``row`` (of the table), ``code, path, note``.
    judged
        bool, one a row of the table: whether the call could be judged at all. It could not where the offer, the
        schema or the arguments are unknown, or the schema is broken.
    offered
        bool, one a row of the table: whether the tools offered in its case are known.
    broken
        Schema position to what is wrong with that schema.
    """

    defects: pd.DataFrame
    judged: np.ndarray
    offered: np.ndarray
    broken: dict[int, str] = field(default_factory=dict)


def check_rows(frame: pd.DataFrame, offered: Offer, check: Callable[[str, str], list[Defect]]) -> Checked:
    """Check the arguments of every row by a function of schema text and argument text.

    Parameters
    ----------
    frame
        `calls` or `expected`, or some of its rows.
    offered
        The offer for the same rows.
    check
        Called once a distinct pair of texts.
    """
    texts, distinct = pd.factorize(frame["arguments"])
    broken = {s: why for s, text in enumerate(offered.schemas) if (why := _broken(text))}
    usable = offered.listed & (offered.schema >= 0) & ~np.isin(offered.schema, list(broken))
    stated = usable & (texts >= 0)
    pairs, place = np.unique(offered.schema[stated] * (len(distinct) + 1) + texts[stated], return_inverse=True)
    # One entry a distinct pair, then one for tools that were not offered, then one for texts that were no JSON.
    found = [
        check(offered.schemas[pair // (len(distinct) + 1)], distinct[pair % (len(distinct) + 1)]) for pair in pairs
    ]
    found.append([Defect("unknown_tool", "", "not among the tools offered")])
    found.append([Defect("not_json", "", "the arguments are no JSON")])
    entry = np.full(len(frame), -1, dtype=np.int64)
    entry[stated] = place
    unlisted = offered.known & ~offered.listed
    if "kind" in frame.columns:
        # Tools that run at the provider are switched on elsewhere and stand in no list of schemas.
        unlisted &= (frame["kind"] != "server").to_numpy()
    entry[unlisted] = len(pairs)
    if "arguments_status" in frame.columns:
        entry[~unlisted & (texts < 0) & (frame["arguments_status"] == "failed").to_numpy()] = len(pairs) + 1
    return Checked(_spread(found, entry), entry >= 0, offered.known, broken)


def validate(
    data: Dataset,
    *,
    formats: bool = True,
    null_as_missing: bool = False,
    coerce: bool = False,
    scope: str = "assistant",
    names: str | Names = "exact",
) -> pd.DataFrame:
    """Check every call against the schema of its tool.

    Parameters
    ----------
    data
        The dataset; see `toolcorrect.validity.offering` for when its tools count as known.
    formats
        Whether ``format`` (date, email, ...) is checked.
    null_as_missing
        Whether a null that the schema refuses counts as an argument left out, as strict function calling sends it.
    coerce
        Whether a text that exactly stands for what the schema wants (``"22"`` for 22) is told apart, under the code
        ``coercible``.
    scope
        Which calls are looked at, as in `toolcorrect.score`.
    names
        How tool names are compared with the offer.

    Returns
    -------
    pandas.DataFrame
        One row a defect: ``case, position, tool, code, path, note``. Codes that make a call invalid by JSON
        Schema: ``unknown_tool, not_json, missing_required, unknown_param, type, enum, format, range, pattern,
        unique, one_of, other, coercible``; codes of a stricter reader: ``undeclared`` (an argument the schema does
        not name, although it does not forbid it), ``placeholder``. A schema that is itself broken has one row, code
        ``broken_schema``, with no position; its calls are not judged.

    Examples
    --------
    >>> schema = '{"properties": {"n": {"type": "integer"}}, "required": ["id"]}'
    >>> data = Dataset(
    ...     pd.DataFrame(index=["x"]),
    ...     pd.DataFrame({"case": ["x"], "tool": ["op"], "arguments": ['{"n": "1"}']}),
    ...     tools=pd.DataFrame({"tool": ["op"], "parameters": [schema]}),
    ... )
    >>> validate(data)[["code", "path"]].to_numpy().tolist()
    [['missing_required', 'id'], ['type', 'n']]
    """
    check_dataset(data)
    calls = data.calls
    checked = check_calls(data, names=names, formats=formats, null_as_missing=null_as_missing, coerce=coerce)
    counted = calls_in_scope(Encoding(data, scope=scope, names=names))
    defects = checked.defects[counted[checked.defects["row"].to_numpy()]]
    made = calls[["case", "position", "tool"]].iloc[defects["row"].to_numpy()].reset_index(drop=True)
    made = made.astype({"position": "Int64"})
    made[["code", "path", "note"]] = defects[["code", "path", "note"]].reset_index(drop=True)
    made["code"] = made["code"].astype(CODES)
    return pd.concat([made, broken_schemas(data, offer(data, names=names), checked)], ignore_index=True)


def check_calls(data: Dataset, *, names: str | Names = "exact", **options: bool) -> Checked:
    """Check all calls, in whatever scope, for `validate` and its kin; ``options`` are those of `validate`."""
    for option, given in options.items():
        check_type(option, given, bool, "True or False")
    return check_rows(data.calls, offer(data, names=names), _check(**options))


def broken_schemas(data: Dataset, offered: Offer, checked: Checked) -> pd.DataFrame:
    """Return one row for each distinct schema that cannot be used, in the columns of `validate`."""
    tools = data.tools
    rows = []
    for place, why in checked.broken.items():
        users = tools[(tools["parameters"] == offered.schemas[place]).fillna(False).to_numpy(dtype=bool)]
        cases = users["case"].unique()
        case = cases[0] if len(cases) == 1 else pd.NA
        rows.append((case, pd.NA, users["tool"].iloc[0], "broken_schema", "", f"not a usable JSON Schema: {why}"))
    frame = pd.DataFrame(rows, columns=["case", "position", "tool", "code", "path", "note"])
    text = dict.fromkeys(["case", "tool", "path", "note"], STRING)
    return frame.astype({**text, "position": "Int64", "code": CODES})


def schema_scores(
    data: Dataset, *, formats: bool = True, scope: str = "assistant", names: str | Names = "exact"
) -> pd.DataFrame:
    """Score how tools were filled in, by their schemas alone: the rules of ``agentarts.parameters``.

    Parameters
    ----------
    data, formats, scope, names
        As in `validate`.

    Returns
    -------
    pandas.DataFrame
        Index ``case``; ``score`` (1.0 where every call passes, 0.0 where one fails), ``share`` (of calls that
        pass), ``calls`` (how many counted) and ``reason``. Columns ``score`` and ``reason`` are what the upstream
        evaluator answers. NaN without calls, and where a call can be neither passed nor failed (unknown
        arguments or schema) and none fails.

    Notes
    -----
    Every code of `validate` fails a call: unknown tools, missing, mistyped and made-up arguments, wrong formats,
    placeholders. Whether a value was said in the context is not judged here: see `toolcorrect.validity.grounding`.

    Examples
    --------
    >>> data = Dataset(
    ...     pd.DataFrame(index=["x"]),
    ...     pd.DataFrame({"case": ["x"], "tool": ["op"], "arguments": ['{"n": 1}']}),
    ...     tools=pd.DataFrame({"tool": ["op"], "parameters": ['{"properties": {"n": {"type": "integer"}}}']}),
    ... )
    >>> schema_scores(data)[["score", "reason"]].to_dict("records")
    [{'score': 1.0, 'reason': 'The call fits its schema: nothing missing, types right, nothing invented.'}]
    """
    judged = _judge(Encoding(data, scope=scope, names=names), formats)
    return pd.DataFrame(
        {
            "score": judged.score,
            "share": judged.share,
            "calls": judged.calls,
            "reason": _reasons(data, judged),
        },
        index=data.cases.index,
    )


def parameter_scores(encoding: Encoding) -> np.ndarray:
    """Return the column ``score`` of `schema_scores` for encoded calls: float64, one entry a case."""
    return _judge(encoding, formats=True).score


def parameter_reasons(encoding: Encoding) -> pd.Series:
    """Return the column ``reason`` of `schema_scores` for calls that are encoded already."""
    return _reasons(encoding.data, _judge(encoding, formats=True))


@dataclass(frozen=True, eq=False)
class _Judged:
    """Calls of each case: how many, how many fail, how many cannot be judged; and the defects."""

    calls: np.ndarray
    failed: np.ndarray
    unknown: np.ndarray
    defects: pd.DataFrame

    @property
    def score(self) -> np.ndarray:
        scored = (self.calls > 0) & ((self.unknown == 0) | (self.failed > 0))
        return np.where(scored, (self.failed == 0).astype(float), np.nan)

    @property
    def share(self) -> np.ndarray:
        passing = (self.calls - self.failed) / np.maximum(self.calls, 1)
        return np.where((self.calls > 0) & (self.unknown == 0), passing, np.nan)


def _judge(encoding: Encoding, formats: bool) -> _Judged:
    data = encoding.data
    calls, case = data.calls, data.case_rows("calls")
    checked = check_calls(data, names=encoding.names, formats=formats)
    counted = calls_in_scope(encoding)
    failing = np.zeros(len(calls), dtype=bool)
    failing[checked.defects["row"].to_numpy()] = True

    def count(which: np.ndarray) -> np.ndarray:
        return np.bincount(case[counted & which], minlength=len(data))

    return _Judged(
        calls=count(counted),
        failed=count(failing),
        unknown=count(~checked.judged & ~failing),
        defects=checked.defects[counted[checked.defects["row"].to_numpy()]],
    )


def _reasons(data: Dataset, judged: _Judged) -> pd.Series:
    """Say in a sentence a case why it has its score."""
    count, failed, defects = judged.calls, judged.failed, judged.defects
    fits = pd.Series("All " + count.astype(str).astype(object) + " calls fit their schemas")
    fits[count == 1] = "The call fits its schema"
    texts = (fits + ": nothing missing, types right, nothing invented.").to_numpy(dtype=object)
    texts[(judged.unknown > 0) & (failed == 0)] = "Not scored: a call's arguments or its schema are not known."
    texts[count == 0] = "Not scored: no calls."
    texts[~data.cases["called_known"].to_numpy()] = "Not scored: the calls are not known."
    rows = defects["row"].to_numpy()
    where = data.calls["tool"].iloc[rows].reset_index(drop=True).astype(object)
    path, note = (defects[name].reset_index(drop=True).astype(object) for name in ("path", "note"))
    words = where + ": " + np.where(path == "", "", path + ": ") + note
    for case, every in words.groupby(data.case_rows("calls")[rows]):
        more = f"; and {len(every) - _REASONS_SHOWN} more" if len(every) > _REASONS_SHOWN else ""
        texts[case] = f"Calls that fail, {failed[case]} of {count[case]}: {'; '.join(every[:_REASONS_SHOWN])}{more}."
    return pd.Series(texts, index=data.cases.index, dtype=STRING)


def _check(**options: bool) -> Callable[[str, str], list[Defect]]:
    def check(schema: str, arguments: str) -> list[Defect]:
        found = schema_defects(schema, arguments, **options)
        told = {defect.path for defect in found}
        return found + [defect for defect in rubric_defects(schema, arguments) if defect.path not in told]

    return check


def _broken(schema: str) -> str:
    try:
        validator(schema)
    except BrokenSchemaError as cause:
        return str(cause)
    return ""


def _spread(found: list[list[Defect]], entry: np.ndarray) -> pd.DataFrame:
    """Give each row the defects of its entry (-1: none), in the order of rows."""
    sizes = np.array([len(defects) for defects in found])
    starts = np.cumsum(sizes) - sizes
    rows = np.flatnonzero(entry >= 0)
    repeats = sizes[entry[rows]]
    ends = np.cumsum(repeats)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - repeats, repeats)
    picked = np.repeat(starts[entry[rows]], repeats) + within
    flat = [defect for defects in found for defect in defects]
    frame = pd.DataFrame({"row": np.repeat(rows, repeats)})
    for name in ("code", "path", "note"):
        column = pd.Series([getattr(defect, name) for defect in flat], dtype=STRING)
        frame[name] = column.take(picked).array
    return frame
