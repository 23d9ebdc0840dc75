"""Dialects of spans, and the one rule by which a trace becomes calls."""

from __future__ import annotations

import base64
import copy
import json

import pytest

import toolcorrect as tc
from tests.loaders import trip_spans as trip
from tests.loaders.span_cases import otlp, span


def codes(data):
    return set(data.report["code"])


def spans_of(request):
    return request["resourceSpans"][0]["scopeSpans"][0]["spans"]


def check_trip(data, *, outputs=True):
    calls = data.calls
    assert calls["tool"].to_list() == [name for _, name, _ in trip.CALLS]
    assert calls["step"].to_list() == [0, 0, 1, 2]
    assert [json.loads(text) for text in calls["arguments"]] == [arguments for _, _, arguments in trip.CALLS]
    assert data.cases["input"].to_list() == [trip.QUESTION]
    assert data.cases["output"].to_list() == [trip.ANSWER]
    if outputs:
        found = calls["output"].to_list()
        assert [json.loads(found[i]) for i in (0, 1, 3)] == [trip.OUTPUTS[i] for i in ("A1", "A2", "C1")]


@pytest.mark.parametrize("dialect", trip.WITH_CONTENT)
def test_every_dialect_holds_the_same_four_calls(dialect):
    request = trip.WITH_CONTENT[dialect]()
    wanted = "otlp_openinference" if dialect == "openinference" else "otlp_genai"
    assert tc.detect([request]).format == wanted
    data = tc.load([request])
    check_trip(data)
    assert data.cases["model"].to_list() == ["m"]
    assert data.tools["tool"].to_list() == trip.TOOLS
    executed = dialect != "traceloop"
    assert set(data.calls["source"]) == {"both" if executed else "llm"}
    if executed:
        assert data.calls["error"].to_list() == [False, False, True, False]
        assert data.calls["error_message"][2] == "no vacancies"
    else:
        assert data.calls["error"].isna().all()
        assert json.loads(data.calls["output"][2]) == "no vacancies"
    assert codes(data) <= {"merged"}


@pytest.mark.parametrize("placeholders", [False, True])
def test_without_content_names_are_known_and_arguments_are_not(placeholders):
    data = tc.load([trip.adk(placeholders=placeholders)])
    # Of parallel calls the second started first: nothing says that this is not their order.
    assert data.calls["call_id"].to_list() == ["A2", "A1", "B1", "C1"]
    assert data.calls["arguments_status"].to_list() == ["absent"] * 4
    assert data.calls["output"].isna().all()
    assert data.calls["step"].isna().all()
    assert codes(data) == {"arguments_not_captured", "order_inferred", "phantom_left_out"}
    assert data.report.set_index("code")["count"]["arguments_not_captured"] == 4


def test_arguments_that_are_really_empty_stay_so():
    attributes = {"gen_ai.tool.name": "now", "gcp.vertex.agent.tool_call_args": "{}"}
    data = tc.load([otlp(span(1, {**attributes, "gcp.vertex.agent.tool_response": '{"result": 12}'}))])
    assert data.calls["arguments"].to_list() == ["{}"]
    assert json.loads(data.calls["output"][0]) == '{"result": 12}'


def test_google_adk_tells_a_failure_in_the_response_alone():
    attributes = {"gen_ai.tool.name": "book", "gcp.vertex.agent.tool_call_args": '{"n": 1}'}
    responses = ['{"error": "no vacancies"}', '{"status": "ok"}']
    spans = [span(i, {**attributes, "gcp.vertex.agent.tool_response": r}) for i, r in enumerate(responses, 1)]
    assert tc.load([otlp(*spans)]).calls["error"].to_list() == [True, False]


def test_the_order_of_lines_and_files_of_spans_does_not_matter():
    request = trip.openinference_numbered()
    lines = [otlp(one) for one in reversed(spans_of(request))]
    check_trip(tc.load(lines))


def test_spans_written_twice_count_once():
    request = trip.strands_default()
    check_trip(tc.load([request, copy.deepcopy(request)]))


def test_a_bad_span_loses_none_of_the_others():
    request = trip.strands_default()
    spans_of(request).insert(2, {"traceId": "1", "name": "no id"})
    spans_of(request).insert(4, "text")
    data = tc.load([request, 7])
    check_trip(data)
    assert data.report.query("code == 'unreadable'")["record"].to_list() == [
        "record 0 span 2",
        "record 0 span 4",
        "record 1",
    ]


