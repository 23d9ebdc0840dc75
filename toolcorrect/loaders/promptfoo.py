"""promptfoo: results of an evaluation, and tests, with what their assertions on tools expect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcorrect.arguments.decoding import ABSENT, parse_json
from toolcorrect.loaders.calllike import listed_items
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.rows import Case, Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.telling import objects


def read(source: Source, rows: Rows) -> None:
    """Read the results of each evaluation; a case is one test under one prompt and provider."""
    for label, record in source.records():
        with rows.record(label):
            inner = record["results"]
            results = inner["results"] if isinstance(inner, dict) else inner
            several = len({result.get("promptIdx") for result in results if isinstance(result, dict)}) > 1
            for i, result in enumerate(results):
                with rows.record(f"result {i}"):
                    _read_result(result, several, rows)


def _read_result(result: dict[str, Any], several: bool, rows: Rows) -> None:
    test = result.get("testIdx")
    provider = result.get("provider")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    response = result.get("response")
    output = response.get("output") if isinstance(response, dict) else None
    case = rows.case(
        f"{test}/{result.get('promptIdx')}" if several and test is not None else test,
        task=test,
        model=provider,
        input=(result.get("prompt") or {}).get("raw"),
        outcome=result.get("score"),
        called_known=output is not None,
        success=result.get("success"),
    )
    calls, said = _made(output)
    for call in calls:
        _add_call(case, call)
    case.columns["output"] = said
    _add_assertions(case, (result.get("testCase") or {}).get("assert") or [])


def _made(output: Any) -> tuple[list[dict[str, Any]], str | None]:
    """Return the calls in an output, which is a list, a message, or a text that may hold either; and its words."""
    if isinstance(output, str):
        calls = [item for value in _values(output) for item in _items(value)]
        return calls, None if calls else output
    return list(_items(output)), output.get("content") if isinstance(output, dict) else None


def _values(text: str) -> Iterator[Any]:
    """Yield the JSON values of a text: the whole, or each of its lines that is one."""
    for piece in (
        [text] if text.lstrip()[:1] in ("[", "{") and "\n" not in text.strip() else [text, *text.splitlines()]
    ):
        if piece.lstrip()[:1] not in ("[", "{"):
            continue
        try:
            yield parse_json(piece)
        except ValueError:
            continue
        if piece is text:
            return


def _items(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the calls in a value, whichever provider's spelling they have."""
    if isinstance(value, list):
        for item in value:
            yield from _items(item)
    elif isinstance(value, dict):
        if isinstance(value.get("function"), dict) or value.get("type") in ("tool_use", "function_call"):
            yield value
        elif isinstance(value.get("functionCall"), dict):
            yield value["functionCall"]
        else:
            yield from _items(value.get("tool_calls"))


def _add_call(case: Case, call: dict[str, Any]) -> None:
    inner = call["function"] if isinstance(call.get("function"), dict) else call
    given = next((inner[key] for key in ("arguments", "input", "args") if key in inner), ABSENT)
    identity = call.get("call_id") or call.get("id")
    case.call(inner["name"], given, id=identity, wire=isinstance(given, str), step=0)


def _add_assertions(case: Case, assertions: list[dict[str, Any]]) -> None:
    """Add what assertions expect: a stated sequence alone, else calls with arguments and the names beside them."""
    stated: dict[str, Any] = {}
    sequence: list[Any] | None = None
    for assertion in assertions:
        kind = str(assertion.get("type"))
        value: Any = assertion.get("value")
        if kind == "tool-call-f1":
            stated = {**dict.fromkeys(listed_items(value), ABSENT), **stated}
        elif kind == "trajectory:tool-sequence":
            sequence = value.get("steps") if isinstance(value, dict) else value
        elif kind == "trajectory:tool-args-match":
            stated[_pattern(value)] = value.get("args", value.get("arguments", ABSENT))
        elif kind == "trajectory:tool-used" and isinstance(value, dict):
            limits = {"minimum": value.get("min", 1), "maximum": value.get("max")}
            case.rows.rule("count", _pattern(value), case=case, **limits)
        elif kind == "trajectory:tool-used":
            stated = {**dict.fromkeys(listed_items(value), ABSENT), **stated}
        elif kind in ("not-trajectory:tool-used", "not-tool-call-f1"):
            for name in listed_items(value):
                case.rows.rule("forbid", name, case=case)
    for step in sequence or []:
        case.expect(step if isinstance(step, str) else _pattern(step))
    for name, arguments in stated.items() if sequence is None else ():
        case.expect(name, arguments)


def _pattern(value: dict[str, Any]) -> str:
    name: str = value.get("name") or value["pattern"]
    return name


def detect(source: Source) -> tuple[float, str] | None:
    """Recognise results within results."""
    for record in objects(source):
        inner = record.get("results")
        if (
            isinstance(inner, dict)
            and isinstance(inner.get("results"), list)
            and {"evalId", "config"} & record.keys()
        ):
            return 0.95, "results in results, and an evalId or config"
    return None


def read_tests(source: Source, rows: Rows) -> None:
    """Read tests, bare or in a configuration; their variables are columns, and the only one is the input."""
    for label, record in source.records():
        with rows.record(label):
            tests = record.get("tests")
            for test in tests if isinstance(tests, list) else [record]:
                variables = test.get("vars") or {}
                only = next(iter(variables.values())) if len(variables) == 1 else None
                case = rows.case(test.get("description"), input=only, called_known=False, tags=variables)
                _add_assertions(case, test["assert"])


def detect_tests(source: Source) -> tuple[float, str] | None:
    """Recognise tests by their assertions on tools."""
    for record in objects(source):
        tests = record.get("tests")
        for test in tests[:50] if isinstance(tests, list) else [record]:
            assertions = test.get("assert") if isinstance(test, dict) else None
            if isinstance(assertions, list) and any("tool" in str(a.get("type")) for a in assertions):
                return 0.9, "tests with assertions on tools"
    return None


PROMPTFOO_TESTS = Format("promptfoo_tests", "tests of promptfoo", detect_tests, read_tests)
PROMPTFOO_RESULTS = Format("promptfoo_results", "results of promptfoo", detect, read)
