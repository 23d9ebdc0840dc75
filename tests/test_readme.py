"""The README says what is so."""

import json
import re
import textwrap

import toolcorrect as tc
from tests.readme import with_tables
from tests.shared import ROOT

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_tables_of_definitions_are_the_registry():
    assert with_tables(TEXT) == TEXT, "run: python -m tests.readme"


def test_every_name_it_uses_exists():
    for name in set(re.findall(r"\btc\.(\w+)", TEXT)):
        assert hasattr(tc, name), name


def test_the_first_example_says_what_it_says():
    data = tc.load([{"case": "t", "called": ["set_thermostat", "notify"], "expected": ["set_thermostat"]}])
    made = tc.score(data, variants=["deepeval", "notebook.jaccard", "galtea"]).iloc[0]
    assert made.to_list() == [1.0, 0.5, 0.0]


def test_the_pictures_are_there():
    for picture in re.findall(r"!\[[^]]*\]\(([^)]+)\)", TEXT):
        assert (ROOT / picture).is_file(), picture


def test_the_format_of_your_own_loads(tmp_path, monkeypatch):
    section = TEXT.split("### A format of your own")[1].split("\n## ")[0]
    code = textwrap.dedent("\n".join(line for line in section.splitlines() if line.startswith("    ") or not line))
    good = {"agent_run": "r1", "llm": "m", "wanted": ["search"]}
    lines = [{**good, "steps": [{"tool": "search", "with": {"q": "x"}, "gave": 3}]}, {**good, "steps": [{"tool": 1}]}]
    (tmp_path / "house.jsonl").write_text("\n".join(map(json.dumps, lines)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("toolcorrect.loaders.format._FORMATS", {})
    made = {}
    exec(code, made)
    data = made["data"]
    assert data.calls[["case", "tool", "arguments", "output"]].values.tolist() == [["r1", "search", '{"q":"x"}', "3"]]
    assert data.expected.tool.to_list() == ["search"]
    assert data.report[["record", "code"]].values.tolist() == [["line 2", "unreadable"]]
    assert tc.formats().index.to_list() == ["house_log"]
