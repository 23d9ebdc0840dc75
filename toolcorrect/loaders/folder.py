"""A folder: runs, then ``*cases.csv`` joined on ``case``, ``task`` or ``input``, then ``tools.json``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from toolcorrect.dataset import Dataset
from toolcorrect.errors import LoadError
from toolcorrect.tables import coerce

# What a folder may hold beside runs: prose, scripts, and what a system leaves there.
_NOT_RUNS = frozenset({".md", ".py", ".txt", ".ipynb", ".png", ".html", ".toml", ".yaml", ".yml"})


def load_folder(folder: Path, **options: Any) -> Dataset:
    """Load every file of runs in a folder, and what its ``*cases.csv`` and ``tools.json`` say about them.

    Raises
    ------
    LoadError
        Where there are no runs, or a file of cases shares neither ``case`` nor ``task`` nor ``input`` with them.
    """
    from toolcorrect.loaders.loading import load

    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix.lower() not in _NOT_RUNS)
    # Hidden files and folders, and those a system makes for itself such as __pycache__.
    files = [p for p in files if not any(part.startswith((".", "_")) for part in p.relative_to(folder).parts)]
    testcases = [p for p in files if p.name.endswith("cases.csv")]
    tools = [p for p in files if p.name == "tools.json"]
    runs = [p for p in files if p not in testcases and p not in tools]
    if not runs and testcases:
        runs, testcases = testcases, []
    if not runs:
        raise LoadError(f"{folder} holds no file of runs; put JSON, JSONL, CSV or Parquet files into it.")
    data = load(runs, **options)
    for path in testcases:
        tests = load(path, format="plain_records", strict=options["strict"], columns=options["columns"])
        data = data.join_expected(tests, on=shared_key(data, tests, path.name))
    for path in tools:
        data = data.replace(tools=pd.concat([data.tools, _tools(path)], ignore_index=True))
        data = data.replace(cases=data.cases.assign(tools_known=True))
    return data


def shared_key(data: Dataset, tests: Dataset, name: str) -> str:
    """Return what joins test cases to runs: the ids of cases, the task, or what was asked.

    Raises
    ------
    LoadError
        Where the file of that name shares none of them with the runs.
    """
    if data.cases.index.isin(tests.cases.index).any():
        return "case"
    for column in ("task", "input"):
        if data.cases[column].dropna().isin(tests.cases[column]).any():
            return column
    raise LoadError(f"{name} has neither a case nor a task or an input of the runs; give it a column of any.")


def _tools(path: Path) -> pd.DataFrame:
    from toolcorrect.loaders.calllike import add_offered
    from toolcorrect.loaders.faults import described
    from toolcorrect.loaders.rows import Rows
    from toolcorrect.loaders.source import open_bytes

    with path.open("rb") as stream:
        (source,) = open_bytes(path.name, stream)
        rows = Rows(source)
        try:
            for _, tool in source.records():
                add_offered(rows, tool)
        except (AttributeError, KeyError, TypeError) as cause:
            raise LoadError(
                f'{path.name} must be a list of tools like {{"type": "function", "function": {{"name": ...}}}} '
                f"({described(cause)})."
            ) from None
    names = ("tool", "description", "parameters", "effect")
    return coerce("tools", pd.DataFrame([dict(zip(names, tool)) for tool in rows.tools], columns=list(names)))
