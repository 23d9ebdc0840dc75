"""The field cases about aggregates, thresholds, trials and comparisons: each question and its right value."""

from __future__ import annotations

import json
from functools import lru_cache

import numpy as np
import pandas as pd
import pytest

from tests.shared import shared
from toolcorrect.calibrating.trials import pass_at_k, pass_hat_k, pass_hat_k_power, repeated
from toolcorrect.comparing.paired import compare_runs, mcnemar
from toolcorrect.loaders import load
from toolcorrect.scoring import score, status
from toolcorrect.statistics.aligning import score_frame
from toolcorrect.statistics.means import summarise
from toolcorrect.statistics.resampling import wilson
from toolcorrect.statistics.thresholds import passes, verdict
from toolcorrect.variants.definition import Variant


@lru_cache
def every():
    lines = shared("cases/field-cases.jsonl").read_text("utf-8").splitlines()
    return {case["id"]: case for case in map(json.loads, lines) if case.get("data")}


def field(case_id):
    """Return data and right values of a case; null as NaN."""
    case = every()[case_id]
    return case["data"], {key: np.nan if value is None else value for key, value in case["right"].items()}


def test_there_are_sixteen():
    assert len(every()) == 16


@pytest.mark.parametrize("case_id", ["aggregate-missing-01", "aggregate-missing-05"])
def test_aggregates(case_id):
    data, right = field(case_id)
    row = summarise(pd.Series(data["scores"], dtype=float, name="v")).iloc[0].rename({"mean": "mean_scored"})
    assert row[list(right)].to_dict() == pytest.approx(right)


def test_a_part_that_does_not_apply_is_left_out():
    data, right = field("aggregate-missing-03")
    assert score_frame(pd.DataFrame([data["members"]])).min(axis="columns").item() == right["combined"]


def test_thresholds():
    data, right = field("threshold-01")
    scores = pd.DataFrame({"v": data["scores"]})
    assert bool(passes(summarise(scores)["mean"], data["threshold"]).item()) is right["pass"]
    total = 0.0
    for value in data["scores"]:
        total += value
    assert (total / len(scores) >= data["threshold"]) is right["naive_float_mean_ge"]
    same = compare_runs(scores, scores).table
    assert same["difference"].item() == 0

    data, right = field("threshold-03")
    assert bool(passes(pd.Series([data["score"]]), data["threshold"]).item()) is right["pass"]
    shown = verdict(data["score"], data["threshold"], digits=data["shown_digits"])
    assert shown == right["shown"]["values"]["enough_digits"]

    data, right = field("threshold-05")
    assert bool(passes(pd.Series([data["score"]]), data["threshold"]).item()) is right["pass"]


@pytest.mark.parametrize("case_id", ["repeated-trials-01", "repeated-trials-03"])
def test_estimates_from_trials(case_id):
    data, right = field(case_id)
    made = {
        "pass_at_k": pass_at_k(**data),
        "pass_hat_k": pass_hat_k(**data),
        "pass_hat_k_power": pass_hat_k_power(**data),
    }
    assert {key: float(value) for key, value in made.items()} == pytest.approx(right, nan_ok=True)


@pytest.mark.parametrize("case_id", ["repeated-trials-05", "repeated-trials-06"])
def test_repeated_trials(case_id):
    data, right = field(case_id)
    k = data["k"]
    rows = [(task, value) for task, values in data["tasks"].items() for value in values]
    frame = pd.DataFrame(rows, columns=["task", "v"])
    found = repeated(frame[["v"]], frame.task)
    row = found.by_k.loc[("v", k)]
    made = {
        f"mean_pass_at_{k}": row["pass_at_k"],
        f"mean_pass_hat_{k}": row["pass_hat_k"],
        "mean_rate": found.summary.loc["v", "rate"],
        "n_tasks_used": row["tasks_used"],
    }
    assert {key: made[key] for key in right if key in made} == pytest.approx(
        {k: right[k] for k in right if k in made}
    )
    assert found.flaky("v") == right["flaky"]
    each = right.get(f"pass_hat_{k}", {})
    tasks = found.tasks.loc["v"]
    by_task = dict(zip(tasks.index, pass_hat_k(tasks["n"], tasks["passed"], k)))
    assert {t: by_task[t] for t in each} == pytest.approx(
        {t: np.nan if v is None else v for t, v in each.items()}, nan_ok=True
    )


@pytest.mark.parametrize("case_id", ["compare-runs-01", "compare-runs-05"])
def test_paired_runs(case_id):
    data, right = field(case_id)
    row = compare_runs(*(pd.DataFrame({"v": data[side]}) for side in "ab")).table.loc["v"]
    # The case says a - b, the table b - a.
    made = row.rename({"p": "mcnemar_exact_p"}).to_dict() | {"diff": -row["difference"]}
    assert {key: made[key] for key in right} == pytest.approx(right)
    assert mcnemar(right["a_only"], right["b_only"]) == pytest.approx(right["mcnemar_exact_p"])


def test_interval_of_a_rate():
    data, right = field("compare-runs-03")
    assert data["passes"] / data["n"] == right["rate"]
    assert [float(bound) for bound in wilson(data["passes"], data["n"])] == pytest.approx(right["wilson95"])


def test_two_settings_are_two_columns():
    data, right = field("table-shape-01")
    runs = load([{"case": f"c{i}", "called": ["a"], "expected": ["a"]} for i in range(data["rows"])])
    scores = score(runs, variants=["recall", "recall.args"])
    assert scores.shape == (right["n_rows"], right["n_score_columns"])
    assert scores.columns.is_unique is right["columns_distinct"]


def test_one_failed_metric_does_not_paint_the_others():
    data, right = field("table-shape-03")
    scores = pd.DataFrame([{name: float(word == "pass") for name, word in data["metrics"].items()}])
    words = passes(scores, 1.0).astype(object).replace({True: "pass", False: "fail"}).iloc[0]
    assert words.to_dict() == right["per_metric_status"]
    assert ("pass" if passes(scores, 1.0).all(axis=None) else "fail") == right["case_status"]


def test_a_case_without_a_score_says_why_and_stops_nothing():
    data, right = field("checker-fault-01")
    # The nearest that can happen here: a formula that gives no number for one of the cases.
    runs = load([{"case": f"c{i}", "called": ["a"] * (i != 1), "expected": []} for i in range(data["rows"])])
    fails_on_one = Variant("fails on one", lambda o: 1 / o.called)
    scores, reasons = score(runs, variants=fails_on_one), status(runs, variants=fails_on_one)
    row = summarise(scores).iloc[0]
    assert (row["n_scored"], row["n_total"] - row["n_scored"]) == (right["n_scored"], right["n_errors"])
    assert np.isnan(scores.iloc[1].item()) == np.isnan(right["row_1.score"])
    assert reasons.iloc[1].item() != "ok"
    assert (reasons.iloc[[0, 2]] == "ok").all(axis=None)
