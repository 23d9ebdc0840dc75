"""Messages read by columns and record by record must give the same dataset, whatever is in them."""

from __future__ import annotations

import importlib.util
import json
import sys

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolcorrect as tc
from tests.benchmarks.chat_workload import FAMILIES, write_chats
from tests.shared import shared
from toolcorrect.errors import LoadError
from toolcorrect.loaders import fast_chat, fast_messages, loading
from toolcorrect.loaders.message_lists import family_named
from toolcorrect.tables import TABLES

LAYOUTS = [family for family in FAMILIES if (found := family_named(family)) is not None and found.layout]
BY_COLUMNS = [*LAYOUTS, "sharegpt"]


def both_ways(path, family):
    """Load by columns and record by record: the datasets must be the same. Returns whether columns were taken."""
    taken = []
    ways = {name: getattr(loading, name) for name in ("fast_chat_parts", "fast_message_parts")}

    def by_columns(way):
        def read(*given):
            parts = way(*given)
            taken.append(parts is not None)
            return parts

        return read

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast_messages, "FEWEST", 0)
        for name, way in ways.items():
            patch.setattr(loading, name, by_columns(way))
        fast = loaded(path, family)
        for name in ways:
            patch.setattr(loading, name, lambda *given: None)
        slow = loaded(path, family)
    if isinstance(slow, str):
        assert fast == slow
        return taken == [True]
    for table in TABLES:
        pd.testing.assert_frame_equal(getattr(fast, table), getattr(slow, table))
    return taken == [True]


def loaded(path, family):
    """Return the dataset, or why there is none."""
    try:
        return tc.load(path, format=family)
    except LoadError as cause:
        return str(cause)


