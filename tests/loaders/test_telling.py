"""Detection where formats look alike, and where nothing fits."""

from __future__ import annotations

import pytest

import toolcorrect as tc

ASKED = {"role": "user", "content": "hi"}

ALIKE = {
    # What the SDK dumps holds nulls of older fields.
    "openai_chat": [ASKED, {"role": "assistant", "content": "x", "function_call": None, "tool_calls": None}],
    "gemini_contents": [{"role": "model", "parts": [{"function_call": {"name": "f", "args": {}}}]}],
    "openai_responses": [ASKED, {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}],
    "anthropic_messages": [ASKED, {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]}],
    "vercel_ai_messages": [{"role": "user", "parts": [{"type": "text", "text": "hi"}]}],
    "bedrock_converse": [{"role": "user", "content": [{"text": "hi"}]}],
    "pydantic_ai_messages": [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "hi"}]}],
    "langchain_model_dump": [{"type": "human", "content": "hi", "additional_kwargs": {}}],
    "ragas_multiturn": [{"type": "human", "content": "hi"}, {"type": "ai", "content": "x"}],
    "llamaindex_messages": [{"role": "user", "blocks": [{"block_type": "text", "text": "hi"}]}],
    "hermes_text": [ASKED, {"role": "assistant", "content": '<tool_call>{"name": "f"}</tool_call>'}],
    "sharegpt": [{"from": "human", "value": "hi"}],
}


@pytest.mark.parametrize("name", ALIKE)
def test_lists_of_messages_that_look_alike(name):
    messages = ALIKE[name]
    key = {"gemini_contents": "contents", "openai_responses": "items", "sharegpt": "conversations"}.get(
        name, "messages"
    )
    for source in (messages, {key: messages}, [{key: messages}, {key: messages}]):
        found = tc.detect(source)
        assert found.format == name
        assert found.reason
        data = tc.load(source)
        assert data.cases.called_known.all()
        assert len(data.cases) == (2 if source is not messages and isinstance(source, list) else 1)


@pytest.mark.parametrize(
    "stranger",
    [
        {"name": "left-pad", "version": "1.0.0", "dependencies": {"x": "1"}},
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {}},
        {"cells": [{"cell_type": "code", "source": []}], "nbformat": 4},
        {"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": None}]},
        [{"id": 1, "title": "x", "content": "text"}, {"id": 2, "title": "y", "content": "text"}],
        [{"type": "message", "text": "hello"}],
        {"events": [{"name": "start"}], "steps": [], "data": []},
    ],
)
def test_other_json_is_of_no_known_format(stranger):
    assert tc.detect(stranger).format is None
