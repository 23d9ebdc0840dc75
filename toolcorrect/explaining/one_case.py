"""One case, in words: what was expected, what was called, and each definition's sum."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from toolcorrect import html
from toolcorrect.arguments.decoding import parse_json
from toolcorrect.arguments.differences import differences
from toolcorrect.dataset import Dataset, check_dataset
from toolcorrect.encoding import Encoding
from toolcorrect.errors import unknown_name
from toolcorrect.explaining.alignment import EQUAL, SAME_NAME, Alignment, align, closest_reference, reading_order
from toolcorrect.names import Names
from toolcorrect.references.linting import lint
from toolcorrect.references.matching import resolve as resolve_data
from toolcorrect.references.rules import check_rules
from toolcorrect.scoring import STATUSES, Scorer
from toolcorrect.tables import STRING
from toolcorrect.validity.validating import validate
from toolcorrect.variants import Wanted, resolve

# What each kind of line is, in a sign that needs no colour and in words.
SIGNS = {
    "matched": "=",
    "arguments": "≠",
    "names": "~",
    "moved": "↕",
    "missing": "−",
    "extra": "+",
    "repeated": "×",
    "unknown": "?",
}
_DTYPES = {
    **dict.fromkeys(("expected_position", "called_position"), "Int64"),
    **dict.fromkeys(("kind", "tool_expected", "tool_called"), STRING),
    **dict.fromkeys(("arguments_expected", "arguments_called"), STRING),
    "differences": object,
}


@dataclass(frozen=True, repr=False)
class Explanation:
    """What `explain` found.

    Parameters
    ----------
    case
        The case.
    alignment
        One line a call: ``kind`` (matched, arguments, names, moved, missing, extra, repeated; unknown where the other
        side is not known), ``expected_position``, ``called_position``, ``tool_expected``, ``tool_called``,
        ``arguments_expected``, ``arguments_called`` (JSON text) and ``differences`` (of the arguments, by path).
    sums
        One row a variant, index ``variant``: ``score``, ``sum`` (in words) and ``status``.
    reference
        Which alternative reference the calls are held against (the closest), from 0.
    note
        What cannot be told, or an empty text.
    findings
        ``about`` (call, rule or reference) and ``text``: what breaks a schema or a rule, and faults of the reference.
    """

    case: str
    alignment: pd.DataFrame
    sums: pd.DataFrame
    reference: int
    note: str = ""
    findings: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=["about", "text"]))

    def __str__(self) -> str:
        lines = [f"case {html.visible(self.case)}" + (f" ({self.note})" if self.note else "")]
        for row in self.alignment.itertuples():
            lines.append(f"  {SIGNS[row.kind]} {row.kind:<9} {html.visible(_line(row))}")
            lines += [f"      {html.visible(_difference(found))}" for found in row.differences]
        width = max((len(name) for name in self.sums.index), default=0)
        lines += [f"  ! {row.about}: {html.visible(row.text)}" for row in self.findings.itertuples()]
        lines += [f"  {r.Index:<{width}}  {_result(r.score, r.status)}  {r.sum}" for r in self.sums.itertuples()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Explanation of case {self.case!r}: {len(self.alignment)} lines, {len(self.sums)} variants"

    def _repr_html_(self) -> str:
        shown = pd.DataFrame(
            {
                "expected": [_call(r.tool_expected, r.arguments_expected) for r in self.alignment.itertuples()],
                "": [f"{SIGNS[kind]} {kind}" for kind in self.alignment["kind"]],
                "called": [_call(r.tool_called, r.arguments_called) for r in self.alignment.itertuples()],
                "difference": ["; ".join(map(_difference, found)) for found in self.alignment["differences"]],
            }
        )
        sums = pd.DataFrame(
            {
                "variant": self.sums.index,
                "score": [_result(r.score, r.status) for r in self.sums.itertuples()],
                "sum": self.sums["sum"].to_numpy(),
            }
        )
        title = f"Case {self.case}" + (f" ({self.note})" if self.note else "")
        found = html.table(self.findings) if len(self.findings) else ""
        return html.table(shown, title) + found + html.table(sums)


def explain(
    data: Dataset,
    case: str,
    *,
    variants: Wanted = "core",
    scope: str = "assistant",
    names: str | Names | None = None,
) -> Explanation:
    """Show one case: expected beside called, what matched, and how each definition comes to its score.

    Parameters
    ----------
    data
        The runs.
    case
        Its id.
    variants, scope, names
        As in `toolcorrect.score`.

    Returns
    -------
    Explanation
        Prints as text, shows as HTML in a notebook.

    Raises
    ------
    UnknownNameError
        For a case that is not there.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "b"], "expected": ["a"]}])
    >>> print(tc.explain(data, "x", variants=["recall", "jaccard"]))
    case x
      = matched   a
      + extra     b
      recall   1.00  1 of 1 expected found
      jaccard  0.50  1 shared of 2 in either
    """
    check_dataset(data)
    case = str(case)  # Loading makes texts of ids that are numbers.
    if case not in data.cases.index:
        raise unknown_name("case", case, data.cases.index)
    one = data.select([case])
    level = "exact" if names is None else names
    encoding = Encoding(resolve_data(one, scope=scope, names=level), scope=scope, names=level)
    pairs = align(encoding)
    chosen = int(closest_reference(pairs)[0])
    lines = _lines(one, encoding, pairs, chosen)
    unknown = [
        what
        for what, known in (("calls", encoding.called_known), ("expected calls", encoding.expected_known))
        if not known[0]
    ]
    if unknown:
        lines["kind"] = pd.array(["unknown"] * len(lines), dtype=STRING)
    notes = [f"{' and '.join(unknown)} not known"] if unknown else []
    if one.cases["references"].item() > 1:
        notes.append(f"against reference {encoding.list_reference[chosen]} of {one.cases['references'].item()}")
    note = "; ".join(notes)
    sums = _sums(one, variants, scope, names)
    findings = _findings(one, scope, names or "exact")
    return Explanation(case, lines, sums, int(encoding.list_reference[chosen]), note, findings)


def _findings(one: Dataset, scope: str, names: str | Names) -> pd.DataFrame:
    """Say what breaks a schema, a rule, or is wrong with the reference."""
    rules = check_rules(one, scope=scope, names=names)
    faults = lint(one, names=names)
    # What lint says of no case speaks of many cases together, and the report of all that were loaded.
    faults = faults[faults["case"] == one.cases.index[0]]
    texts = {
        "call": _located(validate(one, scope=scope, names=names)),
        "rule": rules["note"].dropna().to_list(),
        "reference": _located(faults),
    }
    rows = [(about, text) for about, found in texts.items() for text in found]
    return pd.DataFrame(rows, columns=["about", "text"])


def _located(defects: pd.DataFrame) -> list[str]:
    texts = (defects[name].astype(STRING).fillna("") for name in ("tool", "path", "note", "code"))
    return [
        ": ".join(filter(None, (", ".join(filter(None, (tool, path))), note or code.replace("_", " "))))
        for tool, path, note, code in zip(*texts)
    ]


def _lines(one: Dataset, encoding: Encoding, pairs: Alignment, chosen: int) -> pd.DataFrame:
    owner, line_e, line_c = reading_order(pairs)
    mine = owner == chosen
    line_e, line_c = line_e[mine], line_c[mine]
    records = []
    for e, c in zip(line_e.tolist(), line_c.tolist()):
        expected = one.expected.iloc[encoding.expected.row[e]] if e >= 0 else None
        called = one.calls.iloc[encoding.called.row[c]] if c >= 0 else None
        grade = int(pairs.grade[e]) if e >= 0 and c >= 0 else 0
        if expected is None:
            kind = "repeated" if pairs.repeated[c] else "extra"
        elif called is None:
            kind = "missing"
        elif grade == SAME_NAME:
            kind = "names"
        else:
            kind = "arguments" if grade > EQUAL else "moved" if pairs.moved[e] else "matched"
        records.append(_record(kind, expected, called))
    columns = list(_record("matched", None, None))
    return pd.DataFrame.from_records(records, columns=columns).astype(_DTYPES)


def _record(kind: str, expected: pd.Series | None, called: pd.Series | None) -> dict[str, Any]:
    given = [None if call is None or pd.isna(call["arguments"]) else call["arguments"] for call in (expected, called)]
    found = [] if given[0] is None or given[1] is None else differences(parse_json(given[0]), parse_json(given[1]))
    return {
        "kind": kind,
        "expected_position": None if expected is None else int(expected["position"]),
        "called_position": None if called is None else int(called["position"]),
        "tool_expected": None if expected is None else expected["tool"],
        "tool_called": None if called is None else called["tool"],
        "arguments_expected": given[0],
        "arguments_called": given[1],
        "differences": found,
    }


def _sums(one: Dataset, variants: Wanted, scope: str, names: str | Names | None) -> pd.DataFrame:
    scorer = Scorer(one, scope=scope, names=names)
    rows = []
    for variant in resolve(variants):
        scored = scorer.cases(variant)
        overlap = scorer.overlap(variant)
        place = int(np.flatnonzero(overlap.encoding.list_reference == scored.reference[0])[0])
        status = STATUSES[scored.status[0]]
        empty = overlap.expected[place] == 0 or overlap.called[place] == 0
        words = _empty_words(overlap.expected[place], overlap.called[place]) if empty else ""
        if variant.by == "case" or not words:
            words = words or variant.sum_in_words(overlap, place)
        if status != "ok":
            # A definition with words of its own can say why it refuses.
            words = variant.words(overlap, place) if variant.words and status == "rejected" else ""
        rows.append((variant.name, float(scored.score[0]), words, status))
    return pd.DataFrame.from_records(rows, columns=["variant", "score", "sum", "status"]).set_index("variant")


def _empty_words(expected: int, called: int) -> str:
    if not expected and not called:
        return "nothing expected, nothing called"
    return f"nothing expected, {called} called" if not expected else f"{expected} expected, nothing called"


def _call(tool: Any, arguments: Any) -> str:
    return "" if pd.isna(tool) else tool if pd.isna(arguments) else f"{tool} {arguments}"


def _line(row: Any) -> str:
    if row.kind == "names":
        return f"{row.tool_expected} called as {_call(row.tool_called, row.arguments_called)}"
    tool, arguments = (
        (row.tool_expected, row.arguments_expected)
        if pd.isna(row.tool_called)
        else (row.tool_called, row.arguments_called)
    )
    return _call(tool, arguments)


def _difference(found: dict[str, Any]) -> str:
    path = found["path"] or "arguments"
    if found["code"] == "missing":
        return f"{path}: {found['expected']!r} not given"
    if found["code"] == "extra":
        return f"{path}: {found['called']!r} not expected"
    return f"{path}: {found['called']!r} instead of {found['expected']!r}"


def _result(score: float, status: str) -> str:
    return f"{score:.2f}" if status == "ok" else status.replace("_", " ")
