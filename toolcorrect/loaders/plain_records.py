"""Plain records: what a person writes by hand, the columns of a frame, and the agentarts form."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from toolcorrect.loaders.calllike import add_called, add_expected, add_offered_list, listed_items
from toolcorrect.loaders.format import Format, each_record
from toolcorrect.loaders.rows import Case, Rows
from toolcorrect.loaders.source import Source

# Field -> keys that mean it; the first that is there counts, others become columns of cases.
RECORD_KEYS: Mapping[str, Sequence[str]] = {
    "case": ("case", "case_id", "caseId", "id"),
    "called": ("called", "tools_called", "tool_calls", "toolsCalled", "called_tools", "calls"),
    "expected": ("expected", "expected_tools", "expectedTools", "expected_calls", "expected_tool_calls"),
    "tools": ("tools", "tool_list", "available_tools", "availableTools"),
    "task": ("task", "task_id"),
    "model": ("model",),
    "trial": ("trial",),
    "session": ("session", "session_id"),
    "turns": ("turns",),
    "input": ("input",),
    "output": ("output", "actual_output", "final_answer"),
    "outcome": ("outcome", "reward"),
}
_FIELD_OF = {key: field for field, keys in RECORD_KEYS.items() for key in keys}
_RANK = {key: rank for keys in RECORD_KEYS.values() for rank, key in enumerate(keys)}
# Keys of the lists that scores are made of, in small letters: one that is nearly written so is likely meant.
_LISTS = {key.lower(): key for field in ("called", "expected") for key in RECORD_KEYS[field]}
# What others call the expected calls.
_OTHER_WORDS = frozenset({"reference", "references", "ground_truth", "reference_tool_calls", "gold"})
# Under this key, calls are in the wire form of chat messages: arguments are JSON texts, on both sides.
WIRE_KEY = "tool_calls"


def read_record(record: Any, rows: Rows) -> None:
    """Read one record into one case."""
    if not isinstance(record, dict):
        raise TypeError(f"a record is an object, not {type(record).__name__}")
    record = unnested(record)
    fields, tags = split_record(record)
    called, expected, tools = (fields.pop(name, None) for name in ("called", "expected", "tools"))
    case = rows.case(fields.pop("case", None), tags=tags, **fields)
    add_lists(case, called, expected, tools, wire=WIRE_KEY in record)


def split_record(record: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split a record into the fields that its keys mean, and the user's own columns."""
    keys: dict[str, str] = {}
    for key in record:
        field = _FIELD_OF.get(key)
        if field is not None and (field not in keys or _RANK[key] < _RANK[keys[field]]):
            keys[field] = key
    fields = {field: record[key] for field, key in keys.items()}
    used = set(keys.values())
    tags = {str(key): value for key, value in record.items() if key not in used}
    if "input" not in fields and "context" in tags:
        context = tags.pop("context")
        fields["input"] = "\n".join(map(str, context)) if isinstance(context, list) else context
    return fields, tags


@lru_cache(maxsize=1024)
def meant_by(key: str) -> str | None:
    """Return the key of a list of calls that an unknown key is likely a slip of the pen for.

    Examples
    --------
    >>> meant_by("caled"), meant_by("Expected"), meant_by("expected_output")
    ('called', 'expected', None)
    """
    near = difflib.get_close_matches(key.lower(), _LISTS, n=1, cutoff=0.85)
    return _LISTS[near[0]] if near and key not in _FIELD_OF else None


def unnested(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record whose lists are under ``input`` (agentarts) as a flat one."""
    inner = record.get("input")
    if isinstance(inner, dict) and any(key in inner for key in (*RECORD_KEYS["called"], *RECORD_KEYS["tools"])):
        return {**{key: value for key, value in record.items() if key != "input"}, **inner}
    return record


def add_lists(
    case: Case, called: Any, expected: Any, tools: Any, *, wire: bool = False, called_known: bool = False
) -> None:
    """Add the calls made, the calls expected and the tools offered; None means not known, ``[]`` none.

    Parameters
    ----------
    expected
        A list, or ``{"any_of": [list, ...]}`` for alternatives.
    wire
        Arguments travel as text.
    called_known
        The calls are known already, from elsewhere in the record.
    """
    case.columns["called_known"] = called_known or called is not None
    unknown = {"called": not case.columns["called_known"], "expected": expected is None}
    _report_slips(case, {field for field, missing in unknown.items() if missing})
    for item in listed_items(called) if called is not None else ():
        add_called(case, item, wire=wire)
    alternatives = _alternatives(expected) if expected is not None else []
    if any(isinstance(item, list) for alternative in alternatives for item in alternative):
        case.report("alternatives_nested_too_deep", "a list stands where one call belongs; the reference is left out")
    elif expected is not None:
        case.columns["expected_known"] = True
        case.columns["references"] = len(alternatives)
        for reference, alternative in enumerate(alternatives):
            for item in alternative:
                add_expected(case, item, wire=wire, reference=reference)
    add_offered_list(case, tools)


def _report_slips(case: Case, missing: set[str]) -> None:
    """Report keys that hold a list, or null, and seem to mean one of the fields that are missing."""
    # The lists of a table may be texts.
    held = (list, tuple, str) if case.rows.source.shape == "table" else (list, tuple)
    for key, value in case.tags.items() if missing else ():
        meant = meant_by(key) if value is None or isinstance(value, held) else None
        if meant is None and isinstance(value, list):
            # A list of messages is no field of a plain record, but would hold the calls.
            near = difflib.get_close_matches(key.lower(), ("messages",), cutoff=0.85)
            meant = "expected" if key.lower() in _OTHER_WORDS else near[0] if near else None
        if meant and _FIELD_OF.get(meant, "called") in missing:
            case.rows.report("unknown_key", f"{key[:60]!r} is not understood; is {meant!r} meant?", record="")


def _alternatives(expected: Any) -> list[list[Any]]:
    if isinstance(expected, str) and expected.lstrip().startswith("{"):
        (expected,) = listed_items(expected)
    if not isinstance(expected, dict) or "any_of" not in expected:
        return [[expected] if isinstance(expected, dict) else listed_items(expected)]
    alternatives = expected["any_of"]
    if not isinstance(alternatives, list) or not alternatives:
        raise ValueError("any_of holds a list of alternatives, at least one")
    return [listed_items(alternative) for alternative in alternatives]


def detect(source: Source) -> tuple[float, str] | None:
    """Recognise records by the keys of their lists."""
    records = [unnested(record) for record in source.head if isinstance(record, dict)]
    keys = {str(key) for record in records for key in record} | set(source.columns)
    if keys & {"messages", "metricsData", "conversations"}:
        return None
    called = [key for key in RECORD_KEYS["called"] if key in keys]
    expected = [key for key in RECORD_KEYS["expected"] if key in keys]
    tools = [key for key in ("tool_list", "available_tools") if key in keys]
    if called and expected:
        return 0.8, f"records with {called[0]} and {expected[0]}"
    if "tools_called" in called or "called" in called or expected or (tools and called):
        return 0.6, f"records with {(called + expected + tools)[0]}"
    return None


PLAIN_RECORDS = Format(
    "plain_records", "records with the calls made and the calls expected", detect, each_record(read_record)
)
