"""Frames that charts are drawn from: made by chance, of any size, with any names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

import toolcorrect as tc
from toolcorrect import charts
from toolcorrect.calibrating.outcomes import calibrate
from toolcorrect.comparing.ranking import rankings
from toolcorrect.loaders import load
from toolcorrect.statistics.means import summarise
from toolcorrect.variants import variants as definitions

CORE = ["recall", "precision", "f1", "jaccard", "exact", "exact.args", "sequence", "deepeval", "deepeval.exact"]
CORE += ["notebook.jaccard", "galtea"]
HOSTILE = [
    "$\\frac{1}{0}$",
    "a" * 300,
    "line\nbreak",
    "שלום עולם",
    "\u202egnp.exe",
    "查询天气",
    "{x} %s %(y)s",
    "\\unknown^_",
    "<script>",
    "tab\tbell\x07",
    "😀",
    "",
]


def names(count: int) -> list[str]:
    """Return variant-like names: the core first."""
    return (CORE + [f"family{i // 9}.mode{i % 9}.args" for i in range(count)])[:count]


def scores(columns: Sequence[Any], cases: int = 120, seed: int = 0, unscored: int = 5) -> pd.DataFrame:
    """Return scores of definitions over the same made-up runs; some cases no variant scores."""
    random = np.random.default_rng(seed)
    expected, extra = random.integers(1, 6, cases), random.poisson(1.0, cases)
    shared = expected - np.minimum(random.poisson(0.7, cases), expected)
    recall, precision = shared / expected, shared / np.maximum(shared + extra, 1)
    base = [recall, precision, shared / (expected + extra), (recall * precision == 1) * 1.0]
    made = {
        name: np.round(np.clip(base[i % 4] * (1 - 0.004 * i), 0, 1), 3) if i >= 4 else base[i]
        for i, name in enumerate(columns)
    }
    frame = pd.DataFrame(
        made, index=pd.Index([f"case-{i}" for i in range(cases)], name="case"), columns=list(columns)
    )
    frame.iloc[:unscored] = np.nan
    return frame


def groups(count: int, cases: int, labels: Sequence[Any] | None = None) -> np.ndarray:
    """Return a group a case."""
    chosen = list(labels) if labels is not None else [f"model-{i}" for i in range(count)]
    return np.array([chosen[i % count] for i in range(cases)], dtype=object)


def calibration(columns: Sequence[Any], cases: int = 120) -> pd.DataFrame:
    frame = scores(columns, cases)
    outcome = (np.random.default_rng(1).random(cases) < 0.2 + 0.6 * frame.iloc[:, 0].fillna(0)).astype(int)
    nulls = pd.DataFrame({"fewer calls": np.random.default_rng(2).random(cases)}, index=frame.index)
    return calibrate(frame, outcome, task=[i % 15 for i in range(cases)], nulls=nulls, resamples=50)


def variants(columns: Sequence[Any]) -> pd.DataFrame:
    """Return rows of the table of definitions, renamed and repeated as needed."""
    table = definitions()
    rows = table.iloc[[i % len(table) for i in range(len(columns))]].set_axis(pd.Index(columns, name="name"))
    rows = rows.astype(dict.fromkeys(("empty_both", "empty_unexpected", "empty_uncalled"), object))
    for i in range(len(rows)):
        if i % 5 == 4:
            rows.iloc[i, rows.columns.get_loc("empty_both")] = "rejected"
    return rows


def disagreements(causes: Sequence[Any], cases: int = 200) -> pd.DataFrame:
    random = np.random.default_rng(3)
    cause = pd.Series([causes[min(int(i), len(causes) - 1)] for i in random.poisson(len(causes) / 3, cases)])
    return pd.DataFrame({"gap": random.random(cases).round(2), "cause": cause})


def confusion(tools: Sequence[Any]) -> pd.DataFrame:
    random = np.random.default_rng(4)
    size = len(tools) + 1
    counts = random.poisson(0.2, (size, size)) * random.integers(1, 30, (size, size))
    counts[np.diag_indices(size)] = 900 // np.arange(1, size + 1)
    counts[-1, -1] = 0
    return pd.DataFrame(counts, index=[*tools, None], columns=[*tools, None])


def penalties(columns: Sequence[Any]) -> pd.DataFrame:
    rows = [
        (name, edit, count, -count * (0.02 + 0.9 * (i + k) / (len(columns) + 4)) / 5, 120 - 20 * count, 120)
        for i, name in enumerate(columns)
        for k, edit in enumerate(("add", "drop", "repeat", "swap"))
        for count in range(6)
    ]
    frame = pd.DataFrame(rows, columns=["variant", "edit", "count", "change", "n", "n_total"])
    return frame.set_index(["variant", "edit", "count"])


def changes(columns: Sequence[Any]) -> pd.DataFrame:
    """Return changes of scores under edits, some of them not scored; edits have some of the names."""
    values = -np.random.default_rng(5).random((min(len(columns), 8), len(columns))).round(2)
    values[0, ::3] = np.nan
    return pd.DataFrame(values, index=list(columns[:8]), columns=list(columns))


def strictness(columns: Sequence[Any]) -> pd.DataFrame:
    """Return implications as divisibility has them: a true lattice."""
    index = pd.MultiIndex.from_product([columns, columns], names=["variant", "other"])
    place = {name: i + 1 for i, name in enumerate(columns)}
    table = pd.DataFrame({"implies": [place[b] % place[a] == 0 for a, b in index]}, index=index)
    table = table[index.get_level_values(0) != index.get_level_values(1)].astype("boolean")
    return table.assign(passed=[place[a] for a, _ in table.index], exceptions=0, n=len(columns) * 2)


def timeline(tools: Sequence[Any], length: int) -> tc.Dataset:
    called = [
        {
            "name": tools[i % len(tools)] or "tool",
            "turn": i // 12,
            "step": i // 2,
            "error": "no" if i % 7 == 3 else None,
        }
        for i in range(length)
    ]
    expected = [{"name": tools[-1 - i % len(tools)] or "tool"} for i in range(max(1, length // 2))]
    return load([{"case": "one", "called": called, "expected": expected}])


# Chart -> drawing it for names: everything that a chart's parts depend on grows with the names.
Draw = Callable[..., Axes]
ALL: dict[str, Callable[[Sequence[Any], dict[str, Any]], Axes]] = {
    "agreement": lambda n, o: charts.agreement(scores(n), **o),
    "upset": lambda n, o: charts.upset(scores(n), **o),
    "threshold": lambda n, o: charts.threshold(scores(n), **o),
    "strip": lambda n, o: charts.strip(scores(["recall"], 4 * len(n))["recall"], groups(len(n), 4 * len(n), n), **o),
    "ranked": lambda n, o: charts.ranked(summarise(scores(n), resamples=50), **o),
    "rank_flips": lambda n, o: charts.rank_flips(
        rankings(scores(n), by=groups(min(len(n), 8), 120, n[:8]), resamples=50), **o
    ),
    "forest": lambda n, o: charts.forest(calibration(n), **o),
    "boxes": lambda n, o: charts.boxes(calibration(n), **o),
    "specification": lambda n, o: charts.specification(summarise(scores(n), resamples=50), variants(n), **o),
    "empty_sides": lambda n, o: charts.empty_sides(variants(n), **o),
    "edit_costs": lambda n, o: charts.edit_costs(changes(n), **o),
    "causes": lambda n, o: charts.causes(disagreements(n), **o),
    "confusion": lambda n, o: charts.confusion(confusion(n), **o),
    "penalty": lambda n, o: charts.penalty(penalties(n), **o),
    "strictness": lambda n, o: charts.strictness(strictness(n), **o),
    "timeline": lambda n, o: charts.timeline(timeline(n, 2 * len(n)), "one", **o),
}


def draw(chart: str, columns: Sequence[Any], **options: Any) -> Axes:
    """Draw a chart from made-up data."""
    return ALL[chart](columns, options)
