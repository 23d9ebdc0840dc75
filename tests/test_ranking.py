from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.tau_runs import tau2_airline
from toolcorrect.comparing.ranking import order_agreement, rank_flips, rankings
from toolcorrect.errors import DataError, OptionError, UnknownNameError
from toolcorrect.scoring import score
from toolcorrect.statistics.correlating import kendall


@pytest.fixture(scope="module")
def agents():
    random = np.random.default_rng(0)
    tasks, names = 60, list("abcd")
    ability = {"a": 0.8, "b": 0.6, "c": 0.55, "d": 0.2}
    easy = random.normal(size=tasks) / 5
    rows = [(t, n, ability[n] + easy[t] + random.normal() / 10) for t in range(tasks) for n in names]
    frame = pd.DataFrame(rows, columns=["task", "agent", "truth"])
    # Reverses a and d firmly, b and c by chance at most.
    frame["contrary"] = (
        frame.agent.map({"a": 0.1, "b": 0.5, "c": 0.5, "d": 0.9}) + random.normal(size=len(frame)) / 10
    )
    return frame


def test_rankings_are_means_and_ranks(agents):
    table = rankings(agents[["truth", "contrary"]], by=agents.agent, task=agents.task)
    means = agents.groupby("agent").truth.mean()
    pd.testing.assert_series_equal(
        table.loc["truth", "mean"], means.sort_values(ascending=False), check_names=False, rtol=1e-9
    )
    assert table.loc["truth", "rank"].to_list() == [1, 2, 3, 4]
    assert table.index.get_level_values("group").to_list() == [
        "a",
        "b",
        "c",
        "d",
        "d",
        *table.loc["contrary"].index[1:3],
        "a",
    ]
    assert (table["low"] < table["mean"]).all()
    assert (table["rank_low"] <= table["rank"]).all()
    assert (table["rank"] <= table["rank_high"]).all()
    # What is common to all agents of a task moves the means, but not their ranks.
    assert table.loc[("truth", "a"), ["rank_low", "rank_high"]].to_list() == [1, 1]


def test_without_any_group_there_is_no_ranking():
    frame = pd.DataFrame({"recall": [1.0, 0.0]})
    with pytest.raises(DataError, match="by is missing for every case, so there are no groups"):
        rankings(frame, by=pd.Series([None, None]))
    with pytest.raises(DataError, match="by is missing for every case, so there are no groups"):
        rank_flips(frame, by=[None, None], against="recall")
    # Where there is no case, there is nothing to explain.
    assert rankings(frame.iloc[:0], by=[]).empty


def test_tied_groups_share_the_better_rank_and_unscored_ones_have_none():
    scores = pd.DataFrame({"v": [0.3, 0.1 + 0.2, 0.1, np.nan]})
    table = rankings(scores, by=list("abcd"), resamples=20).loc["v"]
    assert table["rank"].to_dict() == pytest.approx({"a": 1, "b": 1, "c": 3, "d": np.nan}, nan_ok=True)
    assert (table.loc["d", "n_scored"], table.loc["d", "coverage"], table.loc["d", "note"]) == (
        0,
        0,
        "100 % not scored",
    )


def test_where_lower_is_better_the_lowest_is_first(monkeypatch):
    monkeypatch.setattr(
        "toolcorrect.comparing.ranking.directions", lambda names: np.where(names == "waste", -1.0, 1.0)
    )
    scores = pd.DataFrame({"waste": [0.9, 0.1] * 5, "recall": [0.1, 0.9] * 5})
    by, task = ["a", "b"] * 5, np.repeat(range(5), 2)
    assert rankings(scores, by=by, task=task).loc["waste", "rank"].to_dict() == {"b": 1, "a": 2}
    assert len(rank_flips(scores, by=by, task=task, against="recall")) == 0
    assert order_agreement(scores, by=by, task=task, against="recall").kendall.item() == 1