def test_ids_in_base64_and_names_in_snake_case():
    request = trip.openinference_numbered()

    def snake(value):
        if isinstance(value, list):
            return [snake(item) for item in value]
        if not isinstance(value, dict):
            return value
        return {"".join(f"_{c.lower()}" if c.isupper() else c for c in key): snake(v) for key, v in value.items()}

    for one in spans_of(request):
        for key in {"traceId", "spanId", "parentSpanId"} & one.keys():
            one[key] = base64.b64encode(bytes.fromhex(one[key])).decode()
    data = tc.load([snake(request)])
    check_trip(data)
    assert data.cases.index.to_list() == ["0af7651916cd43dd8448eb211c80319c"]


def test_the_console_exporter_prints_objects_one_after_the_other(tmp_path):
    printed = []
    for one in spans_of(trip.openinference_numbered()):
        parent = one.get("parentSpanId")
        printed.append(
            {
                "name": one["name"],
                "context": {"trace_id": "0x" + one["traceId"], "span_id": "0x" + one["spanId"], "trace_state": "[]"},
                "kind": "SpanKind.INTERNAL",
                "parent_id": parent and "0x" + parent,
                "start_time": f"2026-01-01T00:00:{int(one['startTimeUnixNano'][-12:-9]) // 10:02d}.5Z",
                "end_time": f"2026-01-01T00:00:{int(one['endTimeUnixNano'][-12:-9]) // 10:02d}.9Z",
                "status": {"status_code": "ERROR", "description": "no vacancies"}
                if one["status"]
                else {"status_code": "UNSET"},
                "attributes": {a["key"]: a["value"]["stringValue"] for a in one["attributes"]},
                "events": [],
            }
        )
    path = tmp_path / "out.txt"
    path.write_text("\n".join(json.dumps(one, indent=4) for one in printed) + "\n")
    assert tc.detect(path).format == "otel_console"
    check_trip(tc.load(path))


def test_events_as_log_records_join_the_trace():
    def log(number, name, body):
        return {
            "traceId": "0af7651916cd43dd8448eb211c80319c",
            "spanId": f"{number:016x}",
            "timeUnixNano": str(1_790_000_000_000_000_000 + number * 10**10 + 10**9),
            "attributes": [{"key": "event.name", "value": {"stringValue": name}}],
            "body": {"kvlistValue": {"values": body}},
        }

    def entry(key, value):
        return {"key": key, "value": {"stringValue": value}}

    call = {"kvlistValue": {"values": [entry("id", "1"), {"key": "function", "value": {"kvlistValue": {
        "values": [entry("name", "search"), entry("arguments", '{"q": 1}')]}}}]}}  # fmt: skip
    message = {"kvlistValue": {"values": [{"key": "tool_calls", "value": {"arrayValue": {"values": [call]}}}]}}
    records = [
        log(1, "gen_ai.user.message", [entry("content", "why")]),
        log(1, "gen_ai.choice", [{"key": "message", "value": message}]),
        log(2, "gen_ai.tool.message", [entry("id", "1"), entry("content", "found")]),
    ]
    spans = otlp(*(span(n, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}) for n in (1, 2)))
    data = tc.load([spans, {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}])
    assert data.calls[["tool", "arguments", "output"]].values.tolist() == [["search", '{"q": 1}', '"found"']]
    assert data.cases["input"].to_list() == ["why"]


LLM = "openinference.span.kind"


def model(number, *calls, **where):
    attributes = {LLM: "LLM"}
    for i, (identity, name, arguments) in enumerate(calls):
        prefix = f"llm.output_messages.0.message.tool_calls.{i}.tool_call"
        attributes[f"{prefix}.function.name"] = name
        attributes[f"{prefix}.function.arguments"] = json.dumps(arguments)
        if identity:
            attributes[f"{prefix}.id"] = identity
    if not calls:
        attributes["llm.output_messages.0.message.content"] = "done"
    return span(number, attributes, **where)


def tool(number, name, arguments=None, identity=None, output=None, **where):
    stated = {"tool.name": name, "tool_call.id": identity, "output.value": output}
    stated["input.value"] = None if arguments is None else json.dumps(arguments)
    return span(number, {LLM: "TOOL", **{key: v for key, v in stated.items() if v is not None}}, **where)


