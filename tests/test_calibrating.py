from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from tests.tau_runs import tau2_airline, tau_gpt_4o, with_and_without_effects
from toolcorrect.calibrating.labelling import sample_for_labels
from toolcorrect.calibrating.nulls import null_scores
from toolcorrect.calibrating.outcomes import auc_by_group, auc_if_wrong, calibrate
from toolcorrect.errors import DataError, OptionError

# Variant: AUC pooled and within task, of tau2-bench airline (7 agents) and of tau-bench airline (gpt-4o).
PUBLIC = {
    "precision.args": (0.612, 0.785, 0.596, 0.739),
    "jaccard.set.args": (0.640, 0.807, 0.605, 0.773),
    "recall.args": (0.848, 0.798, 0.767, 0.722),
    "exact.args": (0.549, 0.544, 0.571, 0.619),
    "exact.args@effect": (0.953, 0.903, 0.928, 0.869),
    "jaccard.set.args@effect": (0.955, 0.922, 0.951, 0.926),
    "null.fewer_calls": (0.666, 0.451, 0.653, 0.500),
}


@pytest.mark.parametrize(
    ("runs", "columns", "pairs", "n"), [(tau2_airline, (0, 1), 295, 320), (tau_gpt_4o, (2, 3), 88, 200)]
)
def test_public_runs(runs, columns, pairs, n):
    data = runs()
    scores = with_and_without_effects(data)
    outcome = (data.cases.outcome > 0).astype(float)
    found = calibrate(scores, outcome, task=data.cases.task, nulls=null_scores(data))
    got = found.loc[list(PUBLIC), ["auc", "auc_within"]].round(3)
    wanted = pd.DataFrame(PUBLIC).T[list(columns)].set_axis(["auc", "auc_within"], axis="columns")
    pd.testing.assert_frame_equal(got, wanted, check_names=False)
    assert found.loc[~found["null"], ["pairs", "n_scored"]].drop_duplicates().to_numpy().tolist() == [[pairs, n]]
    for variant in scores:
        assert found.auc[variant] == pytest.approx(roc_auc_score(outcome, scores[variant]), abs=1e-9)
    # The effect filter is no artefact of task difficulty: its interval within tasks lies above that of all calls.
    assert found.within_low["exact.args@effect"] > found.within_high["exact.args"]
    assert found.index[found["null"]].to_list() == [
        "null.fewer_calls",
        "null.any_effect",
        "null.fewer_effects",
        "null.do_nothing",
        "null.constant",
    ]


def simulated(tasks=200, runs=4, seed=0):
    random = np.random.default_rng(seed)
    easy = np.repeat(random.normal(size=tasks), runs)
    solved = easy + random.normal(size=len(easy)) > 0
    return random, easy, solved, np.repeat(np.arange(tasks), runs)


def test_pure_task_difficulty_is_seen_through():
    random, easy, solved, task = simulated()
    scores = pd.DataFrame({"knows the task": easy + 0.5 * random.normal(size=len(easy))})
    row = calibrate(scores, solved, task=task).loc["knows the task"]
    assert row["auc"] > 0.6
    assert row["auc_low"] > 0.6
    assert row["auc_within"] == pytest.approx(0.5, abs=0.04)
    assert row["within_low"] < 0.5 < row["within_high"]
    assert row["note"] == ""


def test_one_run_a_task_cannot_tell_difficulty_from_quality():
    _, easy, solved, _ = simulated(runs=1)
    row = calibrate(pd.DataFrame({"a": easy}), solved).loc["a"]
    assert row[["auc_within", "within_low", "within_high"]].isna().all()
    assert (row["pairs"], row["mixed_tasks"]) == (0, 0)
    assert row["note"] == "one run a task: within tasks cannot be told"


def test_a_group_confound_raises_the_flag():
    # Agent b scores higher and solves more; of its runs, and of those of a, the ones that score higher solve less.
    random = np.random.default_rng(3)
    agent = np.repeat(["a", "b"], 300)
    better = agent == "b"
    quality = random.normal(size=600)
    solved = quality + 2 * better - 1 > 0
    scores = pd.DataFrame(
        {
            "confounded": 4 * better - quality + random.normal(size=600),
            "honest": quality + 2 * better + random.normal(size=600),
            "noise": random.normal(size=600),
        }
    )
    found = calibrate(scores, solved, by=agent)
    assert found.loc["confounded", "auc"] > 0.6
    assert found.loc["confounded", "group_highest"] < 0.5
    assert found["sign_differs"].to_dict() == {
        "confounded": True,
        "honest": False,
        "noise": False,
        "null.constant": False,
    }


