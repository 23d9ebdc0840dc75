from __future__ import annotations

import json
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.field_cases import answers, dataset, field_case
from tests.shared import shared
from toolcorrect.dataset import Dataset
from toolcorrect.validity.defects import RUBRIC_CODES
from toolcorrect.validity.validating import schema_scores, validate


def made(called: list[Any], tools: list[dict[str, Any]] | None) -> Dataset:
    rows = [{"case": "x", "tool": name, "arguments": json.dumps(args)} for name, args in called]
    listed = [{"tool": t["name"], "parameters": json.dumps(t["parameters"])} for t in tools or []]
    cases = pd.DataFrame({"tools_known": tools is not None}, index=["x"])
    return Dataset(cases, pd.DataFrame(rows), tools=pd.DataFrame(listed))


def errors(frame: pd.DataFrame) -> list[tuple[str, str]]:
    kept = frame[~frame["code"].isin(RUBRIC_CODES)]
    return sorted(zip(kept["path"].tolist(), kept["code"].astype(str).tolist()))


def by_formats(right: Any, formats: bool) -> Any:
    return right["values"]["on" if formats else "off"] if isinstance(right, dict) and "by" in right else right


def test_schema_errors_of_the_field_cases() -> None:
    asked = answers("schema.errors")
    assert len(asked) > 20
    for case, _, right in asked:
        data = dataset(field_case(case))
        for formats in (True, False) if isinstance(right, dict) else (True,):
            wanted = sorted((e["path"], e["code"]) for e in by_formats(right, formats))
            assert errors(validate(data, formats=formats)) == wanted, case


def test_schema_validity_of_the_field_cases() -> None:
    asked = answers("schema.valid")
    assert len(asked) > 20
    for case, question, right in asked:
        data = dataset(field_case(case))
        valid = not errors(validate(data, null_as_missing=question.endswith("null_as_missing")))
        assert valid == by_formats(right, formats=True), (case, question)


def test_undeclared_and_unknown_tools_of_the_field_cases() -> None:
    for case, _, right in answers("args.undeclared"):
        found = validate(dataset(field_case(case)))
        assert found.loc[found.code.isin(["undeclared", "unknown_param"]), "path"].to_list() == right
    for case, _, right in answers("called.unknown_tools"):
        found = validate(dataset(field_case(case)))
        assert found.loc[found.code == "unknown_tool", "tool"].to_list() == right


def test_the_evaluator_of_the_manual_gives_its_printed_answer() -> None:
    text = shared("samples/seeds/huawei_param_filling.jsonl").read_text("utf-8")
    for case in map(json.loads, text.splitlines()):
        given = case["input"]
        data = made(
            [(call["name"], call["arguments"]) for call in given["tools_called"]],
            [{"name": t["name"], "parameters": t["input_parameters"]} for t in given["tool_list"]],
        )
        answer = schema_scores(data)[["score", "reason"]].to_dict("records")[0]
        assert answer["score"] == case["stated_output"]["score"]
        assert answer["reason"] == "The call fits its schema: nothing missing, types right, nothing invented."


DAY = {"type": "object", "properties": {"day": {"type": "string", "format": "date"}}, "required": ["day"]}


@pytest.mark.parametrize(
    ("schema", "value", "found"),
    [
        # What an optional argument looks like in generated schemas: the type is wrong, not the choice.
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "x", [("a", "type")]),
        ({"anyOf": [{"type": "object", "required": ["b"]}, {"type": "null"}]}, {}, [("a.b", "missing_required")]),
        ({"anyOf": [{"minimum": 3}, {"const": 1}]}, 2, [("a", "one_of")]),
        ({"oneOf": [{"type": "integer"}, {"minimum": 1}]}, 2, [("a", "one_of")]),
        ({"type": ["string", "null"]}, None, []),
        ({"const": 1}, 2, [("a", "enum")]),
        ({"minLength": 2}, "é", [("a", "range")]),
        ({"not": {"type": "string"}}, "x", [("a", "other")]),
        ({"items": {"type": "integer"}}, [1, "2", True], [("a[1]", "type"), ("a[2]", "type")]),
        (
            {"additionalProperties": False, "patternProperties": {"^x": {}}},
            {"x1": 1, "y": 2},
            [("a.y", "unknown_param")],
        ),
        ({"maximum": 2**53}, 2**53 + 1, [("a", "range")]),
        (False, 1, [("a", "unknown_param")]),
    ],
)
def test_codes(schema: Any, value: Any, found: list[tuple[str, str]]) -> None:
    data = made([("op", {"a": value})], [{"name": "op", "parameters": {"properties": {"a": schema}}}])
    assert errors(validate(data)) == found


