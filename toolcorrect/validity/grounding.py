"""Where argument values come from: said in the context or an earlier output, derivable from it, or unverified."""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property
from typing import Any

import pandas as pd

from toolcorrect.arguments.dates import canonical_date, dates_in
from toolcorrect.arguments.decoding import parse_json, to_json
from toolcorrect.arguments.differences import path_text
from toolcorrect.arguments.equality import canonical_text
from toolcorrect.arguments.schemas import declared
from toolcorrect.dataset import Dataset, check_dataset
from toolcorrect.encoding import Encoding
from toolcorrect.tables import STRING
from toolcorrect.validity.defects import leaves
from toolcorrect.validity.offering import calls_in_scope, offer

GROUNDINGS = pd.CategoricalDtype(["grounded", "derivable", "unverified"])
GROUNDS = pd.CategoricalDtype(["context", "output", "schema", "truth"])

# Of a longer text only the beginning is searched.
_TEXT_LIMIT = 200_000
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:[ ,_']\d{3})*(?:\.\d+)?(?![\w])")
_RELATIVE_DATE = re.compile(
    r"\b(?:to-?day|to-?morrow|yesterday|tonight|now|next|last|this|coming|ago|later|in \w+ (?:days?|weeks?|months?)|"
    r"weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|heute|morgen|gestern|demain|hier|hoy|ayer)\b|"
    r"今天|今日|明天|明日|后天|後天|昨天|前天|今晚|现在|本周|这周|下周|上周|周[一二三四五六日末]|星期|本月|下个?月|上个?月|月底",
    re.IGNORECASE,
)
_NUMBER_WORD = re.compile(
    r"\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|"
    r"(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million|dozen|couple|pair|half|both|single|"
    r"once|twice|first|second|third)\b|[零一二两三四五六七八九十百千万半双]",
    re.IGNORECASE,
)


def grounding(data: Dataset, *, scope: str = "assistant") -> pd.DataFrame:
    """Tell for every argument value whether the run had said it before the call.

    A report, not a score: a value that is not said may still be right.

    Parameters
    ----------
    data
        The dataset; the context is ``cases.input``, earlier outputs are those of calls before this one (and, where
        steps are known, of an earlier step).
    scope
        Which calls are looked at, as in `toolcorrect.score`.

    Returns
    -------
    pandas.DataFrame
        One row a text, number or truth value in the arguments: ``case, position, tool, path, value`` (JSON text),
        ``grounding``, ``ground``. Grounded: found in the context or an output (letter case, width, blanks, number
        and date spelling apart), among the values the schema states (enum, const, default, examples), or a truth
        value. Derivable: a date where the context holds relative dates, a number where it holds number words.

    Examples
    --------
    >>> data = Dataset(
    ...     pd.DataFrame({"input": ["OSLO tomorrow?"]}, index=["x"]),
    ...     pd.DataFrame(
    ...         {"case": ["x"], "tool": ["w"], "arguments": ['{"city": "Oslo", "day": "2031-04-09", "k": 7}']}
    ...     ),
    ... )
    >>> grounding(data).set_index("path").grounding.to_dict()
    {'city': 'grounded', 'day': 'derivable', 'k': 'unverified'}
    """
    check_dataset(data)
    calls = data.calls
    counted = calls_in_scope(Encoding(data, scope=scope))
    offered = offer(data)
    inputs = data.cases["input"].fillna("").tolist()
    rows: list[tuple[int, str, str, str, str | None]] = []
    said: list[_Said] = []
    case_before = -1
    columns = (data.case_rows("calls"), calls["step"].tolist(), calls["arguments"], calls["output"], offered.schema)
    for row, (case, step, arguments, output, schema) in enumerate(zip(*columns)):
        if case != case_before:
            case_before, said = case, [_Said(inputs[case], "context", pd.NA)]
        if counted[row] and not pd.isna(arguments):
            stated = declared(offered.schemas[schema]).stated if schema >= 0 else frozenset()
            earlier = [s for s in said if pd.isna(s.step) or pd.isna(step) or s.step < step]
            rows += [(row, *found) for found in _of_call(arguments, stated, earlier)]
        if not pd.isna(output):
            said.append(_Said(output, "output", step))
    found = pd.DataFrame(rows, columns=["row", "path", "value", "grounding", "ground"])
    made = calls[["case", "position", "tool"]].iloc[found.pop("row").astype(int).to_numpy()].reset_index(drop=True)
    return made.join(
        found.astype({"path": STRING, "value": STRING, "grounding": GROUNDINGS, "ground": GROUNDS}),
    )


class _Said:
    """A text of the run, with the numbers and dates in it."""

    def __init__(self, text: str, ground: str, step: Any) -> None:
        self.text, self.ground, self.step = _plain(text[:_TEXT_LIMIT]), ground, step

    @cached_property
    def numbers(self) -> set[float]:
        return {_as_number(found) for found in _NUMBER.findall(self.text)}

    @cached_property
    def dates(self) -> set[str]:
        found = set(dates_in(self.text))
        return found | {moment[:10] for moment in found}

    def holds(self, value: Any) -> bool:
        if isinstance(value, str):
            day = canonical_date(value)
            return _holds_text(self.text, _plain(value)) or (day is not None and day in self.dates)
        try:
            return float(value) in self.numbers
        except OverflowError:
            return str(value) in self.text


def _of_call(arguments: str, stated: frozenset[str], said: list[_Said]) -> list[tuple[str, str, str, str | None]]:
    try:
        values = list(leaves(parse_json(arguments)))
    except ValueError:
        return []
    found = []
    for parts, value in values:
        if value is None:
            continue
        text = to_json(value)
        ground = _ground(value, canonical_text(text) in stated, said)
        kind = "grounded" if ground else "derivable" if _derivable(value, said) else "unverified"
        found.append((path_text(parts), text, kind, ground))
    return found


def _ground(value: Any, stated: bool, said: list[_Said]) -> str | None:
    if isinstance(value, bool):
        return "truth"
    if stated:
        return "schema"
    return next((text.ground for text in said if text.holds(value)), None)


def _derivable(value: Any, said: list[_Said]) -> bool:
    if isinstance(value, str):
        day = canonical_date(value)
        return day is not None and any(_RELATIVE_DATE.search(s.text) for s in said if s.ground == "context")
    return any(_NUMBER_WORD.search(s.text) for s in said if s.ground == "context")


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _holds_text(text: str, wanted: str) -> bool:
    """Find a text that is no mere part of a longer Latin word or number."""
    if not wanted:
        return True
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        cut_before = start > 0 and _latin(wanted[0]) and _latin(text[start - 1])
        cut_after = end < len(text) and _latin(wanted[-1]) and _latin(text[end])
        if not (cut_before or cut_after):
            return True
        start = text.find(wanted, start + 1)
    return False


def _latin(letter: str) -> bool:
    return letter.isalnum() and letter < "\u0250"


def _as_number(text: str) -> float:
    return float(re.sub(r"[ ,_']", "", text))
