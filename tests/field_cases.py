"""The field cases (users' own reports, retold) as datasets, in the words of this project."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import pandas as pd

from tests.shared import shared
from toolcorrect.dataset import Dataset
from toolcorrect.loaders import load


@lru_cache
def _text() -> str:
    return shared("cases/field-cases.jsonl").read_text("utf-8")


def field_cases() -> list[dict[str, Any]]:
    """All cases that hold neither a trace nor data."""
    every = map(json.loads, _text().splitlines())
    return [case for case in every if not case.get("trace") and not case.get("data")]


def answers(prefix: str) -> list[tuple[str, str, Any]]:
    """Triples (case id, question, right value) of the questions that begin so."""
    return [
        (c["id"], key, right) for c in field_cases() for key, right in c["right"].items() if key.startswith(prefix)
    ]


def field_case(case_id: str) -> dict[str, Any]:
    return next(case for case in field_cases() if case["id"] == case_id)


def matcher(value: Any) -> Any:
    """Translate the matchers of the field cases into ``$match`` with a JSON Schema."""
    if isinstance(value, list):
        return [matcher(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind = value.get("$match")
    if kind is None:
        return {key: matcher(item) for key, item in value.items()}
    made: dict[str, Any] = {"$match": {}}
    if kind == "regex":
        made["$match"] = {"type": "string", "pattern": value["pattern"]}
    elif kind == "one_of":
        made["$match"] = {"enum": value["values"]}
    elif kind == "approx":
        near = value.get("abs") or abs(value["value"]) * value["rel"]
        made["$match"] = {"type": "number", "minimum": value["value"] - near, "maximum": value["value"] + near}
    return {**made, "$optional": True} if value.get("optional") else made


def dataset(case: dict[str, Any]) -> Dataset:
    """One field case as a dataset of one case, whose id is ``x``."""
    expected = case.get("expected")
    references = expected["any_of"] if isinstance(expected, dict) else [expected or []]
    called = case.get("called")
    if any(isinstance(call, list) for reference in references for call in reference):
        # No table holds a list where a call belongs.
        return load([{"case": "x", "called": called, "expected": expected}])
    tools = case.get("tools")
    frame = {"called_known": called is not None, "expected_known": expected is not None}
    frame |= {"tools_known": tools is not None, "references": max(len(references), 1)}
    flat = [(r, call) for r, reference in enumerate(references) for call in reference]
    return Dataset(
        pd.DataFrame(frame, index=["x"]),
        pd.DataFrame([_row(call, None) for call in called or []]),
        pd.DataFrame([_row(call, r) for r, call in flat]),
        pd.DataFrame(rules(case)),
        pd.DataFrame([{"tool": t["name"], "parameters": json.dumps(t["parameters"])} for t in tools or []]),
    )


def rules(case: dict[str, Any]) -> list[dict[str, Any]]:
    policy = case.get("policy") or {}
    made: list[dict[str, Any]] = []
    for entry in policy.get("forbidden", []):
        name, arguments = (entry, None) if isinstance(entry, str) else (entry["name"], entry.get("args"))
        made.append({"case": "x", "rule": "forbid", "tool": name, "arguments": arguments and json.dumps(arguments)})
    for tool, bounds in policy.get("counts", {}).items():
        row = {"case": "x", "rule": "count", "tool": tool}
        made.append(row | {"minimum": bounds.get("min"), "maximum": bounds.get("max")})
    made += [{"case": "x", "rule": "before", "tool": one, "then": then} for one, then in policy.get("before", [])]
    return made


def _row(call: Any, reference: int | None) -> dict[str, Any]:
    row: dict[str, Any] = {"case": "x", "tool": call["name"], "step": call.get("turn")}
    if "args" in call:
        row |= {"arguments": json.dumps(matcher(call["args"])), "arguments_form": "object"}
    if reference is not None:
        return row | {"reference": reference, "role": "optional" if call.get("optional") else "required"}
    return row | {"error": {"error": True, "ok": False}.get(call.get("status"))}
