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


def _reported(report: pd.DataFrame, limit: int = 6) -> Iterator[str]:
    """Say in lines what loading reported: where, what, and how often."""
    for row in report.head(limit).itertuples():
        place = ", ".join(str(part) for part in (row.file, row.record, row.case) if pd.notna(part))
        note = "" if pd.isna(row.note) else f" ({row.note})"
        yield visible(f"{place + ': ' if place else ''}{row.count} {str(row.code).replace('_', ' ')}{note}")
    if len(report) > limit:
        yield f"and {len(report) - limit} more lines in the report of tc.load"


@app.command()
def score(
    runs: Runs,
    variants: Variants = "core",
    scope: Scope = "assistant",
    names: NamesLevel = None,
    format: Format = None,
    expected: Expected = None,
    on: On = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the scores to a .csv or .parquet file.")
    ] = None,
) -> None:
    """Score runs under many definitions. Says which of them disagree, and why."""
    with _sentences():
        write = _writer(output)
        data = next(_opened([runs], format, expected, on))
        chosen = _listed(variants)
        scores = tc.score(data, variants=chosen, scope=scope, names=names)
        print(data.summary())
        print("".join(f"  {line}\n" for line in _reported(data.report)))
        print(_table(_definitions(data, scores)), end="\n\n")
        pairs = tc.disagreeing_pairs(data, variants=chosen, scope=scope, names=names)
        if scores.notna().to_numpy().any():
            print("Furthest apart:" if len(pairs) else "All definitions agree on every case.")
        else:
            found = tc.status(data, variants=chosen, scope=scope, names=names).stack().unique()
            print(f"No case has a score: {listed(sorted(found)).replace('_', ' ')}.")
            if "expected_unknown" in found:
                print("--expected FILE adds the calls that should have been made.")
        for row in pairs.itertuples():
            print(
                f"  {row.a} and {row.b}: {row.mean_gap:.2f} on average, they differ on {row.differ} of "
                f"{row.cases} cases, mostly by {CAUSES_IN_WORDS[row.cause]} ({row.share:.0%})"
            )
        if write:
            write(_with_tags(data, scores))
            print(f"\nWrote {len(scores)} rows to {output}.")
        print("\nLook closer in the notebooks: toolcorrect lab")


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
    """Compare two runs of the same tasks. Says by each definition which is better, and what is beyond noise."""
    with _sentences():
        write = _writer(output)
        chosen, limits = _listed(variants), _limits(fail_under)
        sides = list(_opened([run_a, run_b], format, expected, on))
        a, b = (tc.score(data, variants=chosen, scope=scope, names=names) for data in sides)
        found = tc.compare_runs(a, b, task_a=sides[0].cases["task"], task_b=sides[1].cases["task"])
        failed = tc.failures(found, fail_under=limits, fail_on_drop=fail_on_drop)
        for side, path, data in zip("AB", (run_a, run_b), sides):
            print(f"{side}: {visible(str(path))}, {len(data)} runs of {data.cases['task'].nunique()} tasks")
        print(f"\n{_table(_differences(found))}")
        for side, tasks in found.unshared.groupby("only_in")["task"]:
            print(f"\nOnly in {side}, not compared: {visible(listed(tasks))}.")
        if found.note:
            print(f"\n{found.note}")
        if write:
            write(found.table)
            print(f"\nWrote {len(found.table)} rows to {output}.")
        if limits is not None or fail_on_drop is not None:
            print("\nFailed:" if len(failed) else "\nPassed.")
        for sentence in failed["sentence"]:
            print(f"  {sentence}")
    if len(failed):
        raise typer.Exit(1)


@app.command()
def formats() -> None:
    """List the trace formats that can be read."""
    print(_table(tc.formats().reset_index()))


@app.command()
def variants(
    name: Annotated[str | None, typer.Argument(help="One definition, or a glob; without it, all are listed.")] = None,
) -> None:
    """List the scoring definitions, or describe one."""
    with _sentences():
        found = tc.variants(name)
        if isinstance(found, pd.DataFrame):
            print(_table(found[["title", "rule"]].reset_index()))
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


def _open(path: Path, format: str | None) -> tc.Dataset:
    if format is None and (path / "cases.parquet").is_file():
        return tc.Dataset.open(path)
    return tc.load(path, format=format)


def _opened(runs: list[Path], format: str | None, expected: Path | None, on: str | None) -> Iterator[tc.Dataset]:
    """Open runs, and join the expected calls that a file of its own states."""
    if on is not None and expected is None:
        raise OptionError("--on says what joins the file of --expected; give that too.")
    tests = None if expected is None else _open(expected, None)
    for path in runs:
        data = _open(path, format)
        if tests is not None and expected is not None:
            data = data.join_expected(tests, on=on or shared_key(data, tests, expected.name))
        yield data


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


def _definitions(data: tc.Dataset, scores: pd.DataFrame) -> pd.DataFrame:
    """One row a definition: mean, how many are scored, and the best and worst model."""
    rows = []
    models = data.cases["model"]
    for name, column in scores.items():
        better = tc.variants(name).better
        means = column.groupby(models.fillna("(no model)")).mean().dropna().sort_values(ascending=better == "lower")
        several = len(means) > 1
        rows.append(
            {
                "definition": name,
                "mean": f"{column.mean():.3f}" if column.notna().any() else "-",
                "scored": f"{column.notna().sum()} of {len(column)}",
                "best model": f"{means.index[0]} {means.iloc[0]:.3f}" if several else "-",
                "worst model": f"{means.index[-1]} {means.iloc[-1]:.3f}" if several else "-",
            }
        )
    return pd.DataFrame(rows)


def _differences(found: tc.RunComparison) -> pd.DataFrame:
    """One row a definition: both means, their difference with its interval, and what it says."""
    rows = []
    for name, row in found.table.iterrows():
        better = "B" if (row["difference"] > 0) == (tc.variants(name).better == "higher") else "A"
        said = f"{better} is better" if row["beyond_noise"] else "cannot tell" if row["changed"] else "the same"
        rows.append(
            {
                "definition": name,
                "A": f"{row['mean_a']:.3f}",
                "B": f"{row['mean_b']:.3f}",
                "B - A": f"{row['difference']:+.3f}",
                "95 % interval": f"{row['low']:+.3f} to {row['high']:+.3f}",
                "changed": f"{row['changed']} of {row['n_paired']} tasks",
                "beyond noise?": said if row["n_paired"] else "not compared",
            }
        )
    return pd.DataFrame(rows).replace({"nan": "-", "+nan": "-", "+nan to +nan": "-"})


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


def _table(frame: pd.DataFrame) -> str:
    """Lay a frame out as text, columns to the left, hostile characters made visible."""
    cells = [[str(name) for name in frame.columns]] + [
        [visible(" ".join(str(value).split())) for value in row] for row in frame.itertuples(index=False)
    ]
    widths = [max(len(row[i]) for row in cells) for i in range(len(frame.columns))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells)
