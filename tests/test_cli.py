import json
import shutil

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
    # A Parquet file keeps the texts of an index, not which of pandas' kinds of text they were.
    pd.testing.assert_series_equal(written["jaccard"], scores["jaccard"], check_index_type=False)
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


@pytest.fixture
def runs(tmp_path):
    """Folders of one agent's runs each, with the test cases and tools beside them."""

    def folder(agent):
        target = tmp_path / agent
        target.mkdir(exist_ok=True)
        for name in (f"{agent}.jsonl", "cases.csv", "tools.json"):
            shutil.copy(ROOT / "data" / "support_desk" / name, target)
        return str(target)

    return folder


def test_compare_prints_one_line_a_definition(runs, tmp_path):
    target = tmp_path / "table.csv"
    done = run("compare", runs("scout"), runs("hasty"), "-v", "recall,precision,notebook.jaccard", "-o", str(target))
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    said = [f"{side}:120 runs of 40 tasks by {model}" for side, model in zip("AB", ("scout", "hasty"))]
    assert [line[:2] + line.split(", ", 1)[1] for line in lines[:2]] == said
    data = tc.examples.support_desk()
    sides = [data.select(data.cases.model == agent) for agent in ("scout", "hasty")]
    scores = [tc.score(side, variants=["recall", "precision", "notebook.jaccard"]) for side in sides]
    table = tc.compare_runs(*scores, task_a=sides[0].cases.task, task_b=sides[1].cases.task).table
    for name, words in {
        "recall": "A is better",
        "precision": "B is better",
        "notebook.jaccard": "cannot tell",
    }.items():
        (line,) = (line for line in lines if line.startswith(f"{name} "))
        row = table.loc[name]
        assert line.split()[1:4] == [f"{row.mean_a:.3f}", f"{row.mean_b:.3f}", f"{row.difference:+.3f}"]
        assert line.endswith(words)
    assert "3 variants at once" in done.output
    assert "Passed" not in done.output
    written = pd.read_csv(target, index_col="variant")
    assert written["sentence"].to_list() == table["sentence"].to_list()
    assert written["low"].to_list() == pytest.approx(table["low"].to_list())


@pytest.mark.parametrize(
    ("checks", "code", "said"),
    [
        ((), 0, ()),
        (("--fail-under", "0.75"), 0, ("Passed.",)),
        (("--fail-under", "0.9"), 1, ("Failed:", "recall: 0.78 < 0.90.")),
        (("--fail-under", "precision=0.99"), 1, ("precision: 0.98 < 0.99.",)),
        (("--fail-under", "precision=0.98", "--fail-under", "recall=0.7"), 0, ("Passed.",)),
        (("--fail-on-drop", "0"), 1, ("recall: A is better by 0.22",)),
        (("--fail-on-drop", "0.25"), 0, ("Passed.",)),
        (("--fail-under", "high"), 2, ("--fail-under high: give a number, or NAME=NUMBER.",)),
        (("--fail-under", "0.5", "--fail-under", "recall=0.5"), 2, ("one number for all, or NAME=NUMBER for each",)),
        (("--fail-under", "f1=0.5"), 2, ("There is no compared variant 'f1'",)),
        (("--fail-on-drop", "-1"), 2, ("fail_on_drop=-1.0 must be 0 or more",)),
    ],
)
def test_compare_is_a_check_for_continuous_integration(runs, checks, code, said):
    done = run("compare", runs("scout"), runs("hasty"), "-v", "recall,precision", *checks)
    assert done.exit_code == code, done.output
    for words in said:
        assert words in done.output


def test_compare_leaves_out_tasks_of_one_run_and_says_so(tmp_path):
    for name, tasks in {"a": ["t1", "t2", "<b>t3</b>"], "b": ["t1", "t2"]}.items():
        rows = [{"case": task, "called": ["x"], "expected": ["x"]} for task in tasks]
        (tmp_path / f"{name}.json").write_text(json.dumps(rows))
    sides = [str(tmp_path / f"{name}.json") for name in "ab"]
    done = run("compare", *sides, "-v", "recall", "--fail-on-drop", "0")
    assert done.exit_code == 0, done.output
    assert "Only in A, not compared: <b>t3</b>." in done.output
    assert next(line for line in done.output.splitlines() if line.startswith("recall")).endswith("the same")


def test_compare_fails_where_a_limit_cannot_be_checked(tmp_path):
    rows = [{"case": "t1", "called": None, "expected": ["x"]}]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    done = run("compare", *[str(tmp_path / "a.json")] * 2, "-v", "recall", "--fail-under", "0.1")
    assert done.exit_code == 1, done.output
    assert "not compared" in done.output


def test_score_says_why_nothing_is_scored(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text(json.dumps({"case": "a", "called": ["x"]}) + "\n")
    done = run("score", str(path))
    assert done.exit_code == 1, done.output
    assert "No case has a score." in done.output
    assert "expected unknown: 1 of 1 cases" in done.output
    assert "--expected FILE" in done.output


@pytest.fixture
def apart(tmp_path):
    """Files of runs and, apart from them, of the calls that they should have made."""
    rows = {"runs": [{"case": f"run {i}", "task": f"t{i}", "called": ["x"]} for i in range(2)]}
    rows["tests"] = [{"task": f"t{i}", "ticket": f"t{i}", "expected": ["x", "y"][: i + 1]} for i in range(2)]
    for name, records in rows.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(records))
    return [str(tmp_path / f"{name}.json") for name in rows]