def test_a_null_the_schema_refuses_counts_as_left_out_only_on_demand() -> None:
    schema = {"properties": {"a": {"type": "string"}, "b": {"type": ["string", "null"]}}, "required": ["a", "b"]}
    data = made([("op", {"a": None, "b": None})], [{"name": "op", "parameters": schema}])
    assert errors(validate(data)) == [("a", "type")]
    assert errors(validate(data, null_as_missing=True)) == [("a", "missing_required")]


def test_what_an_exact_coercion_mends_is_told_apart_on_demand() -> None:
    schema = {
        "properties": {"n": {"type": "integer"}, "m": {"type": "integer", "maximum": 9}, "b": {"type": "boolean"}}
    }
    data = made([("op", {"n": "22", "m": "22", "b": "yes"})], [{"name": "op", "parameters": schema}])
    assert errors(validate(data)) == [("b", "type"), ("m", "type"), ("n", "type")]
    assert errors(validate(data, coerce=True)) == [
        ("b", "type"),
        ("m", "coercible"),
        ("m", "range"),
        ("n", "coercible"),
    ]


def test_a_broken_schema_is_reported_once_and_loses_no_other_case() -> None:
    calls = pd.DataFrame({"case": ["x", "x", "y"], "tool": ["bad", "bad", "good"], "arguments": ["{}"] * 3})
    broken = ['{"type": "strin"}', json.dumps(DAY), '{"$ref": "http://example.test/s.json"}', "{"]
    tools = pd.DataFrame({"tool": ["bad", "good", "remote", "cut"], "parameters": broken})
    data = Dataset(pd.DataFrame(index=["x", "y"]), calls, tools=tools)
    found = validate(data)
    reported = found[found["code"] == "broken_schema"]
    assert reported["tool"].to_list() == ["bad", "remote", "cut"]
    assert reported["position"].isna().all()
    assert "nothing is fetched" in reported["note"].iloc[1]
    assert errors(found[found["case"] == "y"]) == [("day", "missing_required")]
    scores = schema_scores(data)
    assert np.isnan(scores.score["x"])
    assert scores.score["y"] == 0.0


def test_unknown_is_neither_passed_nor_failed() -> None:
    tool = [{"name": "op", "parameters": DAY}]
    calls = pd.DataFrame({"case": list("aabbcd"), "tool": ["op"] * 6})
    good, bad = '{"day": "2031-04-09"}', '{"day": "soon"}'
    calls["arguments"] = [good, None, bad, None, good, None]
    calls["arguments_status"] = ["ok", "absent", "ok", "absent", "ok", "failed"]
    cases = pd.DataFrame({"called_known": [True] * 5 + [False]}, index=list("abcdef"))
    data = Dataset(
        cases, calls, tools=pd.DataFrame({"tool": ["op"], "parameters": [json.dumps(tool[0]["parameters"])]})
    )
    found = schema_scores(data)
    assert found["score"].fillna(-1).to_list() == [-1, 0, 1, 0, -1, -1]
    assert found["share"].fillna(-1).to_list() == [-1, -1, 1, 0, -1, -1]
    assert found.reason["e"] == "Not scored: no calls."
    assert found.reason["f"] == "Not scored: the calls are not known."
    assert 'day: "soon" is not a "date"' in found.reason["b"]
    assert validate(data).query("case == 'd'").code.to_list() == ["not_json"]
    # Without a word about the offer there is nothing to check.
    assert schema_scores(made([("op", {})], None))["score"].isna().all()
    # A known empty offer is another thing.
    assert schema_scores(made([("op", {})], []))["score"].to_list() == [0.0]


