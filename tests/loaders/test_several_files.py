"""What belongs together, spread over several files that are loaded at once."""

from __future__ import annotations

import copy
import json

import pandas as pd
import pytest

import toolcorrect as tc
from tests.loaders import trip_spans as trip
from tests.loaders.span_cases import otlp, span
from toolcorrect.tables import TABLES


def dealt(request, files):
    """Deal the spans of a request of OTLP/JSON to as many requests."""
    requests = []
    for number in range(files):
        one = copy.deepcopy(request)
        for resource in one["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                scope["spans"] = scope["spans"][number::files]
        requests.append(one if not number else {"resourceSpans": one["resourceSpans"]})
    return requests


def written(folder, documents):
    for number, document in enumerate(documents):
        (folder / f"{number}.json").write_text(json.dumps(document))
    return folder


@pytest.mark.parametrize("dialect", trip.WITH_CONTENT)
@pytest.mark.parametrize("files", [2, 5])
def test_a_trace_is_one_case_wherever_its_spans_are(tmp_path, dialect, files):
    request = trip.WITH_CONTENT[dialect]()
    whole = tc.load([request])
    spread = tc.load(written(tmp_path, dealt(request, files)))
    for table in set(TABLES) - {"report"}:
        expected, found = (getattr(data, table).drop(columns="source", errors="ignore") for data in (whole, spread))
        pd.testing.assert_frame_equal(found, expected)
    assert spread.calls.source.to_list() == whole.calls.source.to_list()
    joined = spread.report[spread.report.code == "trace_joined"]
    assert joined.file.to_list() == [f"{number}.json" for number in range(1, files)]


def test_the_same_spans_in_two_files_count_once(tmp_path):
    request = trip.WITH_CONTENT["openinference"]()
    data = tc.load(written(tmp_path, [request, request]))
    assert len(data) == 1
    assert len(data.calls) == 4


def test_pages_of_an_export_hold_parts_of_a_trace(tmp_path):
    observation = {"traceId": "t", "level": "DEFAULT", "parentObservationId": None}
    said = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "find", "arguments": "{}"}}]}
    pages = [
        {"data": [{**observation, "id": "b", "type": "TOOL", "name": "find", "input": {}, "output": "x"}]},
        {"data": [{**observation, "id": "a", "type": "GENERATION", "input": [], "output": said}]},
    ]
    for page, second in zip(pages, (2, 1)):
        page["data"][0]["startTime"] = page["data"][0]["endTime"] = f"2026-01-01T00:00:0{second}Z"
    data = tc.load(written(tmp_path, pages))
    assert data.cases.index.to_list() == ["t"]
    assert data.calls[["tool", "source", "output"]].to_numpy().tolist() == [["find", "both", '"x"']]


def test_traces_of_two_dialects_are_joined(tmp_path):
    """A service and its library may be instrumented in different ways."""
    one = trip.WITH_CONTENT["openinference"]()
    spans = one["resourceSpans"][0]["scopeSpans"][0]["spans"]
    other = copy.deepcopy(one)
    other["resourceSpans"][0]["scopeSpans"][0]["spans"] = [
        {
            "traceId": spans[0]["traceId"],
            "spanId": "00000000000000ff",
            "name": "execute_tool call_taxi",
            "startTimeUnixNano": "1900000000000000000",
            "endTimeUnixNano": "1900000000000000001",
            "attributes": [
                {"key": key, "value": {"stringValue": value}}
                for key, value in (("gen_ai.operation.name", "execute_tool"), ("gen_ai.tool.name", "call_taxi"))
            ],
        }
    ]
    data = tc.load(written(tmp_path, [one, other]))
    assert len(data) == 1
    assert data.calls.tool.to_list()[-1] == "call_taxi"
    assert len(data.calls) == 5


