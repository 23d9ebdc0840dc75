"""What a chart draws are the numbers of its twin, and these are right."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from tests.charts import frames
from toolcorrect import charts
from toolcorrect.charts._drawing import note_of
from toolcorrect.charts._style import look
from toolcorrect.charts._text import plain
from toolcorrect.comparing.ranking import rankings
from toolcorrect.loaders import load
from toolcorrect.statistics.means import summarise

FEW = settings(max_examples=20, deadline=None)
VALUE = st.one_of(st.none(), st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(0, 1))


@st.composite
def score_frames(draw: st.DrawFn, columns: int = 5, cases: int = 12) -> pd.DataFrame:
    width, height = draw(st.integers(1, columns)), draw(st.integers(1, cases))
    names = draw(st.lists(st.text(max_size=12), min_size=width, max_size=width, unique=True))
    rows = [[draw(VALUE) for _ in names] for _ in range(height)]
    return pd.DataFrame(rows, columns=names, dtype="float64")


def labels(axis: object) -> list[str]:
    return [text.get_text() for text in axis.get_ticklabels()]  # type: ignore[attr-defined]


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def scored_words(frame: pd.DataFrame) -> str:
    unscored = int(frame.isna().any(axis=1).sum())
    return f"{len(frame)} case{'s' * (len(frame) != 1)}, {f'{unscored} unscored' if unscored else 'none unscored'}"


@FEW
@given(score_frames())
def test_threshold(frame: pd.DataFrame) -> None:
    rates = charts.threshold_data(frame)
    for name in frame.columns:
        for cut in (0.0, 0.25, 0.5, 1.0):
            known = frame[name].dropna()
            expected = (known >= cut - 1e-9).mean() if len(known) else np.nan
            assert rates.loc[cut, name] == pytest.approx(expected, nan_ok=True)
    ax = charts.threshold(frame)
    assert scored_words(frame) in note_of(ax)
    drawn = {line.get_label(): line.get_ydata() for line in ax.get_lines()[:-1]}
    known = [name for name in frame.columns if frame[name].notna().any()]
    if len(set(map(plain, known))) == len(known):
        for name in known:
            assert np.array_equal(drawn[plain(name)], rates[name])


@FEW
@given(score_frames(), st.sampled_from([0.25, 0.5, 1.0]))
def test_upset(frame: pd.DataFrame, threshold: float) -> None:
    table = charts.upset_data(frame, threshold=threshold)
    cases = table.index.get_level_values("cases").to_numpy()
    assert cases.sum() == len(frame)
    assert (np.diff(cases) <= 0).all()
    states = frame.ge(threshold - 1e-9).astype(float).where(frame.notna(), -1.0)
    counts = states.value_counts()
    found = dict(zip(map(tuple, table.fillna(-1.0).to_numpy()), cases, strict=True))
    assert found == dict(counts)
    ax = charts.upset(frame, threshold=threshold)
    assert scored_words(frame) in note_of(ax)
    if frame.notna().any(axis=None):
        heights = [round(bar.get_height()) for bar in ax.patches]
        assert heights == cases[: len(heights)].tolist()
        passes = [text for text in texts(ax.figure.axes[1]) if text.endswith("pass")]
        sums = {int(cases @ (table[name] == 1).to_numpy()) for name in frame.columns}
        assert {int(text.split()[0]) for text in passes} == sums


def test_upset_says_what_it_leaves_out() -> None:
    frame = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (400, 9)), columns=list("abcdefghi"))
    ax = charts.upset(frame, limit=10)
    table = charts.upset_data(frame)
    rest = int(table.index.get_level_values("cases")[10:].to_numpy().sum())
    assert len(ax.patches) == 10
    assert f"{len(table) - 10} patterns ({rest} cases) left out" in note_of(ax)


@FEW
@given(score_frames(columns=4), st.sampled_from(["kendall", "same_verdict", "mean_gap"]))
def test_agreement(frame: pd.DataFrame, measure: str) -> None:
    table = charts.agreement_data(frame, measure=measure)
    assert sorted(table.index) == sorted(frame.columns)
    assert table.index.equals(table.columns)
    assert np.allclose(table, table.T, equal_nan=True)
    a, b = frame.columns[0], frame.columns[-1]
    both = frame[[a, b]].dropna() if a != b else frame[[a]].dropna()
    if measure == "mean_gap" and len(both):
        assert table.loc[a, b] == pytest.approx((both[a] - both[b]).abs().mean())
    if measure == "same_verdict" and len(both):
        assert table.loc[a, b] == pytest.approx((both[a].ge(0.5 - 1e-9) == both[b].ge(0.5 - 1e-9)).mean())
    ax = charts.agreement(frame, measure=measure)
    assert scored_words(frame) in note_of(ax)
    if frame.notna().any(axis=None):
        written = [text for text in texts(ax) if text != ax.texts[-1].get_text()]
        cells = ["–" if np.isnan(v) else f"{v:.2f}".replace("-", "−") for v in table.to_numpy().ravel()]
        assert written == cells


def test_agreement_puts_alike_ones_together() -> None:
    random = np.random.default_rng(0)
    first, second = random.random((2, 60))
    frame = pd.DataFrame({"a": first, "x": second, "b": first * 0.9, "y": second * 0.8})
    assert "".join(charts.agreement_data(frame).index) in (
        "abxy",
        "abyx",
        "baxy",
        "bayx",
        "xyab",
        "xyba",
        "yxab",
        "yxba",
    )


@FEW
@given(st.lists(st.tuples(VALUE, st.sampled_from(["a", "b", "c", None])), min_size=1, max_size=40))
def test_strip(rows: list[tuple[float | None, str | None]]) -> None:
    scores = pd.Series([value for value, _ in rows], dtype="float64", name="recall")
    by = pd.Series([group for _, group in rows], dtype=object)
    table = charts.strip_data(scores, by)
    for group, part in table.groupby("group"):
        mine = scores[by == group]
        assert part["cases"].sum() == mine.notna().sum() == part["scored"].iloc[0]
        assert part["unscored"].iloc[0] == mine.isna().sum()
        for row in part.dropna().itertuples():
            assert row.share == pytest.approx((mine.dropna() <= row.value).mean())
    ax = charts.strip(scores, by)
    assert f"{int(by.notna().sum())} case" in note_of(ax)
    known = table.dropna(subset="value")
    if len(known):
        means = scores.groupby(by).mean().sort_values(ascending=False)
        assert set(labels(ax.yaxis)) == set(means.index)
        steps = {line.get_label(): line for line in ax.figure.axes[1].get_lines()}
        for group, part in known.groupby("group"):
            assert steps[group].get_ydata()[1:] == pytest.approx(part["share"].to_numpy())


def test_strip_of_a_million_cases_is_exact_and_small() -> None:
    random = np.random.default_rng(0)
    scores = pd.Series(random.random(1_000_000), name="f1")
    ax = charts.strip(scores, random.integers(0, 3, 1_000_000))
    assert "1,000,000 cases in 3 groups, none unscored" in note_of(ax)
    assert sum(len(line.get_xdata()) for line in ax.get_lines()) < 5_000
    dense = charts.threshold(pd.DataFrame({"f1": scores}))
    assert "passes 50% of the cases" in dense.get_title(loc="left")
    wide = charts.upset(pd.DataFrame({"f1": scores, "exact": (scores > 0.9).astype(float)}))
    assert [text.get_text() for text in wide.texts[:3]] == ["500k", "400k", "100k"]


@FEW
@given(score_frames())
def test_ranked_variants(frame: pd.DataFrame) -> None:
    means = summarise(frame, resamples=10)
    table = charts.ranked_data(means)
    known = table["mean"].dropna()
    assert (np.diff(known) <= 0).all()
    ax = charts.ranked(means)
    if len(known):
        assert len(ax.get_yticks()) == len(table)
        for name, row in table.iterrows():
            place = list(table.index).index(name)
            beside = [text.get_text() for text in ax.texts if text.xy[1] == place and text.get_gid() != "note"]
            expected = "not scored" if np.isnan(row["mean"]) else f"{row['mean']:.2f}"
            assert beside == [expected, f"{row['n_scored']:.0f} of {len(frame)}"]


def test_ranked_and_rank_flips_of_groups() -> None:
    frame = frames.scores(frames.names(5), 200)
    table = rankings(frame, by=frames.groups(4, 200), resamples=50)
    one = charts.ranked(table, variant="exact")
    means = frame["exact"].groupby(frames.groups(4, 200)).mean().sort_values(ascending=False)
    assert labels(one.yaxis) == means.index.tolist()
    assert "exact, 200 cases, 5 unscored; 4 other variants not drawn" in note_of(one)
    wide = charts.rank_flips_data(table)
    assert wide["rank"].loc[means.index[0], "exact"] == 1
    ax = charts.rank_flips(table)
    lines = {line.get_label(): line.get_ydata() for line in ax.get_lines()}
    for group in wide.index:
        assert np.array_equal(lines[group], wide["rank"].loc[group])
    assert labels(ax.xaxis) == list(frame.columns)
    assert "4 groups, 5 variants, 200 cases, 25 scores missing" in note_of(ax)
    # Rank 1 is on top.
    assert ax.get_ylim()[0] > ax.get_ylim()[1]


def test_many_variants_with_one_order_share_a_place() -> None:
    frame = frames.scores(["recall"], 120)
    frame = pd.concat([frame["recall"].rename(f"v{i}") for i in range(60)], axis=1)
    ax = charts.rank_flips(rankings(frame, by=frames.groups(3, 120), resamples=10))
    assert labels(ax.xaxis) == ["v0 +59"]


def test_forest_and_boxes() -> None:
    table = frames.calibration(frames.names(5))
    ax = charts.forest(table)
    order = charts.forest_data(table)
    assert order["null"].tolist() == sorted(order["null"])
    real = order[~order["null"].astype(bool)]
    assert (np.diff(real["auc_within"]) <= 0).all()
    assert labels(ax.yaxis) == [f"null: {n}" if n == "fewer calls" else n for n in order.index]
    beside = [text for text in texts(ax) if "→" in text]
    assert beside == [f"{row.auc:.2f} → {row.auc_within:.2f}" for row in order.itertuples()]
    assert (
        f"{int(table['pairs'].max())} solved-unsolved pairs within {int(table['mixed_tasks'].max())} tasks"
        in note_of(ax)
    )
    filled = [line for line in ax.get_lines() if line.get_marker() == "o" and line.get_markerfacecolor() != "white"]
    assert [float(line.get_xdata()[0]) for line in filled] == pytest.approx(order["auc_within"].tolist())

    counts = charts.boxes_data(table)
    bars = charts.boxes(table)
    for container in bars.containers:
        box = container.get_label()
        assert [bar.get_width() for bar in container] == pytest.approx(counts[box].tolist())
    shares = [text for text in texts(bars) if text.endswith("right")]
    assert shares == [f"{share:.0%} right" for share in counts["agreement"]]


def test_forest_where_no_task_repeats() -> None:
    table = frames.calibration(["recall"]).assign(auc_within=np.nan, within_low=np.nan, within_high=np.nan, pairs=0)
    ax = charts.forest(table)
    assert "within tasks cannot be told" in note_of(ax)
    assert not any("→" in text for text in texts(ax))


def test_specification() -> None:
    names = frames.names(11)
    means = summarise(frames.scores(names), resamples=10)
    table = charts.specification_data(means, frames.variants(names))
    assert (np.diff(table["value"]) >= 0).all()
    assert set(table.columns[3:]) <= {"arguments", "multiplicity", "order", "formula", "names", "scope", "by"}
    assert all(table[choice].nunique() > 1 for choice in table.columns[3:])
    ax = charts.specification(means, frames.variants(names), by=table.columns[3])
    points = np.asarray(ax.collections[1].get_offsets())
    assert points[:, 1] == pytest.approx(table["value"].to_numpy())
    low = ax.figure.axes[1]
    assert labels(low.xaxis) == table.index.tolist()
    for place, label in zip(low.get_yticks(), labels(low.yaxis), strict=True):
        choice, option = label.split(": ", 1)
        (dots,) = [
            line for line in low.get_lines() if line.get_color() != "#e6e6e6" and (line.get_ydata() == place).any()
        ]
        assert dots.get_xdata().tolist() == np.flatnonzero(table[choice].astype(str) == option).tolist()
    assert "11 definitions by mean score; 120 cases, at least 115 scored" in note_of(ax)


def test_specification_of_plain_numbers_and_of_its_own_choices() -> None:
    values = pd.Series({"recall": 0.5, "exact": 0.2, "gone": np.nan}, name="cost")
    table = charts.specification_data(values, frames.variants(["recall", "exact"]))
    assert table["value"].to_dict() == {"exact": 0.2, "recall": 0.5}
    own = pd.DataFrame({"matching": ["set", "list"], "empty": ["skip", "skip"], "mean": [0.4, 0.1]})
    assert charts.specification_data(own)["matching"].tolist() == ["list", "set"]
    assert charts.specification(own).get_title(loc="left").startswith("From 0.10 to 0.40")


def test_empty_sides() -> None:
    table = frames.variants(["a", "b", "c"])
    table["empty_both"] = [1.0, 1.0, "rejected"]
    table["empty_unexpected"] = [np.nan, np.nan, 0.5]
    table["empty_uncalled"] = [0.0, 0.0, 0.0]
    ax = charts.empty_sides(table)
    assert labels(ax.yaxis) == ["a, b", "c"]
    assert [text for text in texts(ax) if "variant" not in text] == ["1", "undefined", "0", "rejected", "0.5", "0"]
    assert "3 variants" in note_of(ax)
    assert ax.get_title(loc="left").startswith("2 rules")


def test_edit_costs() -> None:
    index = ["extra call", "missing call"]
    changes = pd.DataFrame({"a": [0.0, -0.5], "far": [-1.0, -1.0], "b": [0.0, -0.46], "none": [np.nan] * 2}, index)
    table = charts.edit_costs_data(changes)
    assert table.round(2).T.to_dict("list") == {"a, b": [0.0, -0.48], "far": [-1.0, -1.0]}
    assert set(charts.edit_costs_data(changes, distance=0).index) == {"a", "b", "far"}
    ax = charts.edit_costs(changes)
    assert sorted(labels(ax.yaxis)) == ["a, b", "far"]
    assert sorted(text for text in texts(ax) if len(text) < 6) == ["0", "−0.48", "−1", "−1"]
    assert "3 variants; 1 variant without a score" in note_of(ax)
    assert ax.get_title(loc="left") == "2 ways to react; most apart on “extra call”, from −1 to 0"


@FEW
@given(
    st.lists(
        st.tuples(st.one_of(st.none(), st.floats(0, 1)), st.sampled_from(["extra", "order", "other", None])),
        min_size=1,
    )
)
def test_causes(rows: list[tuple[float | None, str | None]]) -> None:
    found = pd.DataFrame(rows, columns=["gap", "cause"]).astype({"gap": "float64"})
    table = charts.causes_data(found)
    assert table["cases"].sum() == len(found)
    assert table["share"].sum() == pytest.approx(1)
    assert table["cases"].get("extra", 0) == (found["cause"] == "extra").sum()
    ax = charts.causes(found)
    assert [bar.get_width() for bar in ax.patches] == table["cases"].tolist()
    assert ("extra calls" in labels(ax.yaxis)) == ("extra" in table.index)
    unscored = int(found["gap"].isna().sum())
    assert (f"{unscored} unscored" if unscored else "unscored ones not among them") in note_of(ax)


@FEW
@given(st.integers(1, 5), st.data())
def test_confusion(size: int, data: st.DataObject) -> None:
    counts = pd.DataFrame(
        [[data.draw(st.integers(0, 30)) for _ in range(size + 1)] for _ in range(size + 1)],
        index=[*"abcdefgh"[:size], None],
        columns=[*"abcdefgh"[:size], None],
    )
    table = charts.confusion_data(counts)
    assert table.to_numpy().sum() == counts.to_numpy().sum()
    assert table.loc["a", "(nothing)"] == counts.iloc[0, -1]
    assert table.index[-1] == table.columns[-1] == "(nothing)"
    ax = charts.confusion(counts)
    total = int(table.to_numpy().sum())
    assert f"{total:,} call" in note_of(ax)
    if total:
        written = [int(text) for text in texts(ax) if text.isdigit()]
        assert written == [int(value) for value in table.to_numpy().ravel() if value]
        assert labels(ax.xaxis)[-1] == "not called"
        assert labels(ax.yaxis)[-1] == "nothing expected"


def test_penalty() -> None:
    curve = frames.penalties(["recall", "precision"])
    table = charts.penalty_data(curve)
    assert table.loc[("add", 2), "recall"] == curve.loc[("recall", "add", 2), "change"]
    ax = charts.penalty(curve)
    panels = ax.figure.axes
    assert [panel.get_xlabel() for panel in panels] == [
        "extra calls",
        "missing calls",
        "repeated calls",
        "swapped calls",
    ]
    for panel, edit in zip(panels, ("add", "drop", "repeat", "swap"), strict=True):
        drawn = {line.get_label(): line for line in panel.get_lines()}
        for name in ("recall", "precision"):
            assert np.array_equal(drawn[name].get_ydata(), table.loc[edit, name])
            assert to_rgb(drawn[name].get_color()) == to_rgb(look(name).colour)
        assert labels(panel.xaxis)[1] == "1\n100"
        assert {text.get_text() for text in panel.texts if text.get_gid() == "end"} == {"recall", "precision"}
    assert "recall = m/E, precision = m/C" in note_of(ax)


def test_same_penalties_share_a_name() -> None:
    curve = frames.penalties(["recall", "other"])
    curve["change"] = [*curve["change"][:24]] * 2
    ends = [text.get_text() for text in charts.penalty(curve).texts if text.get_gid() == "end"]
    assert ends == ["recall, other"]


def test_strictness() -> None:
    table = charts.strictness_data(frames.strictness(["1", "2", "3", "4", "5", "6"]))
    # Divisors: an edge that a way over another gives is left out (1-4, 1-6), 5 hangs on 1 alone.
    edges = {(a, b) for a, b in table.index if isinstance(b, str)}
    assert edges == {("1", "2"), ("1", "3"), ("1", "5"), ("2", "4"), ("2", "6"), ("3", "6")}
    level = table.groupby(level=0)["level"].first()
    assert level.to_dict() == {"1": 0, "2": 1, "3": 1, "5": 1, "4": 2, "6": 2}
    ax = charts.strictness(frames.strictness(["1", "2", "3", "4", "5", "6"]))
    shown = {text.split()[0] for text in texts(ax) if "%" in text}
    assert shown == set("123456")
    assert ax.get_title(loc="left") == "1 is the strictest of 6 variants"


def test_strictness_joins_equivalent_ones_and_shows_contradictions() -> None:
    table = frames.strictness(["a", "b", "c"])
    table["implies"] = pd.array([True, True, True, True, False, False], dtype="boolean")
    table["exceptions"] = [0, 3, 0, 3, 0, 0]
    data = charts.strictness_data(table)
    assert data.loc[("a", "c"), "members"] == ("a", "b")
    assert data.loc[("a", "c"), "exceptions"] == 3
    assert "1 line that data contradicts in red" in note_of(charts.strictness(table))


def test_timeline() -> None:
    called = [
        {"name": "find", "turn": 0, "step": 0},
        {"name": "find", "turn": 0, "step": 0},
        {"name": "book", "turn": 1, "step": 1, "error": "refused"},
    ]
    data = load([{"case": "one", "called": called, "expected": ["find", "book", "mail"]}])
    table = charts.timeline_data(data, "one")
    assert table["kind"].tolist() == ["matched", "repeated", "matched", "missing"]
    assert table["tool"].tolist() == ["find", "find", "book", "mail"]
    assert table["turn"].tolist()[:3] == [0, 0, 1]
    ax = charts.timeline(data, "one")
    assert labels(ax.yaxis) == ["find", "book", "mail"]
    assert labels(ax.xaxis) == ["1", "2", "3"]
    marks = {line.get_gid(): line for line in ax.get_lines() if line.get_gid()}
    assert marks["matched"].get_xdata().tolist() == [0, 2]
    assert marks["missing"].get_ydata().tolist() == [2]
    assert marks["failed"].get_xdata().tolist() == [2]
    assert len([patch for patch in ax.patches if patch.get_gid() == "parallel"]) == 1
    assert "3 calls made, 3 expected" in note_of(ax)
    assert ax.get_title(loc="left") == "one: 2 as expected, 1 repeated, 1 not called"
