from __future__ import annotations

import json

import pytest

import toolcorrect as tc
from toolcorrect.errors import LoadError


@pytest.fixture
def folder(tmp_path):
    message = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "get_order", "arguments": "{}"}}]}
    for model in ("a", "b"):
        run = {"messages": [{"role": "user", "content": "hi"}, message], "task": "t1", "model": model, "trial": 0}
        (tmp_path / f"{model}.jsonl").write_text(json.dumps(run) + "\n" + json.dumps({**run, "task": "t2"}) + "\n")
    (tmp_path / "cases.csv").write_text(
        'task,expected,level\nt1,"[{""name"": ""get_order"", ""arguments"": {}}]",easy\n'
    )
    tools = [
        {"type": "function", "function": {"name": "get_order", "parameters": {"type": "object"}}, "effect": False},
        {"type": "function", "function": {"name": "refund", "parameters": {"type": "object"}}, "effect": True},
    ]
    (tmp_path / "tools.json").write_text(json.dumps(tools))
    (tmp_path / "README.md").write_text("Not a run.")
    (tmp_path / "make.py").write_text("print()")
    for hidden in ("__pycache__/make.cpython-311.pyc", ".git/objects/pack.bin"):
        (tmp_path / hidden).parent.mkdir(parents=True)
        (tmp_path / hidden).write_bytes(b"\x00\xff")
    return tmp_path


def test_a_folder_is_taken_whole(folder):
    data = tc.load(folder)
    assert len(data) == 4
    assert data.expected[["tool", "arguments"]].values.tolist() == [["get_order", "{}"]] * 2
    assert data.cases.expected_known.to_list() == [True, False, True, False]
    assert data.cases.level.to_list()[0] == "easy"
    assert data.tools[["tool", "effect"]].values.tolist() == [["get_order", False], ["refund", True]]
    assert data.cases.tools_known.all()
    assert data.report[data.report.code == "no_test_case"]["case"].nunique() == 2


def test_test_cases_of_other_runs_are_an_error(folder):
    (folder / "cases.csv").write_text("task,expected\nelse,a\n")
    with pytest.raises(LoadError, match=r"cases.csv has neither a case nor a task or an input of the runs"):
        tc.load(folder)


def test_tools_of_another_shape_are_an_error(folder):
    (folder / "tools.json").write_text('{"tools": 1}')
    with pytest.raises(LoadError, match=r"tools.json must be a list of tools"):
        tc.load(folder)


def test_a_folder_without_runs_is_an_error(tmp_path):
    (tmp_path / "README.md").write_text("nothing")
    with pytest.raises(LoadError, match="holds no file of runs"):
        tc.load(tmp_path)


def test_a_file_that_cannot_be_read_loses_none_of_the_others(folder):
    (folder / "package.json").write_text('{"name": "thing"}')
    (folder / "broken.jsonl").write_text('{"messages": [')
    data = tc.load(folder)
    assert len(data) == 4
    unreadable = data.report[data.report.code == "unreadable"]
    assert unreadable.file.to_list() == ["broken.jsonl", "package.json"]
    assert unreadable.note.str.contains("cut off|of no known format").all()
    with pytest.raises(LoadError, match=r"broken.jsonl starts like JSON but cannot be read"):
        tc.load(folder, strict=True)


def test_where_nothing_can_be_read_the_first_reason_is_raised(tmp_path):
    (tmp_path / "a.json").write_text('[{"called": 3, "expected": []}, {"called": 4, "expected": []}]')
    with pytest.raises(LoadError, match=r"a.json, record 0: .*a list of calls is a list, not a number.*nothing else"):
        tc.load(tmp_path / "a.json")
    (tmp_path / "b.json").write_text("[")
    with pytest.raises(LoadError, match=r"a.json, record 0"):
        tc.load(tmp_path)


def test_test_cases_may_be_known_by_what_was_asked(folder):
    (folder / "runs.jsonl").write_text('{"case": "r1", "input": "Where?", "called": ["a"]}\n')
    (folder / "cases.csv").write_text("input,expected\nWhere?,a\n")
    data = tc.load(folder)
    assert data.expected.tool.to_list() == ["a"]


def test_a_folder_has_no_format(folder):
    with pytest.raises(LoadError, match="is a folder"):
        tc.detect(folder)
