"""What the public runs say, from their raw files through `load` and `score`.

The AUC of tau2-bench and tau-bench, pooled and within tasks, is in `test_calibrating`, pass^k in `test_trials`, BFCL
with its verdicts and accuracies in `variants/test_bfcl`.
"""

from __future__ import annotations

import pytest
from sklearn.metrics import roc_auc_score

import toolcorrect as tc
from tests.shared import shared


@pytest.fixture(autouse=True)
def copies(monkeypatch):
    monkeypatch.setenv("TOOLCORRECT_DATA", str(shared("data")))


@pytest.fixture(scope="module")
def airline():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOOLCORRECT_DATA", str(shared("data")))
        return tc.examples.tau2_bench("airline")


@pytest.mark.parametrize(
    ("domain", "runs", "all_calls", "effects"), [("airline", 520, 0.557, 0.946), ("retail", 309, 0.566, 0.897)]
)
def test_exact_match_of_all_calls_and_of_those_that_change_something(domain, runs, all_calls, effects):
    # tau-bench counts any reward as solved; some of its rewards are fractions.
    old, new = tc.examples.tau_bench(domain), tc.examples.tau2_bench(domain)
    data = tc.concat([old, new])
    solved = [*(old.cases["outcome"] > 0), *(new.cases["outcome"] == 1)]
    assert len(data) == runs
    for scope, auc in {"assistant": all_calls, "effect": effects}.items():
        scores = tc.score(data, variants="exact.args", scope=scope)["exact.args"]
        assert round(roc_auc_score(solved, scores), 3) == auc
    if domain == "retail":
        # Two solved runs were evaluated without any action to check. The tasks that their file states are those of
        # other runs; whoever takes them all the same finds both runs wrong, and 0.893.
        unchecked = data.cases["model"].eq("toolorchestra") & data.cases["task"].isin(["14", "52"])
        assert (scores[unchecked].to_list(), data.expected["case"].isin(data.cases.index[unchecked]).sum()) == (
            [1, 1],
            0,
        )
        assert round(roc_auc_score(solved, scores.mask(unchecked, 0.0)), 3) == 0.893


def test_the_marked_effects_are_those_of_the_benchmark():
    # Retail: the figures above also come out with the four prefixes that its authors name.
    data = tc.examples.tau2_bench("retail")
    named = data.mark_effects(["modify_*", "return_*", "exchange_*", "cancel_*"])
    for one, other in zip(*(tc.score(d, scope="effect").items() for d in (data, named))):
        assert one[1].equals(other[1]), one[0]


def test_many_definitions_put_gpt_4o_above_an_agent_with_a_better_outcome(airline):
    cases = airline.cases
    every = tc.score(airline, variants="all").dropna(axis="columns", how="all")
    settings = {"by": cases["model"], "task": cases["task"], "against": cases["outcome"]}
    flips = tc.rank_flips(every, **settings)
    firm = flips[flips["beyond_noise"] & (flips["worse"] == "gpt-4o-azure")]
    above = firm.groupby("better")["variant"].agg(set)
    # 48 definitions when this was written; more may have joined.
    assert len(above["button-opus-4-6"]) >= 48
    assert set(above.index) == {"button-opus-4-6", "claude-sonnet-4-5"}
    assert above["claude-sonnet-4-5"] < above["button-opus-4-6"]
    assert {"precision", "precision.args", "jaccard", "f1"} <= above["button-opus-4-6"]
    # A definition that forgives extra calls is never among them.
    assert not {"recall", "recall.args", "deepeval", "any_order", "in_order", "lcs"} & above["button-opus-4-6"]
    assert firm["against_gap"].min() == pytest.approx(0.26)
    # Nominally gpt-4o leads under more definitions than any other agent, alone or tied.
    order = tc.order_agreement(every, **settings)
    alone = order["best"].value_counts()
    assert alone.index[0] == "gpt-4o-azure"
    assert alone["gpt-4o-azure"] > 0.4 * len(order)


def test_counting_only_effects_takes_gpt_4o_off_the_top(airline):
    cases = airline.cases
    every = tc.score(airline, variants="all", scope="effect").dropna(axis="columns", how="all")
    settings = {"by": cases["model"], "task": cases["task"], "against": cases["outcome"]}
    order = tc.order_agreement(every, **settings)
    assert "gpt-4o-azure" not in order["best"].to_list()
    assert order["best"].value_counts().index[0] == "button-opus-4-6"
    assert order["kendall"].mean() > 0.7
    flips = tc.rank_flips(every, **settings)
    assert not (flips["beyond_noise"] & (flips["worse"] == "gpt-4o-azure")).any()


def test_a_rule_for_empty_expectations_moves_recall(airline):
    nothing = tc.overlap(airline)["expected"].droplevel("reference") == 0
    outcome = airline.cases["outcome"]
    assert nothing.sum() == 44
    assert outcome[nothing].mean() == pytest.approx(0.841, abs=5e-4)
    scores = {rule: tc.score(airline, variants="recall", empty=rule)["recall"] for rule in ("perfect", "zero")}
    found = {rule: tc.calibrate(score, outcome, task=airline.cases["task"]) for rule, score in scores.items()}
    assert [round(found[rule]["auc"].iloc[0], 3) for rule in ("perfect", "zero")] == [0.728, 0.598]
    # All runs of such a task get the same score, so within tasks nothing moves.
    assert found["perfect"]["auc_within"].iloc[0] == found["zero"]["auc_within"].iloc[0]


def test_names_carry_no_signal_that_could_be_shown_on_livemcpbench():
    data = tc.examples.livemcpbench()
    # What the harness calls to look for tools is no call of the task.
    data = data.replace(calls=data.calls[data.calls["tool"] != "route"])
    wanted = {"recall.set": 0.554, "precision.set": 0.511, "jaccard.set": 0.528, "exact.set": 0.488}
    scores = tc.score(data, variants=list(wanted)).join(data.cases.filter(like="judge ").astype("float64"))
    found = tc.calibrate(scores, data.cases["outcome"], task=data.cases["task"])
    assert found.loc[list(wanted), "auc"].round(3).to_dict() == wanted
    assert ((found["auc_low"] < 0.5) & (found["auc_high"] > 0.5))[list(wanted)].all()
    judges = found[found.index.str.startswith("judge ")]
    assert len(judges) == 10
    assert (judges["auc_low"] > 0.5).all()
    assert (judges["auc"].min(), judges["auc"].max()) == pytest.approx((0.64, 0.78), abs=0.005)
    agreement = judges["agreement"].round(4)
    assert agreement["judge openai_gpt-4.1-mini"] == 0.8526
    assert agreement["judge qwen25_72b_int4_instruct"] == 0.8421
    assert agreement["judge claude-opus-4-20250514"] == 0.6842
    assert found["auc_within"].isna().all()
    assert found["note"].str.contains("one run a task: within tasks cannot be told").all()