def test_groups_that_contradict_each_other_raise_the_flag():
    random = np.random.default_rng(5)
    agent = np.repeat(["a", "b"], 200)
    solved = random.random(400) < 0.5
    scores = pd.DataFrame({"mixed": np.where(agent == "a", 1, -1) * solved + random.normal(size=400)})
    found = calibrate(scores, solved, by=agent)
    assert found.loc["mixed", "sign_differs"]
    groups = auc_by_group(scores, solved, by=agent)
    assert groups.loc[("mixed", "a"), "low"] > 0.5 > groups.loc[("mixed", "b"), "high"]
    inside = [roc_auc_score(solved[agent == g], scores.mixed[agent == g]) for g in "ab"]
    np.testing.assert_allclose(groups["auc"], inside)
    assert found.loc["mixed", ["group_lowest", "group_highest"]].to_list() == pytest.approx(sorted(inside))


def test_a_flag_needs_more_than_noise():
    # 100 columns of pure noise in 4 groups: hardly any may be flagged.
    random = np.random.default_rng(8)
    scores = pd.DataFrame(random.normal(size=(400, 100))).rename(columns=str)
    found = calibrate(scores, random.random(400) < 0.5, by=np.repeat(list("abcd"), 100))
    assert found["sign_differs"].mean() < 0.05


def test_plain_columns():
    scores = pd.DataFrame({"a": [1.0, 1.0, 0.6, 0.2, 0.2] * 8, "b": [1.0, np.nan, 0.6, np.nan, 0.2] * 8})
    outcome = pd.Series([1.0, 1.0, 0.0, 0.0, 1.0] * 8)
    found = calibrate(scores, outcome, threshold=0.5)
    a, b = found.loc["a"], found.loc["b"]
    boxes = ["solved_passed", "solved_failed", "unsolved_passed", "unsolved_failed"]
    assert a[boxes].to_list() == [16, 8, 8, 8]
    assert a["agreement"] == pytest.approx(24 / 40)
    assert (a["best_threshold"], a["best_agreement"]) == (1.0, pytest.approx(32 / 40))
    assert a["constant_agreement"] == pytest.approx(0.6)
    assert a["spearman"] == pytest.approx(scores.a.corr(outcome, method="spearman"))
    assert (b["n_scored"], b["n"], b["coverage"]) == (24, 40, 0.6)
    assert b[["auc", "auc_low", "spearman", "best_threshold"]].isna().all()
    assert b["note"].startswith("only 24 scored cases have an outcome: 30 are needed")
    assert b["note"].endswith("40 % not scored")
    assert found.loc["null.constant", ["auc", "auc_low", "auc_high", "agreement"]].to_list() == [0.5, 0.5, 0.5, 0.6]


def test_passing_nothing_can_be_the_best_threshold():
    scores = pd.DataFrame({"a": [1.0] * 30 + [0.5]})
    assert calibrate(scores, [0.0] * 30 + [1.0]).loc["a", "best_threshold"] in (np.inf, 0.5)
    assert calibrate(scores, [0.0] * 29 + [1.0, 0.0]).loc["a", "best_threshold"] == np.inf


def test_what_data_cannot_say_is_refused():
    scores = pd.DataFrame({"a": np.linspace(0, 1, 40)})
    with pytest.raises(DataError, match="Only 29 cases have an outcome; 30 are needed"):
        calibrate(scores, [0.0, 1.0] * 14 + [1.0] + [np.nan] * 11)
    with pytest.raises(DataError, match=r"Every outcome is unsolved \(success=1\)"):
        calibrate(scores, [0.0, 0.9] * 20)
    assert calibrate(scores, [0.0, 0.9] * 20, success=0.9).loc["a", "auc"] > 0.5
    with pytest.raises(OptionError, match=r"wrong=0\.5"):
        calibrate(scores, [0.0, 1.0] * 20, wrong=0.5)


