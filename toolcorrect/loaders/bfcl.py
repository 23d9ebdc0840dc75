"""BFCL: results, questions and possible answers, three kinds of files joined by id."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from toolcorrect.arguments.decoding import parse_json
from toolcorrect.bfcl.accepted import to_matcher
from toolcorrect.bfcl.python_calls import Written, python_calls
from toolcorrect.bfcl.schemas import to_json_schema
from toolcorrect.bfcl.source_calls import source_call
from toolcorrect.errors import listed
from toolcorrect.loaders.format import Format, each_record
from toolcorrect.loaders.rows import Case, Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.telling import mostly

_ID = re.compile(r"([a-z][a-z_]*[a-z])_\d+(?:-\S+)?")
_LANGUAGE = {"simple_java": "java", "java": "java", "simple_javascript": "javascript", "javascript": "javascript"}
_KINDS = {"result": "results", "ground_truth": "possible answers", "question": "questions"}
# What chat templates and Markdown leave at the ends of an answer.
_WRAPPING = re.compile(r"^\s*(?:```\w*|</?\w+>|<\|\w+\|>)\s*|\s*(?:```|</?\w+>|<\|\w+\|>)\s*$")
# Beside a result's own keys these are the model's inner steps, at length.
_LEFT_OUT = frozenset({"id", "result", "inference_log", "reasoning_content"})


def category_of(identity: str) -> str | None:
    """Return the category that an id names: ``live_parallel`` for ``live_parallel_3-0-0``."""
    found = _ID.match(identity)
    return found[1] if found else None


def read_one(record: Any, rows: Rows) -> None:
    """Read one line of any of the three kinds of files."""
    identity = record["id"]
    category = category_of(identity)
    if "result" in record:
        tags = {key: value for key, value in record.items() if key not in _LEFT_OUT}
        case = rows.case(identity, category=category, part="result", **tags)
        _add_result(case, record["result"], category or "")
        if category is not None and "irrelevance" in category:
            # Nothing is to be called, and there is no file that says so.
            case.columns["expected_known"] = True
    elif "ground_truth" in record:
        case = rows.case(identity, category=category, part="answer", called_known=False)
        _add_answer(case, record["ground_truth"])
    else:
        case = rows.case(identity, category=category, part="question", called_known=False)
        _add_question(case, record, category or "")


def _add_result(case: Case, result: Any, category: str) -> None:
    """Add the calls of a model's answer, and how they could be decoded."""
    if isinstance(result, list) and result and all(isinstance(turn, list) for turn in result):
        _add_turns(case, result)
        case.tags["decoding"] = "decoded"
        return
    try:
        if isinstance(result, str):
            case.tags["decoding"] = _add_text(case, result, _LANGUAGE.get(category))
        else:
            case.tags["decoding"] = "decoded" if _add_functions(case, result, 0, 0) else "failed"
    except (ValueError, TypeError, AttributeError):
        case.calls.clear()
        case.tags["decoding"] = "failed"
        case.columns.update(called_known=False, output=result)
        case.report("undecodable", "an answer that holds no readable calls: what was called is not known")


def _add_text(case: Case, text: str, language: Any) -> str:
    """Add the calls of a prompted model's text; say whether they are as upstream reads them."""
    try:
        calls, decoding = _calls_in(text, language), "decoded"
    except ValueError:
        calls, decoding = python_calls(_unwrapped(text)), "repaired"
        case.report("answer_repaired", "calls read leniently, which upstream's decoder refuses")
    for call in calls:
        _add_written(case, call, 0, 0)
    return decoding


def _calls_in(text: str, language: Any) -> list[Written]:
    if language is None:
        return python_calls(text)
    text = text.strip("`\n ")
    name, arguments = source_call(text.removeprefix("[").removesuffix("]"), language)
    return [Written(name, dict(arguments), False)]


def _unwrapped(text: str) -> str:
    """Take away what wraps an answer, layer by layer."""
    while True:
        bare = _WRAPPING.sub("", text)
        if bare == text:
            return text
        text = bare


def _add_written(case: Case, call: Written, turn: int, step: int) -> None:
    # Words of JSON in Python's syntax: as a text, so that the call counts as repaired.
    arguments = repr(call.arguments) if call.mended else call.arguments
    case.call(call.tool, arguments, wire=True, turn=turn, step=step)