def written(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.fixture(scope="module")
def workload(tmp_path_factory):
    found = importlib.util.spec_from_file_location("make_workload", shared("bench/make_workload.py"))
    module = importlib.util.module_from_spec(found)
    sys.modules["make_workload"] = module
    found.loader.exec_module(module)
    folder = tmp_path_factory.mktemp("workload")
    module.make(700, folder / "plain", tools=80, hazards=0.02)
    return folder / "plain.jsonl"


@pytest.mark.parametrize("family", BY_COLUMNS)
@pytest.mark.parametrize("size", [1 << 16, 4 << 20])
def test_the_workload_is_the_same_both_ways(workload, tmp_path, monkeypatch, family, size):
    for module in (fast_chat, fast_messages):
        monkeypatch.setattr(module, "BLOCK", size)
    chats = tmp_path / "chats.jsonl"
    write_chats(workload, chats, family)
    assert tc.detect(chats).format == family
    assert both_ways(chats, family)
    data = tc.load(chats)
    assert len(data) == 700
    assert data.calls.output.notna().all()


# What may be said, in no family's words: each family writes it in its own.
values = st.one_of(
    st.dictionaries(st.sampled_from(["a", "b"]), st.sampled_from([1, "x", None, 1e16, {"c": [None]}]), max_size=2),
    st.sampled_from([None, "", '{"a": 1}', "{'a': 1}", "nothing", 3, [1], "absent"]),
)
ids = st.sampled_from([*("1", "2", "3") * 3, "4", None, ""])
names = st.sampled_from(["search", "search", "book", "transfer_to_billing"])
outputs = st.sampled_from(["found", "found", "", None, "absent", ["text", "text"], ["image"], {"a": None}])
errors = st.sampled_from([None, None, False, True, "message"])
events = st.one_of(
    st.tuples(st.just("ask"), st.sampled_from(["Where?", "And?", "", None])),
    st.tuples(st.just("answer"), st.sampled_from(["There.", "", None])),
    st.tuples(st.just("call"), st.lists(st.tuples(ids, names, values), min_size=1, max_size=3)),
    st.tuples(st.just("return"), st.lists(st.tuples(ids, names, outputs, errors), min_size=1, max_size=3)),
    st.tuples(st.just("odd"), st.sampled_from(["system", "image", "unknown", "text", "both"])),
)
regular = st.lists(st.sampled_from(["search", "book"]), min_size=1, max_size=3).map(
    lambda found: [
        ("ask", "Where?"),
        ("call", [(f"r{i}", name, {"n": i}) for i, name in enumerate(found)]),
        ("return", [(f"r{i}", name, "found", None) for i, name in enumerate(found)]),
        ("answer", "There."),
    ]
)
talks = st.lists(st.one_of(regular, st.lists(events, min_size=1, max_size=3)), min_size=1, max_size=3).map(
    lambda pieces: [event for piece in pieces for event in piece]
)
besides = st.fixed_dictionaries(
    {},
    optional={
        "model": st.sampled_from(["m", "n", "None"]),
        "outcome": st.sampled_from([1, 0.5, float("nan"), float("inf"), 1e19, 2**64]),
        "expected": st.sampled_from([["search"], [], [{"name": "book", "arguments": '{"n": 1}'}]]),
        "input": st.sampled_from(["stated", "", None]),
        "output": st.sampled_from(["stated", "", None]),
        "turns": st.sampled_from([0, 7, None]),
        "tag": st.sampled_from(["x", "y"]),
        "tools": st.sampled_from([[], None, [{"name": "book", "description": "", "parameters": {"type": "object"}}]]),
    },
)


def without(value):
    """Leave out the keys that are to be absent."""
    return {key: item for key, item in value.items() if item != "absent"}


def anthropic(kind, told):
    if kind == "ask":
        return {"role": "user", "content": told if told != "" else [{"type": "text", "text": ""}]}
    if kind == "answer":
        return {"role": "assistant", "content": [{"type": "text", "text": told}]}
    if kind == "call":
        uses = [without({"type": "tool_use", "id": id, "name": name, "input": value}) for id, name, value in told]
        return {"role": "assistant", "content": [{"type": "text", "text": "I look."}, *uses]}
    if kind == "return":
        return {"role": "user", "content": [_anthropic_result(*one) for one in told]}
    odd = {"type": {"system": "thinking", "both": "server_tool_use"}.get(told, told), "id": "5", "name": "web"}
    content = [{"type": "text", "text": "first"}, odd, {"type": "text", "text": "last"}]
    if told == "both":
        content.insert(2, {"type": "web_tool_result", "tool_use_id": "5", "content": {"error_code": "busy"}})
    return {"role": "user" if told == "system" else "assistant", "content": content}


def _anthropic_result(id, name, output, error):
    content = [{"type": one, "text": one} for one in output] if isinstance(output, list) else output
    failed = "absent" if error is None else bool(error)
    return without({"type": "tool_result", "tool_use_id": id, "content": content, "is_error": failed})


def bedrock(kind, told):
    if kind == "ask":
        return {"role": "user", "content": [{"text": told}] if told else told}
    if kind == "answer":
        return {"role": "assistant", "content": [{"text": told}]}
    if kind == "call":
        uses = [without({"toolUseId": id, "name": name, "input": value}) for id, name, value in told]
        return {"role": "assistant", "content": [{"text": "I look."}, *({"toolUse": use} for use in uses)]}
    if kind == "return":
        return {"role": "user", "content": [{"toolResult": _bedrock_result(*one)} for one in told]}
    odd = {
        "image": {"image": {}},
        "unknown": {"reasoningContent": {}},
        "both": {"toolUse": {"name": "web", "toolUseId": "5", "input": {}, "type": "server_tool_use"}},
    }
    return {"role": "system" if told == "system" else "user", "content": [{"text": "first"}, odd.get(told, "plain")]}


def _bedrock_result(id, name, output, error):
    content = [{"text": one} for one in output] if isinstance(output, list) else [{"json": output}]
    status = "absent" if error is None else "error" if error else "success"
    return without({"toolUseId": id, "content": None if output is None else content, "status": status})


def gemini(kind, told):
    if kind == "ask":
        return {"role": "user", "parts": [{"text": told}]} if told != "" else {"parts": [{"text": "No role?"}]}
    if kind == "answer":
        return {"role": "model", "parts": [{"text": "Hm.", "thought": True}, {"text": told}]}
    if kind == "call":
        uses = [without({"id": id or "absent", "name": name, "args": value}) for id, name, value in told]
        return {"role": "model", "parts": [{"functionCall": use, "thoughtSignature": "s"} for use in uses]}
    if kind == "return":
        return {"role": "user", "parts": [{"function_response": _gemini_result(*one)} for one in told]}
    odd = {
        "image": {"inlineData": {}},
        "unknown": {"function_call": None, "functionCall": {"name": "search", "id": "5"}},
        "both": {"executableCode": {"code": "1"}},
    }
    return {"role": "system" if told == "system" else "model", "parts": [{"text": "first"}, odd.get(told, {})]}


def _gemini_result(id, name, output, error):
    response = {"result": output} if error is None else {"error": error} if error != "message" else "failed"
    return without({"id": id or "absent", "name": name, "response": "absent" if output == "absent" else response})


def adk(kind, told):
    content = gemini(kind, told)
    author = {"user": "user", "model": "root", "system": "helper"}.get(content.pop("role", "user"))
    more = {"timestamp": 1_700_000_000.25, "branch": "root.helper"} if kind == "call" else {}
    return {"author": author, "content": content, "partial": told == "image", **more}


def with_tools(family, record):
    """Put the tools where a family has them."""
    if "tools" not in record or family not in ("gemini_contents", "bedrock_converse"):
        return record
    tools = record.pop("tools")
    if family == "gemini_contents":
        return {**record, "tools": tools and [{"functionDeclarations": tools}]}
    return {**record, "toolConfig": {"tools": tools and [{"toolSpec": tool} for tool in tools]}}


def responses(kind, told):
    """One item; several of one event are told one behind the other."""
    if kind in ("ask", "answer"):
        content = told if told is None else [{"type": "text", "text": told}]
        return {"type": "message", "role": "user" if kind == "ask" else "assistant", "content": content}
    if kind == "call":
        id, name, value = told
        return without({"type": "function_call", "call_id": id, "name": name, "arguments": value})
    if kind == "return":
        id, _, output, _ = told
        content = [{"type": one, "text": one} for one in output] if isinstance(output, list) else output
        return without({"type": "function_call_output", "call_id": id, "output": content})
    odd = {
        "system": {"role": "developer", "content": "Be short."},
        "image": {"type": "custom_tool_call", "name": "code", "call_id": "5", "input": "x"},
        "unknown": {"type": "reasoning", "summary": []},
        "both": {"type": "web_search_call", "id": "5", "action": {"query": "x"}, "status": "completed"},
    }
    return odd.get(told, {"role": "user", "content": "plain"})


def langchain(kind, told):
    rest = {"additional_kwargs": {}}
    if kind == "ask":
        return {"type": "human", "content": told, **rest}
    if kind == "answer":
        return {"type": "AIMessageChunk", "content": [{"type": "text", "text": told}], **rest}
    if kind == "call":
        uses = [without({"id": id, "name": name, "args": value}) for id, name, value in told]
        return {"type": "ai", "content": "I look.", "tool_calls": uses, "name": "helper", **rest}
    if kind == "return":
        id, name, output, error = told
        content = [{"type": one, "text": one} for one in output] if isinstance(output, list) else output
        status = "absent" if error is None else "error" if error else "success"
        found = {"type": "tool", "content": content, "tool_call_id": id, "name": name, "status": status}
        return {**without(found), **rest}
    odd = {
        "system": {"type": "system", "content": "Be short.", **rest},
        "image": {"type": "ai", "content": "", "invalid_tool_calls": [{"id": "5", "name": "search", "args": "{"}]},
        "unknown": {"type": "remove", "content": "", **rest},
        "both": {"type": "ai", "content": "", "additional_kwargs": {"function_call": {"name": "f", "arguments": ""}}},
    }
    return odd.get(told, {"type": "human", "data": {"content": "plain", "type": "human"}, "content": ""})


def vercel(kind, told):
    if kind == "ask":
        return {"role": "user", "content": told}
    if kind == "answer":
        return {"role": "assistant", "content": [{"type": "text", "text": told}]}
    if kind == "call":
        uses = [
            without({"type": "tool-call", "toolCallId": id, "toolName": name, "input": value})
            for id, name, value in told
        ]
        return {"role": "assistant", "content": [{"type": "text", "text": "I look."}, *uses]}
    if kind == "return":
        return {"role": "tool", "content": [_vercel_result(*one) for one in told]}
    odd = {
        "system": {"role": "system", "content": "Be short."},
        "image": {"role": "user", "content": [{"type": "image"}, "plain"]},
        "unknown": {"role": "assistant", "content": [{"type": "reasoning", "text": "Hm."}]},
        "both": {"role": "assistant", "parts": [{"type": "tool-search", "toolCallId": "5", "state": "call"}]},
    }
    return odd.get(told, {"role": "user", "content": "plain"})


def _vercel_result(id, name, output, error):
    if error == "message":
        return {"type": "tool-error", "toolCallId": id, "toolName": name, "error": error}
    value = "absent" if output == "absent" else {"type": "json", "value": output} if error is None else output
    failed = "absent" if error is None else error
    return without({"type": "tool-result", "toolCallId": id, "toolName": name, "output": value, "isError": failed})


def pydantic_ai(kind, told):
    if kind == "ask":
        return {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": told}]}
    if kind == "answer":
        return {"kind": "response", "model_name": "said", "parts": [{"part_kind": "text", "content": told}]}
    if kind == "call":
        uses = [
            without({"part_kind": "tool-call", "tool_call_id": id, "tool_name": name, "args": value})
            for id, name, value in told
        ]
        return {"kind": "response", "parts": [{"part_kind": "text", "content": "I look."}, *uses]}
    if kind == "return":
        return {"kind": "request", "parts": [_pydantic_result(*one) for one in told]}
    odd = {
        "system": [{"part_kind": "system-prompt", "content": "Be short."}],
        "image": [{"part_kind": "user-prompt", "content": one} for one in ("first", "last")],
        "unknown": [{"part_kind": "retry-prompt", "content": "Again."}],
        "both": [{"part_kind": "tool-call", "tool_call_id": "5", "tool_name": "final_result", "args": "{}"}],
    }
    return {"kind": "response" if told == "both" else "request", "parts": odd.get(told, []), "conversation_id": told}


def _pydantic_result(id, name, output, error):
    kind = "retry-prompt" if error == "message" else "tool-return"
    outcome = "absent" if error is None else "failed" if error else "success"
    return without({"part_kind": kind, "tool_call_id": id, "tool_name": name, "content": output, "outcome": outcome})


def sharegpt(kind, told):
    """One turn, or for a call of a list of one two; several results of one event are turns of their own."""
    if kind in ("ask", "answer"):
        return {"from": "human" if kind == "ask" else "gpt", "value": told}
    if kind == "call":
        uses = [without({"name": name, "arguments": value}) for _, name, value in told]
        return {"from": "function_call", "value": json.dumps(uses if len(uses) > 1 else uses[0])}
    if kind == "return":
        output = told[2]
        return {"from": "observation", "value": output if isinstance(output, str) else json.dumps(output)}
    odd = {
        "system": {"from": "system", "value": "Be <short>."},
        "image": {"from": "nobody", "value": ""},
        "unknown": {"from": "function_call", "value": "{'name': 'search'}"},
        "both": {"from": "gpt", "value": '<tool_call>{"name": "search"}</tool_call>'},
    }
    return odd.get(told, {"role": "user", "content": "plain"})


def singly(write, several):
    """Write an event of several calls, or results, as a message each."""
    return lambda kind, told: [write(kind, one) for one in told] if kind in several else [write(kind, told)]


# From an event to messages.
WRITERS = {
    "anthropic_messages": singly(anthropic, ()),
    "bedrock_converse": singly(bedrock, ()),
    "gemini_contents": singly(gemini, ()),
    "adk_session": singly(adk, ()),
    "openai_responses": singly(responses, ("call", "return")),
    "langchain_model_dump": singly(langchain, ("return",)),
    "vercel_ai_messages": singly(vercel, ()),
    "pydantic_ai_messages": singly(pydantic_ai, ()),
    "sharegpt": singly(sharegpt, ("return",)),
}
KEYS = {
    "gemini_contents": "contents",
    "adk_session": "events",
    "openai_responses": "input",
    "sharegpt": "conversations",
}


def record_of(family, talk, beside):
    """Write a conversation as a record of a family."""
    messages = [message for event in talk for message in WRITERS[family](*event)]
    return with_tools(family, {**beside, KEYS.get(family, "messages"): messages})


@pytest.mark.parametrize("family", BY_COLUMNS)
@settings(max_examples=60, deadline=None)
@given(told=st.lists(st.tuples(talks, besides), min_size=2, max_size=5))
def test_any_conversations_are_the_same_both_ways(tmp_path_factory, family, told):
    path = tmp_path_factory.mktemp("chats") / "chats.jsonl"
    both_ways(written(path, *(record_of(family, talk, beside) for talk, beside in told)), family)


@pytest.mark.parametrize("family", BY_COLUMNS)
@settings(max_examples=20, deadline=None)
@given(told=st.lists(regular, min_size=2, max_size=5))
def test_regular_conversations_are_read_by_columns(tmp_path_factory, family, told):
    path = tmp_path_factory.mktemp("chats") / "chats.jsonl"
    # None is the beginning of another.
    chats = [[("ask", f"First {i}."), *talk] for i, talk in enumerate(told)]
    assert both_ways(
        written(path, *(record_of(family, chat, {"id": str(i)}) for i, chat in enumerate(chats))), family
    )


@pytest.mark.parametrize("family", BY_COLUMNS)
def test_offered_tools_are_read_by_columns(tmp_path, family):
    tools = [{"name": "book", "description": "Books.", "parameters": {"type": "object"}}, {"name": "search"}]
    path = written(
        tmp_path / "chats.jsonl",
        *(
            record_of(family, [("ask", f"Who is {i}?"), ("answer", "Nobody.")], {"id": str(i), **beside})
            for i, beside in enumerate([{"tools": tools}, {}, {"tools": tools}])
        ),
    )
    assert both_ways(path, family)
    data = tc.load(path, format=family)
    assert data.cases.tools_known.to_list() == [True, False, True]
    assert data.tools.case.to_list() == ["0", "0", "2", "2"]


@pytest.mark.parametrize("family", BY_COLUMNS)
def test_histories_that_go_on_are_left_to_the_records(tmp_path, family):
    first = [("ask", "Where?"), ("call", [("1", "search", {"a": None})])]
    second = [*first, ("return", [("1", "search", "x", None)])]
    path = written(tmp_path / "log.jsonl", *(record_of(family, talk, {}) for talk in (first, second)))
    assert not both_ways(path, family)
    assert len(tc.load(path, format=family)) == 1
    told_apart = [record_of(family, talk, {"model": model}) for talk, model in ((first, "m"), (second, "n"))]
    assert both_ways(written(path, *told_apart), family)


@pytest.mark.parametrize("family", BY_COLUMNS)
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_json_has_no_number_for_is_kept(tmp_path, family, number):
    chats = [[("ask", f"Who is {i}?"), ("answer", "Nobody.")] for i in range(3)]
    scores = [0.5, number, None]
    path = written(
        tmp_path / "chats.jsonl",
        *(record_of(family, chat, {"id": str(i), "score": scores[i]}) for i, chat in enumerate(chats)),
    )
    both_ways(path, family)


TEXTS_OF_CALLS = [
    '{"name": "f", "arguments": {"a": [1, {"b": null}]}}',
    ' {\n"name" :"f","arguments":{ } } ',
    '{"name": "f", "arguments": {"a": "}}"}}',
    '{"name": "f", "arguments": {"a": 1}, "name": "g"}',
    '{"name": "f", "arguments": {"a": 1}, "id": {"arguments": {}}}',
    '{"name": "f", "arguments": {"a": 1}, "arguments": {"a": 2}}',
    '{"name": "caf\\u00e9", "arguments": {"a": 1}}',
    '{"name": "", "arguments": {"a": 1}}',
    '{"name": "f", "arguments": {"a": NaN}}',
    '{"name": "f", "arguments": {"a": 1e400, "b": 123456789012345678901}}',
    '{"name": "f", "arguments": {"a": "\\ud800"}}',
    '{"name": "f", "arguments": {"a": 1,}}',
    '{"name": "f", "arguments": {"a": 1}}{"name": "g", "arguments": {}}',
    '{"name": "f", "arguments": {}}\u00a0',
    '{"arguments": {"a": 1}, "name": "f"}',
    '{"name": "f", "parameters": {"a": 1}}',
    '{"name": "f", "arguments": "{\\"a\\": 1}"}',
    '{"name": "f", "arguments": null}',
    '[{"name": "f", "arguments": {}}, {"name": "g"}]',
    "[]",
    "nothing",
    "",
]


@pytest.mark.parametrize("text", TEXTS_OF_CALLS)
def test_texts_of_sharegpt_calls_are_the_same_both_ways(tmp_path, text):
    turns = [("human", "Go"), ("function_call", text), ("observation", " 1\x1c"), ("gpt", "\u2003Ok\x85")]
    plain = [("human", "Go on"), ("function_call", TEXTS_OF_CALLS[0]), ("gpt", " ")]
    records = [{"conversations": [{"from": who, "value": said} for who, said in talk]} for talk in (turns, plain)]
    by_columns = both_ways(written(tmp_path / "chats.jsonl", *records), "sharegpt")
    assert by_columns or text not in TEXTS_OF_CALLS[:3]


def test_tools_as_texts_are_read_by_columns(tmp_path):
    texts = ['[{"name": "book", "parameters": {"type": "object"}}]', "[]", None, '["book", "search"]']
    turns = [{"from": "human", "value": "Go"}, {"from": "gpt", "value": "Gone."}]
    records = [{"id": str(i), "system": "Be short.", "conversations": turns, "tools": t} for i, t in enumerate(texts)]
    path = written(tmp_path / "chats.jsonl", *records)
    assert both_ways(path, "sharegpt")
    data = tc.load(path)
    assert data.cases.tools_known.to_list() == [True, True, False, True]
    assert data.tools.case.to_list() == ["0", "3", "3"]
    assert not both_ways(written(path, *records, {**records[0], "tools": '[{"no": "name"}]'}), "sharegpt")


@pytest.mark.parametrize("system", [None, 5, True, "Be short.", "<tools>[]</tools>"])
def test_what_stands_beside_a_sharegpt_conversation(tmp_path, system):
    turns = [{"from": "human", "value": "Go"}, {"from": "gpt", "value": "Gone."}]
    path = written(tmp_path / "chats.jsonl", {"system": system, "conversations": turns}, {"conversations": turns})
    assert both_ways(path, "sharegpt") == (system != "<tools>[]</tools>")


@pytest.mark.parametrize("family", ["anthropic_messages", "vercel_ai_messages", "sharegpt"])
@pytest.mark.parametrize("defaults", [(None, float("nan")), (float("inf"), None)])
def test_schemas_that_only_differ_in_what_is_no_json_are_kept_apart(tmp_path, family, defaults):
    tools = [[{"name": "book", "parameters": {"default": default}}] for default in defaults]
    chats = [[("ask", f"Who is {i}?"), ("answer", "Nobody.")] for i in range(2)]
    records = [record_of(family, chat, {"tools": offered}) for chat, offered in zip(chats, tools)]
    both_ways(written(tmp_path / "chats.jsonl", *records), family)
    kept = [json.loads(text)["default"] for text in tc.load(tmp_path / "chats.jsonl", format=family).tools.parameters]
    assert [repr(value) for value in kept] == [repr(value) for value in defaults]
