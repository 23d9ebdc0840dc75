"""Google ADK evaluation: eval sets, the older test files, invocations and results of evaluations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.conversation import Conversation, kind_of_tool
from toolcorrect.loaders.format import Format, each_record
from toolcorrect.loaders.gemini import add_parts, either, words
from toolcorrect.loaders.rows import Case, Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.telling import objects


def read_evalset(record: Any, rows: Rows) -> None:
    """Read the cases of one eval set; what it holds are expected calls."""
    for i, item in enumerate(either(record, "eval_cases")):
        with rows.record(f"eval case {i}"):
            case = rows.case(either(item, "eval_id"), called_known=False, **_named(record))
            _add_expected(case, item.get("conversation") or [])


def _named(record: dict[str, Any]) -> dict[str, Any]:
    identity = either(record, "eval_set_id")
    return {} if identity is None else {"eval_set": identity}


def _add_expected(case: Case, invocations: list[dict[str, Any]]) -> None:
    """Add the expected calls of a conversation; a turn is an invocation."""
    for turn, invocation in enumerate(invocations):
        made = _made(invocation)
        if made is not None:
            case.columns["expected_known"] = True
        for event in made or []:
            for part in event:
                call = either(part, "function_call")
                if call is not None:
                    case.expect(call["name"], call.get("args", ABSENT), turn=turn, kind=kind_of_tool(call["name"]))
        case.tags["expected_output"] = _said(invocation, "final_response") or case.tags.get("expected_output")
        case.columns.setdefault("input", _said(invocation, "user_content") or None)
    case.columns["turns"] = len(invocations) or None


def _made(invocation: dict[str, Any]) -> list[list[dict[str, Any]]] | None:
    """Return the parts of each event of an invocation; None where it does not state its calls."""
    data = either(invocation, "intermediate_data")
    if data is None:
        return None
    events = either(data, "invocation_events")
    if events is not None:
        return [(event.get("content") or {}).get("parts") or [] for event in events]
    # Parallel calls are not told from later ones here: each is an event.
    calls = [[{"function_call": call}] for call in either(data, "tool_uses", [])]
    return calls + [[{"function_response": response}] for response in either(data, "tool_responses", [])]


def _has_events(invocation: dict[str, Any]) -> bool:
    return either(either(invocation, "intermediate_data", {}), "invocation_events") is not None


def _said(invocation: dict[str, Any], key: str) -> str:
    content = either(invocation, key)
    return words(content.get("parts") or []) if isinstance(content, dict) else ""


def detect_evalset(source: Source) -> tuple[float, str] | None:
    """Recognise eval sets by their cases."""
    for record in objects(source):
        if isinstance(either(record, "eval_cases"), list):
            return 0.95, "eval_cases"
    return None


def read_legacy(source: Source, rows: Rows) -> None:
    """Read older test files: the turns of one conversation, a case each, or several named conversations."""
    for label, record in source.records():
        with rows.record(label):
            turns = record.get("data")
            for turn in turns if isinstance(turns, list) else [record]:
                _read_query(turn, record.get("name") or rows.source.stem, rows)


def _read_query(turn: dict[str, Any], session: str, rows: Rows) -> None:
    expected = turn.get("expected_tool_use")
    case = rows.case(
        None,
        called_known=False,
        expected_known=expected is not None,
        session=session,
        input=turn["query"],
        expected_output=turn.get("reference"),
    )
    for item in expected or []:
        output = item.get("mock_tool_output", ABSENT)
        case.expect(item["tool_name"], item.get("tool_input", ABSENT), output=output)


def detect_legacy(source: Source) -> tuple[float, str] | None:
    """Recognise queries with the tools expected, also one level down."""
    for record in objects(source):
        inner = record.get("data")
        for turn in [record, *(inner[:1] if isinstance(inner, list) else [])]:
            if isinstance(turn, dict) and {"query", "expected_tool_use"} <= turn.keys():
                return 0.95, "query and expected_tool_use"
    return None


def read_invocations(source: Source, rows: Rows) -> None:
    """Read invocations, the turns of one run, or the results of evaluations, which hold both sides."""
    alone: list[dict[str, Any]] = []
    for label, record in source.records():
        with rows.record(label):
            results = list(_results(record))
            for identity, pairs in results:
                _read_pairs(rows.case(identity, ids_within="step"), pairs)
            if not results:
                _ = record["user_content"] if "user_content" in record else record["userContent"]
                alone.append(record)
    if alone:
        _read_pairs(rows.case(None, ids_within="step"), [(invocation, None) for invocation in alone])


def _results(record: dict[str, Any]) -> Iterator[tuple[Any, list[tuple[dict[str, Any], dict[str, Any] | None]]]]:
    """Yield the cases of evaluation results: id, and pairs of actual and expected invocations."""
    for item in either(record, "eval_case_results", [record]):
        pairs = either(item, "eval_metric_result_per_invocation", [item])
        found = [(either(pair, "actual_invocation"), either(pair, "expected_invocation")) for pair in pairs]
        if all(actual is not None for actual, _ in found):
            yield either(item, "eval_id"), found


def _read_pairs(case: Case, pairs: list[tuple[dict[str, Any], dict[str, Any] | None]]) -> None:
    talk = Conversation(case)
    expected = [invocation for _, invocation in pairs if invocation is not None]
    if expected:
        _add_expected(case, expected)
    known = False
    for invocation, _ in pairs:
        talk.asked(_said(invocation, "user_content"))
        talk.answered(_said(invocation, "final_response"))
        made = _made(invocation)
        known = known or made is not None
        for parts in made or []:
            talk.message()
            add_parts(talk, parts)
    if not any(_has_events(invocation) for invocation, _ in pairs):
        # Bare lists of calls do not say which were parallel.
        for call in case.calls:
            call.step = None
    talk.close()
    case.columns["called_known"] = known


def detect_invocations(source: Source) -> tuple[float, str] | None:
    """Recognise invocations by their content and intermediate data, and results by their pairs."""
    for record in objects(source):
        if either(record, "intermediate_data") is not None and either(record, "user_content") is not None:
            return 0.95, "intermediate_data and user_content"
        if either(record, "eval_case_results") is not None or either(record, "actual_invocation") is not None:
            return 0.95, "results of an evaluation"
    return None


ADK_EVALSET = Format("adk_evalset", "Google ADK eval sets", detect_evalset, each_record(read_evalset))
ADK_LEGACY_TEST = Format("adk_legacy_test", "Google ADK test files of the older form", detect_legacy, read_legacy)
ADK_INVOCATIONS = Format(
    "adk_invocations", "Google ADK invocations and results of evaluations", detect_invocations, read_invocations
)