def _add_functions(case: Case, functions: Any, turn: int, step: int) -> bool:
    """Add calls in the form of function calling, ``{name: arguments as JSON}``; tell whether all are sound."""
    sound = True
    if not isinstance(functions, list):
        raise TypeError("no list of calls")
    for function in functions:
        (name, arguments), *more = function.items()
        case.call(name, arguments, wire=True, turn=turn, step=step)
        sound &= not more and (isinstance(arguments, dict) or _is_object(arguments))
    return sound


def _is_object(text: Any) -> bool:
    try:
        return isinstance(parse_json(text), dict)
    except (ValueError, TypeError):
        return False


def _add_turns(case: Case, turns: Sequence[Sequence[Any]]) -> None:
    """Add the steps of a conversation; a step that is only text makes no call."""
    number = 0
    for turn, steps in enumerate(turns):
        for step in steps:
            before = len(case.calls)
            if isinstance(step, str):
                try:
                    for call in python_calls(step):
                        _add_written(case, call, turn, number)
                except ValueError:
                    pass
            else:
                _add_functions(case, [step] if isinstance(step, dict) else step, turn, number)
            number += len(case.calls) > before
    case.columns["turns"] = len(turns)


def _add_answer(case: Case, answers: Sequence[Any]) -> None:
    case.columns["expected_known"] = True
    if any(isinstance(answer, list) for answer in answers):
        case.columns["turns"] = len(answers)
        for turn, texts in enumerate(answers):
            _expect_texts(case, texts, turn)
        return
    for answer in answers:
        if isinstance(answer, str):
            _expect_texts(case, [answer], 0)
        else:
            (name, parameters), *_ = answer.items()
            case.expect(name, {key: to_matcher(values) for key, values in parameters.items()}, step=0)


def _expect_texts(case: Case, texts: Iterable[str], turn: int) -> None:
    for text in texts:
        for call in python_calls(text):
            case.expect(call.tool, call.arguments, turn=turn)


def _add_question(case: Case, record: dict[str, Any], category: str) -> None:
    turns = record["question"]
    asked = [message for turn in turns for message in (turn if isinstance(turn, list) else [turn])]
    said = [m["content"] for m in asked if m.get("role") == "user" and isinstance(m.get("content"), str)]
    case.columns["input"] = "\n".join(said) if said else None
    for tool in record.get("function") or ():
        schema = to_json_schema(tool.get("parameters"), source_text=category in _LANGUAGE)
        case.tool(tool["name"], description=tool.get("description"), parameters=schema)


def combine(sources: Sequence[Rows]) -> Sequence[Rows]:
    """Give each result its question and its answer; without results the questions (or answers) are the cases."""
    parts: dict[str, dict[str, Case]] = {"result": {}, "question": {}, "answer": {}}
    for rows in sources:
        for case in rows.cases:
            parts[case.tags["part"]].setdefault(case.identity or "", case)
    kept = next((part for part in parts if parts[part]), "answer")
    for rows in sources:
        others = [case for case in rows.cases if case.tags["part"] != kept]
        unmet = [case for case in others if case.identity not in parts[kept]]
        if unmet:
            rows.report(f"without_{kept}", f"records whose id no {kept} has: left out", count=len(unmet), record="")
        rows.cases = [case for case in rows.cases if case.tags["part"] == kept]
        for case in rows.cases:
            for part in ("question", "answer"):
                other = parts[part].get(case.identity or "")
                if other is not None and other is not case:
                    _complete(case, other)
    for rows in sources:
        for case in rows.cases:
            del case.tags["part"]
    return sources


def _complete(case: Case, other: Case) -> None:
    case.tools += other.tools
    case.expected += other.expected
    for name in ("expected_known", "tools_known"):
        case.columns[name] = case.columns.get(name) or other.columns.get(name)
    for name in ("input", "turns"):
        case.columns.setdefault(name, other.columns.get(name))


def detect_bfcl(source: Source) -> tuple[float, str] | None:
    """Recognise the three kinds of files by their keys, and by ids that name a category."""
    records = [record for record in source.head if isinstance(record, dict)]
    if not mostly(_named(record.get("id")) and _KINDS.keys() & record.keys() for record in records):
        return None
    found = sorted({kind for record in records for key, kind in _KINDS.items() if key in record})
    return 0.9, f"records with an id that names a category: {listed(found)} of BFCL"


def _named(identity: Any) -> bool:
    return isinstance(identity, str) and category_of(identity) is not None


BFCL_RESULT = Format(
    "bfcl_result",
    "results of BFCL, joined with its questions and possible answers",
    detect_bfcl,
    each_record(read_one),
    combine,
)