def agent(number, name, **where):
    return span(number, {LLM: "AGENT"}, name=name, **where)


def test_ids_used_again_in_a_later_step_are_other_calls():
    search, book = ("call_0", "search", {"q": 1}), ("call_0", "book", {})
    request = otlp(
        model(1, search),
        tool(2, "search", {"q": 1}, "call_0", "a"),
        model(3, search),
        tool(4, "search", {"q": 1}, "call_0", "b"),
        model(5, book),
        tool(6, "book", {}, "call_0", "c"),
    )
    calls = tc.load([request]).calls
    assert calls["tool"].to_list() == ["search", "search", "book"]
    assert calls["output"].to_list() == ['"a"', '"b"', '"c"']
    assert calls["step"].to_list() == [0, 1, 2]


def test_an_id_told_again_without_another_execution_is_one_call():
    search = ("call_x", "search", {"q": 1})
    data = tc.load([otlp(model(1, search), tool(2, "search", {"q": 1}, "call_x", "a"), model(3, search))])
    assert len(data.calls) == 1
    assert codes(data) == {"merged"}


def test_two_instrumentations_of_one_answer_announce_once():
    call = (None, "search", {"q": 1})
    wrapper = model(1, call, start=0, end=100)
    data = tc.load([otlp(model(2, call, parent=1, start=10, end=20), wrapper, model(3, call, start=200))])
    assert len(data.calls) == 2
    assert data.calls["step"].to_list() == [0, 1]


def test_a_call_seen_by_two_instrumentations_is_executed_once():
    outer = tool(1, "search", {"q": 1}, start=0, end=100)
    inner = tool(2, "search", {"q": 1}, output="a", parent=1, start=1, end=2)
    other = tool(3, "search", {"q": 2}, parent=1, start=3, end=4)
    data = tc.load([otlp(outer, inner, other)])
    assert data.calls["arguments"].to_list() == ['{"q": 1}', '{"q": 2}']
    assert data.calls["depth"].to_list() == [0, 1]


def test_calls_without_an_execution_and_executions_without_an_announcement_both_count():
    request = otlp(
        model(1, ("a", "cancelled", {})),
        tool(2, "from_code", {}, start=20),
        model(3, ("b", "search", {}), start=30),
        tool(4, "search", {}, "b", "x", start=40, error="down"),
    )
    data = tc.load([request])
    assert data.calls[["tool", "source"]].values.tolist() == [
        ["cancelled", "llm"],
        ["from_code", "tool"],
        ["search", "both"],
    ]
    assert data.calls["error"].astype(object).where(data.calls["error"].notna(), None).to_list() == [
        None,
        False,
        True,
    ]
    assert data.calls["step"].astype(object).where(data.calls["step"].notna(), None).to_list() == [0, None, 1]
    assert codes(data) == {"order_inferred"}


def test_parallel_executions_without_ids_take_their_own_answers():
    calls = [(None, "search", {"q": q}) for q in "ab"]
    answers = [tool(2 + i, "search", {"q": q}, output=q.upper()) for i, q in enumerate("ba")]
    data = tc.load([otlp(model(1, *calls), *answers)])
    assert data.calls["output"].to_list() == ['"A"', '"B"']


def test_sub_agents_have_their_name_and_depth():
    request = otlp(
        agent(1, "root", start=0, end=100),
        model(2, ("a", "research", {}), parent=1, start=1, end=2),
        tool(3, "research", {}, "a", parent=1, start=3, end=50),
        agent(4, "researcher", parent=3, start=4, end=49),
        model(5, ("b", "search", {}), parent=4, start=5, end=6),
        tool(6, "search", {}, "b", parent=4, start=7, end=8),
        model(7, ("c", "transfer_to_billing", {}), parent=1, start=60, end=61),
    )
    calls = tc.load([request]).calls
    assert calls[["tool", "agent", "depth"]].values.tolist() == [
        ["research", "root", 0],
        ["search", "researcher", 1],
        ["transfer_to_billing", "root", 0],
    ]
    assert calls["kind"].to_list() == ["function", "function", "handoff"]


