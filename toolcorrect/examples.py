"""Runs to try things on: bundled sets made by this project, and public runs fetched on demand.

The environment variable TOOLCORRECT_DATA may name a folder with copies of the public runs; they are then taken from
there as they are (``tau_bench/``, ``tau2_bench/``, ``bfcl_v4/``, ``livemcpbench/``) and nothing is downloaded.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd

from toolcorrect.dataset import Dataset
from toolcorrect.errors import LoadError, check_option, unknown_name
from toolcorrect.joining import concat
from toolcorrect.public_files import downloadable, files

_HERE = Path(__file__).resolve().parent
_DOMAINS = ("airline", "retail", "telecom")
# Tools of the three domains, of agents and users, that change the state; all others read, think or hand over.
_EFFECTS = (
    *("book_*", "cancel_*", "update_*", "send_*"),
    *("modify_*", "return_*", "exchange_*"),
    *("suspend_*", "resume_*", "enable_*", "disable_*", "refuel_*", "toggle_*", "set_*", "reset_*", "reseat_*"),
    *("reboot_*", "grant_*", "connect_*", "disconnect_*", "make_payment"),
)


def support_desk() -> Dataset:
    """Return 720 runs of six simulated agents at a small shop's support desk.

    Returns
    -------
    Dataset
        40 tasks, 3 trials each; ``outcome`` is 1 where the run left the shop in the state it should.

    Examples
    --------
    >>> len(support_desk())
    720
    """
    return _loaded(_bundled("data") / "support_desk")


def seeds() -> Dataset:
    """Return the worked examples that the seed definitions are known by, with their stated scores as tags.

    Examples
    --------
    >>> seeds().cases.index.to_list()[:3]
    ['order', 'ram', 'two-part']
    """
    return _loaded(_bundled("data") / "seeds")


def tau_bench(domain: str | None = None, *, progress: bool = True) -> Dataset:
    """Return public runs of tau-bench: gpt-4o on 50 airline tasks, 4 trials each.

    Parameters
    ----------
    domain
        ``"airline"``, or ``"retail"`` where a folder of copies holds such runs; all that are there by default.
    progress
        Show a bar while downloading.

    Returns
    -------
    Dataset
        ``model`` is the agent, ``outcome`` the benchmark's reward (above 0 is solved: some rewards of the retail
        runs are fractions), and tools that change the state are marked for ``scope="effect"``.

    Raises
    ------
    LoadError
        Where the runs are neither here nor to be had: the message says how to get them.

    Notes
    -----
    S. Yao et al., tau-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains (2024).
    """
    return _tau("tau_bench", domain, progress)


def tau2_bench(domain: str | None = None, *, progress: bool = True) -> Dataset:
    """Return public runs of tau2-bench: up to 7 agents in the airline, 3 in retail, 1 in telecom.

    Parameters
    ----------
    domain
        ``"airline"``, ``"retail"`` or ``"telecom"``; all by default.
    progress
        Show a bar while downloading.

    Returns
    -------
    Dataset
        ``model`` is the agent (a submission: its harness and model), ``outcome`` the benchmark's reward (1 is
        solved), and tools that change the state are marked for ``scope="effect"``.

    Raises
    ------
    LoadError
        Where the runs are neither here nor to be had: the message says how to get them.

    Notes
    -----
    V. Barres et al., tau2-bench: Evaluating Conversational Agents in a Dual-Control Environment (2025). Harnesses and
    simulated users differ between submissions, so the runs compare definitions better than models.
    """
    return _tau("tau2_bench", domain, progress)


def bfcl(model: str | None = None) -> Dataset:
    """Return model outputs of the Berkeley Function-Calling Leaderboard (version 4), from a folder of copies.

    Parameters
    ----------
    model
        The name of a folder in ``bfcl_v4/results``; all by default.

    Raises
    ------
    LoadError
        Where TOOLCORRECT_DATA names no folder that holds ``bfcl_v4`` with questions, possible answers and results.
    """
    results: dict[str, list[Path]] = {}
    references = [path for part in ("questions/", "possible_answer/") for path in files("bfcl_v4", part)]
    for path in files("bfcl_v4", "results/"):
        results.setdefault(path.parent.name, []).append(path)
    if model is not None and model not in results:
        raise unknown_name("BFCL model", model, sorted(results))
    chosen = sorted(results) if model is None else [model]
    return concat([_loaded([*results[name], *references], model=name) for name in chosen])


def livemcpbench() -> Dataset:
    """Return one agent's runs of LiveMCPBench's 95 tasks with people's verdicts, from a folder of copies.

    Returns
    -------
    Dataset
        ``outcome`` is the human label; columns ``judge ...`` hold what ten language models said.

    Raises
    ------
    LoadError
        Where TOOLCORRECT_DATA names no folder that holds ``livemcpbench``.
    """
    return _loaded(files("livemcpbench"))


def public_runs() -> pd.DataFrame:
    """List the public files that can be fetched, with where each comes from.

    Returns
    -------
    pandas.DataFrame
        Index file; columns repository, commit, path, bytes, sha256, licence, url.

    Examples
    --------
    >>> public_runs().repository.value_counts().to_dict()
    {'sierra-research/tau2-bench': 10, 'sierra-research/tau-bench': 1}
    """
    return downloadable()


def copy_notebooks(folder: str | Path) -> int:
    """Copy the notebooks into a folder; those that are there already stay as they are.

    Returns
    -------
    int
        How many were copied.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    copied = 0
    for notebook in sorted(_bundled("notebooks").glob("*.ipynb")):
        if not (target / notebook.name).exists():
            shutil.copy(notebook, target / notebook.name)
            copied += 1
    return copied


def _tau(benchmark: str, domain: str | None, progress: bool) -> Dataset:
    check_option("domain", domain, (*_DOMAINS, None))
    data = _loaded(files(benchmark, f"_{domain}" if domain else "", progress=progress))
    agent = data.cases["source"].str.replace(f"_({'|'.join(_DOMAINS)}).*", "", regex=True)
    return data.replace(cases=data.cases.assign(model=agent)).mark_effects(_EFFECTS)


def _loaded(source: Path | list[Path], model: str | None = None) -> Dataset:
    from toolcorrect.loaders import load

    return load(source, model=model, progress=False)


def _bundled(folder: str) -> Path:
    """Find what a wheel carries inside the package, and a source tree beside it."""
    for place in (_HERE / "_bundled" / folder, _HERE.parent / folder):
        if place.is_dir():
            return place
    raise LoadError(f"The bundled {folder} are not in this installation; install toolcorrect again.")
