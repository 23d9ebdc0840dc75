"""What reasons cost on 100,000 cases: `why` against scoring the pair, `diagnose` against the overlap."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest

import toolcorrect as tc
from toolcorrect.dataset import Dataset

CASES = 100_000
TOOLS = np.array([f"tool_{i}" for i in range(30)])


@pytest.fixture(scope="module")
def runs():
    """Expected lists, and called ones made of them: calls left out, added, repeated, and with other arguments.

    About a quarter of the cases have a fault that a definition by names sees.
    """
    random = np.random.default_rng(5)
    case = np.repeat(np.arange(CASES), random.integers(0, 6, CASES))
    tool, number = random.integers(0, len(TOOLS), len(case)), random.integers(0, 200_000, len(case))
    expected = pd.DataFrame({"case": case, "tool": TOOLS[tool], "number": number})
    called = expected[random.random(len(case)) > 0.04]
    other = random.random(len(called)) < 0.15
    called = called.assign(number=np.where(other, called["number"] + 1, called["number"]))
    extra = called.sample(frac=0.06, random_state=1).assign(tool=lambda f: random.choice(TOOLS, len(f)))
    called = pd.concat([called, extra, called.sample(frac=0.03, random_state=2)]).sort_values("case", kind="stable")
    sides = []
    for frame in (called, expected):
        texts = '{"q":"text","number":' + frame["number"].astype(str) + "}"
        sides.append(pd.DataFrame({"case": frame["case"].astype(str), "tool": frame["tool"], "arguments": texts}))
    data = Dataset(pd.DataFrame(index=np.arange(CASES).astype(str)), *sides)
    data.argument_numbers()
    return data


def seconds(work, times):
    def once():
        begun = time.process_time()
        work()
        return time.process_time() - begun

    return min(once() for _ in range(times))


@pytest.mark.parametrize(("a", "b"), [("recall", "exact"), ("f1", "jaccard.set"), ("deepeval", "notebook.jaccard")])
def test_why_costs_at_most_ten_scorings_of_the_pair(runs, a, b):
    scored = seconds(lambda: tc.score(runs, variants=[a, b]), 3)
    assert seconds(lambda: tc.why(runs, a, b), 2) < 10 * scored


def test_diagnose_costs_at_most_four_overlaps(runs):
    counted = seconds(lambda: tc.overlap(runs, arguments="json"), 3)
    assert seconds(lambda: tc.diagnose(runs), 2) < 4 * counted
