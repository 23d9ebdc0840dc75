"""The command ``toolcorrect``: scores side by side, comparison of runs, formats, definitions, notebooks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

import toolcorrect as tc
from toolcorrect.errors import OptionError, ToolcorrectError, listed
from toolcorrect.explaining.disagreeing import CAUSES_IN_WORDS
from toolcorrect.html import visible
from toolcorrect.loaders.folder import shared_key
from toolcorrect.printing import definitions, differences, reported, table, unscored
from toolcorrect.variants import described

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Tool-call correctness: every published definition side by side, and why they disagree.",
)

Runs = Annotated[Path, typer.Argument(help="A trace file, a folder of runs, or a saved dataset.")]
Variants = Annotated[
    str, typer.Option("--variants", "-v", help="Names, globs, 'core' or 'all', separated by commas.")
]
Scope = Annotated[str, typer.Option(help="Which calls count: assistant, effect, succeeded or everyone.")]
NamesLevel = Annotated[
    str | None, typer.Option("--names", help="When two tool names are the same: exact, format, galtea or loose.")
]
Format = Annotated[str | None, typer.Option("--format", help="Force a trace format; see 'toolcorrect formats'.")]
Expected = Annotated[
    Path | None,
    typer.Option("--expected", "-e", help="A file with the calls that should have been made, for runs without them."),
]
On = Annotated[
    str | None,
    typer.Option(
        "--on", help="What joins --expected to the runs: case, task or another column; by default what fits."
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        metavar="FOUND=WANTED",
        help="Rename a key or a column of --expected, or of the runs where that is not given; may be given several "
        "times.",
    ),
]


@app.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False) -> None:
    if version:
        print(tc.__version__)
        raise typer.Exit


@app.command()
def score(
    runs: Runs,
    variants: Variants = "core",
    scope: Scope = "assistant",
    names: NamesLevel = None,
    format: Format = None,
    expected: Expected = None,
    on: On = None,
    columns: Columns = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the scores to a .csv or .parquet file.")
    ] = None,
) -> None:
    """Score runs under many definitions. Says which of them disagree, and why. Exits with 1 if nothing is scored."""
    with _sentences():
        write = _writer(output)
        data = next(_opened([runs], format, expected, on, columns))
        chosen = _listed(variants)
        scores = tc.score(data, variants=chosen, scope=scope, names=names)
        if write:
            write(_with_tags(data, scores))
        print(data.summary())
        print("".join(f"  {line}\n" for line in reported(data.report)))
        print(table(definitions(data, scores)), end="\n\n")
        if scores.isna().to_numpy().any():
            print(
                "".join(f"{line}\n" for line in unscored(tc.status(data, variants=chosen, scope=scope, names=names)))
            )
        some = bool(scores.notna().to_numpy().any())
        pairs = tc.disagreeing_pairs(data, variants=chosen, scope=scope, names=names)
        if some:
            print("Furthest apart:" if len(pairs) else "All definitions agree on every case that they score.")
        for row in pairs.itertuples():
            print(
                f"  {row.a} and {row.b}: {row.mean_gap:.2f} on average, they differ on {row.differ} of "
                f"{row.cases} cases, mostly by {CAUSES_IN_WORDS[row.cause]} ({row.share:.0%})"
            )
        if write:
            print(f"\nWrote {len(scores)} rows to {output}.")
        print("\nLook closer in the notebooks: toolcorrect lab" if some else "No case has a score.")
    if not some:
        raise typer.Exit(1)


@app.command()
def compare(
    run_a: Annotated[Path, typer.Argument(help="The baseline: a trace file, a folder of runs, or a saved dataset.")],
    run_b: Annotated[Path, typer.Argument(help="The new run of the same tasks.")],
    variants: Variants = "core",
    scope: Scope = "assistant",
    names: NamesLevel = None,
    format: Format = None,
    expected: Expected = None,
    on: On = None,
    columns: Columns = None,
    pair: Annotated[
        str, typer.Option("--pair", help="The column that is the same for cases of one task in both runs.")
    ] = "task",
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]NUMBER",
            help="Exit with 1 where the mean of RUN_B is below this, for every definition or the named one; may be "
            "given several times.",
        ),
    ] = None,
    fail_on_drop: Annotated[
        float | None,
        typer.Option(help="Exit with 1 where RUN_B is worse by more than this and beyond noise; 0: by anything."),
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the table to a file.")] = None,
) -> None:
    """Compare two runs of the same tasks. Says by each definition which is better, and what is beyond noise.

    Exits with 1 if a check fails, or nothing can be compared.
    """
    with _sentences():
        write = _writer(output)
        chosen, limits = _listed(variants), _limits(fail_under)
        sides = list(_opened([run_a, run_b], format, expected, on, columns))
        a, b = (tc.score(data, variants=chosen, scope=scope, names=names) for data in sides)
        tasks_a, tasks_b = (_paired_by(data, pair) for data in sides)
        found = tc.compare_runs(a, b, task_a=tasks_a, task_b=tasks_b)
        failed = tc.failures(found, fail_under=limits, fail_on_drop=fail_on_drop)
        if write:
            write(found.table)
        for side, path, data, tasks in zip("AB", (run_a, run_b), sides, (tasks_a, tasks_b)):
            models = sorted(data.cases["model"].dropna().unique())
            of = f" by {visible(listed(models))}" if models else ""
            print(f"{side}: {visible(str(path))}, {len(data)} runs of {tasks.nunique()} tasks{of}")
            if len(models) > 1:
                print(f"   The runs of these {len(models)} models are averaged; compare files of one model each.")
        print(f"\n{table(differences(found))}")
        for side, tasks in found.unshared.groupby("only_in")["task"]:
            print(f"\nOnly in {side}, not compared: {visible(listed(tasks))}.")
        if found.note:
            print(f"\n{found.note}")
        for side, data, scores in zip("AB", sides, (a, b)):
            if not scores.isna().to_numpy().any():
                continue
            for line in unscored(tc.status(data, variants=chosen, scope=scope, names=names)):
                print(f"\n{side}: {line}")
        if write:
            print(f"\nWrote {len(found.table)} rows to {output}.")
        if limits is not None or fail_on_drop is not None:
            print("\nFailed:" if len(failed) else "\nPassed.")
        for sentence in failed["sentence"]:
            print(f"  {sentence}")
    if len(failed) or not found.table["n_paired"].any():
        raise typer.Exit(1)


@app.command()
def formats() -> None:
    """List the trace formats that can be read."""
    print(table(tc.formats().reset_index()))


@app.command()
def variants(
    name: Annotated[str | None, typer.Argument(help="One definition, or a glob; without it, all are listed.")] = None,
) -> None:
    """List the scoring definitions, or describe one."""
    with _sentences():
        found = tc.variants(name)
        if isinstance(found, pd.DataFrame):
            print(table(found[["title", "rule"]].reset_index()))
            return
        for label, value in described(found).items():
            print(f"{label.replace('_', ' '):<16} {', '.join(value) if isinstance(value, list) else value}")


@app.command()
def lab(
    folder: Annotated[Path, typer.Argument(help="Where to put the notebooks.")] = Path("toolcorrect-notebooks"),
) -> None:
    """Open the notebooks in JupyterLab. They are copied into a folder, unless they are there."""
    with _sentences():
        from toolcorrect.examples import copy_notebooks

        copied = copy_notebooks(folder)
    print(f"{copied} notebooks copied to {folder}." if copied else f"The notebooks are in {folder}.")
    from jupyterlab.labapp import main

    sys.exit(main([str(folder)]))


@contextmanager
def _sentences() -> Iterator[None]:
    """Turn an error meant for the user into one line and exit code 2."""
    try:
        yield
    except ToolcorrectError as error:
        print(f"toolcorrect: {error}", file=sys.stderr)
        raise typer.Exit(2) from None
    except OSError as error:
        print(f"toolcorrect: {error.filename or 'a file'}: {error.strerror or error}.", file=sys.stderr)
        raise typer.Exit(2) from None


def _open(path: Path, format: str | None, columns: dict[str, str]) -> tc.Dataset:
    if format is None and (path / "cases.parquet").is_file():
        if columns:
            raise OptionError(f"--columns renames what is to be loaded; {path} is a saved dataset.")
        return tc.Dataset.open(path)
    return tc.load(path, format=format, columns=columns)


def _opened(
    runs: list[Path], format: str | None, expected: Path | None, on: str | None, columns: list[str] | None
) -> Iterator[tc.Dataset]:
    """Open runs, and join the expected calls that a file of its own states."""
    if on is not None and expected is None:
        raise OptionError("--on says what joins the file of --expected; give that too.")
    pairs = [_renamed(text) for text in columns or ()]
    renamed = dict(pairs)
    if len(renamed) < len(pairs):
        raise OptionError("--columns renames one key to two; give each once.")
    tests = None if expected is None else _open(expected, None, renamed)
    for path in runs:
        data = _open(path, format, {} if tests is not None else renamed)
        if tests is not None and expected is not None:
            key = on or shared_key(data, tests, expected.name)
            data = data.join_expected(tests, on=key)
            if data.report["code"].eq("no_test_case").sum() >= len(data):
                raise OptionError(f"--on {key}: no run has the {key} of a test case in {expected.name}.")
        yield data


def _paired_by(data: tc.Dataset, column: str) -> pd.Series:
    if column not in data.cases.columns:
        raise OptionError(
            f"--pair {column}: the runs have no such column; there is {listed(data.cases.columns, 30)}."
        )
    return data.cases[column]


def _renamed(text: str) -> tuple[str, str]:
    found, sign, wanted = text.partition("=")
    if not (found and sign and wanted):
        raise OptionError(f"--columns {text}: give FOUND=WANTED.")
    return found, wanted


def _listed(variants: str) -> list[str]:
    # A comma inside brackets, as in tversky(extra=1,missing=2), separates nothing.
    parts, depth = [""], 0
    for sign in variants:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    named = [part.strip() for part in parts if part.strip()]
    if not named:
        raise OptionError("--variants is empty; give names, globs, 'core' or 'all'.")
    return named


def _writer(output: Path | None) -> Callable[[pd.DataFrame], None] | None:
    """Return what writes a frame to a file, refusing an ending that is not known before any work is done."""
    if output is None:
        return None
    if not output.parent.is_dir():
        raise OptionError(f"--output {output}: there is no folder {output.parent}; make it first.")
    if output.suffix == ".csv":
        return lambda frame: frame.to_csv(output)
    if output.suffix == ".parquet":
        return lambda frame: frame.to_parquet(output)
    raise OptionError(f"--output {output}: the name must end in .csv or .parquet.")


def _with_tags(data: tc.Dataset, scores: pd.DataFrame) -> pd.DataFrame:
    tags = data.cases[["task", "model", "trial", "outcome"]].dropna(axis="columns", how="all")
    return tags.join(scores.drop(columns=tags.columns.intersection(scores.columns)))


def _limits(given: list[str] | None) -> float | dict[str, float] | None:
    """Read ``--fail-under``: one number for all definitions, or numbers by name."""
    if not given:
        return None
    parts = [text.rpartition("=") for text in given]
    try:
        numbers = [float(number) for _, _, number in parts]
    except ValueError:
        raise OptionError(f"--fail-under {listed(given)}: give a number, or NAME=NUMBER.") from None
    named = [name for name, _, _ in parts]
    if len(given) > 1 and not all(named):
        raise OptionError(f"--fail-under {listed(given)}: give one number for all, or NAME=NUMBER for each.")
    return dict(zip(named, numbers)) if named[0] else numbers[0]
