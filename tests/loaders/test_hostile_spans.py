"""Spans made to hurt: they are refused or read, soon, and never end in a traceback."""

from __future__ import annotations

import io
import json
import random
import time

import pytest

import toolcorrect as tc
from tests.loaders.samples import files
from tests.loaders.span_cases import otlp, span
from toolcorrect.errors import ToolcorrectError

DEEP = "[" * 100_000 + "]" * 100_000
LLM = {"openinference.span.kind": "LLM"}
TOOL = {"openinference.span.kind": "TOOL", "tool.name": "t"}
MILLION = "x" * 1_000_000
CALL = "llm.output_messages.0.message.tool_calls"


def load(value):
    text = value if isinstance(value, str) else json.dumps(value)
    started = time.perf_counter()
    try:
        return tc.load(io.BytesIO(text.encode()))
    finally:
        # Generous: other tests run beside this one.
        assert time.perf_counter() - started < 15


@pytest.mark.parametrize(
    "text",
    [
        '{"resourceSpans":' + DEEP + "}",
        '{"info":{"trace_id":"a"},"data":{"spans":[' + DEEP + "]}}",
        '{"eval":{},"plan":{},"samples":[' + DEEP + "]}",
        '{"run_type":"tool","trace_id":"t","inputs":' + DEEP + "}",
    ],
)
def test_documents_nested_without_end_are_refused(text):
    with pytest.raises(ToolcorrectError, match="nested too deeply"):
        load(text)


def test_texts_nested_without_end_are_kept_as_they_are():
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "a", "gen_ai.tool.call.arguments": DEEP}
    chat = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": DEEP, "gen_ai.input.messages": DEEP}
    data = load(otlp(span(1, tool), span(2, chat)))
    assert data.calls["arguments_status"].to_list() == ["failed"]


def test_names_with_endless_dots():
    assert load(otlp(span(1, {**LLM, "llm.output_messages" + ".a" * 100_000: "x"}))).calls.empty


def test_ids_of_a_million_characters():
    one = span(1, {**TOOL, "session.id": MILLION, "tool_call.id": MILLION})
    data = load(otlp({**one, "traceId": MILLION, "spanId": MILLION, "parentSpanId": MILLION}))
    assert data.calls["call_id"].to_list() == [MILLION]


def test_ten_spans_with_ids_of_a_million_characters_on_one_line():
    spans = []
    for i in range(10):
        name = f"{i}{MILLION}"
        one = span(i + 1, {**TOOL, "session.id": name, "tool_call.id": name})
        spans.append({**one, "traceId": name, "spanId": name, "parentSpanId": MILLION})
    data = load(otlp(*spans))
    assert data.calls["call_id"].str.len().to_list() == [1_000_001] * 10


def test_spans_that_are_each_others_parents_and_endless_stacks():
    stack = [span(i, {"openinference.span.kind": "CHAIN"}, parent=i - 1) for i in range(10, 5000)]
    ring = [span(1, TOOL, parent=2), span(2, {"openinference.span.kind": "AGENT"}, parent=1)]
    assert len(load(otlp(*ring, *stack, span(5001, TOOL, parent=4999))).calls) == 2


@pytest.mark.parametrize("ids", ["none", "same", "other"])
def test_thousands_of_calls_in_one_trace(ids):
    count = 3000
    attributes, tools = dict(LLM), []
    for i in range(count):
        attributes[f"{CALL}.{i}.tool_call.function.name"] = "t"
        attributes[f"{CALL}.{i}.tool_call.function.arguments"] = json.dumps({"i": i})
        identity = {"none": None, "same": "call_0", "other": f"call_{i}"}[ids]
        executed = {**TOOL, "input.value": json.dumps({"i": i})}
        if identity:
            attributes[f"{CALL}.{i}.tool_call.id"] = executed["tool_call.id"] = identity
        tools.append(span(i + 2, executed))
    calls = load(otlp(span(1, attributes), *tools)).calls
    assert len(calls) == count
    assert set(calls["source"]) == {"both"}


def test_what_is_no_span_is_reported_where_it_stands():
    junk = [1, {"scopeSpans": [2, {"spans": 7}, {"spans": ["x", {"spanId": "1", "attributes": [1]}]}]}]
    data = tc.load([{"resourceSpans": junk}, otlp(span(1, TOOL))])
    assert len(data.calls) == 1
    assert (data.report["code"] == "unreadable").sum() == 5


def test_times_beyond_all_calendars():
    data = load(otlp({**span(1, TOOL), "startTimeUnixNano": "1" + "0" * 30, "endTimeUnixNano": 1e300}))
    assert data.calls["started"].isna().all()


def test_messages_that_a_limit_cut_off_are_unknown():
    said = json.dumps([{"role": "assistant", "parts": [{"type": "tool_call", "name": "a", "arguments": {}}]}])
    data = load(otlp(span(1, {"gen_ai.operation.name": "chat", "gen_ai.output.messages": said[:-20]})))
    assert not data.cases["called_known"].any()
    assert set(data.report["code"]) == {"messages_unreadable", "calls_unknown"}


SAMPLES = (
    "langfuse_otlp",
    "openinference_openai",
    "otel_genai_strands",
    "mlflow_trace",
    "inspect_log",
    "langsmith_runs",
)


@pytest.mark.parametrize("sample", SAMPLES)
def test_cuts_and_flips_never_end_in_a_traceback(sample):
    whole = files(sample)[0].read_bytes()
    draw = random.Random(sample)
    for number in range(12):
        data = bytearray(whole)
        if number % 3 == 0:
            del data[draw.randrange(len(data)) :]
        else:
            for _ in range(draw.choice([1, 3, 30])):
                data[draw.randrange(len(data))] = draw.choice(b'{}[]",:0n\x00\xff')
        try:
            tc.load(io.BytesIO(bytes(data)))
        except ToolcorrectError:
            continue


def test_a_cut_line_loses_only_itself():
    lines = files("otel_genai_strands")[0].read_bytes().splitlines(keepends=True)
    cut = b"".join([*lines[:2], lines[2][:200] + b"\n", *lines[3:]])
    whole, data = tc.load(io.BytesIO(b"".join(lines))), tc.load(io.BytesIO(cut))
    assert data.report.query("code == 'unreadable'")["record"].to_list() == ["line 3"]
    assert len(data.calls) == len(whole.calls)
