"""What loading and scoring cost, as ratios to orjson's parse of the same file in the same run.

``python -m tests.benchmarks [--cases 100000] [--file FILE]`` prints a table: microseconds of processor time a
case (the best of some rounds), and the ratio. Without a file the shared workload is made first. Chats and traces
are compared with the parse of their own file.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

import orjson

import toolcorrect as tc
from tests.benchmarks.chat_workload import FAMILIES, write_chats
from tests.benchmarks.span_workload import SPAN_FAMILIES, write_spans
from tests.shared import ROOT
from toolcorrect.dataset import Dataset
from toolcorrect.encoding import Encoding, Match
from toolcorrect.overlap import Overlap
from toolcorrect.statistics.means import summarise
from toolcorrect.variants import registry
from toolcorrect.variants.definition import Variant

# Graded by text similarity, edits, schemas or values one by one: what they cost is their own.
GRADED = (
    "autoevals.json_diff",
    "toolscore.argument_f1*",
    "toolscore.sequence",
    "bfcl.*",
    "agentarts.*",
    "ragas.accuracy*",
    "unitxt.*",
)
RESAMPLED, RESAMPLES = 100, 1000
# So many of the cases are told as chats, and as traces.
CHATS, TRACES = 20_000, 4000
# In a process of its own, whose memory is its alone.
_MEMORY = """
import re, sys
import toolcorrect as tc

def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1])

