"""The bundled data: made by its script, executable, and with outcomes that can be recomputed."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest

from tests.shared import ROOT, shared
from toolcorrect.loaders import load

FOLDER = ROOT / "data" / "support_desk"
AGENTS = ["courier", "echo", "hasty", "scout", "smudge", "tumble"]


@pytest.fixture(scope="module")
def modules() -> Iterator[dict[str, ModuleType]]:
    """The folder's own modules, imported as its script imports them and forgotten afterwards."""
    names = ["schemas", "shop", "tasks"]
    sys.path.insert(0, str(FOLDER))
    try:
        yield {name: __import__(name) for name in names}
    finally:
        sys.path.remove(str(FOLDER))
        for name in names:
            sys.modules.pop(name, None)


def runs() -> list[dict[str, Any]]:
    texts = [(FOLDER / f"{agent}.jsonl").read_text("utf-8") for agent in AGENTS]
    return [json.loads(line) for text in texts for line in text.splitlines()]


@cache
def cases() -> dict[str, dict[str, Any]]:
    with (FOLDER / "cases.csv").open(encoding="utf-8", newline="") as file:
        return {row["task"]: {**row, "expected": json.loads(row["expected"])} for row in csv.DictReader(file)}


@cache
def tools() -> dict[str, dict[str, Any]]:
    return {tool["function"]["name"]: tool for tool in json.loads((FOLDER / "tools.json").read_text("utf-8"))}


def called(run: dict[str, Any]) -> list[dict[str, Any]]:
    return [call for message in run["messages"] for call in message.get("tool_calls") or []]


def replay(modules: dict[str, ModuleType], calls: list[tuple[str, str]]) -> tuple[list[str], dict[str, Any]]:
    shop = modules["shop"].Shop()
    return [shop.call(name, arguments) for name, arguments in calls], shop.state


def references(modules: dict[str, ModuleType]) -> dict[str, tuple[list[str], dict[str, Any]]]:
    return {
        task: replay(modules, [(call["name"], json.dumps(call["arguments"])) for call in case["expected"]])
        for task, case in cases().items()
    }


