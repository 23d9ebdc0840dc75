"""Hostile files: refused in one sentence, or read, in bounded time and memory."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import toolcorrect as tc
from toolcorrect.errors import LoadError

DEEP = 100_000
GOOD = b'{"case":"a","called":["x"],"expected":[]}\n'
LONG = 200_000_000

# A second on an idle machine; others may share a slow one.
SECONDS = float(os.environ.get("TOOLCORRECT_SLOW", "10"))
MEGABYTES = 200

LOAD = """
import resource, sys, time
import toolcorrect as tc
tc.load([{"case": "w", "called": ["x"], "expected": []}])
before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
try:
    said = repr(tc.load(sys.argv[1]).report.note.to_list())
except tc.errors.ToolcorrectError as refused:
    said = str(refused)
unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / unit
print(time.process_time() - start, memory, said)
"""


def call(arguments: str) -> bytes:
    return (
        json.dumps({"case": "a", "called": [{"name": "x", "arguments": arguments}], "expected": []}).encode() + b"\n"
    )


def zipped(says: int | None = None) -> bytes:
    """A zip of one member of zeros, whose directory may say another size than it has."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("runs.json", bytes(1 << 28))
        if says is not None:
            archive.getinfo("runs.json").file_size = says
    return held.getvalue()


def many_members() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for i in range(5):
            archive.writestr(f"{i}.jsonl", b" " * (50 << 20))
    return held.getvalue()


def parquet(texts: list[str]) -> bytes:
    held = io.BytesIO()
    pd.DataFrame({"case": [f"c{i}" for i in range(len(texts))], "called": texts}).to_parquet(held)
    return held.getvalue()


