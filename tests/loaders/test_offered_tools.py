"""Whatever the family, the tools beside its messages may be names, or in the form of another provider."""

from __future__ import annotations

import pytest

import toolcorrect as tc

ASKED = {"role": "user", "content": "Go"}
RECORDS = {
    "openai_chat": {
        "messages": [
            ASKED,
            {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]},
        ]
    },
    "openai_responses": {"input": [ASKED, {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}]},
    "anthropic_messages": {
        "messages": [
            ASKED,
            {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}]},
        ]
    },
    "gemini_contents": {"contents": [{"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}]},
    "adk_session": {"events": [{"author": "x", "content": {"parts": [{"functionCall": {"name": "f", "args": {}}}]}}]},
    "bedrock_converse": {
        "messages": [{"role": "assistant", "content": [{"toolUse": {"toolUseId": "1", "name": "f", "input": {}}}]}]
    },
    "langchain_model_dump": {
        "messages": [{"type": "ai", "content": "", "tool_calls": [{"name": "f", "args": {}, "id": "1"}]}]
    },
    "vercel_ai_messages": {
        "messages": [
            {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "1", "toolName": "f", "input": {}}]}
        ]
    },
    "pydantic_ai_messages": {
        "messages": [{"kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": "f", "args": {}}]}]
    },
    "sharegpt": {"conversations": [{"from": "function_call", "value": '{"name": "f", "arguments": {}}'}]},
}
OFFERS = {
    "names": ["f", "g"],
    "a text": "f;g",
    "flat": [{"name": "f"}, {"name": "g"}],
    "OpenAI's": [{"type": "function", "function": {"name": name}} for name in "fg"],
}


@pytest.mark.parametrize("family", RECORDS)
@pytest.mark.parametrize("form", OFFERS)
def test_tools_are_known_by_their_names(family, form):
    record = {**RECORDS[family], "tools": OFFERS[form]}
    assert tc.detect([record]).format == family
    data = tc.load([record])
    assert data.calls.tool.to_list() == ["f"]
    assert data.tools.tool.to_list() == ["f", "g"]
    assert data.cases.tools_known.all()


@pytest.mark.parametrize("family", RECORDS)
def test_no_tools_and_unknown_ones_are_two_things(family):
    data = tc.load([{**RECORDS[family], "tools": tools} for tools in ([], None)])
    assert data.cases.tools_known.to_list() == [True, False]


def test_tools_that_only_a_provider_has():
    own = {"gemini_contents": [{"googleSearch": {}}], "openai_responses": [{"type": "web_search", "name": None}]}
    found = [tc.load([{**RECORDS[family], "tools": tools}]).tools.tool.to_list() for family, tools in own.items()]
    assert found == [["googleSearch"], ["web_search"]]


ODD = {
    "a null": ["f", None],
    "a null name": [{"name": None}, {"name": "g"}],
    "a list": [["f"]],
    "a number": 3,
    "an object": {"f": {}},
    "no name": [{"description": "d"}],
    "nothing": [{}],
    "a declaration without a name": [{"functionDeclarations": [{"description": "d"}]}],
    "Bedrock's": [{"toolSpec": {"name": "f"}}],
}


@pytest.mark.parametrize("family", RECORDS)
@pytest.mark.parametrize("what", ODD)
def test_tools_that_cannot_be_read_do_not_lose_the_calls(family, what):
    records = [{**RECORDS[family], "tools": tools} for tools in (ODD[what], ["f"])]
    assert tc.detect(records).format == family
    data = tc.load(records)
    assert data.calls.tool.to_list() == ["f", "f"]
    assert data.cases.tools_known.to_list() == [False, True]
    assert data.tools.tool.to_list() == ["f"]
    assert "tools_unreadable" in set(data.report.code)


def test_gemini_declares_functions_beside_tools_of_its_own():
    tools = [{"functionDeclarations": [{"name": "f"}], "googleSearch": {}}]
    data = tc.load([{**RECORDS["gemini_contents"], "tools": tools}])
    assert data.tools.tool.to_list() == ["f", "googleSearch"]
