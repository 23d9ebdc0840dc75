from __future__ import annotations

import toolcorrect as tc
from tests.loaders.plain import cells, rows

ASKED = {"role": "user", "parts": [{"text": "Weather?"}]}


def call(name, identity=None, **args):
    return {"function_call": {"name": name, "args": args, "id": identity}}


def response(name, identity=None, **returned):
    return {"function_response": {"name": name, "response": returned, "id": identity}}


def model(*parts):
    return {"role": "model", "parts": list(parts)}


def user(*parts):
    return {"role": "user", "parts": list(parts)}


def test_without_ids_responses_answer_calls_of_the_step_before_them():
    contents = [
        ASKED,
        # Never answered: a later response is not for it.
        model(call("f", n=0)),
        model(call("f", n=1), call("g"), call("f", n=2)),
        user(response("g", error="down"), response("f", result=1), response("f", status="error", error_message="no")),
        user(response("f", result="nobody asked")),
        model({"text": "hm", "thought": True}, {"text": "Done"}),
    ]
    data = tc.load(contents)
    assert tc.detect(contents).format == "gemini_contents"
    assert rows(data.calls, "tool", "step", "output", "error", "error_message") == [
        ["f", 0, None, None, None],
        ["f", 1, '{"result":1}', False, None],
        ["g", 1, '{"error":"down"}', True, "down"],
        ["f", 1, '{"status":"error","error_message":"no"}', True, "no"],
    ]
    assert data.cases.output.to_list() == ["Done"]
    assert data.cases.turns.to_list() == [1]
    assert "result_without_call" in data.report.code.to_list()


def test_a_response_with_candidates_and_code():
    record = {
        "contents": [ASKED],
        "candidates": [
            {"content": model({"executableCode": {"language": "PYTHON", "code": "1+1"}},
                              {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2"}})},
            {"content": model({"text": "Two"})},
        ],
        "modelVersion": "gemini-x",
        "config": {"tools": [{"functionDeclarations": [{"name": "f", "parameters": {}}]}, {"codeExecution": {}}]},
    }  # fmt: skip
    data = tc.load(record)
    assert rows(data.calls, "tool", "kind", "output", "error") == [["code_execution", "server", '"2"', False]]
    assert data.cases.model.to_list() == ["gemini-x", "gemini-x"]
    assert cells(data.cases.output) == [None, "Two"]
    assert sorted(set(data.tools.tool)) == ["codeExecution", "f"]