def test_outcomes_are_finite_numbers_on_a_scale_with_its_own_success():
    frame = pd.DataFrame({"recall": [1.0, 0.5] * 20})
    with pytest.raises(DataError, match="outcome holds an infinite number \\(case 3\\)"):
        calibrate(frame, [1, 0, 1, np.inf, *[1, 0] * 18])
    # Fractional rewards are unsolved unless success says otherwise; ratings up to 5 have a success of their own.
    for outcome, success in (([1.0, 0.5] * 20, 1.0), ([0.75, 0.25] * 20, 0.5), ([5, 2] * 20, 4)):
        assert calibrate(frame, outcome, success=success, resamples=5).loc["recall", "auc"] == 1.0
    with pytest.raises(DataError, match="by is missing for every case"):
        calibrate(frame, [1, 0] * 20, by=[None] * 40)


def test_labels_that_are_no_random_sample_are_refused_unless_weighted():
    random = np.random.default_rng(0)
    n = 6000
    truth = pd.Series((random.random(n) < 0.5) * 1.0)
    # Where the variants agree, which is nearly always, they are nearly always right; elsewhere a is a coin toss.
    agree, right = random.random(n) < 0.9, random.random(n) < 0.95
    a = np.where(agree, np.where(right, truth, 1 - truth), random.random(n) < 0.5)
    scores = pd.DataFrame({"a": a, "b": np.where(agree, a, 1 - a)})
    disagreeing = truth.where(scores.a != scores.b)
    with pytest.raises(DataError, match=r"are no random sample of the 6000.*the spread over variants is on average"):
        calibrate(scores, disagreeing)
    assert calibrate(scores, truth.where(random.random(n) < 0.3)).n.iloc[0] < 2000
    sample = sample_for_labels(scores, n=400, seed=1)
    weighted = calibrate(scores, truth.loc[sample.index].reindex(truth.index), weight=sample.weight)
    whole, flat = calibrate(scores, truth), calibrate(scores.loc[sample.index], truth.loc[sample.index])
    assert abs(weighted.auc - whole.auc)["a"] < 0.04
    assert abs(flat.auc - whole.auc)["a"] > 0.05


def test_weighted_labels_give_the_auc_of_the_cases_they_stand_for():
    random = np.random.default_rng(2)
    scores, outcome = random.integers(0, 4, 60) / 3, random.random(60) < 0.5
    times = random.integers(1, 4, 60)
    weighted = calibrate(pd.DataFrame({"a": scores}), outcome, weight=times.astype(float)).loc["a"]
    spread = calibrate(pd.DataFrame({"a": np.repeat(scores, times)}), np.repeat(outcome, times)).loc["a"]
    same = ["auc", "agreement", "best_agreement", "solved_passed", "unsolved_failed", "constant_agreement"]
    assert weighted[same].to_list() == pytest.approx(spread[same].to_list())


@pytest.mark.parametrize(("solved_share", "wrong"), [(0.5, 0.1), (0.3, 0.05), (0.8, 0.1)])
def test_auc_if_outcomes_are_wrong(solved_share, wrong):
    random = np.random.default_rng(6)
    truth = random.random(400_000) < solved_share
    score = truth + 1.5 * random.normal(size=len(truth))
    recorded = truth ^ (random.random(len(truth)) < wrong)
    seen = pd.Series([roc_auc_score(recorded, score)])
    mended = auc_if_wrong(seen, solved=recorded.mean(), wrong=wrong).item()
    assert mended == pytest.approx(roc_auc_score(truth, score), abs=0.004)
    assert mended > seen.item()


def test_more_errors_than_solved_cases_are_impossible():
    assert np.isnan(auc_if_wrong(pd.Series([0.7]), solved=0.04, wrong=0.05)).all()


def test_outcomes_are_matched_by_case_not_by_place():
    scores = pd.DataFrame({"a": np.arange(40.0)}, index=[f"c{i}" for i in range(40)])
    outcome = (scores.a >= 20).astype(float).sample(frac=1, random_state=1)
    assert calibrate(scores, outcome).loc["a", "auc"] == 1
