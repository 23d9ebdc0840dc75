"""Bundled sets and public runs: from a folder of copies, downloaded, from a wheel, or not to be had."""

from __future__ import annotations

import gzip
import hashlib
import http.server
import importlib.util
import json
import subprocess
import sys
import threading
import zipfile
from pathlib import Path
from urllib.parse import unquote

import pandas as pd
import pytest

import toolcorrect as tc
from tests.shared import ROOT, shared
from toolcorrect import examples, public_files
from toolcorrect.errors import LoadError, OptionError, UnknownNameError


@pytest.fixture
def copies(monkeypatch):
    monkeypatch.setenv("TOOLCORRECT_DATA", str(shared("data")))


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """No copies, an empty cache, and a host that refuses connections."""
    monkeypatch.delenv("TOOLCORRECT_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(public_files, "_HOST", "http://127.0.0.1:9")
    return tmp_path / "cache" / "toolcorrect"


@pytest.fixture
def host(monkeypatch, nowhere):
    """A host with small files instead of the pinned ones: path -> content; and the paths asked for."""
    served: dict[str, bytes] = {}
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(unquote(self.path))
            content = served.get(asked[-1])
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr(public_files, "_HOST", f"http://127.0.0.1:{server.server_port}")
    yield served, asked, nowhere
    server.shutdown()
    server.server_close()


def small(task):
    """A result file of tau2-bench with one run."""
    call = {"id": "1", "name": "cancel_reservation", "arguments": {"id": "A1"}, "requestor": "assistant"}
    simulation = {
        "task_id": task,
        "messages": [{"role": "assistant", "content": None, "tool_calls": [call]}],
        "reward_info": {"reward": 1.0, "action_checks": [{"action": call}]},
    }
    return json.dumps({"info": {}, "tasks": [], "simulations": [simulation]}).encode()


@pytest.fixture
def pinned(monkeypatch, host):
    """Serve two small airline files under their pinned addresses, with checksums of their own."""
    served, asked, cache = host
    real = public_files.downloadable()
    names = ["tau2_bench/gpt-4.1_airline.json", "tau2_bench/qwen2.5-7b_airline.json"]
    table = real.loc[names]
    for name, url in table["url"].items():
        content = small(name)
        served["/" + unquote(url.split("/", 3)[3])] = content
        table.loc[name, "sha256"] = hashlib.sha256(content).hexdigest()
    monkeypatch.setattr(public_files, "downloadable", lambda: table)
    return served, asked, cache, table


def test_a_download_is_checked_and_kept(pinned):
    _, asked, cache, table = pinned
    data = examples.tau2_bench("airline", progress=False)
    assert data.cases["model"].to_list() == ["gpt-4.1", "qwen2.5-7b"]
    assert tc.score(data, variants="exact.args", scope="effect")["exact.args"].to_list() == [1.0, 1.0]
    # A path with a colon and slashes arrives as it is.
    assert asked == [f"/{row.repository}/{row.commit}/{row.path}" for row in table.itertuples()]
    assert {path.relative_to(cache).as_posix() for path in cache.rglob("*.json")} == set(table.index)
    examples.tau2_bench("airline", progress=False)
    assert len(asked) == 2


def test_the_bar_can_be_silenced(pinned, capfd):
    examples.tau2_bench("airline", progress=False)
    assert capfd.readouterr() == ("", "")


def test_the_bar_names_the_file(pinned, capfd):
    examples.tau2_bench("airline")
    assert "tau2_bench/gpt-4.1_airline.json" in capfd.readouterr().err


def test_a_changed_file_is_refused_and_not_kept(pinned):
    served, _, cache, table = pinned
    path = next(path for path in served if "qwen" in path)
    served[path] += b" "
    with pytest.raises(LoadError, match="what came is not the pinned file") as error:
        examples.tau2_bench("airline", progress=False)
    assert table.loc["tau2_bench/qwen2.5-7b_airline.json", "url"] in str(error.value)
    assert not (cache / "tau2_bench" / "qwen2.5-7b_airline.json").exists()
    assert (cache / "tau2_bench" / "gpt-4.1_airline.json").exists()


def test_a_spoilt_cache_is_fetched_again(pinned):
    _, asked, cache, _ = pinned
    examples.tau2_bench("airline", progress=False)
    (cache / "tau2_bench" / "gpt-4.1_airline.json").write_text("{}")
    assert len(examples.tau2_bench("airline", progress=False)) == 2
    assert len(asked) == 3


def test_a_file_that_is_gone_says_how_to_get_it(host):
    with pytest.raises(LoadError, match=r"127\.0\.0\.1 answered 404\. Save http://127.* TOOLCORRECT_DATA\."):
        examples.tau_bench("airline", progress=False)


def test_without_network_a_sentence_says_how_to_get_the_file(nowhere):
    with pytest.raises(LoadError) as error:
        examples.tau_bench(progress=False)
    text = str(error.value)
    assert "gpt-4o_airline_4trials.json could not be downloaded: no connection to 127.0.0.1." in text
    assert f"as {nowhere / 'tau_bench' / 'gpt-4o_airline_4trials.json'}" in text
    assert "TOOLCORRECT_DATA" in text
    assert "HTTPConnectionPool" not in text


def test_a_file_saved_by_hand_needs_no_network(pinned, monkeypatch):
    served, _, cache, table = pinned
    for name, url in table["url"].items():
        (cache / name).parent.mkdir(parents=True, exist_ok=True)
        (cache / name).write_bytes(served["/" + unquote(url.split("/", 3)[3])])
    monkeypatch.setattr(public_files, "_HOST", "http://127.0.0.1:9")
    assert len(examples.tau2_bench("airline", progress=False)) == 2


def test_without_pooch_the_extra_is_named(nowhere, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(LoadError, match=r'pip install "toolcorrect\[data\]"'):
        examples.tau2_bench(progress=False)


@pytest.mark.parametrize(
    ("fetch", "what"),
    [
        (lambda: examples.tau_bench("retail"), r"tau_bench/\*_retail\*"),
        (examples.bfcl, "bfcl_v4"),
        (examples.livemcpbench, "livemcpbench"),
    ],
)
def test_runs_that_cannot_be_downloaded_ask_for_a_folder(nowhere, fetch, what):
    with pytest.raises(LoadError, match=f"{what}.*cannot be downloaded.*TOOLCORRECT_DATA"):
        fetch()


def test_a_folder_of_copies_is_all_there_is(monkeypatch, tmp_path, nowhere):
    monkeypatch.setenv("TOOLCORRECT_DATA", str(tmp_path))
    with pytest.raises(LoadError, match=r"no file tau2_bench/\*_airline\* in .*TOOLCORRECT_DATA"):
        examples.tau2_bench("airline")
    (tmp_path / "tau2_bench").mkdir()
    # Taken as it is: no checksum, whatever the name, packed or not.
    (tmp_path / "tau2_bench" / "mine_airline_again.json.gz").write_bytes(gzip.compress(small("7")))
    assert examples.tau2_bench("airline").cases[["model", "task"]].to_numpy().tolist() == [["mine", "7"]]


def test_names_that_do_not_exist(copies):
    with pytest.raises(OptionError, match="domain='trains' is not known"):
        examples.tau2_bench("trains")
    with pytest.raises(UnknownNameError, match=r"no BFCL model 'glyph-ada'\. Did you mean glyphh-ada-1\.1"):
        examples.bfcl("glyph-ada")


def test_the_pinned_files_are_those_that_were_looked_at():
    table = examples.public_runs()
    theirs = pd.read_csv(shared("data/upstream-files.csv"))
    theirs.index = theirs["copy_in_shared_data"].str.removesuffix(".gz")
    columns = {"repo": "repository", "commit": "commit", "path": "path", "bytes": "bytes", "sha256": "sha256"}
    ours = table[list(columns.values())]
    pd.testing.assert_frame_equal(ours, theirs[list(columns)].rename(columns=columns), check_names=False)
    assert len(table) == 11
    assert table["licence"].unique().tolist() == ["MIT"]
    assert table["url"].str.fullmatch(r"https://raw\.githubusercontent\.com/sierra-research/[\w./%-]+").all()


def test_copies(copies):
    airline, retail = examples.tau2_bench("airline"), examples.tau2_bench("retail")
    assert airline.cases["model"].value_counts().to_dict() == {
        **dict.fromkeys(["button-opus-4-6", "claude-sonnet-4-5", "gpt-4o-azure", "ironshell-gpt54"], 50),
        **dict.fromkeys(["gpt-oss-120b", "qwen2.5-7b"], 50),
        "gpt-4.1": 20,
    }
    assert retail.cases["model"].value_counts().to_dict() == {"toolorchestra": 114, "gpt-4.1": 40, "ft-gpt-4.1": 40}
    assert examples.tau_bench().cases["model"].value_counts().to_dict() == {"gpt-4o": 200, "grok-3": 115}
    assert len(examples.tau2_bench()) == 320 + 194 + 40
    # Every tool has its effect told, in every domain and for users' tools too.
    for data in (examples.tau2_bench(), examples.tau_bench()):
        assert tc.status(data, variants="exact", scope="effect").ne("effect_unknown").all(axis=None)


def test_tools_that_change_something(copies):
    tools = pd.concat([data.tools for data in (examples.tau2_bench(), examples.tau_bench())])
    by_effect = tools.drop_duplicates("tool").set_index("tool")["effect"]
    readers = ("get_", "list_", "search_", "find_", "check_", "can_", "calculate", "think", "transfer_", "run_")
    for tool, effect in by_effect.items():
        assert effect != tool.startswith(readers), tool


def test_livemcpbench_has_labels_and_judges(copies):
    data = examples.livemcpbench()
    assert len(data) == 95
    assert data.cases["outcome"].mean() == pytest.approx(0.705, abs=5e-4)
    assert data.cases.columns.str.startswith("judge ").sum() == 10


def test_bfcl_models_keep_apart(copies):
    data = examples.bfcl()
    assert len(data) == 6106
    assert data.cases["model"].nunique() == 6
    one = examples.bfcl("DeepSeek-V3.1-FC")
    assert len(one) == 400
    assert tc.score(one, variants="bfcl.ast")["bfcl.ast"].mean() == 0.6025


def test_a_wheel_carries_data_and_notebooks(tmp_path):
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", str(ROOT), "-w", str(tmp_path)]
    if importlib.util.find_spec("hatchling"):
        build.append("--no-build-isolation")
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    place = tmp_path / "site"
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(place)
    # As pip does, which leaves compiled files beside the scripts of the data.
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(place)], check=True, capture_output=True)
    # Away from the source tree, so that nothing beside the package can help.
    code = (
        f"import sys; sys.path.insert(0, {str(place)!r})\n"
        "import toolcorrect as tc\n"
        f"assert tc.__file__.startswith({str(place)!r}), tc.__file__\n"
        "print(len(tc.examples.support_desk()), len(tc.examples.seeds()), len(tc.examples.public_runs()))\n"
        "print(tc.examples.copy_notebooks('lab'), tc.examples.copy_notebooks('lab'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    notebooks = len(list((ROOT / "notebooks").glob("*.ipynb")))
    assert done.stdout.split() == ["720", "7", "11", str(notebooks), "0"]
    assert len(list((Path(tmp_path) / "lab").glob("*.ipynb"))) == notebooks
