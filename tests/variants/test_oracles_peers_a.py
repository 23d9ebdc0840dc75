"""Every recorded output of the peers of part A, variant by variant, read in place."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import toolcorrect as tc
from tests.shared import ROOT, shared
from toolcorrect.dataset import Dataset

MODES = ("strict", "unordered", "subset", "superset")
ARGUMENTS = ("exact", "ignore", "subset", "superset")
UNITXT = ("argument_name_recall", "argument_name_precision", "argument_value_precision")


def _matches(library: str, layout: str, modes: tuple[str, ...]) -> dict[str, str]:
    return {
        f"{library}.{mode}" + ("" if arguments == "exact" else f".{arguments}"): f"match/{layout}/{mode}/{arguments}"
        for mode in modes
        for arguments in ARGUMENTS
    }


# File, rows, layout, and variant -> recorded key; a key "a:b" is the part b of the object under a.
# Layouts: flat = no more said; one = all calls in one step; each = a step a call; turn = a turn a call.
TABLE: list[tuple[str, int, str, dict[str, str]]] = [
    (
        "ragas-0.4.3",
        410,
        "flat",
        {
            "ragas.accuracy": "legacy/accuracy/strict/exact",
            "ragas.accuracy.flexible": "legacy/accuracy/flexible/exact",
            "ragas.f1": "legacy/f1",
        },
    ),
    # The second API of the same library.
    (
        "ragas-0.4.3",
        410,
        "flat",
        {
            "ragas.accuracy": "collections/accuracy/strict",
            "ragas.accuracy.flexible": "collections/accuracy/flexible",
            "ragas.f1": "collections/f1",
        },
    ),
    ("agentevals-0.0.9", 410, "one", _matches("agentevals", "one", MODES)),
    ("agentevals-0.0.9", 410, "each", _matches("agentevals", "each", ("strict",))),
    ("openevals-0.2.2", 410, "one", _matches("openevals", "one", MODES)),
    ("openevals-0.2.2", 410, "each", _matches("openevals", "each", ("strict",))),
    (
        "strands-agents-evals-1.7.0",
        410,
        "flat",
        {
            "strands.exact": "exact/names",
            "strands.in_order": "in_order/names",
            "strands.any_order": "any_order/names",
            "strands.exact.args": "exact/calls",
            "strands.in_order.args": "in_order/calls",
        },
    ),
    (
        "pydantic-evals-2.62.0",
        410,
        "flat",
        {
            "pydantic_evals.correctness": "tool_correctness/strict",
            "pydantic_evals.correctness.extra": "tool_correctness/allow_extra",
            "pydantic_evals.trajectory.exact": "trajectory_match/exact",
            "pydantic_evals.trajectory.in_order": "trajectory_match/in_order",
            "pydantic_evals.trajectory.any_order": "trajectory_match/any_order",
            "pydantic_evals.max_calls": "max_tool_calls/len_expected",
        },
    ),
    (
        "tool-scorer-1.10.0",
        410,
        "flat",
        {
            "toolscore.invocation": "invocation_accuracy",
            "toolscore.selection": "selection_accuracy",
            "toolscore.correctness": "tool_correctness/set",
            "toolscore.correctness.positional": "tool_correctness/positional",
            "toolscore.correctness.args": "tool_correctness/with_args",
            "toolscore.required_recall": "required_call_recall",
            "toolscore.trajectory": "trajectory:trajectory_accuracy",
            "toolscore.partial": "partial_trajectory",
            "toolscore.sequence": "edit:sequence_accuracy",
            "toolscore.argument_f1": "argument_f1/lenient:f1",
            "toolscore.argument_f1.strict": "argument_f1/strict:f1",
            "toolscore.redundant": "redundant:redundant_rate",
        },
    ),
    ("agent-quality-inspect-2.3.6a1", 410, "flat", {"agent_inspect.correctness": "one_turn/args"}),
    ("agent-quality-inspect-2.3.6a1", 410, "turn", {"agent_inspect.correctness": "turn_per_call/args"}),
    (
        "autoevals-0.4.1",
        410,
        "flat",
        {
            "autoevals.list_contains": "list_contains/names/exact",
            "autoevals.list_contains.extra": "list_contains/names/exact/allow_extra",
            "autoevals.json_diff": "json_diff/calls",
        },
    ),
    (
        "unitxt-1.26.10",
        384,
        "flat",
        {
            "unitxt.exact": "exact_match",
            "unitxt.tool_name": "tool_name_accuracy",
            **{f"unitxt.{key}": key for key in UNITXT},
        },
    ),
    ("trajscore-1.1.6", 410, "flat", {"trajscore.f1": "tool_accuracy"}),
    ("trajeval-0.2.0", 410, "flat", {"trajeval.order": "tool_order"}),
]
# Recorded keys (patterns) that no variant stands for, and why.
LEFT_OUT = {
    r"override/.*": "rules a tool, given by the user: no definition of its own",
    r"graph_strict": "equality of graph nodes, not of calls; on names it is the exact sequence",
    r"json_match/.*": "scores structured output key by key; its odd empty sides are known",
    r"exact_match/.*": "equality of any JSON output, not of calls",
    r"legacy/accuracy/.*/(presence|levenshtein)": "another argument metric than the default, chosen by the user",
    r"any_order/calls": "raises for every case with calls",
    r"tool_called": "one verdict a tool; a case's score is the caller's job",
    r"argument_correctness/.*": "one verdict an expected call; a case's score is the caller's job",
    r"partial_trajectory/name_variations": "an option; score(names=...) says when names are the same",
    r"(one_turn|turn_per_call)/names": "the same definition without arguments",
    r"json_diff/(calls/preserve_strings|names)": "options of a similarity that is no tool metric",
    r"list_contains/(names/levenshtein|calls/json_diff)": "options of a similarity that is no tool metric",
    r"argument_schema_validation": "validity against schemas, see tc.validate",
    r"no_repeated_calls": "reads no expected calls",
    r"arg_match/.*": "one verdict an expected call; a case's score is the caller's job",
    r"error": "the library refused the whole case",
}
# Rounded upstream.
ROUNDED = {"agent-quality-inspect-2.3.6a1": 1e-4}


@cache
def read_rows(file: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in shared(f"oracles/{file}.jsonl").read_text("utf-8").splitlines()]


@cache
def data_of(file: str, layout: str) -> Dataset:
    def side(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        where = {"one": lambda i: {"step": 0}, "each": lambda i: {"step": i}, "turn": lambda i: {"turn": i}}
        said = where.get(layout, lambda i: {})
        return [{"name": c["name"], "arguments": c["args"], **said(i)} for i, c in enumerate(calls)]

    records = [
        {"case": r["id"], "called": side(r["called"]), "expected": side(r["expected"])} for r in read_rows(file)
    ]
    return tc.load(records, format="plain_records")


@cache
def scored_all(file: str, layout: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Scores and statuses of all variants of a file, at once."""
    variants = [v for name, _, laid, mapped in TABLE if (name, laid) == (file, layout) for v in mapped]
    return tc.score(data_of(file, layout), variants=variants), tc.status(data_of(file, layout), variants=variants)


