"""Every option of every public function, given what does not fit: an error for people, never one from the depths."""

from __future__ import annotations

import functools
import inspect
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

import toolcorrect as tc
from toolcorrect import charts, dashboards, widgets
from toolcorrect.errors import DataError, OptionError, ToolcorrectError, UnknownNameError, check_number, shown

pytestmark = pytest.mark.filterwarnings("ignore")


@functools.cache
def runs():
    schema = {"type": "object", "properties": {"q": {"type": "integer"}}}
    return tc.load(
        [
            {
                "case": f"r{i}", "task": f"t{i // 2}", "model": "ab"[i % 2], "outcome": i % 4 / 2, "input": "q 1",
                "called": [{"name": "a", "arguments": {"q": i % 3}}] * (1 + i % 2) + ["b"] * (i % 3 > 0),
                "expected": [{"name": "a", "arguments": {"q": 1}}, "b"],
                "tools": [{"name": "a", "parameters": schema}],
            }
            for i in range(32)
        ]
    )  # fmt: skip


@functools.cache
def scores():
    return tc.score(runs(), variants=["recall", "exact", "jaccard"])


def good_calls(folder):
    """Arguments of a call that works, by the name of the function."""
    data, table = runs(), scores()
    outcome, model = data.cases["outcome"], data.cases["model"]
    sides = [table[model == name].set_axis(range(16)) for name in "ab"]
    labels = pd.DataFrame({"case": list("xxyy"), "labeller": list("abab"), "label": [1, 0, 1, 1]})
    labels.to_csv(folder / "labels.csv", index=False)
    calibration = tc.calibrate(table, outcome, resamples=5)
    rankings = tc.rankings(table, by=model, resamples=5)
    against = {"by": model, "against": "recall", "resamples": 5}
    some = ["recall", "exact", "jaccard"]
    calls = {
        "concat": [[data]], "load": [[{"called": ["a"]}]], "detect": [[{"called": ["a"]}]], "variants": ["recall"],
        "collisions": [["a.b", "c.b"]], "differences": [{"a": 1}, {"a": 2}], "formats": [],
        "tversky": {"extra": 1, "missing": 1}, "Variant": ["mine", lambda o: o.shared],
        "agreement": [table], "families": [table], "inclusion": [table], "passes": [table, 0.5],
        "strictness": [some], "four_boxes": [table, outcome], "calibration_bins": [table, outcome],
        "calibrate": ([table, outcome], {"resamples": 5}),
        "auc_by_group": ([table, outcome], {"by": model, "resamples": 5}),
        "rankings": ([table], {"by": model, "resamples": 5}), "rank_flips": ([table], against),
        "order_agreement": ([table], against), "summarise": ([table], {"resamples": 5}),
        "repeated": ([table, data.cases["task"]], {"resamples": 5}), "compare_runs": (sides, {"resamples": 5}),
        "failures": [tc.compare_runs(*sides, resamples=5)], "sample_for_labels": ([table], {"n": 8}),
        "write_label_sheet": [tc.sample_for_labels(table, n=8), folder / "sheet.csv"],
        "read_labels": [folder / "labels.csv"], "join_labels": [labels], "kappa": [labels],
        "disagreements": [data, "recall", "exact"], "why": [data, "recall", "exact"], "flips": [data, "recall"],
        "explain": ([data, "r1"], {"variants": some}), "edit": [data, "add"], "editable": [data, "add"],
        "penalty_curve": ([data, ["recall"]], {"most": 1}), "prepare": [data, tc.ArgumentOptions(trim=True)],
        "verdict_changes": [data, {"trim": tc.ArgumentOptions(trim=True)}],
        "charts.agreement": [table], "charts.boxes": [calibration], "charts.forest": [calibration],
        "charts.causes": [tc.disagreements(data, "recall", "exact")], "charts.confusion": [tc.confusion(data)],
        "charts.edit_costs": [tc.penalty_curve(data, some, most=1)], "charts.empty_sides": [tc.variants("core")],
        "charts.penalty": [tc.penalty_curve(data, some, most=1)], "charts.rank_flips": [rankings],
        "charts.ranked": [rankings], "charts.specification": [tc.specifications(data)],
        "charts.strictness": [tc.strictness(some)], "charts.strip": [table["recall"], model],
        "charts.threshold": [table], "charts.timeline": [data, "r1"], "charts.upset": [table],
        "dashboards.disagreements": ([data], {"variants": some}),
        "Dataset.select": [["r1"]], "Dataset.mark_effects": [["a"]], "Dataset.with_labels": [{"r1": 1}],
        "Dataset.join_expected": [data], "Dataset.save": [folder / "saved"],
        "Dataset.open": [data.save(folder / "runs")],
    }  # fmt: skip
    return {
        name: ((), call) if isinstance(call, dict) else (call, {}) if isinstance(call, list) else call
        for name, call in calls.items()
    }