@pytest.mark.parametrize("on", [(), ("--on", "task")])
def test_expected_calls_are_joined_from_a_file_of_their_own(apart, on):
    runs, tests = apart
    done = run("score", runs, "-v", "recall", "--expected", tests, *on)
    assert done.exit_code == 0, done.output
    assert next(line for line in done.output.splitlines() if line.startswith("recall")).split()[1] == "0.750"
    done = run("compare", runs, runs, "-v", "recall", "-e", tests, *on)
    assert done.exit_code == 0, done.output
    assert next(line for line in done.output.splitlines() if line.startswith("recall")).split()[1] == "0.750"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--on", "task"), "--on says what joins the file of --expected"),
        (("--expected", "no.csv"), "no.csv"),
        (("--expected", "{tests}", "--on", "ticket"), "The runs have no column 'ticket'"),
    ],
)
def test_expected_calls_that_cannot_be_joined_are_told(apart, words, said):
    runs, tests = apart
    done = run("score", runs, *(word.format(tests=tests) for word in words))
    assert done.exit_code == 2
    assert said in done.output


def test_score_prints_what_loading_reported(tmp_path):
    path = tmp_path / "runs.jsonl"
    good = json.dumps({"case": "a", "called": ["x"], "expected": ["x"]})
    path.write_text(f'{good}\n{{"case": \n')
    done = run("score", str(path))
    assert done.exit_code == 0, done.output
    assert "runs.jsonl, line 2: 1 unreadable (it is not JSON" in done.output


@pytest.mark.parametrize(
    ("words", "said"), [(["-v", ""], "--variants is empty"), (["-o", "none/x.csv"], "no folder none")]
)
def test_an_option_that_names_nothing_is_told(words, said):
    done = run("score", DESK, *words)
    assert done.exit_code == 2
    assert said in done.output


def written(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def test_score_says_what_would_give_the_missing_scores(tmp_path):
    runs = written(tmp_path / "runs.jsonl", {"called": ["x"], "expected": ["x"]}, {"called": [], "expected": []})
    done = run("score", runs, "--scope", "effect", "-v", "recall,exact")
    assert done.exit_code == 0, done.output
    assert "effect unknown: 1 of 2 cases under 2 of 2 definitions: a tools.json" in done.output
    assert "All definitions agree on every case that they score." in done.output


def test_models_that_are_equal_are_no_best_and_worst(tmp_path):
    runs = written(tmp_path / "runs.jsonl", *({"model": m, "called": ["x"], "expected": ["x"]} for m in "ab"))
    assert "all equal" in run("score", runs, "-v", "recall").output


def test_a_join_that_matches_nothing_is_an_error(apart):
    done = run("score", apart[0], "--expected", apart[1], "--on", "input")
    assert done.exit_code == 2
    assert "no run has the input of a test case" in done.output


def test_columns_are_renamed_in_the_file_that_is_read_beside(tmp_path, apart):
    tests = json.loads((tmp_path / "tests.json").read_text())
    (tmp_path / "other.json").write_text(
        json.dumps([{"task": one["task"], "wanted": one["expected"]} for one in tests])
    )
    words = (
        "score",
        apart[0],
        "--expected",
        str(tmp_path / "other.json"),
        "--columns",
        "wanted=expected",
        "-v",
        "recall",
    )
    done = run(*words)
    assert done.exit_code == 0, done.output
    assert "0.750" in done.output
    assert "give FOUND=WANTED" in run(*words[:-3], "wanted", "-v", "recall").output
    data = tc.load(apart[0]).join_expected(str(tmp_path / "other.json"), on="task", columns={"wanted": "expected"})
    assert len(data.expected) == 3
    with pytest.raises(tc.ToolcorrectError, match="columns= renames what is to be loaded"):
        tc.load(apart[0]).join_expected(data, on="task", columns={"wanted": "expected"})


def test_compare_pairs_by_any_column_and_tells_of_several_models(tmp_path):
    sides = [
        written(
            tmp_path / f"{side}.jsonl",
            *(
                {"case": f"{side}{i}", "input": f"q{i}", "model": "mn"[i], "called": ["x"], "expected": ["x"]}
                for i in (0, 1)
            ),
        )
        for side in "ab"
    ]
    done = run("compare", *sides, "-v", "recall", "--pair", "input")
    assert done.exit_code == 0, done.output
    assert "0 of 2 tasks" in done.output
    assert "2 runs of 2 tasks by m, n" in done.output
    assert "are averaged" in done.output
    assert run("compare", *sides, "--pair", "inputs").exit_code == 2


def test_the_version_is_shown():
    assert run("--version").output.strip() == tc.__version__


def test_two_keys_are_not_renamed_to_one(tmp_path):
    path = written(tmp_path / "runs.jsonl", {"case": "a", "called": ["s"], "expected": ["s"], "x": ["q"]})
    done = run("score", path, "--columns", "x=called")
    assert done.exit_code == 2
    assert "makes two keys of a record of runs.jsonl 'called'" in done.output
    assert run("score", path, "--columns", "x=a", "--columns", "x=b").exit_code == 2
    tc.load(path).save(tmp_path / "saved")
    assert "is a saved dataset" in run("score", str(tmp_path / "saved"), "--columns", "x=a").output


def test_a_file_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    done = run("score", DESK, "-v", "recall", "-o", str(tmp_path / "folder.csv"))
    assert done.exit_code == 2
    assert "Traceback" not in done.output
    assert "folder.csv" in done.output


def test_compare_exits_with_1_where_nothing_is_compared(tmp_path):
    path = written(tmp_path / "runs.jsonl", {"task": "t", "called": ["x"]})
    done = run("compare", path, path, "-v", "recall")
    assert done.exit_code == 1
    assert "expected unknown: 1 of 1 cases" in done.output
