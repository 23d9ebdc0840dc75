"""Datasets for tests, written as lists of calls."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from toolcorrect.dataset import Dataset

_FORMS = {dict: "object", str: "text", list: "list", type(None): "null"}


def dataset(*runs: tuple[Any, Any], **columns: Iterable[Any]) -> Dataset:
    """Make a dataset of (called, expected) pairs, cases named "0", "1", ...; None is not known.

    A call is a name or a mapping {"name", "arguments"?, "output"?, and any column of the table}.
    """
    cases, calls, expected = [], [], []
    for number, (made, wanted) in enumerate(runs):
        case = str(number)
        alternatives = wanted["any_of"] if isinstance(wanted, Mapping) else [wanted]
        cases.append(
            {
                "case": case,
                "called_known": made is not None,
                "expected_known": wanted is not None,
                "references": len(alternatives),
            }
        )
        calls += [_row(case, call) for call in made or []]
        for reference, alternative in enumerate(alternatives):
            rows = [_row(case, call) for call in alternative or []]
            expected += [row | {"reference": reference} for row in rows]
    return Dataset(
        pd.DataFrame(cases, columns=["case", "called_known", "expected_known", "references"]).assign(**columns),
        pd.DataFrame(calls) if calls else None,
        pd.DataFrame(expected) if expected else None,
    )


def _row(case: str, call: Any) -> dict[str, Any]:
    given = {"name": call} if isinstance(call, str) else dict(call)
    row = {"case": case, "tool": given.pop("name"), "arguments_form": "absent"}
    if "arguments" in given:
        value = given.pop("arguments")
        row["arguments_form"] = _FORMS.get(type(value), "other")
        row["arguments"] = None if value is None else json.dumps(value)
    if given.get("output") is not None:
        given["output"] = json.dumps(given["output"])
    return row | given