before = peak()
tc.score(tc.load(sys.argv[1]), variants=sys.argv[2:])
print(peak() - before)
"""


def main() -> None:
    """Print the table."""
    asked = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    asked.add_argument("--cases", type=int, default=100_000, help="cases of the workload that is made")
    asked.add_argument("--file", type=Path, help="measure this file instead")
    asked.add_argument("--rounds", type=int, default=3, help="how often each step is repeated")
    asked.add_argument("--told", action="store_true", help="only load chats and traces: a row for each family")
    options = asked.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        file = options.file or _workload(options.cases, folder / "workload")
        if not options.told:
            _plain(file, options.rounds)
        for most, families, write in ((CHATS, FAMILIES, write_chats), (TRACES, SPAN_FAMILIES, write_spans)):
            cases = file if options.file else _workload(min(options.cases, most), folder / f"{most}")
            _told(cases, folder, families, write, options.rounds)


def _plain(file: Path, rounds: int) -> None:
    """Print what each step costs."""
    floor = _seconds(lambda: _parse(file), rounds)
    cases = len(tc.load(file))
    print(f"{file.name}: {cases:,} cases, {file.stat().st_size / 1e6:.0f} MB; best of {rounds}")
    _row("orjson, parse and drop", floor, cases, floor)
    for name, seconds in _steps(file, rounds):
        _row(name, seconds, cases, floor)
    for name, globs in (("core", ["core"]), ("seeds", [variant.name for variant in _seeds()])):
        times = _peak(file, globs) / file.stat().st_size
        print(f"{f'peak memory of load and score {name}':44}{times:12.1f} times the file")


def _told(
    file: Path, folder: Path, families: Iterable[str], write: Callable[[Path, Path, str], None], rounds: int
) -> None:
    """Print what it costs to load the same cases as each family tells them, beside the parse of its own file."""
    for family in families if _is_workload(file) else ():
        told = folder / f"{family}.jsonl"
        write(file, told, family)
        floor = _seconds(partial(_parse, told), rounds)
        _row(f"load {family}", _seconds(partial(tc.load, told), rounds), len(tc.load(told)), floor)


def _is_workload(file: Path) -> bool:
    """Tell whether a file is JSONL that can be told as chats and as traces."""
    with file.open("rb") as lines:
        try:
            return {"case_id", "suite", "input", "tool_calls", "expected"} <= orjson.loads(next(lines)).keys()
        except (ValueError, AttributeError):
            return False


def _workload(cases: int, out: Path) -> Path:
    make = Path(os.environ.get("TOOLCORRECT_SHARED", ROOT.parent / "shared")) / "bench" / "make_workload.py"
    command = [sys.executable, str(make), "--cases", str(cases), "--out", str(out), "--format", "jsonl"]
    subprocess.run(command, check=True, capture_output=True)
    return out.with_suffix(".jsonl")


def _steps(file: Path, rounds: int) -> Iterator[tuple[str, float]]:
    yield "load", _seconds(lambda: tc.load(file), rounds)
    yield "number the argument texts", _seconds(Dataset.argument_numbers, rounds, partial(tc.load, file))
    data = tc.load(file)
    data.argument_numbers()
    yield "encode", _seconds(lambda: Encoding(data), rounds)
    for relation in (None, "json", "python"):
        match = Match(arguments=relation)
        what = "names" if relation is None else f"names and arguments ({relation})"
        yield f"values: {what}", _seconds(partial(Encoding.codes, match=match), rounds, partial(Encoding, data))
        yield f"overlap: {what}", _seconds(lambda overlap: overlap.shared, rounds, partial(_coded, data, match))
    chosen = [variant for variant in registry().values() if not variant.asks_model]
    graded = [variant for variant in chosen if any(fnmatchcase(variant.name, glob) for glob in GRADED)]
    plain = [variant for variant in chosen if variant not in graded]
    families: dict[str, list[Variant]] = defaultdict(list)
    for variant in plain:
        families[re.split("[.@]", variant.name)[0]].append(variant)
    seeds = [variant for variant in plain if variant in _seeds()]
    for name, some in (("seeds", seeds), ("all but graded", plain)):
        yield f"load and score {name} ({len(some)})", _seconds(partial(_from_file, file, some), rounds)
        yield f"score {name} ({len(some)})", _scoring(data, some, rounds)
    for name, some in families.items():
        yield f"score {name}.* ({len(some)})" if len(some) > 1 else f"score {name}", _scoring(data, some, rounds)
    for variant in graded:
        yield f"score {variant.name} (graded)", _scoring(data, [variant], rounds)
    yield "why deepeval, notebook.jaccard", _seconds(lambda: tc.why(data, "deepeval", "notebook.jaccard"), rounds)
    yield "diagnose", _seconds(lambda: tc.diagnose(data), rounds)
    many = [f"tversky(extra={i / 10}, missing={j / 10})" for i in range(10) for j in range(1, 11)][:RESAMPLED]
    scores = tc.score(data, variants=many)
    yield f"score {RESAMPLED} weights", _seconds(lambda: tc.score(data, variants=many), rounds)
    yield f"intervals of these, {RESAMPLES:,} resamples", _seconds(lambda: summarise(scores, resamples=RESAMPLES), 1)


def _seeds() -> list[Variant]:
    from toolcorrect.variants import basic, deepeval, seeds

    return [*basic.VARIANTS, *deepeval.VARIANTS, *seeds.VARIANTS]


def _scoring(data: Dataset, variants: list[Variant], rounds: int) -> float:
    return _seconds(lambda: tc.score(data, variants=variants), rounds)


def _from_file(file: Path, variants: list[Variant]) -> object:
    return tc.score(tc.load(file), variants=variants)


def _coded(data: Dataset, match: Match) -> Overlap:
    encoding = Encoding(data)
    encoding.codes(match)
    return Overlap(encoding, match)


def _seconds(work: Callable[..., object], rounds: int, before: Callable[[], object] | None = None) -> float:
    """Return the processor time of the best round; what is made before each round is not counted."""

    def once() -> float:
        given = () if before is None else (before(),)
        begun = time.process_time()
        work(*given)
        return time.process_time() - begun

    return min(once() for _ in range(rounds))


def _parse(file: Path) -> None:
    with file.open("rb") as lines:
        for line in lines:
            try:
                orjson.loads(line)
            except ValueError:
                continue


def _peak(file: Path, variants: list[str]) -> int:
    """Return by how many bytes a process grows that loads the file and scores some variants."""
    command = [sys.executable, "-c", _MEMORY, str(file), *variants]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout) * 1024


def _row(name: str, seconds: float, cases: int, floor: float) -> None:
    print(f"{name:44}{seconds / cases * 1e6:9.2f} us a case{seconds / floor:9.2f} x", flush=True)


if __name__ == "__main__":
    main()
