"""The variants of the second group of peers against their recorded outputs, and against what documentation says."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.shared import shared
from toolcorrect.encoding import Encoding
from toolcorrect.loaders import load
from toolcorrect.scoring import score, status
from toolcorrect.variants import registry, tau2

Row = dict[str, Any]


def rows(name: str) -> list[Row]:
    path = shared(f"oracles/{name}")
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        return [json.loads(line) for line in file]


def call(given: Row, **more: Any) -> Row:
    renamed = {"arguments" if key == "args" else key: value for key, value in given.items()}
    return {key: renamed[key] for key in ("name", "arguments") if key in renamed} | more


def one_turn(row: Row) -> Row:
    return {"case": row["id"], **{side: [call(c) for c in row[side]] for side in ("called", "expected")}}


def turns(row: Row) -> Row:
    """A conversation; also its turns without calls count."""
    sides = {
        side: [call(c, turn=i) for i, turn in enumerate(row["turns"]) for c in turn[side]]
        for side in ("called", "expected")
    }
    return {"case": row["id"], "turns": len(row["turns"]), **sides}


def within(group: str, key: str) -> Callable[[Row], float]:
    """A recorded number, or a verdict in words; where upstream raised, NaN."""

    def read(row: Row) -> float:
        value = (row[group] or {}).get(key)
        if isinstance(value, dict):
            value = value.get("score")
        return {"yes": 1.0, "no": 0.0, None: math.nan}.get(value, value)

    return read


def share(key: str) -> Callable[[Row], float]:
    """Share of the expected calls whose assertion passed; where one of them raised, NaN."""

    def read(row: Row) -> float:
        each = row["results"][key]
        if not each or any("error" in one for one in each):
            return math.nan
        return sum(one["pass"] for one in each) / len(each)

    return read


ADK = {
    f"adk.{mode}{suffix}": within("scores", mode + suffix.replace(".", "_"))
    for mode in ("exact", "in_order", "any_order")
    for suffix in ("", ".names")
}
AZURE = {
    f"azure.{name}{suffix}": within(group, key)
    for suffix, group in (("", "names"), (".params", "params"))
    for name, key in (
        ("exact", "exact_match"),
        ("in_order", "in_order_match"),
        ("any_order", "any_order_match"),
        ("precision", "precision"),
        ("recall", "recall"),
        ("f1", "f1"),
    )
}
MLFLOW = {
    "mlflow.exact": within("values", "exact_unordered"),
    "mlflow.exact.ordered": within("values", "exact_ordered"),
}
# Left out: f1_half is f1 with another threshold, not_f1 and not_used are negations.
PROMPTFOO = {
    "promptfoo.f1": within("results", "f1"),
    "promptfoo.used": within("results", "used"),
    "promptfoo.sequence": within("results", "seq_in_order"),
    "promptfoo.sequence.exact": within("results", "seq_exact"),
    "promptfoo.args.partial": share("args_partial"),
    "promptfoo.args.exact": share("args_exact"),
}
RECORDED = {
    "google-adk-2.13.0.jsonl": (295, one_turn, ADK),
    "google-adk-conversations-2.13.0.jsonl": (48, turns, ADK),
    "azure-ai-evaluation-1.18.10.jsonl": (295, one_turn, AZURE),
    "mlflow-3.17.2.jsonl": (295, one_turn, MLFLOW),
    "promptfoo-0.121.20.jsonl": (295, one_turn, PROMPTFOO),
}


def differing(name: str, want: Iterable[float], got: pd.Series) -> list[str]:
    expected = np.array(list(want), dtype=float)
    same = np.isclose(expected, got, rtol=0, atol=1e-9, equal_nan=True)
    return [
        f"{name} {case}: want {a}, got {b}"
        for case, a, b in zip(got.index[~same], expected[~same], got.to_numpy()[~same])
    ]


@pytest.mark.parametrize("file", RECORDED)
def test_every_recorded_output(file: str) -> None:
    count, record, variants = RECORDED[file]
    recorded = rows(file)
    assert len(recorded) == count
    data = load([record(row) for row in recorded], format="records")
    scores = score(data, variants=list(variants))
    wrong = [line for name, read in variants.items() for line in differing(name, map(read, recorded), scores[name])]
    assert not wrong, f"{file}: {len(wrong)} of {count * len(variants)} differ, first {wrong[:5]}"


@pytest.mark.parametrize("file", RECORDED)
def test_where_upstream_raised_the_status_says_rejected(file: str) -> None:
    _, record, variants = RECORDED[file]
    recorded = rows(file)
    told = status(load([record(row) for row in recorded], format="records"), variants=list(variants))
    for name, read in variants.items():
        raised = np.array([math.isnan(read(row)) for row in recorded])
        assert ((told[name] == "rejected").to_numpy() == raised).all(), name


DOCUMENTED = {
    "vertex-docs.jsonl": {
        f"vertex.{name}": f"trajectory_{name}"
        for name in ("exact_match", "in_order_match", "any_order_match", "precision", "recall")
    },
    "snowflake-docs.jsonl": {"snowflake.tool_selection": "tool_selection_accuracy"},
    "agentcore-docs.jsonl": {
        "agentcore.exact": "TrajectoryExactOrderMatch",
        "agentcore.in_order": "TrajectoryInOrderMatch",
        "agentcore.any_order": "TrajectoryAnyOrderMatch",
    },
}


@pytest.mark.parametrize("file", DOCUMENTED)
def test_every_documented_value(file: str) -> None:
    """Where readings differ, ``scores`` holds the word-by-word one. Left out: metrics of a single tool call."""
    documented = [row for row in rows(file) if row.get("kind") != "tool_call"]
    scores = score(load([one_turn(row) for row in documented], format="records"), variants=list(DOCUMENTED[file]))
    wrong = [
        line
        for name, key in DOCUMENTED[file].items()
        for line in differing(name, map(within("scores", key), documented), scores[name])
    ]
    assert not wrong, wrong


def tau_runs() -> tuple[list[Row], Any]:
    runs = rows("tau_runs.jsonl.gz")
    records = [
        {
            "case": str(number),
            "called": [call(c, actor=c.get("requestor") or "assistant") for c in run["called"]],
            "expected": [call(c) for c in run["expected"]],
        }
        for number, run in enumerate(runs)
    ]
    data = load(records, format="records")
    compare = [
        json.dumps(c["compare_args"]) if c.get("compare_args") is not None else None
        for run in runs
        for c in run["expected"]
    ]
    return runs, data.replace(expected=data.expected.assign(compare=pd.array(compare, dtype="string[pyarrow]")))


def test_every_recorded_action_check_of_tau2() -> None:
    runs, data = tau_runs()
    encoding = Encoding(data, scope="everyone")
    met = tau2.met(encoding)
    each = np.split(met, encoding.expected.offsets[1:-1])
    # Runs that were not evaluated have no flags for their actions.
    checked = [(run["action_match"], flags.tolist()) for run, flags in zip(runs, each) if run["action_match"]]
    assert sum(len(recorded) for recorded, _ in checked) == 2006
    assert [run for run in checked if run[0] != run[1]] == []
    shares = score(data, variants="tau2.actions")["tau2.actions"]
    assert shares.to_list() == [flags.mean() if len(flags) else 1.0 for flags in each]


def test_tau2_compares_what_the_action_says() -> None:
    record = {"case": "x", "called": [{"name": "book", "arguments": {"id": 1, "note": "now"}}]}
    data = load([{**record, "expected": [{"name": "book", "arguments": {"id": 1}}]}], format="records")
    assert score(data, variants="tau2.actions").iloc[0, 0] == 0.0
    data = data.replace(expected=data.expected.assign(compare='["id"]'))
    assert score(data, variants="tau2.actions").iloc[0, 0] == 1.0


def test_promptfoo_reads_expected_names_as_patterns() -> None:
    def scores(called: list[str], expected: list[str]) -> list[float]:
        data = load([{"case": "x", "called": called, "expected": expected}])
        names = ["promptfoo.used", "promptfoo.sequence", "promptfoo.sequence.exact"]
        return score(data, variants=names).iloc[0].to_list()

    assert scores(["Search_Web", "open"], ["search_*", "OPE?"]) == [1, 1, 1]
    assert scores(["open", "search_web"], ["search_*", "open"]) == [1, 0, 0]
    assert scores(["search_web"], ["search_*", "search_*"]) == [1, 0, 0]
    assert scores(["search_web"], ["[s]earch_*"]) == [0, 0, 0]
    assert scores(["a" * 60], ["*a" * 30 + "b"]) == [0, 0, 0]


def test_promptfoo_compares_arguments_across_a_pattern() -> None:
    record = {
        "case": "x",
        "called": [{"name": "Search", "arguments": {"q": [1.0], "page": 2}}],
        "expected": [{"name": "sea*", "arguments": {"page": 2, "q": [1]}}],
    }
    names = ["promptfoo.args.exact", "promptfoo.args.partial"]
    assert score(load([record]), variants=names).iloc[0].to_list() == [1.0, 1.0]


def test_mlflow_compares_names_only_where_one_expected_call_has_no_arguments() -> None:
    called = [{"name": "a", "arguments": {"x": 1}}, {"name": "b", "arguments": {"y": 1}}]
    expected = [{"name": "a", "arguments": {"x": 2}}, {"name": "b"}]
    data = load([{"case": "x", "called": called, "expected": expected}])
    assert score(data, variants="mlflow.*").iloc[0].to_list() == [1.0, 1.0]


def test_each_upstream_says_what_it_was_proven_against() -> None:
    for name in [
        *ADK,
        *AZURE,
        *MLFLOW,
        *PROMPTFOO,
        "tau2.actions",
        *(n for names in DOCUMENTED.values() for n in names),
    ]:
        variant = registry()[name]
        assert all((variant.title, variant.rule, variant.upstream, variant.properties)), name
        assert variant.notation or variant.axes
        assert variant.version or "documentation" in variant.upstream or name == "tau2.actions"