def test_only_firm_flips_are_beyond_noise(agents):
    found = rank_flips(agents[["contrary"]], by=agents.agent, task=agents.task, against=agents.truth)
    firm = found[found.beyond_noise]
    assert {("a", "b"), ("a", "c"), ("a", "d"), ("b", "d"), ("c", "d")} == set(zip(firm.better, firm.worse))
    assert (firm["against_low"] > 0).all()
    assert (firm["high"] < 0).all()
    assert (found["gap"] < 0).all()
    assert (found["against_gap"] > 0).all()


def test_no_flip_where_nothing_differs(agents):
    found = rank_flips(agents[["truth"]].assign(same=1.0, double=agents.truth * 2), by=agents.agent, against="truth")
    assert found.empty
    assert {"variant", "better", "worse", "gap", "beyond_noise"} <= set(found.columns)


def test_order_agreement(agents):
    found = order_agreement(
        agents[["truth", "contrary"]].assign(copy=agents.truth),
        by=agents.agent,
        task=agents.task,
        against="truth",
        top=1,
    )
    means = agents.groupby("agent")[["truth", "contrary"]].mean().to_numpy()
    assert found.loc["contrary", "kendall"] == pytest.approx(kendall(means)[0, 1])
    assert found.loc["contrary", "low"] <= found.loc["contrary", "kendall"] <= found.loc["contrary", "high"]
    copy = found.loc["copy"]
    assert (copy["kendall"], copy["tau_ap"], copy["top_overlap"], copy["best"]) == (1, 1, 1, "a")
    assert (copy["flipped"], copy["flipped_beyond_noise"], copy["pairs"]) == (0, 0, 6)
    assert (found.loc["contrary", "top_overlap"], found.loc["contrary", "best"]) == (0, "d")
    assert found.loc["contrary", "tau_ap"] < 0


def test_refusals(agents):
    with pytest.raises(UnknownNameError, match=r"no score column 'trth'\. Did you mean truth"):
        rank_flips(agents[["truth"]], by=agents.agent, against="trth")
    with pytest.raises(DataError, match="against holds no value"):
        rank_flips(agents[["truth"]], by=agents.agent, against=[np.nan] * len(agents))
    with pytest.raises(OptionError, match="top=0"):
        order_agreement(agents[["truth"]], by=agents.agent, against="truth", top=0)


def test_public_runs_gpt_4o_is_nominally_first_and_fifth_by_outcome():
    data = tau2_airline()
    cases = data.cases
    scores = score(data, variants=["jaccard.set", "precision", "f1", "exact"]).assign(outcome=cases.outcome)
    table = rankings(scores, by=cases.agent, task=cases.task)
    for variant, mean in {"jaccard.set": 0.452, "precision": 0.439, "f1": 0.485, "exact": 0.12}.items():
        best = table.loc[variant].iloc[0]
        assert (best.name, round(best["mean"], 3)) == ("gpt-4o-azure", mean)
    by_outcome = table.loc["outcome"]
    assert by_outcome.loc["gpt-4o-azure", ["mean", "rank"]].to_list() == pytest.approx([0.46, 5])
    assert by_outcome.query("tasks == 50").index.get_loc("gpt-4o-azure") == 3
    # gpt-4o's lead over Button, whose outcome is 0.30 higher, is beyond noise in some variants, but not in all.
    pairs = rank_flips(scores, by=cases.agent, task=cases.task, against="outcome", resamples=4000)
    button = pairs[(pairs.better == "button-opus-4-6") & (pairs.worse == "gpt-4o-azure")].set_index("variant")
    assert button["against_gap"].to_numpy() == pytest.approx(0.30)
    assert button["against_low"].to_numpy() == pytest.approx(0.16, abs=0.02)
    assert button["against_high"].to_numpy() == pytest.approx(0.44, abs=0.02)
    assert button["beyond_noise"].to_dict() == {"precision": True, "f1": True, "jaccard.set": False, "exact": False}
