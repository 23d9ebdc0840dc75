"""Calls and tools as people write them down: a name, or an object with one of the usual keys."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from toolcorrect.arguments.decoding import ABSENT, parse_json
from toolcorrect.loaders.faults import described
from toolcorrect.loaders.rows import MALFORMED, Case, Rows

# The first key that is there counts.
CALL_KEYS: Mapping[str, Sequence[str]] = {
    "name": ("name", "tool_name", "toolName", "tool", "function"),
    "arguments": (
        "arguments",
        "args",
        "input_parameters",
        "inputParameters",
        "tool_input",
        "toolInput",
        "parameters",
        "kwargs",
        "input",
    ),
    "output": ("output", "result"),
    "error": ("error",),
    "id": ("id", "call_id", "tool_call_id", "toolCallId"),
    "actor": ("actor", "requestor"),
    "agent": ("agent",),
    "server": ("server",),
    "turn": ("turn",),
    "step": ("step",),
    "type": ("type",),
    "role": ("role",),
    "compare": ("compare", "compare_args"),
}
SCHEMA_KEYS = ("parameters", "input_parameters", "inputParameters", "input_schema", "inputSchema")
# What a call may say that no table has room for, and nobody misses.
_PROSE = frozenset({"reasoning", "description", "index"})
_FIELD_OF = {key: field for field, keys in CALL_KEYS.items() for key in keys}
_OF_BOTH = frozenset({"output", "turn", "step", "type"})
_OF_CALLED = _OF_BOTH | {"id", "actor", "agent", "server"}
_OF_EXPECTED = _OF_BOTH | {"role", "compare"}
# Words that formats use for an ordinary function.
_FUNCTION_TYPES = frozenset({"function", "custom", "tool", "tool_call"})


def add_called(case: Case, item: Any, *, wire: bool = False, turn: int = 0) -> None:
    """Add one call, a name or an object, to a case.

    Parameters
    ----------
    wire
        Arguments travel as text in this record; under a ``function`` key they always do.
    turn
        Of calls that do not say.
    """
    if isinstance(item, str):
        case.call(item, turn=turn)
        return
    found, wire = _fields(case.rows, item, wire)
    columns = _columns(found, _OF_CALLED, turn)
    error = found.get("error")
    if error is not None:
        # Many write the message where others write true.
        columns["error"] = error if isinstance(error, bool) else True
        columns["error_message"] = None if isinstance(error, bool) else error
    case.call(found["name"], found.get("arguments", ABSENT), wire=wire, **columns)


def add_expected(case: Case, item: Any, *, wire: bool = False, reference: int = 0, turn: int = 0) -> None:
    """Add one expected call, a name or an object, to a case."""
    if isinstance(item, str):
        case.expect(item, reference=reference, turn=turn)
        return
    found, wire = _fields(case.rows, item, wire)
    columns = _columns(found, _OF_EXPECTED, turn)
    if columns.get("role", "required") not in ("required", "optional"):
        raise ValueError(f"the role of an expected call is required or optional, not {columns['role']!r}")
    case.expect(found["name"], found.get("arguments", ABSENT), reference=reference, wire=wire, **columns)


def add_offered(owner: Case | Rows, item: Any) -> None:
    """Add one offered tool: a name, an OpenAI tool, or an object with a name and a schema."""
    if isinstance(item, str):
        owner.tool(item)
        return
    inner = item["function"] if isinstance(item.get("function"), dict) else item
    schema = next((inner[key] for key in SCHEMA_KEYS if inner.get(key) is not None), None)
    effect = item.get("effect", inner.get("effect"))
    owner.tool(inner["name"], description=inner.get("description") or None, parameters=schema, effect=effect)


def add_offered_list(case: Case, tools: Any) -> None:
    """Add a list of offered tools; None means that they are not known, as are those of a list that is malformed."""
    if tools is None:
        return
    held, known = len(case.tools), case.columns.get("tools_known", False)
    try:
        for item in listed_items(tools):
            add_offered(case, item)
    except MALFORMED as cause:
        # The calls of the record can be read all the same.
        del case.tools[held:]
        case.columns["tools_known"] = known
        case.report("tools_unreadable", f"the tools it offers are not as they should be ({described(cause)})")
        return
    case.columns["tools_known"] = True


def listed_items(value: Any) -> list[Any]:
    """Return a list given as such, as JSON or Python text, or as names between ``;``, ``|`` or commas.

    Raises
    ------
    TypeError, ValueError
        Where it is no list.

    Examples
    --------
    >>> listed_items("search;book")
    ['search', 'book']
    """
    if isinstance(value, list | tuple):
        return list(value)
    if not isinstance(value, str):
        raise TypeError(f"a list of calls is a list, not {type(value).__name__}")
    text = value.strip()
    if not text.startswith(("[", "{")):
        separator = next((mark for mark in ";|," if mark in text), ";")
        return [name.strip() for name in text.split(separator) if name.strip()]
    try:
        found = parse_json(text)
    except ValueError:
        found = python_literal(text)
    return list(found) if isinstance(found, list | tuple) else [found]


def python_literal(text: str) -> Any:
    """Read a value printed by Python.

    Raises
    ------
    ValueError
        Where the text is none.
    """
    if len(text) > 10_000_000 or re.search(r"[-+~(\[{]{200}", text):
        raise ValueError("neither JSON nor a Python literal")
    try:
        return ast.literal_eval(text)
    except (SyntaxError, MemoryError, RecursionError, TypeError, ValueError):
        raise ValueError("neither JSON nor a Python literal") from None


def kind_of(word: Any) -> str:
    """Return the kind of a call from what its ``type`` says.

    Examples
    --------
    >>> kind_of("MCP"), kind_of(None), kind_of("FUNCTION")
    ('mcp', 'function', 'function')
    """
    if word is None:
        return "function"
    lower = str(word).lower()
    return "function" if lower in _FUNCTION_TYPES else lower


def _fields(rows: Rows, item: Any, wire: bool) -> tuple[dict[str, Any], bool]:
    """Return the fields of a written call by name, and whether its arguments travel as text."""
    if not isinstance(item, dict):
        raise TypeError(f"a call is a name or an object, not {type(item).__name__}")
    if isinstance(item.get("function"), dict):
        item = {**item, **item["function"]}
        del item["function"]
        wire = True
    found: dict[str, Any] = {}
    for key, value in item.items():
        field = _FIELD_OF.get(key)
        if field is None:
            if key not in _PROSE:
                rows.report("ignored_keys", f"{str(key)[:60]!r} of calls", record="")
        elif field in found:
            found[field] = next(item[name] for name in CALL_KEYS[field] if name in item)
        else:
            found[field] = value
    if not isinstance(found.get("name"), str):
        raise ValueError(f"a call has no name (its keys: {', '.join(map(str, item))[:80]})")
    return found, wire


def _columns(found: dict[str, Any], wanted: frozenset[str], turn: int) -> dict[str, Any]:
    """Return the columns that a call states; null is as good as nothing said."""
    columns: dict[str, Any] = {"turn": turn}
    for field in found.keys() & wanted:
        value = found[field]
        if value is None:
            continue
        if field == "type":
            columns["kind"] = kind_of(value)
        else:
            columns[field] = _integer(value) if field in ("turn", "step") else value
    return columns


def _integer(value: Any) -> int:
    if isinstance(value, bool) or int(value) != value or not 0 <= value < 1 << 31:
        raise ValueError(f"turn and step count from 0, not {value!r}")
    return int(value)
