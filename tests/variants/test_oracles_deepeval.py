"""Every recorded output of DeepEval's metric, and the scores that the seed documents state."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.shared import shared
from toolcorrect.dataset import Dataset
from toolcorrect.loaders import load
from toolcorrect.scoring import score, status

FILE, ROWS = "deepeval-4.3.1", 447
# Variant -> recorded configuration; `exact+ordered` is tested to be `exact`.
CONFIGS = {
    f"deepeval{mode and f'.{mode}'}{suffix}": (mode or "default") + compared
    for mode in ("", "exact", "ordered")
    for suffix, compared in (("", ""), (".args", "+INPUT"), (".args.output", "+INPUT+OUTPUT"), (".output", "+OUTPUT"))
    if (mode, suffix) != ("exact", ".output")
}
STATED = {
    "notebook.jaccard": "jaccard_names",
    "deepeval": "deepeval_default",
    "deepeval.args": "deepeval_default_input",
    "deepeval.exact": "deepeval_exact",
    "deepeval.docs": "deepeval_docs_formula",
}
SEEDS = ("smart_home", "technest")


@cache
def recorded(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in shared(path).read_text("utf-8").splitlines()]


@cache
def data(path: str) -> Dataset:
    def side(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{"arguments" if key == "input_parameters" else key: c[key] for key in c} for c in calls]

    records = [
        {"case": str(number), "called": side(row["called"]), "expected": side(row["expected"])}
        for number, row in enumerate(recorded(path))
    ]
    return load(records, format="plain_records")


def numbers(config: str) -> list[float]:
    """The recorded scores of a configuration; NaN where the library raised."""
    values = (row["scores"][config] for row in recorded(f"oracles/{FILE}.jsonl"))
    return [math.nan if value is None else value for value in values]


@pytest.mark.parametrize(("variant", "config"), CONFIGS.items(), ids=[f"{c}, {ROWS} rows" for c in CONFIGS.values()])
def test_recorded_outputs_agree(variant: str, config: str) -> None:
    runs = data(f"oracles/{FILE}.jsonl")
    wanted = numbers(config)
    assert len(wanted) == ROWS
    np.testing.assert_allclose(score(runs, variants=variant)[variant], wanted, rtol=0, atol=1e-9)
    told = status(runs, variants=variant)[variant]
    assert (told == "rejected").to_list() == [math.isnan(value) for value in wanted]


def test_every_configuration_is_mapped() -> None:
    assert set(recorded(f"oracles/{FILE}.jsonl")[0]["scores"]) == {*CONFIGS.values(), "exact+ordered"}
    np.testing.assert_array_equal(numbers("exact+ordered"), numbers("exact"))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_stated_score_agrees(seed: str) -> None:
    path = f"samples/seeds/{seed}.jsonl"
    scores = score(data(path), variants=list(STATED))
    stated = pd.DataFrame([row["stated_scores"] for row in recorded(path)], dtype=float)
    assert set(stated) <= set(STATED.values())
    made = scores.rename(columns=STATED)[stated.columns].reset_index(drop=True)
    pd.testing.assert_frame_equal(made.where(stated.notna()), stated)