def wrong_values():
    """Values of every type that is easily given by mistake."""
    frame = pd.DataFrame({"z": [1]})
    return ["x", 7, -1, 0.3, True, [1, "a"], {"a": 1}, frame, frame["z"], np.arange(3), scores(), runs(), len, np.nan]


# The files of the loaders, and how a bar is shown, are looked at as they are.
LEFT = {("write_label_sheet", "path"), ("save", "folder")}
PUBLIC = [
    name for name in tc.__all__ if callable(getattr(tc, name)) and not isinstance(getattr(tc, name), ModuleType)
]
NAMES = [
    *(name for name in PUBLIC if not (name[0].isupper() and name not in ("Names", "Demands", "ArgumentOptions"))),
    *("Axes", "Empty", "Variant"),
    *(f"charts.{name}" for name in charts.__all__ if not name.endswith("_data") and callable(getattr(charts, name))),
    "dashboards.disagreements",
    *(f"Dataset.{name}" for name in ("select", "mark_effects", "with_labels", "join_expected", "save", "open")),
]


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    return good_calls(tmp_path_factory.mktemp("options"))


@pytest.mark.parametrize("name", NAMES)
def test_what_does_not_fit_an_option_is_told(good, name):
    room, _, short = name.rpartition(".")
    rooms = {"": tc, "charts": charts, "dashboards": dashboards, "Dataset": runs()}
    function = getattr(rooms[room], short)
    parameters = inspect.signature(function).parameters
    default = [runs()] if "data" in parameters else []
    args, options = good.get(name, (default, {}))
    function(*args, **options)
    raw = []
    for place, option in enumerate(parameters):
        for value in wrong_values() if (short, option) not in LEFT else ():
            given = [*args[:place], value, *args[place + 1 :]] if place < len(args) else args
            try:
                function(*given, **(options if place < len(args) else {**options, option: value}))
            except ToolcorrectError as told:
                if len(str(told)) > 1500:
                    raw.append((option, "a message that fills the screen"))
            except Exception as cause:
                raw.append((option, shown(value), repr(cause)[:100]))
    assert not raw


@pytest.mark.parametrize("frame", ["x", [1], None, scores])
def test_a_table_takes_a_frame_only(frame):
    frame = frame if frame is not scores else runs()
    with pytest.raises(OptionError, match="frame="):
        widgets.Table(frame)
    with pytest.raises(OptionError, match="alignment="):
        widgets.Diff(1)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: tc.score(runs(), scope=["effect"]), r"scope=\['effect'\] is not known; choose one of 'assistant'"),
        (lambda: tc.disagreements(runs(), "recall", "exact", minimum="x"), "minimum='x' must be a number"),
        (lambda: tc.flips(runs(), "recall", threshold="x"), "threshold='x' must be a number"),
        (lambda: tc.calibrate(scores(), runs().cases["outcome"], level="x"), "level='x' must be a number"),
        (lambda: tc.penalty_curve(runs(), most=1.5), "most=1.5 must be a whole number"),
        (lambda: dashboards.disagreements(scores()), "This needs the runs"),
        (lambda: charts.agreement(runs()), "draws the frame of tc.score"),
        (lambda: tc.rankings(scores(), by=runs().cases), "by is a DataFrame; give one value a case"),
        (lambda: charts.threshold(scores(), at=runs()), "at=a Dataset must be a number"),
    ],
)
def test_the_message_says_what_was_given_and_what_is_allowed(call, said):
    with pytest.raises((OptionError, DataError), match=said):
        call()


def test_numbers_have_bounds():
    check_number("n", 3, low=1, whole=True)
    check_number("n", np.float64(0.5), low=0, high=1)
    for wrong in (True, np.nan, np.inf, 1.5, -0.1, "1", None):
        with pytest.raises(OptionError, match=r"must be a number from 0 to 1\."):
            check_number("n", wrong, low=0, high=1)


def test_globs_choose_rows_of_the_table_of_variants():
    assert tc.variants("ragas.*").index.to_list() == ["ragas.accuracy", "ragas.accuracy.flexible", "ragas.f1"]
    assert len(tc.variants("all")) == len(tc.variants())
    assert list(tc.variants("core").columns) == list(tc.variants().columns)
    with pytest.raises(UnknownNameError, match=r"There is no variant 'ragsa\.\*'"):
        tc.variants("ragsa.*")
