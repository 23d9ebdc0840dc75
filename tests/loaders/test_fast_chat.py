from __future__ import annotations

import importlib.util
import json
import sys

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolcorrect as tc
from tests.benchmarks.chat_workload import write_chats
from tests.shared import shared
from toolcorrect.loaders import fast_chat, loading
from toolcorrect.tables import TABLES


def both_ways(path, **options):
    """Load by columns and record by record: the datasets must be the same. Returns whether columns were taken."""
    taken = []

    def by_columns(source, layout):
        parts = fast_chat.fast_chat_parts(source, layout)
        taken.append(parts is not None)
        return parts

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "fast_chat_parts", by_columns)
        fast = tc.load(path, format="openai_chat", **options)
        patch.setattr(loading, "fast_chat_parts", lambda source, layout: None)
        slow = tc.load(path, format="openai_chat", **options)
    for table in TABLES:
        pd.testing.assert_frame_equal(getattr(fast, table), getattr(slow, table))
    return taken == [True]


def call(id, name="search", arguments="{}", **more):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}, **more}


def made(*calls):
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def result(id, content="found"):
    return {"role": "tool", "tool_call_id": id, "content": content}


ASK, ANSWER = {"role": "user", "content": "Where?"}, {"role": "assistant", "content": "There."}
REGULAR = {"id": "a", "model": "m", "messages": [ASK, made(call("1")), result("1"), ANSWER], "expected": ["search"]}


def written(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.fixture(scope="module")
def chats(tmp_path_factory):
    found = importlib.util.spec_from_file_location("make_workload", shared("bench/make_workload.py"))
    module = importlib.util.module_from_spec(found)
    sys.modules["make_workload"] = module
    found.loader.exec_module(module)
    folder = tmp_path_factory.mktemp("workload")
    module.make(1500, folder / "plain", tools=80, hazards=0.02)
    write_chats(folder / "plain.jsonl", folder / "chats.jsonl", "openai_chat")
    return folder / "chats.jsonl"


@pytest.mark.parametrize("size", [1 << 16, 4 << 20])
def test_the_workload_is_the_same_by_columns_and_by_records(chats, monkeypatch, size):
    monkeypatch.setattr(fast_chat, "BLOCK", size)
    assert both_ways(chats)
    data = tc.load(chats)
    assert len(data) == 1500
    assert set(data.calls.arguments_status) == {"ok", "empty", "non_object", "failed", "null"}
    assert data.calls.output.notna().all()


def test_what_a_conversation_tells(tmp_path):
    messages = [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": ""},
        ASK,
        made(call("1"), call("2", "look", '{"a": 1}')),
        result("2", "two"),
        result("1", None),
        {"role": "user", "content": "And then?"},
        made(call("3", "look")),
        ANSWER,
    ]
    path = written(
        tmp_path / "chats.jsonl",
        {**REGULAR, "messages": messages, "temperature": 1.0},
        {**REGULAR, "id": "b", "input": "stated", "output": None, "turns": 7},
    )
    assert both_ways(path)
    data = tc.load(path)
    assert data.cases.input.to_list() == ["Where?", "stated"]
    assert data.cases.turns.to_list() == [2, 7]
    assert data.cases.output.to_list() == ["There.", "There."]
    first = data.calls[data.calls.case == "a"]
    assert first.turn.to_list() == [0, 0, 1]
    assert first.step.to_list() == [0, 0, 1]
    assert first.output.fillna("none").to_list() == ["none", '"two"', "none"]


def test_an_id_may_stand_for_a_call_of_each_step(tmp_path):
    """Some providers count the calls of each message anew."""
    messages = [ASK, made(call("1")), made(call("1", "look")), result("1", "first"), result("1", "second"), ANSWER]
    path = written(tmp_path / "chats.jsonl", {**REGULAR, "messages": messages}, {**REGULAR, "id": "b"})
    assert both_ways(path)
    assert tc.load(path).calls.output.to_list() == ['"first"', '"second"', '"found"']


TOOL = {
    "type": "function",
    "function": {"name": "search", "description": 'Says "tools": [].', "parameters": {"a": [1]}},
}


def test_offered_tools_are_read_by_columns(tmp_path, monkeypatch):
    monkeypatch.setattr(fast_chat, "BLOCK", 1000)
    lists = [[TOOL], [], None, [TOOL, "look"], [TOOL], "absent", [TOOL]]
    records = [
        {**REGULAR, "id": str(i), **({} if tools == "absent" else {"tools": tools})} for i, tools in enumerate(lists)
    ]
    path = written(tmp_path / "chats.jsonl", *records)
    assert both_ways(path)
    data = tc.load(path)
    assert data.cases.tools_known.to_list() == [True, True, False, True, True, False, True]
    assert data.tools.case.to_list() == ["0", "3", "3", "4", "6"]
    # A list of each record's own, a text that looks like what stands for a list, and what is no tool.
    for other in ([[f"tool {i}"] for i in range(40)], [[TOOL], "0"], [[TOOL], [{"no": "name"}]]):
        path = written(path, *({**REGULAR, "id": str(i), "tools": tools} for i, tools in enumerate(other)))
        assert not both_ways(path)


IRREGULAR = {
    "a call without an id": {"messages": [ASK, made(call(None))]},
    "an id for two calls": {"messages": [ASK, made(call("1"), call("1", "look"))]},
    "two results for a call": {"messages": [ASK, made(call("1")), result("1"), result("1")]},
    "a result for no call": {"messages": [ASK, made(call("1")), result("2")]},
    "a result before its call": {"messages": [ASK, result("1"), made(call("1"))]},
    "a result without an id": {"messages": [ASK, made(call("1")), {"role": "tool", "content": "found"}]},
    "parts of content": {"messages": [{"role": "user", "content": [{"type": "text", "text": "Where?"}]}, ANSWER]},
    "null arguments": {"messages": [ASK, made(call("1", arguments=None))]},
    "a custom call": {"messages": [ASK, made({"id": "1", "custom": {"name": "code", "input": "x"}})]},
    "an older call": {"messages": [ASK, {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}}]},
    "no messages": {"messages": []},
    "messages that are null": {"messages": None},
    "no role": {"messages": [{"content": "Where?"}, ANSWER]},
    "another family": {"messages": [ASK, {"role": "assistant", "content": '<tool_call>{"name": "f"}</tool_call>'}]},
    "calls beside": {"messages": [ASK, ANSWER], "tool_calls": [call("1")]},
    "choices": {"messages": [ASK], "choices": [{"message": ANSWER}]},
    "a history gone further": {"messages": [*REGULAR["messages"], ASK, made(call("2"))]},
}