def test_none_and_unknown_stay_apart():
    said = span(1, {LLM: "LLM", "llm.output_messages.0.message.content": "hello"}, trace="a" * 32)
    silent = span(2, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}, trace="b" * 32)
    other = span(3, {"http.method": "GET"}, trace="c" * 32)
    data = tc.load([otlp(said, silent, other)])
    assert data.cases["called_known"].to_dict() == {"a" * 32: True, "b" * 32: False}
    assert data.report[["code", "case"]].fillna("").values.tolist() == [
        ["calls_unknown", "b" * 32],
        ["no_agent_spans", ""],
    ] or codes(data) == {"calls_unknown", "no_agent_spans"}


def test_a_trace_that_repeats_old_messages_counts_only_its_own():
    history = [{"role": "user", "content": "first"}, trip.openai_answer(trip.STEPS[0])]
    history += [{"role": "tool", "tool_call_id": i, "content": "old"} for i in ("A1", "A2")]
    attributes = {LLM: "LLM"}
    for i, message in enumerate([*history, {"role": "user", "content": "second"}]):
        attributes |= trip._dotted(f"llm.input_messages.{i}.message", message)
    attributes |= trip._dotted("llm.output_messages.0.message", trip.openai_answer(trip.STEPS[1]))
    data = tc.load([otlp(span(1, attributes))])
    assert data.calls["call_id"].to_list() == ["B1"]
    assert data.cases["input"].to_list() == ["second"]


def test_more_than_ten_calls_of_one_message_keep_their_order():
    calls = [(str(i), "search", {"q": i}) for i in range(12)]
    request = otlp(model(1, *calls))
    spans_of(request)[0]["attributes"].sort(key=lambda a: a["key"])
    data = tc.load([request])
    assert data.calls["call_id"].to_list() == [str(i) for i in range(12)]


def test_dialects_are_chosen_for_each_span():
    vercel = {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "search", "ai.toolCall.id": "a"}
    langfuse = {"langfuse.observation.type": "tool", "langfuse.observation.input": '{"args": [], "kwargs": {"x": 1}}'}
    request = otlp(
        model(1, ("a", "search", {"q": 1})),
        span(2, {**vercel, "ai.toolCall.result": '"found"'}),
        span(3, langfuse, name="note"),
        span(4, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "book"}),
    )
    calls = tc.load([request]).calls
    assert calls["tool"].to_list() == ["search", "note", "book"]
    assert calls["arguments"].astype(object).where(calls["arguments"].notna(), None).to_list() == [
        '{"q": 1}',
        '{"x":1}',
        None,
    ]


def mlflow_span(number, kind, given, output, parent=None, name="f"):
    attributes = {"spanType": kind, "spanInputs": given, "spanOutputs": output}
    return {
        "trace_id": "t",
        "span_id": str(number),
        "parent_span_id": parent and str(parent),
        "name": name,
        "start_time_unix_nano": 10**18 + number,
        "end_time_unix_nano": 10**18 + 100 - number,
        "status": {"code": "STATUS_CODE_OK"},
        "attributes": {f"mlflow.{key}": value for key, value in attributes.items()},
    }


def mlflow(*spans):
    return tc.load([{"info": {"trace_id": "t"}, "data": {"spans": list(spans)}}])


def test_arguments_that_python_printed_find_their_call():
    calls = [
        {"id": str(i), "type": "function", "function": {"name": "f", "arguments": f'{{"a":{i}}}'}} for i in (1, 2)
    ]
    said = json.dumps({"role": "assistant", "tool_calls": calls})
    data = mlflow(
        {**mlflow_span(1, '"CHAT_MODEL"', "[]", said), "end_time_unix_nano": 10**18 + 2},
        mlflow_span(3, '"TOOL"', "{'a': 2}", '"two"'),
        mlflow_span(4, '"TOOL"', "{'a': 1}", '"one"'),
    )
    assert data.calls.output.to_list() == ['"one"', '"two"']


@pytest.mark.parametrize(
    ("outer", "inner", "calls"),
    [
        ('{"a": 1}', "{'a': 1}", 1),
        ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}', 1),
        ("{ }", None, 1),
        ("[]", "{}", 1),
        ('{"a": true}', '{"a": 1}', 2),
        ('{"a": 1}', '{"a": 2}', 2),
    ],
)
def test_a_call_inside_another_is_the_same_only_with_the_same_arguments(outer, inner, calls):
    inside = mlflow_span(2, '"TOOL"', inner, '"x"', parent=1)
    if inner is None:
        del inside["attributes"]["mlflow.spanInputs"]
    assert len(mlflow(mlflow_span(1, '"TOOL"', outer, '"x"'), inside).calls) == calls
