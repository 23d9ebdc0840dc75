"""Intervals of many definitions over many cases need little memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd

from toolcorrect.dataset import Dataset
from toolcorrect.scoring import score
from toolcorrect.statistics.means import summarise
from toolcorrect.variants import registry

CASES = 100_000
VARIANTS = 100


def many_runs():
    random = np.random.default_rng(0)
    tools = np.array([f"tool_{i}" for i in range(20)])

    def calls():
        case = np.repeat(np.arange(CASES), random.integers(0, 5, CASES))
        return pd.DataFrame({"case": case.astype(str), "tool": tools[random.integers(0, 20, len(case))]})

    return Dataset(pd.DataFrame(index=np.arange(CASES).astype(str)), calls(), calls())


def test_resamples_need_little_memory():
    plain = [n for n, v in registry().items() if v.match.arguments is None and not v.asks_model and v.by == "case"]
    weights = [f"tversky(extra={i / 10}, missing={j / 10})" for i in range(1, 11) for j in range(1, 11)]
    data = many_runs()
    scores = score(data, variants=[*plain, *weights][:VARIANTS])
    assert scores.shape == (CASES, VARIANTS)
    tracemalloc.start()
    summarise(scores, resamples=1000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The weights of all resamples alone would be 800 MB, the resampled scores 80 GB.
    assert peak < 6 * scores.to_numpy().nbytes
