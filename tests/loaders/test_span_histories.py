"""Requests of a trace that repeat each other: what is new in each, and what is never read."""

from __future__ import annotations

import json

import pytest

import toolcorrect as tc
from tests.loaders.span_cases import otlp, span
from toolcorrect.loaders.histories import Histories

TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]


def chat(calls=(), content=None):
    made = [{"id": i, "type": "function", "function": {"name": "look", "arguments": a}} for i, a in calls]
    return {"role": "assistant", "content": content, "tool_calls": made}


MESSAGES = [
    {"role": "user", "content": "Where?"},
    chat([("a", '{"n": 1}')]),
    {"role": "tool", "tool_call_id": "a", "content": "here"},
    chat([("b", '{"n": 2}')]),
    {"role": "tool", "tool_call_id": "b", "content": "there"},
]
BODIES = {
    "messages last": lambda messages: {"model": "m", "tools": TOOLS, "messages": messages},
    "tools last": lambda messages: {"model": "m", "messages": messages, "tools": TOOLS, "n": [1]},
    "tools from the second": lambda messages: {
        "messages": messages,
        **({"tools": TOOLS} if len(messages) > 1 else {}),
    },
}


def generation(number, body, said):
    attributes = {
        "langfuse.observation.type": "generation",
        "langfuse.observation.input": json.dumps(body),
        "langfuse.observation.output": json.dumps(said),
    }
    return span(number, attributes)


@pytest.mark.parametrize("body", BODIES)
def test_answers_come_from_bodies_that_grow(body):
    spans = [generation(1 + i, BODIES[body](MESSAGES[:i]), chat([])) for i in (1, 3, 5)]
    for made, answer in zip(spans, (MESSAGES[1], MESSAGES[3], chat(content="Found."))):
        made["attributes"][2]["value"]["stringValue"] = json.dumps(answer)
    data = tc.load([otlp(*spans)])
    assert [json.loads(text) for text in data.calls["output"]] == ["here", "there"]
    assert data.calls["call_id"].to_list() == ["a", "b"]
    assert data.cases[["input", "output"]].to_numpy().tolist() == [["Where?", "Found."]]
    assert data.tools["tool"].to_list() == ["look"]
    assert data.report.empty


@pytest.mark.parametrize("body", BODIES)
def test_parts_put_together_are_the_whole(body):
    histories, found = Histories(), []
    for end in (1, 3, 5):
        part = histories.part(json.dumps(BODIES[body](MESSAGES[:end])))
        new = json.loads(part.messages())
        found = [*found, *new] if len(new) < end else new
    assert found == MESSAGES


def test_a_history_that_cannot_be_read_costs_no_announced_call():
    given = [{"role": "assistant", "tool_calls": [7]}]
    said = [{"role": "assistant", "parts": [{"type": "tool_call", "id": "a", "name": "look", "arguments": {}}]}]
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps(given),
        "gen_ai.output.messages": json.dumps(said),
    }
    data = tc.load([otlp(span(1, attributes))])
    assert data.calls["tool"].to_list() == ["look"]
    assert data.report["code"].to_list() == ["messages_unreadable"]
