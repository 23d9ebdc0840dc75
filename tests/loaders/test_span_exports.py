"""Exports of tracing systems, in every container they come in: each holds what the sample of it holds."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import toolcorrect as tc
from tests.loaders.samples import expectation, files
from tests.loaders.test_samples import _check_calls, _check_case, _check_messages
from toolcorrect.errors import LoadError


def check(data, sample):
    """Hold what is loaded against the expectation of a sample, whatever it came in."""
    wanted = expectation(sample)
    assert len(data.cases) == len(wanted["cases"])
    for key, case in zip(data.cases.index, wanted["cases"]):
        _check_case(data, key, case)
        _check_calls(data, key, case)
    _check_messages(data, wanted)
    assert not (data.report["code"] == "unreadable").any()


def sample_json(sample):
    return json.loads(files(sample)[0].read_text("utf-8"))


def sample_lines(sample):
    return [json.loads(line) for line in files(sample)[0].read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def spans():
    return sample_json("phoenix_spans_df")


@pytest.mark.parametrize("container", ["frame", "indexed", "csv", "parquet", "lines"])
def test_phoenix_frames(spans, container, tmp_path):
    frame = pd.DataFrame(spans)
    path = tmp_path / "spans"
    source = path
    if container == "frame":
        source = frame
    elif container == "indexed":
        frame["start_time"] = pd.to_datetime(frame["start_time"], unit="ms", utc=True)
        frame["attributes.llm.output_messages"] = [
            np.array(v, dtype=object) if isinstance(v, list) else v for v in frame["attributes.llm.output_messages"]
        ]
        source = frame.set_index("context.span_id")
    elif container == "csv":
        frame.to_csv(path)
    elif container == "parquet":
        # What Parquet cannot hold, users leave out.
        frame.drop(columns=["attributes.metadata"]).set_index("context.span_id").to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=True)
    assert tc.detect(source).format == "phoenix_dataframe"
    check(tc.load(source), "phoenix_spans_df")


def interface_span(row):
    """A span of the REST interface: lists are flattened into dotted names."""
    attributes = {}

    def flatten(name, value):
        if isinstance(value, list):
            for i, item in enumerate(value):
                flatten(f"{name}.{i}", item)
        elif isinstance(value, dict):
            for key, item in value.items():
                flatten(f"{name}.{key}", item)
        elif value is not None:
            attributes[name] = value

    for name, value in row.items():
        if name.startswith("attributes."):
            flatten(name.removeprefix("attributes."), value)
    kept = ("name", "span_kind", "parent_id", "start_time", "end_time", "status_code", "status_message", "events")
    context = {"trace_id": row["context.trace_id"], "span_id": row["context.span_id"]}
    return {"id": "U3Bhbjox", "context": context, **{key: row[key] for key in kept}, "attributes": attributes}


@pytest.mark.parametrize("wrapped", [False, True])
def test_phoenix_interface(spans, wrapped):
    found = [interface_span(row) for row in spans]
    source = [{"data": found, "next_cursor": None}] if wrapped else found
    assert tc.detect(source).format == "phoenix_spans"
    check(tc.load(source), "phoenix_spans_df")


@pytest.fixture(scope="module")
def trace():
    return sample_json("mlflow_trace")


def older(trace):
    """The same trace in the form of version 2: values are not encoded, and some stand beside the attributes."""
    spans = []
    for span in trace["data"]["spans"]:
        attributes = {key: json.loads(value) for key, value in span["attributes"].items()}
        spans.append(
            {
                "name": span["name"],
                "context": {"span_id": span["span_id"], "trace_id": span["trace_id"]},
                "parent_id": span["parent_span_id"],
                "start_time": span["start_time_unix_nano"],
                "end_time": span["end_time_unix_nano"],
                "status_code": span["status"]["code"].removeprefix("STATUS_CODE_"),
                "status_message": span["status"]["message"],
                "span_type": attributes.pop("mlflow.spanType"),
                "inputs": attributes.pop("mlflow.spanInputs"),
                "outputs": attributes.pop("mlflow.spanOutputs", None),
                "attributes": attributes,
                "events": span["events"],
            }
        )
    info = {"request_id": trace["info"]["trace_id"], "status": "OK", "request_metadata": {}, "tags": {}}
    return {"info": info, "data": {"spans": spans, "request": '{"q": "?"}', "response": '"!"'}}


def test_mlflow_of_version_2(trace):
    assert tc.detect([older(trace)]).format == "mlflow_trace"
    check(tc.load([older(trace)]), "mlflow_trace")


EXPECTED = [{"name": "get_weather", "arguments": {"city": "Porto"}}, {"name": "book_trip"}]


def assessed(trace):
    assessments = [
        {"assessment_name": "expected_tool_calls", "expectation": {"value": EXPECTED}},
        {"assessment_name": "expected_response", "expectation": {"value": "BK-77"}},
        {"assessment_name": "good", "feedback": {"value": True}},
    ]
    session = {**trace["info"]["trace_metadata"], "mlflow.trace.session": "s1"}
    return {**trace, "info": {**trace["info"], "assessments": assessments, "trace_metadata": session}}


def check_expected(data):
    assert data.expected["tool"].to_list() == ["get_weather", "book_trip"]
    assert json.loads(data.expected["arguments"][0]) == {"city": "Porto"}
    assert data.expected["arguments_form"].to_list() == ["object", "absent"]
    assert data.cases["expected_response"].to_list() == ["BK-77"]


@pytest.mark.parametrize("container", ["frame", "csv", "parquet", "parts"])
def test_mlflow_search_frames(trace, container, tmp_path):
    trace = assessed(trace)
    info = trace["info"]
    row = {
        "trace_id": info["trace_id"],
        "trace": json.dumps(trace),
        "state": "OK",
        "request": json.loads(info["request_preview"]),
        "response": json.loads(info["response_preview"]),
        "trace_metadata": info["trace_metadata"],
        "tags": info["tags"],
        "spans": trace["data"]["spans"],
        "assessments": info["assessments"],
    }
    frame = pd.DataFrame([row])
    source = path = tmp_path / "traces"
    if container == "frame":
        source = frame
    elif container == "csv":
        frame.to_csv(path, index=False)
    elif container == "parquet":
        frame.drop(columns=["spans", "assessments"]).assign(spans=[["omitted"]]).to_parquet(path)
    else:
        frame.drop(columns=["trace"]).to_csv(path, index=False)
    assert tc.detect(source).format == "mlflow_trace"
    data = tc.load(source)
    check_expected(data)
    assert data.cases["session"].to_list() == ["s1"]
    assert data.cases["good"].to_list() == [True]
    assert [json.loads(text)["city"] for text in data.calls["arguments"]] == ["Málaga", "Porto", "Porto", "Porto"]
    assert data.calls["source"].to_list() == ["both"] * 4


def test_mlflow_expectations_are_joined(trace):
    runs = tc.load([trace])
    question = runs.cases["input"].iloc[0]
    dataset = [
        {"inputs": {"q": question}, "expectations": {"expected_tool_calls": EXPECTED, "expected_response": "BK-77"}},
        {"inputs": {"q": "another"}, "expectations": {"expected_tool_calls": []}},
    ]
    assert tc.detect(dataset).format == "mlflow_dataset"
    stated = tc.load(dataset)
    assert not stated.cases["called_known"].any()
    assert stated.cases["expected_known"].all()
    joined = runs.join_expected(stated, on="input")
    check_expected(joined)
    assert joined.cases["expected_known"].all()
    assert set(joined.report["code"]) >= {"no_case"}
    check_expected(tc.load([trace]).join_expected(tc.load([assessed(trace)]), on="case"))


def test_an_mlflow_trace_without_spans_is_unknown(trace):
    data = tc.load([{**trace, "data": {"spans": []}}])
    assert not data.cases["called_known"].any()
    assert "empty_trace" in set(data.report["code"])


def observations(*, snake=False, as_text=False, tools=True):
    """The observations that the spans of the sample stand for, as an export holds them."""
    found = []
    for line in sample_lines("langfuse_otlp"):
        (span,) = line["resourceSpans"][0]["scopeSpans"][0]["spans"]
        a = {
            x["key"].removeprefix("langfuse.observation."): x["value"].get("stringValue") for x in span["attributes"]
        }
        kind = a["type"].upper()
        moments = (pd.Timestamp(int(span[f"{key}TimeUnixNano"])).isoformat() + "Z" for key in ("start", "end"))
        item = {
            "id": span["spanId"],
            "traceId": span["traceId"],
            "parentObservationId": span.get("parentSpanId"),
            "type": kind if tools or kind != "TOOL" else "SPAN",
            "name": span["name"],
            **dict(zip(("startTime", "endTime"), moments)),
            "input": a.get("input"),
            "output": a.get("output"),
            "level": a.get("level", "DEFAULT"),
            "statusMessage": a.get("status_message"),
            "model": a.get("model.name"),
        }
        if not as_text:
            item.update({key: plain(item[key]) for key in ("input", "output")})
        if snake:
            item = {"".join(f"_{c.lower()}" if c.isupper() else c for c in k): v for k, v in item.items()}
        found.append(item)
    return found


def plain(text):
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text


@pytest.mark.parametrize("options", [{}, {"as_text": True}, {"snake": True}, {"tools": False}])
def test_langfuse_observations(options):
    found = observations(**options)[::-1]
    assert tc.detect(found).format == "langfuse_observations"
    check(tc.load(found), "langfuse_otlp")


def test_langfuse_csv(tmp_path):
    pd.DataFrame(observations(as_text=True)).to_csv(tmp_path / "export", index=False)
    assert tc.detect(tmp_path / "export").format == "langfuse_observations"
    check(tc.load(tmp_path / "export"), "langfuse_otlp")


def test_langfuse_traces_with_their_observations():
    found = observations()
    trace = {"id": "t1", "name": "trip", "sessionId": "s1", "input": None, "output": None, "tags": ["a"]}
    data = tc.load([{"data": [{**trace, "observations": found}, {**trace, "id": "t2", "observations": []}]}])
    assert data.cases["session"].to_dict()["t1"] == "s1"
    assert data.calls["case"].to_list() == ["t1"] * 4
    assert data.cases.loc["t1", "name"] == "trip"
    # A trace without observations: nobody knows what was called.
    assert data.cases["called_known"].to_dict() == {"t1": True, "t2": False}


def test_langsmith_posts_and_patches():
    began, ended = [], []
    for run in sample_lines("langsmith_runs"):
        late = ("outputs", "error", "end_time", "events")
        began.append({key: value for key, value in run.items() if key not in late})
        ended.append({"id": run["id"], **{key: run[key] for key in late if key in run}})
    batch = [{"post": began[:5]}, {"post": began[5:], "patch": ended[:9]}, {"patch": ended[9:]}]
    assert tc.detect(batch).format == "langsmith_runs"
    check(tc.load(batch), "langsmith_runs")


@pytest.mark.parametrize("container", ["parquet", "csv"])
def test_langsmith_bulk_exports(container, tmp_path):
    frame = pd.DataFrame(sample_lines("langsmith_runs"))
    for column in ("inputs", "outputs", "extra", "events", "tags"):
        frame[column] = [None if value is None else json.dumps(value) for value in frame[column]]
    frame = frame.drop(columns=["serialized"])
    for column in ("start_time", "end_time"):
        frame[column] = pd.to_datetime(frame[column])
    path = tmp_path / "runs"
    if container == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False)
    assert tc.detect(path).format == "langsmith_runs"
    check(tc.load(path), "langsmith_runs")


def test_older_langsmith_tool_runs_hold_their_arguments_as_text():
    root = {"id": "r", "trace_id": "r", "name": "agent", "run_type": "chain", "inputs": {"input": "why"}}
    run = {"id": "t", "trace_id": "r", "parent_run_id": "r", "name": "search", "run_type": "tool"}
    ended = {"start_time": "2026-01-01T00:00:00", "end_time": "2026-01-01T00:00:01"}
    runs = [
        {**root, **ended, "outputs": {"output": "so"}, "reference_example_id": "example-1"},
        {**run, **ended, "inputs": {"input": "{'q': 'tea'}"}, "outputs": {"output": "found"}},
        {**run, **ended, "id": "u", "inputs": {"input": "plain"}, "outputs": {}},
    ]
    data = tc.load(runs)
    assert data.calls["arguments"].to_list() == ['{"q":"tea"}', '{"input":"plain"}']
    assert data.calls["arguments_status"].to_list() == ["repaired", "ok"]
    assert data.cases.loc["r", ["task", "input", "output"]].to_list() == ["example-1", "why", "so"]
    assert set(data.report["code"]) == {"order_inferred", "arguments_repaired"}


def zstd_archive(members, *, claimed=None):
    """A zip whose members are packed with zstd, as Inspect writes them."""
    out, directory = io.BytesIO(), []
    for name, data in members.items():
        packed = pa.compress(data, codec="zstd", asbytes=True)
        size = claimed or len(data)
        fields = (93, 0, 0, zlib.crc32(data), len(packed), size, len(name))
        directory.append((out.tell(), name, fields))
        out.write(struct.pack("<4s5H3I2H", b"PK\x03\x04", 63, 0, *fields[:3], *fields[3:6], fields[6], 0))
        out.write(name.encode() + packed)
    start = out.tell()
    for offset, name, fields in directory:
        head = struct.pack("<4s6H3I5H2I", b"PK\x01\x02", 63, 63, 0, *fields[:3], *fields[3:6], fields[6],
                           0, 0, 0, 0, 0, offset)  # fmt: skip
        out.write(head + name.encode())
    size = out.tell() - start
    out.write(struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, len(directory), len(directory), size, start, 0))
    out.seek(0)
    return out


def inspect_members():
    log = sample_json("inspect_log")
    members = {f"samples/{s['id']}_epoch_{s['epoch']}.json": json.dumps(s).encode() for s in log.pop("samples")}
    return {"header.json": json.dumps(log).encode(), "summaries.json": b"[]", **members}


def test_inspect_archives_packed_with_zstd():
    archive = zstd_archive(inspect_members())
    with zipfile.ZipFile(archive) as found:
        assert found.namelist()[0] == "header.json"
    archive.seek(0)
    assert tc.detect(archive).format == "inspect_eval_log"
    archive.seek(0)
    data = tc.load(archive)
    check(data, "inspect_log")
    assert data.cases["outcome"].to_list() == [1.0, 1.0]


def test_inspect_archives_of_a_run_that_goes_on():
    members = inspect_members()
    members["_journal/start.json"] = members.pop("header.json")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    packed.seek(0)
    check(tc.load(packed), "inspect_log")


def test_a_damaged_sample_of_an_archive_loses_only_itself():
    members = inspect_members()
    members["samples/cut_epoch_1.json"] = b'{"id": "cut'
    members["samples/flipped_epoch_1.json"] = b'{"id": "flipped"}' * 100
    archive = zstd_archive(members).getvalue()
    packed = pa.compress(members["samples/flipped_epoch_1.json"], codec="zstd", asbytes=True)
    data = tc.load(io.BytesIO(archive.replace(packed, packed[:-8] + bytes(8))))
    assert data.report.query("code == 'unreadable'")["record"].to_list() == [
        "samples/cut_epoch_1.json",
        "samples/flipped_epoch_1.json",
    ]
    assert len(data.cases) == 2


def test_a_member_that_unpacks_to_more_than_it_claims_is_refused():
    with pytest.raises(LoadError, match="not as long as the archive says"):
        tc.load(zstd_archive({"header.json": b" " * 50_000_000}, claimed=1000))


def sample_of(messages, **more):
    return {"id": 1, "epoch": 2, "input": "q", "messages": messages, "events": [], **more}


def log_of(*samples):
    return [{"version": 2, "eval": {"model": "m"}, "plan": {}, "samples": list(samples)}]


def test_inspect_epochs_attachments_and_calls_of_sub_agents():
    call = {"id": "a", "function": "research", "arguments": {"text": "attachment://1f"}}
    messages = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "function": "research", "content": "attachment://2f"},
        {"role": "assistant", "content": "", "tool_calls": [{**call, "id": "c"}]},
    ]
    spans = [
        {"event": "span_begin", "id": "s1", "parent_id": None, "type": "tool", "name": "research"},
        {"event": "span_begin", "id": "s2", "parent_id": "s1", "type": "agent", "name": "researcher"},
    ]
    events = [
        *spans,
        {"event": "tool", "id": "a", "function": "research", "arguments": call["arguments"], "result": "x"},
        {"event": "tool", "id": "b", "function": "search", "arguments": {}, "result": "r", "span_id": "s2"},
    ]
    attachments = {"1f": "a long text", "2f": "a long answer"}
    data = tc.load(log_of(sample_of(messages, events=events, attachments=attachments)))
    assert data.cases.index.to_list() == ["1#2"]
    assert data.cases[["task", "trial"]].values.tolist() == [["1", 1]]
    calls = data.calls
    assert calls[["tool", "depth"]].values.tolist() == [["research", 0], ["search", 1], ["research", 0]]
    assert calls.set_index("tool")["agent"]["search"] == "researcher"
    assert json.loads(calls["arguments"].to_list()[-1]) == {"text": "a long text"}
