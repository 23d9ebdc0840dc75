"""The public tau-bench and tau2-bench airline runs, as the tests of comparison and calibration use them."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from tests.shared import shared
from toolcorrect.dataset import Dataset
from toolcorrect.loaders import load
from toolcorrect.scoring import score

EFFECTS = ("book_*", "cancel_*", "update_*", "send_certificate")


@lru_cache
def tau2_airline() -> Dataset:
    """320 runs of 50 tasks by 7 agents; the agent is the tag ``agent``."""
    files = sorted(shared("data/tau2_bench").glob("*_airline.json.gz"))
    data = load(files).mark_effects(EFFECTS)
    agent = data.cases["source"].str.replace("_airline.json.gz.*", "", regex=True)
    return data.replace(cases=data.cases.assign(agent=agent))


@lru_cache
def tau_gpt_4o() -> Dataset:
    """200 runs: 50 airline tasks, 4 trials each."""
    return load(shared("data/tau_bench/gpt-4o_airline_4trials.json.gz")).mark_effects(EFFECTS)


def with_and_without_effects(data: Dataset) -> pd.DataFrame:
    """Score all calls, and (suffix ``@effect``) only those that change state; recall is full where none is wanted."""
    variants = ["precision.args", "jaccard.set.args", "exact.args"]
    every = score(data, variants=variants).join(score(data, variants="recall.args", empty="perfect"))
    return every.join(score(data, variants=variants, scope="effect").add_suffix("@effect"))
