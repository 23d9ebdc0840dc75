from __future__ import annotations

import csv

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from toolcorrect.calibrating.labelling import join_labels, kappa, read_labels, sample_for_labels, write_label_sheet
from toolcorrect.errors import LoadError, OptionError


@pytest.fixture(scope="module")
def scores():
    random = np.random.default_rng(0)
    quality = random.random(1000)
    frame = pd.DataFrame({f"v{i}": (quality + random.normal(size=1000) / 10 > 0.5) * 1.0 for i in range(4)})
    frame.iloc[:20] = np.nan
    return frame.set_axis([f"c{i}" for i in range(1000)])


@given(st.integers(5, 1000), st.integers(0, 3))
@settings(max_examples=25, deadline=None)
def test_weights_stand_for_all_cases(scores, n, seed):
    sample = sample_for_labels(scores, n=n, seed=seed)
    assert len(sample) == n
    assert sample.index.is_unique
    assert sample["weight"].sum() == pytest.approx(len(scores))
    pd.testing.assert_frame_equal(sample, sample_for_labels(scores, n=n, seed=seed))


def test_disagreeing_cases_are_sampled_more_densely_but_not_alone(scores):
    sample = sample_for_labels(scores, n=100)
    counts = sample["stratum"].value_counts()
    assert (counts > 0).all()
    weight = sample.groupby("stratum", observed=True)["weight"].first()
    assert weight["many disagree"] < weight["all pass"]
    disputed = scores.loc[sample.index[sample["stratum"].isin(["some disagree", "many disagree"])]]
    assert (disputed.nunique(axis=1) > 1).all()
    assert scores.loc[sample.index[sample["stratum"] == "not scored"]].isna().all(axis=None)
    assert (scores.loc[sample.index[sample["stratum"] == "all fail"]] == 0).all(axis=None)


def test_weighted_means_of_samples_are_right_on_average(scores):
    known = scores.fillna(0.0)
    means = []
    for seed in range(300):
        sample = sample_for_labels(scores, n=60, seed=seed)
        means.append(np.average(known.loc[sample.index, "v0"], weights=sample["weight"]))
    assert np.mean(means) == pytest.approx(known["v0"].mean(), abs=0.01)


def test_too_small_a_sample_is_refused(scores):
    with pytest.raises(OptionError, match="n=2 is fewer than the 5 strata"):
        sample_for_labels(scores, n=2)
    with pytest.raises(OptionError, match="n=0"):
        sample_for_labels(scores, n=0)


def test_sheets_go_out_and_come_back(tmp_path):
    sample = pd.DataFrame({"weight": [1.0, 2.0, 3.0]}, index=["x", "=1+1", "'-y"])
    show = pd.DataFrame({"input": ["=HYPERLINK(1)", 'hello, "you"\nthere', None]}, index=sample.index)
    path = write_label_sheet(sample, tmp_path / "sheet.csv", show=show, labeller="@ana")
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["case", "input", "label", "labeller"]
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())
    for row, label in zip(rows, ["yes", "0.5", ""]):
        row["label"] = label
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    labels = read_labels(path)
    assert labels.to_numpy().tolist() == [["x", "@ana", 1.0], ["=1+1", "@ana", 0.5]]


def test_a_sheet_that_cannot_be_read_says_where(tmp_path):
    good, bad = tmp_path / "ana.csv", tmp_path / "bad.csv"
    good.write_text("case,label\nx,pass\n")
    assert read_labels([good]).labeller.to_list() == ["ana"]
    for text, message in {
        "case,label\nx,maybe\n": r"bad.csv, line 2: 'maybe' is no label",
        "case,label\nx,nan\n": r"'nan' is no label",
        "id,label\nx,1\n": r"bad.csv, line 2, has no case and label",
        "case,label,labeller\nx,1,b\nx,0,b\n": r"'b' labelled case 'x' twice",
    }.items():
        bad.write_text(text)
        with pytest.raises(LoadError, match=message):
            read_labels([good, bad])
    with pytest.raises(LoadError, match=r"gone.csv cannot be read as a CSV of labels"):
        read_labels(tmp_path / "gone.csv")


def test_sheets_refuse_a_column_of_their_own(tmp_path):
    with pytest.raises(OptionError, match="show has a column label"):
        write_label_sheet(
            pd.DataFrame(index=["x"]), tmp_path / "s.csv", show=pd.DataFrame({"label": [1]}, index=["x"])
        )


def votes(rows):
    return pd.DataFrame(rows, columns=["case", "labeller", "label"])


def test_split_votes_decide_nothing():
    joined = join_labels(votes([("x", "a", 1), ("x", "b", 0), ("y", "a", 1), ("y", "b", 1), ("y", "c", 0)]))
    assert joined["y"] == 1
    assert np.isnan(joined["x"])


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=20))
@settings(max_examples=60, deadline=None)
def test_kappa_is_cohens(pairs):
    rows = [(f"c{i}", who, label) for i, both in enumerate(pairs) for who, label in zip("ab", both)]
    row = kappa(votes(rows)).loc[("a", "b")]
    a, b = zip(*pairs)
    assert (row["n"], row["agreement"]) == (len(pairs), pytest.approx(np.mean([x == y for x, y in pairs])))
    if len(set(a) | set(b)) == 1:
        assert np.isnan(row["kappa"])
    else:
        assert row["kappa"] == pytest.approx(cohen_kappa_score(a, b))


def test_labellers_without_a_common_case():
    row = kappa(votes([("x", "a", 1), ("y", "b", 1)])).iloc[0]
    assert row["n"] == 0
    assert row[["agreement", "kappa"]].isna().all()
    assert kappa(votes([("x", "a", 1)])).empty