def test_script_writes_the_committed_files(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-B", str(FOLDER / "make.py"), str(tmp_path)], check=True)
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert sorted(written) == sorted(["cases.csv", "tools.json", *(f"{agent}.jsonl" for agent in AGENTS)])
    assert [name for name, content in written.items() if content != (FOLDER / name).read_bytes()] == []


def test_sizes() -> None:
    sizes = [path.stat().st_size for path in FOLDER.iterdir() if path.is_file()]
    assert max(sizes) <= 900_000
    assert sum(sizes) <= 1_500_000


def test_six_agents_three_trials_of_forty_tasks() -> None:
    seen = Counter((run["model"], run["task"], run["trial"]) for run in runs())
    assert len(cases()) == 40
    assert seen == {(agent, task, trial): 1 for agent in AGENTS for task in cases() for trial in (1, 2, 3)}


def test_reference_calls_work_and_change_what_the_kind_says(modules: dict[str, ModuleType]) -> None:
    untouched = modules["shop"].Shop().state
    effect = {name: tool["effect"] for name, tool in tools().items()}
    for task, (outputs, state) in references(modules).items():
        case = cases()[task]
        effects = [call for call in case["expected"] if effect[call["name"]]]
        assert not [output for output in outputs if output.startswith("Error")], task
        assert (state != untouched) == bool(effects), task
        kind = case["kind"]
        assert (kind == "chat") == (not case["expected"]), task
        assert {"chat": 0, "lookup": 0, "refuse": 0, "single": 1}.get(kind, len(effects)) == len(effects), task
        assert len(effects) >= 2 or kind not in {"several", "chain"}, task


def test_order_matters_in_chains_and_only_there(modules: dict[str, ModuleType]) -> None:
    effect = {name: tool["effect"] for name, tool in tools().items()}
    for task, (_, state) in references(modules).items():
        if cases()[task]["kind"] in {"several", "chain"}:
            calls = [(c["name"], json.dumps(c["arguments"])) for c in cases()[task]["expected"] if effect[c["name"]]]
            assert replay(modules, calls)[1] == state
            backwards = replay(modules, calls[::-1])[1]
            assert (backwards == state) == (cases()[task]["kind"] == "several"), task


def test_reference_arguments_fit_the_schemas() -> None:
    for case in cases().values():
        for call in case["expected"]:
            jsonschema.validate(call["arguments"], tools()[call["name"]]["function"]["parameters"])


def test_outputs_and_outcomes_are_what_the_shop_gives(modules: dict[str, ModuleType]) -> None:
    expected = references(modules)
    for run in runs():
        where = (run["model"], run["task"], run["trial"])
        calls = called(run)
        outputs, state = replay(modules, [(c["function"]["name"], c["function"]["arguments"]) for c in calls])
        told = {
            message["tool_call_id"]: message["content"] for message in run["messages"] if message["role"] == "tool"
        }
        assert told == {call["id"]: output for call, output in zip(calls, outputs, strict=True)}, where
        assert run["outcome"] == float(state == expected[run["task"]][1]), where


def test_habits_show_and_the_readme_tells_them() -> None:
    sums: dict[str, Counter[str]] = {agent: Counter() for agent in AGENTS}
    for run in runs():
        names = Counter(call["function"]["name"] for call in called(run))
        wanted = Counter(call["name"] for call in cases()[run["task"]]["expected"])
        found, total = (names & wanted).total(), sums[run["model"]]
        total["outcome"] += run["outcome"]
        total["precision"] += found / names.total() if names else float(not wanted)
        if wanted or not names:
            total["recall"] += found / wanted.total() if wanted else 1.0
            total["recalled"] += 1
        total["jaccard"] += found / (names | wanted).total() if names or wanted else 1.0
        total["exact"] += names == wanted
        total["prefixed"] += not names.keys() <= tools().keys()
    assert [agent for agent in AGENTS if sums[agent]["prefixed"]] == ["courier"]

    def ranked(column: str) -> list[str]:
        return sorted(AGENTS, key=lambda agent: -sums[agent][column])

    assert ranked("outcome")[0] == ranked("jaccard")[-2] == "scout"
    assert ranked("outcome")[-1] == ranked("precision")[0] == "hasty"
    rows = re.findall(
        r"^\| (\w+) \|.*?((?: [\d.]+ \|){5})$", (ROOT / "data" / "README.md").read_text("utf-8"), re.MULTILINE
    )
    assert sorted(agent for agent, _ in rows) == AGENTS
    for agent, numbers in rows:
        total = sums[agent]
        means = [total[column] / 120 for column in ("outcome", "precision", "recall", "jaccard", "exact")]
        means[2] = total["recall"] / total["recalled"]
        assert [float(number) for number in numbers.split("|")[:-1]] == pytest.approx(means, abs=0.00501), agent


def test_addresses_are_invented() -> None:
    text = "".join(path.read_text("utf-8") for path in FOLDER.iterdir() if path.is_file())
    assert set(re.findall(r"@([a-z.]+)", text)) - {"read", "effect", "property", "dataclass"} == {"example.test"}


def test_seeds_keep_the_stated_facts() -> None:
    def facts(record: dict[str, Any]) -> tuple[Any, ...]:
        return record["called"], record["expected"]

    for ours, theirs in [("smart_home", "smart_home"), ("order_desk", "technest")]:
        lines = (ROOT / "data" / "seeds" / f"{ours}.jsonl").read_text("utf-8").splitlines()
        sources = shared(f"samples/seeds/{theirs}.jsonl").read_text("utf-8").splitlines()
        for record, source in zip(map(json.loads, lines), map(json.loads, sources), strict=True):
            assert record["case"] == source["case_id"]
            assert facts(record) == facts(source)
            assert record["input"] != source["input"]
            stated = [value for key, value in record.items() if key.startswith("stated_")]
            assert stated == list(source["stated_scores"].values())


def test_folders_load_whole() -> None:
    desk, seeds = load(ROOT / "data" / "support_desk"), load(ROOT / "data" / "seeds")
    assert len(desk.cases) == 720
    assert desk.cases[["called_known", "expected_known", "tools_known"]].all(axis=None)
    assert desk.cases.groupby("model").outcome.sum().to_dict() == Counter(
        {agent: sum(run["outcome"] for run in runs() if run["model"] == agent) for agent in AGENTS}
    )
    assert len(desk.calls) == sum(len(called(run)) for run in runs())
    assert len(desk.expected) == sum(len(cases()[run["task"]]["expected"]) for run in runs())
    assert dict(zip(desk.tools.tool, desk.tools.effect)) == {name: tool["effect"] for name, tool in tools().items()}
    assert not seeds.cases.loc["weather", "expected_known"]
    assert seeds.cases.loc["thermostat", "stated_deepeval_docs"] == 0.5


def test_weather_seed_keeps_the_printed_call() -> None:
    record = json.loads((ROOT / "data" / "seeds" / "weather.jsonl").read_text("utf-8"))
    source = json.loads(shared("samples/seeds/huawei_param_filling.jsonl").read_text("utf-8"))
    call, printed = record["called"][0], source["input"]["tools_called"][0]
    assert (call["name"], call["arguments"]) == (printed["name"], printed["arguments"])
    assert record["stated_agentarts_parameters"] == source["stated_output"]["score"]
    assert "expected" not in record
    jsonschema.validate(call["arguments"], record["tools"][0]["parameters"])