def test_files_of_other_traces_are_cases_of_their_own(tmp_path):
    requests = [trip.WITH_CONTENT["openinference"]() for _ in range(2)]
    for one in requests[1]["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        one["traceId"] = "f" * 32
    data = tc.load(written(tmp_path, requests))
    assert len(data) == 2
    assert len(data.calls) == 8
    assert "trace_joined" not in set(data.report.code)


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("first", ["post", "patch"])
def test_runs_of_langsmith_that_end_in_another_file(tmp_path, named, first):
    said = {"message": {"type": "ai", "content": "", "tool_calls": [{"id": "c1", "name": "f", "args": {}}]}}
    runs = [
        ("root", None, "chain", {"input": "Go"}, {"output": "done"}),
        ("llm", "root", "llm", {"messages": []}, {"generations": [[said]]}),
        ("tool", "root", "tool", {}, {"output": "X"}),
    ]
    posts, patches = [], []
    for number, (identity, parent, kind, inputs, outputs) in enumerate(runs):
        where = {"id": identity, "trace_id": "root", "parent_run_id": parent, "dotted_order": str(number)}
        names = {"name": "f" if kind == "tool" else kind, "run_type": kind}
        start, end = f"2026-01-01T00:00:0{number}Z", f"2026-01-01T00:00:0{number + 1}Z"
        posts.append({**where, **names, "inputs": inputs, "outputs": {}, "start_time": start})
        patches.append({**where, **(names if named else {}), "outputs": outputs, "end_time": end})
    whole = tc.load([{"post": posts, "patch": patches}])
    assert whole.calls[["call_id", "output", "source"]].to_numpy().tolist() == [["c1", '"X"', "both"]]
    pieces = [{"post": posts}, {"patch": patches}]
    spread = tc.load(written(tmp_path, pieces if first == "post" else pieces[::-1]))
    assert "empty_trace" not in set(spread.report.code)
    pd.testing.assert_frame_equal(spread.calls, whole.calls)
    assert spread.cases.output.to_list() == whole.cases.output.to_list() == ["done"]


def test_sessions_of_one_trace_keep_their_own_answers():
    def chat(number, session, answer):
        call = {"type": "tool_call", "id": "c1", "name": "f", "arguments": {}}
        told = [{"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": answer}]}]
        made = [{"role": "assistant", "parts": [call]}]
        asked = [{"role": "user", "parts": [{"type": "text", "content": session}]}]
        common = {"gen_ai.operation.name": "chat", "gen_ai.conversation.id": session}
        return [
            span(
                number,
                {**common, "gen_ai.input.messages": json.dumps(asked), "gen_ai.output.messages": json.dumps(made)},
            ),
            span(number + 1, {**common, "gen_ai.input.messages": json.dumps([*asked, *made, *told])}),
        ]

    data = tc.load([otlp(*chat(1, "S1", "ONE"), *chat(3, "S2", "TWO"))])
    assert data.calls.output.to_list() == ['"ONE"', '"TWO"']


def test_sessions_of_one_trace_that_tell_the_same_keep_it_both():
    call = {"type": "tool_call", "id": "c1", "name": "f", "arguments": {}}
    asked = {"role": "user", "parts": [{"type": "text", "content": "Go"}]}
    told = [asked, {"role": "assistant", "parts": [call]}]
    told.append({"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "R"}]})
    spans = []
    for number, session in enumerate(("S1", "S2")):
        common = {"gen_ai.operation.name": "chat", "gen_ai.conversation.id": session}
        made = {"gen_ai.input.messages": json.dumps([asked]), "gen_ai.output.messages": json.dumps([told[1]])}
        spans.append(span(2 * number + 1, {**common, **made}))
        spans.append(span(2 * number + 2, {**common, "gen_ai.input.messages": json.dumps(told)}))
    data = tc.load([otlp(*spans)])
    assert data.calls.output.to_list() == ['"R"', '"R"']
    assert data.cases.input.to_list() == ["Go", "Go"]
