from __future__ import annotations

import pandas as pd
import pytest

import toolcorrect as tc
from tests.loaders.plain import cells, rows


def text(words):
    return {"parts": [{"text": words}]}


def event(author, *parts, **more):
    return {"author": author, "content": {"parts": list(parts)}, **more}


def call(name, identity, **args):
    return {"function_call": {"name": name, "args": args, "id": identity}}


def response(name, identity, **returned):
    return {"functionResponse": {"name": name, "response": returned, "id": identity}}


def test_a_session_of_several_agents():
    session = {
        "id": "s1",
        "app_name": "trips",
        "events": [
            event("user", {"text": "Go"}),
            event("root", call("f", "1"), partial=True),
            event("root", call("f", "1"), timestamp=1796027165.5),
            event("root", response("f", "1", ok=True)),
            event("root", call("transfer_to_agent", "2", agent_name="booker")),
            event("booker", call("book", "3"), call("adk_request_credential", "4"), branch="root.booker"),
            event("booker", {"text": "Done"}, branch="root.booker"),
        ],
    }
    data = tc.load([session])
    assert tc.detect([session]).format == "adk_session"
    assert rows(data.calls, "tool", "agent", "depth", "kind", "step") == [
        ["f", "root", 0, "function", 0],
        ["transfer_to_agent", "root", 0, "handoff", 1],
        ["book", "booker", 1, "function", 2],
        ["adk_request_credential", "booker", 1, "pseudo", 2],
    ]
    assert data.calls.started.iloc[0].isoformat().startswith("2026-11-30T")
    assert data.report[data.report.code == "pseudo_tool"]["count"].sum() == 2


def test_eval_cases_keep_unknown_and_none_apart():
    def invocation(asked, **more):
        return {"userContent": text(asked), **more}

    cases = [
        {"evalId": "none", "conversation": [invocation("hi", intermediateData={"toolUses": []})]},
        {"evalId": "unknown", "conversation": [invocation("hi")]},
        {"evalId": "scenario", "conversationScenario": {"startingPrompt": "hi"}},
        {
            "evalId": "two",
            "conversation": [
                invocation("a", intermediateData={"toolUses": [{"name": "f", "args": {"x": 1}}]}),
                invocation("b", intermediateData={"invocationEvents": [event("root", call("g", None))]}),
            ],
        },
    ]
    data = tc.load({"evalSetId": "set", "evalCases": cases})
    assert tc.detect({"evalSetId": "set", "evalCases": cases}).format == "adk_evalset"
    assert data.cases.expected_known.to_dict() == {"none": True, "unknown": False, "scenario": False, "two": True}
    assert not data.cases.called_known.any()
    assert rows(data.expected, "tool", "turn", "arguments") == [["f", 0, '{"x":1}'], ["g", 1, "{}"]]


def test_named_conversations_of_the_older_form():
    turns = [
        {"query": "a", "expected_tool_use": [{"tool_name": "f", "tool_input": {}, "mock_tool_output": 1}]},
        {"query": "b", "reference": "fine"},
    ]
    data = tc.load([{"name": "talk", "data": turns, "initial_session": {}}])
    assert data.cases.session.to_list() == ["talk", "talk"]
    assert data.cases.expected_known.to_list() == [True, False]
    assert data.expected.output.to_list() == ["1"]


def test_invocations_are_actual_calls_and_results_hold_both_sides():
    actual = {
        "userContent": text("a"),
        "finalResponse": text("ok"),
        "intermediateData": {
            "toolUses": [{"name": "f", "args": {}, "id": "1"}, {"name": "g", "args": {}, "id": "2"}],
            "toolResponses": [{"name": "g", "response": {"error": "down"}, "id": "2"}],
        },
    }
    data = tc.load([actual, {"userContent": text("b"), "intermediateData": {"toolUses": []}}])
    assert tc.detect([actual]).format == "adk_invocations"
    assert len(data.cases) == 1
    assert rows(data.calls, "tool", "turn", "step", "error") == [["f", 0, None, None], ["g", 0, None, True]]
    assert data.cases.turns.to_list() == [2]
    pair = {"actualInvocation": actual, "expectedInvocation": {**actual, "intermediateData": None}}
    result = {"evalCaseResults": [{"evalId": "e", "evalMetricResultPerInvocation": [pair]}]}
    both = tc.load(result)
    assert both.calls.tool.to_list() == ["f", "g"]
    assert not both.cases.expected_known.any()
    assert cells(both.cases.expected_output) == ["ok"]


def test_what_a_record_says_beside_its_events():
    session = {
        "id": "s1",
        "appName": "trips",
        "userId": "u",
        "state": {"x": 1},
        "events": [event("user", {"text": "Go"})],
    }
    data = tc.load([{**session, "model": "m", "expected": ["f"], "difficulty": "easy", "output": "Gone."}])
    assert tc.detect([session]).format == "adk_session"
    assert data.expected.tool.to_list() == ["f"]
    assert data.cases[["session", "model", "output", "app_name", "user_id", "difficulty"]].to_numpy().tolist() == [
        ["s1", "m", "Gone.", "trips", "u", "easy"]
    ]
    assert "state" not in data.cases.columns


def test_events_without_the_name_of_an_app_are_known_too():
    assert tc.detect([{"id": "s1", "events": [event("user", {"text": "Go"})]}]).format == "adk_session"
    assert tc.detect([{"id": "s1", "events": [{"author": "user", "content": "Go"}]}]).format is None


@pytest.mark.parametrize(
    ("written", "second"),
    [
        (1_700_000_000.5, 20),
        (1_700_000_000_500, 20),
        ("2023-11-14T22:13:20Z", 20),
        (float("nan"), None),
        (True, None),
    ],
)
def test_times_of_any_kind(written, second):
    session = {"id": "s", "appName": "a", "events": [event("x", call("f", "1"), timestamp=written)]}
    started = tc.load([session]).calls.started.iloc[0]
    assert (None if pd.isna(started) else started.second) == second