# Kind -> bytes, what is said of them.
FILES: dict[str, tuple[Callable[[], bytes], str]] = {
    "deep": (lambda: b'{"called": ' + b"[" * DEEP, "starts like JSON but cannot be read .nested too deeply"),
    "deep_and_closed": (lambda: b'{"a":' * DEEP + b"1" + b"}" * DEEP, "nested too deeply"),
    "deep_line": (lambda: b"[" * DEEP + b"]" * DEEP + b"\n" + GOOD, "it is not JSON .nested too deeply"),
    "deep_arguments": (lambda: call("[" * DEEP + "]" * DEEP), "arguments_raw"),
    "deep_python": (lambda: call("{'a':" * DEEP + "1" + "}" * DEEP), "arguments_raw"),
    "blank_arguments": (lambda: call("{" + " " * 300_000 + "x"), "arguments_raw"),
    "backslashes": (lambda: call("{" + '\\"' * 300_000), "arguments_raw"),
    "ten_gigabytes": (
        lambda: zipped(10 * 10**9),
        "runs.json in file unpacks from .* to more than 10,000,000,000 bytes",
    ),
    "zip_bomb": (zipped, "runs.json in file .* as an attack would; unpack it first"),
    "zip_that_lies": (lambda: zipped(100), "runs.json in file cannot be unpacked"),
    "many_members": (many_members, "file unpacks from .* as an attack would"),
    "gzip_bomb": (lambda: gzip.compress(bytes(1 << 28), 1), "as an attack would; unpack it first"),
    "parquet_bomb": (lambda: parquet(["x" * 1_000_000] * 1000), "as an attack would; unpack it first"),
    "parquet_half": (lambda: (d := parquet(["x"] * 9000))[: len(d) // 2], "is Parquet that cannot be read"),
    "long_line": (lambda: b'{"called":["' + b"x" * LONG + b'"]}', "one line of more than 64 MB; write one record a"),
    "long_line_among": (lambda: GOOD + b'{"called":["' + b"x" * LONG + b'"]}\n' + GOOD, "it is longer than 64 MB"),
    "long_line_inside": (
        lambda: b'[\n{"called":["' + b"x" * LONG + b'"]}\n]',
        "with a line of more than 64 MB; write",
    ),
    "long_cell": (
        lambda: b"case,called\na," + b"x" * LONG,
        "with a line of more than 64 MB; write one record a line",
    ),
    "long_ids": (
        lambda: b"".join(
            json.dumps(
                {"case": f"{i}" * 1_000_000, "called": [{"name": "n" * 1_000_000, "id": "i" * 1_000_000}]}
            ).encode()
            + b"\n"
            for i in range(3)
        ),
        r"\[\]",
    ),
    "same_ids": (lambda: GOOD * 20_000, "ids repeat inside the file"),
    "xml": (lambda: b"<?xml version='1.0'?><runs/>", "is neither JSON, .* Export the runs as one of these"),
    "yaml": (lambda: b"case: a\ncalled: [x, y]\n", "is neither JSON nor a CSV file with a header"),
    "pickle": (lambda: pickle.dumps([{"case": "a"}]), "is neither JSON, .* Export the runs as one of these"),
    "pickle_of_old": (lambda: pickle.dumps([{"case": "a"}], 0), "is neither JSON nor a CSV file with a header"),
    "nul": (lambda: b"case,called\na,x\0y\n", "is neither JSON, JSONL, CSV"),
    "many_digits": (lambda: b'{"called":["x"],"n":' + b"9" * 1_000_000 + b"}\n" + GOOD, "it is not JSON"),
}


@pytest.mark.skipif(sys.platform == "win32", reason="measures memory by the resource module")
@pytest.mark.parametrize("kind", FILES)
def test_it_costs_little(kind: str, tmp_path: Path) -> None:
    made, wanted = FILES[kind]
    path = tmp_path / "file"
    path.write_bytes(made())
    done = subprocess.run([sys.executable, "-c", LOAD, path], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    seconds, megabytes, said = done.stdout.strip().split(" ", 2)
    assert float(seconds) < SECONDS
    assert float(megabytes) < MEGABYTES
    assert re.search(wanted, said), said
    assert len(said) < 1500


def test_odd_json_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(
        b'{"case":"a","called":["x"],"called":["y","z"],"expected":[],"outcome":NaN}\n'
        b'{"case":"b","called":[{"name":"x","arguments":{"n":' + b"9" * 400 + b',"f":NaN}}],"trial":1e400}\n' + GOOD
    )
    data = tc.load(path)
    assert data.calls.tool.to_list() == ["y", "z", "x", "x"]
    assert data.calls.arguments[2] == '{"n":' + "9" * 400 + ',"f":NaN}'
    assert data.cases.outcome.isna().all()
    assert data.report.note.str.contains("left out").any()


def test_links_in_circles_end(tmp_path: Path) -> None:
    inner = tmp_path / "runs" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "runs" / "a.jsonl").write_bytes(GOOD)
    for name, target in (("up", ".."), ("up_too", "../../runs"), ("self", "self")):
        (inner / name).symlink_to(target)
    assert len(tc.load(tmp_path)) == 1
    assert len(tc.load(f"{tmp_path}/**/*.jsonl")) == 1
    with pytest.raises(LoadError, match="There is no file"):
        tc.load(inner / "self")


def test_many_files_at_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name in "abc":
        (tmp_path / f"{name}.jsonl").write_bytes(GOOD)
    paths = sorted(tmp_path.glob("*.jsonl"))
    wanted = ["a/a", "b/a", "c/a"]
    for source in (tmp_path, f"{tmp_path}/*.jsonl", paths, iter(paths), (str(path) for path in paths)):
        assert tc.load(source).cases.index.to_list() == wanted
    tc.load(paths, progress=False)
    assert capfd.readouterr() == ("", "")
    tc.load(paths, progress=True)
    assert "files" in capfd.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="measures memory by the resource module")
def test_spans_cost_what_is_kept_of_them(tmp_path: Path) -> None:
    """Two hundred megabytes of spans, of which two thousand calls stay."""
    path = tmp_path / "spans.jsonl"
    with path.open("w") as file:
        for i in range(2000):
            attributes = [
                {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
                {"key": "gen_ai.tool.name", "value": {"stringValue": "search"}},
                {"key": "gen_ai.tool.call.id", "value": {"stringValue": f"c{i}"}},
                {"key": "gen_ai.tool.call.arguments", "value": {"stringValue": "{}"}},
                {"key": "noise", "value": {"stringValue": "x" * 100_000}},
            ]
            span = {"traceId": f"{i:032x}", "spanId": f"{i + 1:016x}", "name": "execute_tool search"}
            span |= {
                "attributes": attributes,
                "startTimeUnixNano": str(10**18 + i),
                "endTimeUnixNano": str(10**18 + i),
            }
            file.write(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}) + "\n")
    assert path.stat().st_size > 200e6
    code = LOAD.replace(".report.note.to_list()", ".calls.tool.value_counts().to_dict()")
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    _, megabytes, said = done.stdout.strip().split(" ", 2)
    assert said == "{'search': 2000}"
    assert float(megabytes) < 100