def test_placeholders_and_made_up_arguments_fail_but_stated_values_do_not() -> None:
    schema = {"properties": {"city": {"type": "string"}, "unit": {"enum": ["unknown", "C"]}}}
    tools = [{"name": "op", "parameters": schema}]
    for city in ("<city>", "{{ city }}", "N/A", "YOUR_CITY", "TBD"):
        found = validate(made([("op", {"city": city})], tools))
        assert found[["code", "path"]].to_numpy().tolist() == [["placeholder", "city"]], city
    assert not len(validate(made([("op", {"unit": "unknown", "city": "Unknown Pleasures <b>x</b>"})], tools)))
    found = validate(made([("op", {"color": 1})], tools))
    assert found[["code", "path"]].to_numpy().tolist() == [["undeclared", "color"]]
    assert not len(
        validate(made([("op", {"color": 1})], [{"name": "op", "parameters": {"additionalProperties": {}}}]))
    )
    nested = {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"properties": {"q": {}}}, {"$ref": "#"}]}}}
    assert not len(validate(made([("op", {"q": 1})], [{"name": "op", "parameters": nested}])))


def test_only_calls_in_question_are_checked_and_names_are_compared_as_told() -> None:
    calls = pd.DataFrame({"case": ["x"] * 5, "tool": ["mcp__s__op", "op", "transfer", "web_search", "op"]})
    calls["kind"] = ["function", "function", "handoff", "server", "function"]
    calls["actor"] = ["assistant"] * 4 + ["user"]
    calls["arguments"] = "{}"
    tools = pd.DataFrame({"tool": ["op"], "parameters": ["{}"]})
    data = Dataset(pd.DataFrame(index=["x"]), calls, tools=tools)
    assert validate(data)["tool"].to_list() == ["mcp__s__op"]
    assert not len(validate(data, names="galtea"))
    assert validate(data, scope="everyone")["tool"].to_list() == ["mcp__s__op"]


def test_tools_of_a_case_win_over_tools_for_all() -> None:
    calls = pd.DataFrame({"case": ["x", "y"], "tool": ["op", "op"], "arguments": ["{}", "{}"]})
    tools = pd.DataFrame({"case": [None, "y"], "tool": ["op", "op"], "parameters": ["{}", json.dumps(DAY)]})
    found = validate(Dataset(pd.DataFrame(index=["x", "y"]), calls, tools=tools))
    assert found["case"].to_list() == ["y"]


def test_hostile_arguments_are_answered_not_raised() -> None:
    tools = pd.DataFrame({"tool": ["op"], "parameters": [json.dumps({"properties": {"a": {"type": "string"}}})]})
    deep = '{"a": ' + "[" * 400 + "]" * 400 + "}"
    deeper = '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}"
    texts = [deep, deeper, '{"a": "\\ud800"}', '{"a": NaN}', "[1]", "nonsense", '{"a": ' + "9" * 5000 + "}"]
    calls = pd.DataFrame({"case": "x", "tool": "op", "arguments": texts})
    data = Dataset(pd.DataFrame(index=["x"]), calls, tools=tools)
    found = validate(data)
    assert set(found["position"]) == {0, 1, 3, 4, 5, 6}
    assert found["note"].str.len().max() <= 200
    assert set(validate(data, coerce=True, null_as_missing=True)["position"]) == {0, 1, 3, 4, 5, 6}


def test_equal_texts_are_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import toolcorrect.validity.validating as module

    seen: list[str] = []
    real = module.schema_defects
    monkeypatch.setattr(module, "schema_defects", lambda s, a, **o: seen.append(a) or real(s, a, **o))
    calls = pd.DataFrame({"case": "x", "tool": "op", "arguments": ['{"day": "soon"}', '{"day": 1}'] * 5000})
    data = Dataset(
        pd.DataFrame(index=["x"]), calls, tools=pd.DataFrame({"tool": ["op"], "parameters": [json.dumps(DAY)]})
    )
    start = time.perf_counter()
    assert len(validate(data)) == 10_000
    assert len(seen) == 2
    assert time.perf_counter() - start < 5
