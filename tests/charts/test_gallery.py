"""All charts on the bundled runs as pictures, with a page to look at them: .artefacts/gallery/index.html."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from matplotlib.axes import Axes
from nbclient import NotebookClient

import toolcorrect as tc
from tests.charts import frames
from tests.charts.test_layout import assert_tidy
from tests.shared import ROOT
from toolcorrect import charts
from toolcorrect.calibrating.nulls import null_scores
from toolcorrect.calibrating.outcomes import calibrate
from toolcorrect.comparing.choosing import specifications
from toolcorrect.comparing.implying import strictness
from toolcorrect.comparing.penalty import penalty_curve
from toolcorrect.comparing.ranking import rankings
from toolcorrect.statistics.means import summarise

GALLERY = ROOT / ".artefacts" / "gallery"
VARIANTS = [*frames.CORE, "ragas.f1"]


@pytest.fixture(scope="module")
def pictures() -> dict[str, Callable[[str], Axes]]:
    data = tc.examples.support_desk()
    scores = tc.score(data, variants=VARIANTS)
    cases = data.cases
    ranks = rankings(scores, by=cases["model"], task=cases["task"], resamples=200)
    tracked = calibrate(scores, cases["outcome"], task=cases["task"], nulls=null_scores(data), resamples=200)
    curve = penalty_curve(data.select(cases.index[::6]), VARIANTS, most=4)
    one = tc.load([{"case": "x", "called": ["a", "b", "c"], "expected": ["a", "b", "c"]}])
    runs = {"nothing": one, **{kind: tc.edit(one, kind, position=1) for kind in tc.editing.EDITS if kind != "change"}}
    edited = tc.score(tc.concat(runs), variants="all").set_axis(list(runs))
    order = strictness(VARIANTS, scores)
    definitions = specifications(data)
    gaps = tc.disagreements(data, "deepeval", "notebook.jaccard")
    longest = data.calls["case"].value_counts().index[0]
    tools = data.calls["tool"].value_counts().index[:12].tolist()
    return {
        "agreement": lambda c: charts.agreement(scores, context=c),
        "agreement same verdict": lambda c: charts.agreement(scores, measure="same_verdict", context=c),
        "upset": lambda c: charts.upset(scores, context=c),
        "threshold": lambda c: charts.threshold(scores, context=c),
        "strip": lambda c: charts.strip(scores["f1"], cases["model"], context=c),
        "ranked variants": lambda c: charts.ranked(summarise(scores, task=cases["task"], resamples=200), context=c),
        "ranked agents": lambda c: charts.ranked(ranks, variant="exact.args", context=c),
        "rank_flips": lambda c: charts.rank_flips(ranks, context=c),
        "forest": lambda c: charts.forest(tracked, context=c),
        "boxes": lambda c: charts.boxes(tracked, context=c),
        "specification": lambda c: charts.specification(tracked, tc.variants(), context=c),
        "specification of all choices": lambda c: charts.specification(definitions, by="arguments", context=c),
        "empty_sides": lambda c: charts.empty_sides(tc.variants().loc[scores.columns], context=c),
        "edit_costs": lambda c: charts.edit_costs(edited - edited.loc["nothing"], context=c),
        "causes": lambda c: charts.causes(gaps, context=c),
        "confusion": lambda c: charts.confusion(frames.confusion(tools), context=c),
        "penalty": lambda c: charts.penalty(curve, context=c),
        "strictness": lambda c: charts.strictness(order, context=c),
        "timeline": lambda c: charts.timeline(data, longest, context=c),
    }


def test_gallery(pictures: dict[str, Callable[[str], Axes]]) -> None:
    GALLERY.mkdir(parents=True, exist_ok=True)
    assert {name.split(" ")[0] for name in pictures} == set(frames.ALL)
    parts = []
    for name, draw in pictures.items():
        for context in ("notebook", "slide"):
            ax = draw(context)
            assert_tidy(ax)
            file = f"{name.replace(' ', '_')}_{context}.png"
            ax.figure.savefig(GALLERY / file, dpi=144 if context == "notebook" else 96)
            parts.append(f'<figure><img src="{file}" alt="{html.escape(ax.get_title(loc="left"))}"></figure>')
    style = "body{font:16px system-ui;margin:2em auto;max-width:70em}img{max-width:100%;border:1px solid #ddd}"
    page = f"<!doctype html><meta charset=utf-8><title>Charts</title><style>{style}</style><h1>Charts</h1>"
    (GALLERY / "index.html").write_text(page + "\n".join(parts), encoding="utf-8")
    for file in [f"{name.replace(' ', '_')}_{context}.png" for name in pictures for context in ("notebook", "slide")]:
        assert (GALLERY / file).stat().st_size > 10_000, file
        assert file in (GALLERY / "index.html").read_text(encoding="utf-8")


def test_a_cell_that_ends_in_a_chart_shows_it_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    make = "import pandas as pd, toolcorrect as tc\nscores = pd.DataFrame({'recall': [0.0, 1.0, None]})"
    cells = [make, "tc.charts.threshold(scores)", "ax = tc.charts.upset(scores)", "ax"]
    cells += ["%matplotlib inline", "tc.charts.upset(scores)"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute(cwd=str(ROOT))
    shown = [[output for output in cell.outputs if "image/png" in output.get("data", {})] for cell in notebook.cells]
    assert [len(pictures) for pictures in shown] == [0, 1, 0, 1, 0, 1], json.dumps(notebook.cells, default=str)[:2000]
    assert shown[1][0]["metadata"]["image/png"] == {"width": 800, "height": 480}
