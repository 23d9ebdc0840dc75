import pandas as pd
import pytest
from typer.testing import CliRunner

import toolcorrect as tc
from tests.shared import ROOT
from toolcorrect.cli import app

DESK = str(ROOT / "data" / "support_desk")


def run(*words):
    return CliRunner().invoke(app, list(words))


def test_score_prints_definitions_and_the_pairs_that_disagree(tmp_path):
    target = tmp_path / "scores.parquet"
    done = run("score", DESK, "-o", str(target))
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    head = next(line for line in lines if line.startswith("definition"))
    assert head.split() == ["definition", "mean", "scored", "best", "model", "worst", "model"]
    scores = tc.score(tc.examples.support_desk())
    row = next(line for line in lines if line.startswith("jaccard ")).split()
    assert row[:5] == ["jaccard", f"{scores['jaccard'].mean():.3f}", "720", "of", "720"]
    assert any("they differ on" in line and "mostly by" in line for line in lines)
    assert "toolcorrect lab" in done.output
    written = pd.read_parquet(target)
    pd.testing.assert_series_equal(written["jaccard"], scores["jaccard"])
    assert {"task", "model", "trial", "outcome"} <= set(written.columns)


def test_variants_are_split_at_commas_outside_brackets(tmp_path):
    target = tmp_path / "scores.csv"
    assert run("score", DESK, "-v", "recall,tversky(extra=1,missing=0.5)", "-o", str(target)).exit_code == 0
    assert list(pd.read_csv(target).columns)[-2:] == ["recall", "tversky(extra=1,missing=0.5)"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("score", "no/such/file"), "no/such/file"),
        (("score", DESK, "-v", "jacard"), "There is no variant 'jacard'"),
        (("score", DESK, "-o", "scores.txt"), "must end in .csv or .parquet"),
        (("score", DESK, "--scope", "mine"), "scope='mine' is not known"),
        (("variants", "jacard"), "There is no variant 'jacard'"),
    ],
)
def test_a_wrong_word_gives_one_sentence_and_exit_code_2(words, message):
    done = run(*words)
    assert done.exit_code == 2
    assert message in done.output
    assert "Traceback" not in done.output


def test_lists():
    assert "deepeval.exact" in run("variants").output
    described = run("variants", "notebook.jaccard").output
    assert "nothing expected scores 1 whatever was called" in described
    assert "openai_chat" in run("formats").output