def recorded_score(row: dict[str, Any], key: str) -> tuple[float, str]:
    """The recorded value as a number, and the status it calls for."""
    whole, _, part = key.partition(":")
    value = row["scores"].get(whole)
    if "error" in row["scores"] or (isinstance(value, dict) and "error" in value):
        return math.nan, "rejected"
    value = value[part] if part else value
    return (math.nan, "undefined") if value is None else (float(value), "ok")


CONFIGS = [
    pytest.param(file, rows, layout, variant, key, id=f"{file} {key}, {rows} rows")
    for file, rows, layout, variants in TABLE
    for variant, key in variants.items()
]


@pytest.mark.parametrize(("file", "rows", "layout", "variant", "key"), CONFIGS)
def test_recorded_outputs_agree(file: str, rows: int, layout: str, variant: str, key: str) -> None:
    recorded = read_rows(file)
    assert len(recorded) == rows
    wanted, wanted_status = zip(*(recorded_score(row, key) for row in recorded))
    scores, status = scored_all(file, layout)
    assert scores.index.to_list() == [row["id"] for row in recorded]
    np.testing.assert_allclose(scores[variant].to_numpy(), np.array(wanted), rtol=0, atol=ROUNDED.get(file, 1e-9))
    assert status[variant].to_list() == list(wanted_status)


def test_every_recorded_key_is_mapped_or_left_out_with_a_reason() -> None:
    mapped: dict[str, set[str]] = {}
    for file, _, _, variants in TABLE:
        mapped.setdefault(file, set()).update(key.partition(":")[0] for key in variants.values())
    for file, keys in mapped.items():
        seen = {key for row in read_rows(file) for key in row["scores"]}
        unexplained = [k for k in seen - keys if not any(re.fullmatch(pattern, k) for pattern in LEFT_OUT)]
        assert not unexplained, (file, unexplained)
        assert keys <= seen


def test_only_strict_looks_at_the_steps() -> None:
    for library, file in (("agentevals", "agentevals-0.0.9"), ("openevals", "openevals-0.2.2")):
        names = [f"{library}.{mode}" for mode in MODES[1:]]
        one, each = (tc.score(data_of(file, layout), variants=names) for layout in ("one", "each"))
        assert one.equals(each)


def test_both_libraries_differ_only_where_the_direction_was_mended() -> None:
    data = data_of("agentevals-0.0.9", "one")
    old, new = (tc.score(data, variants=f"{library}.*") for library in ("agentevals", "openevals"))
    new.columns = new.columns.str.replace("openevals", "agentevals")
    differ = {name for name in old if not old[name].equals(new[name])}
    assert differ == {f"agentevals.{m}.{a}" for m in ("subset", "unordered") for a in ("subset", "superset")}


def test_the_shared_check_agrees() -> None:
    peers = ["ragas", "agentevals", "openevals", "strands", "pydantic", "tool-scorer", "agent-quality", "autoevals"]
    command = [sys.executable, str(shared("check/oracles.py")), *peers, "unitxt", "trajscore", "trajeval"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "; 0 differ, 0 lack a variant" in done.stdout
