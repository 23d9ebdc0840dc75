from __future__ import annotations

import toolcorrect as tc
from tests.loaders.plain import rows


def human(words, **more):
    return {"type": "human", "content": words, "additional_kwargs": {}, **more}


def ai(*calls, content="", **more):
    return {"type": "ai", "content": content, "additional_kwargs": {}, "tool_calls": list(calls), **more}


def call(name, identity, **args):
    return {"name": name, "args": args, "id": identity, "type": "tool_call"}


def tool(identity, content="21", **more):
    return {"type": "tool", "content": content, "tool_call_id": identity, **more}


def dumped(message):
    names = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}
    fields = {key: value for key, value in message.items() if key != "type"}
    return {"lc": 1, "type": "constructor", "id": ["langchain", names[message["type"]]], "kwargs": fields}


RUN = [human("Go"), ai(call("f", "1", a=1), call("g", "2")), tool("2", status="error"), tool("1"), ai(content="Done")]


def test_the_three_serialisations_hold_the_same():
    forms = {
        "langchain_model_dump": RUN,
        "langchain_messages_to_dict": [{"type": m["type"], "data": m} for m in RUN],
        "langchain_dumpd": [dumped(m) for m in RUN],
    }
    for name, messages in forms.items():
        assert tc.detect(messages).format == name
        data = tc.load({"messages": messages})
        assert rows(data.calls, "tool", "arguments", "step", "output", "error") == [
            ["f", '{"a":1}', 0, '"21"', None],
            ["g", "{}", 0, '"21"', True],
        ]
        assert data.cases[["input", "output", "turns"]].values.tolist() == [["Go", "Done", 1]]


def test_calls_that_cannot_be_parsed_keep_their_place():
    bad = {"name": "bad", "args": '{"a": ', "id": "0", "error": "cut off"}
    raw = [{"id": identity, "function": {"name": name}} for identity, name in (("0", "bad"), ("1", "f"))]
    message = ai(call("f", "1"), invalid_tool_calls=[bad])
    known = tc.load([human("Go"), {**message, "additional_kwargs": {"tool_calls": raw}}])
    assert known.calls.tool.to_list() == ["bad", "f"]
    assert known.calls.arguments_status.to_list() == ["failed", "ok"]
    guessed = tc.load([human("Go"), message])
    assert guessed.calls.tool.to_list() == ["f", "bad"]
    assert "order_inferred" in guessed.report.code.to_list()


def test_a_stream_of_whole_states_is_one_run(tmp_path):
    states = [{"messages": RUN[:n]} for n in (1, 2, 3, 4, 5)]
    data = tc.load(states)
    assert len(data.cases) == 1
    assert len(data.calls) == 2
    assert len(tc.load({"values": {"messages": RUN}, "next": []}).calls) == 2


def test_updates_of_sub_graphs_and_other_nodes():
    updates = [
        [[], {"planner": {"messages": [dumped(ai(call("f", "1"), id="m1"))]}}],
        [["worker:1"], {"agent": {"messages": [dumped(ai(call("transfer_to_boss", "2"), id="m2", name="helper"))]}}],
        [["worker:1"], {"tools": {"messages": [dumped(tool("2"))]}}],
        [[], {"__interrupt__": []}],
        [[], {"silent": None}],
        # The parent tells its child's messages again.
        [[], {"planner": {"messages": [dumped(ai(call("transfer_to_boss", "2"), id="m2", name="helper"))]}}],
    ]
    data = tc.load(updates)
    assert tc.detect(updates).format == "langgraph_updates"
    assert rows(data.calls, "tool", "agent", "depth", "kind") == [
        ["f", "planner", 0, "function"],
        ["transfer_to_boss", "helper", 1, "handoff"],
    ]
