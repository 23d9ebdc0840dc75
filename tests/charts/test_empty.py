"""Where there is nothing to draw, a chart says why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from tests.charts import frames
from tests.charts.test_layout import assert_tidy
from toolcorrect import charts
from toolcorrect.comparing.ranking import rankings
from toolcorrect.errors import DataError, ToolcorrectError, UnknownNameError
from toolcorrect.loaders import load
from toolcorrect.statistics.means import summarise

NONE = pd.DataFrame(index=pd.Index([], name="case"))
NO_ROWS = pd.DataFrame({"recall": [], "exact": []}, dtype="float64")
NAN = pd.DataFrame({"recall": [np.nan] * 3, "exact": [np.nan] * 3})


def blank(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with every number unknown."""
    numbers = frame.select_dtypes("number").columns
    return frame.assign(**{name: np.nan for name in numbers if not name.startswith(("n", "pairs", "mixed", "thr"))})


SPACE = [("no columns", NONE), ("no rows", NO_ROWS), ("NaN", NAN)]
ON_SCORES = (charts.agreement, charts.upset, charts.threshold)
RECALL = frames.variants(["recall"])
EMPTY: dict[str, Callable[[], Axes]] = {
    **{f"{c.__name__} {word}": (lambda c=c, f=f: c(f)) for c in ON_SCORES for word, f in SPACE},
    "strip no rows": lambda: charts.strip(NO_ROWS["recall"], []),
    "strip NaN": lambda: charts.strip(NAN["recall"], ["a", "b", None]),
    "ranked NaN": lambda: charts.ranked(summarise(NAN, resamples=5)),
    "ranked no rows": lambda: charts.ranked(rankings(NAN, by=["a", "a", "b"], resamples=5).iloc[:0]),
    "rank_flips NaN": lambda: charts.rank_flips(rankings(NAN, by=["a", "a", "b"], resamples=5)),
    "rank_flips no rows": lambda: charts.rank_flips(rankings(NAN, by=["a", "a", "b"], resamples=5).iloc[:0]),
    "forest NaN": lambda: charts.forest(blank(frames.calibration(["recall"]))),
    "forest no rows": lambda: charts.forest(frames.calibration(["recall"]).iloc[:0]),
    "boxes NaN": lambda: charts.boxes(blank(frames.calibration(["recall"]))),
    "boxes no rows": lambda: charts.boxes(frames.calibration(["recall"]).iloc[:0]),
    "specification NaN": lambda: charts.specification(summarise(NAN, resamples=5), RECALL),
    "specification no rows": lambda: charts.specification(pd.Series(dtype="float64"), RECALL.iloc[:0]),
    "empty_sides no rows": lambda: charts.empty_sides(RECALL.iloc[:0]),
    "edit_costs NaN": lambda: charts.edit_costs(NAN),
    "edit_costs no rows": lambda: charts.edit_costs(NO_ROWS),
    "causes no rows": lambda: charts.causes(frames.disagreements(["extra"]).iloc[:0]),
    "confusion no rows": lambda: charts.confusion(pd.DataFrame()),
    "confusion zeros": lambda: charts.confusion(pd.DataFrame([[0]], index=["a"], columns=["a"])),
    "penalty NaN": lambda: charts.penalty(frames.penalties(["recall"]).assign(change=np.nan)),
    "penalty no rows": lambda: charts.penalty(frames.penalties(["recall"]).iloc[:0]),
    "strictness none": lambda: charts.strictness(frames.strictness(["a", "b"]).assign(implies=pd.NA)),
    "strictness no rows": lambda: charts.strictness(frames.strictness(["a"])),
    "timeline nothing": lambda: charts.timeline(load([{"case": "one", "called": [], "expected": []}]), "one"),
    "timeline unknown": lambda: charts.timeline(load([{"case": "one", "called": None, "expected": []}]), "one"),
}  # fmt: skip


@pytest.mark.parametrize("name", EMPTY)
def test_an_explained_empty_chart(name: str) -> None:
    ax = EMPTY[name]()
    assert ax.get_title(loc="left") == "Nothing to draw"
    (reason,) = [text.get_text() for text in ax.texts if text.get_gid() != "note"]
    assert reason.endswith(".")
    assert not ax.axison
    assert not ax.lines
    assert not ax.patches
    assert_tidy(ax)


def test_unscored_timeline_says_that_it_is_not_known() -> None:
    ax = EMPTY["timeline unknown"]()
    assert "not known" in ax.texts[-1].get_text()


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "no frame": (lambda: charts.upset([1, 2]), "frame of tc.score"),
    "text column": (lambda: charts.threshold(pd.DataFrame({"model": ["a"]})), "'model'"),
    "columns": (lambda: charts.forest(pd.DataFrame({"auc": [0.5]})), "'auc_within'"),
    "counts": (lambda: charts.confusion(pd.DataFrame([[-1]])), "negative"),
    "several variants": (lambda: charts.strip(NAN, ["a", "b", "c"]), "one variant"),
    "value": (lambda: charts.specification(pd.DataFrame({"x": [1.0]}), RECALL), "value="),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_refused_in_one_sentence(name: str) -> None:
    draw, words = WRONG[name]
    with pytest.raises(DataError, match=words):
        draw()


def test_unknown_names() -> None:
    data = load([{"case": "one", "called": [], "expected": []}])
    with pytest.raises(UnknownNameError, match="two"):
        charts.timeline(data, "two")
    table = rankings(frames.scores(["recall"]), by=frames.groups(2, 120), resamples=5)
    with pytest.raises(ToolcorrectError, match="recal"):
        charts.ranked(table, variant="recal")