@pytest.mark.parametrize("what", IRREGULAR)
@pytest.mark.parametrize("size", [200, 4 << 20])
def test_what_is_not_regular_is_left_to_the_records(tmp_path, monkeypatch, what, size):
    monkeypatch.setattr(fast_chat, "BLOCK", size)
    other = {"model": "m", **IRREGULAR[what]}
    regular = {key: value for key, value in REGULAR.items() if key != "id"}
    assert both_ways(written(tmp_path / "regular.jsonl", regular, {**regular, "model": "other"}))
    assert not both_ways(written(tmp_path / "chats.jsonl", regular, regular, other))


ODDLY_SPELT = {
    "a number that JSON does not know": ('"n": Inf, "messages": ', '"n": 0.5, "messages": '),
    "an outcome beyond all numbers": (
        '"outcome": 12345678901234567890, "messages": ',
        '"outcome": 0.5, "messages": ',
    ),
    "a key with an escape": ('"argument\\u0073": null}', '"arguments": "{}"}'),
    "a list of tools on a line of its own": ('"tools":\n["g"], "messages": ', '"tools":["g"], "messages": '),
}


@pytest.mark.parametrize("what", ODDLY_SPELT)
def test_odd_spellings_are_read_the_same_both_ways(tmp_path, what):
    odd, plain = ODDLY_SPELT[what]
    place = plain if "arguments" in plain else '"messages": '
    lines = [
        json.dumps({"model": name, "messages": REGULAR["messages"]}).replace(place, spelt)
        for name, spelt in (("a", plain), ("b", odd), ("c", plain))
    ]
    path = tmp_path / "chats.jsonl"
    path.write_text("\n".join(lines) + "\n")
    assert not both_ways(path)


def test_a_model_called_none_is_not_kept_apart_from_none(tmp_path):
    longer = {"messages": [*REGULAR["messages"], ASK]}
    assert not both_ways(written(tmp_path / "chats.jsonl", {**REGULAR, "id": "a", "model": "None"}, longer))


ids = st.sampled_from(["1", "2", "3"])
contents = st.sampled_from(["", "Where?", "There.", None])
messages = st.one_of(
    st.builds(
        lambda role, content: {"role": role, "content": content}, st.sampled_from(["user", "assistant"]), contents
    ),
    st.builds(lambda found: made(*map(call, found)), st.lists(ids, min_size=1, max_size=2, unique=True)),
    st.builds(result, ids, contents),
)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.lists(messages, min_size=1, max_size=5)), min_size=2, max_size=4))
def test_any_conversations_are_the_same_both_ways(tmp_path_factory, told):
    path = tmp_path_factory.mktemp("chats") / "chats.jsonl"
    both_ways(written(path, *({"model": model, "messages": chat} for model, chat in told)))
