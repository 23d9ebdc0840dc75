"""Files of public runs: copies in a folder of the user's, or pinned downloads with their checksums."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pandas as pd
from tqdm.auto import tqdm

from toolcorrect.errors import LoadError

FOLDER = "TOOLCORRECT_DATA"
_HOST = "https://raw.githubusercontent.com"


def downloadable() -> pd.DataFrame:
    """Return what can be downloaded: index file (as it is called here), columns repository to licence, and url."""
    with resources.files("toolcorrect").joinpath("public_files.csv").open(encoding="utf-8") as text:
        table = pd.read_csv(text, index_col="file")
    places = zip(table["repository"], table["commit"], table["path"])
    table["url"] = [f"{_HOST}/{repository}/{commit}/{quote(path)}" for repository, commit, path in places]
    return table


def files(benchmark: str, part: str = "", *, progress: bool = True) -> list[Path]:
    """Return the files of a benchmark whose names hold ``part``, downloading those that are not here yet.

    Parameters
    ----------
    benchmark
        The folder they lie in, such as ``"tau_bench"``.
    part
        Text that the path within it must hold, such as ``"_airline"``.
    progress
        Show a bar for each download.

    Raises
    ------
    LoadError
        Where there is no such file, or it cannot be downloaded.
    """
    wanted = f"{benchmark}/*{part}*"
    folder = os.environ.get(FOLDER)
    if folder:
        place = Path(folder) / benchmark
        there = [path for path in sorted(place.rglob("*")) if path.is_file() and not path.name.startswith(".")]
        found = [path for path in there if part in path.relative_to(place).as_posix()]
        if not found:
            raise LoadError(
                f"There is no file {wanted} in {folder}, the folder that {FOLDER} names; put copies there."
            )
        return found
    table = downloadable()
    table = table[table.index.str.startswith(f"{benchmark}/") & table.index.str.contains(part, regex=False)]
    if table.empty:
        raise LoadError(
            f"The files {wanted} cannot be downloaded from here. Put copies into a folder, as {benchmark}/..., "
            f"and name that folder in the environment variable {FOLDER}."
        )
    return [_fetched(file, row, progress) for file, row in table.sort_index().iterrows()]


def _fetched(file: str, row: pd.Series, progress: bool) -> Path:
    """Return the cached file, downloaded first where it is not there or is not the pinned one."""
    try:
        import pooch
    except ImportError:
        raise LoadError('Public runs are fetched with pooch; install it: pip install "toolcorrect[data]".') from None
    target = Path(pooch.os_cache("toolcorrect")) / file
    size = int(row["bytes"])
    bar = tqdm(desc=file, total=size, unit="B", unit_scale=True, leave=False, disable=not progress)
    try:
        with bar, _no_log(pooch.get_logger()):
            pooch.retrieve(
                row["url"],
                known_hash=f"sha256:{row['sha256']}",
                fname=target.name,
                path=target.parent,
                downloader=pooch.HTTPDownloader(progressbar=bar),
            )
    except (OSError, ValueError) as cause:
        raise LoadError(
            f"{file} could not be downloaded: {_reason(cause, row['url'])}. Save {row['url']} as {target}, "
            f"or name a folder with copies in the environment variable {FOLDER}."
        ) from cause
    return target


@contextmanager
def _no_log(logger: Any) -> Iterator[None]:
    """Keep pooch from announcing every download on stderr: the bar says it."""
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)


def _reason(cause: Exception, url: str) -> str:
    response = getattr(cause, "response", None)
    if response is not None:
        return f"{urlsplit(url).hostname} answered {response.status_code}"
    if isinstance(cause, OSError):
        return f"no connection to {urlsplit(url).hostname}" if cause.errno is None else str(cause)
    return "what came is not the pinned file (its SHA-256 differs)"
