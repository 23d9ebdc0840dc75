"""Calls and tools as people write them down: a name, or an object with one of the usual keys."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from toolcorrect.decoding import ABSENT, parse_json
from toolcorrect.loaders.rows import Case, Rows

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
_KNOWN = frozenset(key for keys in CALL_KEYS.values() for key in keys) | _PROSE
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
    found, arguments, wire = _parts(case.rows, item, wire)
    error = found.get("error")
    message = None
    if error is not None and not isinstance(error, bool):
        error, message = True, error
    case.call(
        found["name"],
        arguments,
        id=found.get("id"),
        wire=wire,
        turn=_integer(found.get("turn"), turn),
        step=_integer(found.get("step"), None),
        output=_given(found.get("output")),
        error=error,
        error_message=message,
        actor=found.get("actor") or "assistant",
        agent=found.get("agent"),
        server=found.get("server"),
        kind=kind_of(found.get("type")),
    )


def add_expected(case: Case, item: Any, *, wire: bool = False, reference: int = 0, turn: int = 0) -> None:
    """Add one expected call, a name or an object, to a case."""
    if isinstance(item, str):
        case.expect(item, reference=reference, turn=turn)
        return
    found, arguments, wire = _parts(case.rows, item, wire)
    role = found.get("role") or "required"
    if role not in ("required", "optional"):
        raise ValueError(f"the role of an expected call is required or optional, not {role!r}")
    case.expect(
        found["name"],
        arguments,
        reference=reference,
        wire=wire,
        turn=_integer(found.get("turn"), turn),
        step=_integer(found.get("step"), None),
        output=_given(found.get("output")),
        kind=kind_of(found.get("type")),
        role=role,
        compare=found.get("compare"),
    )


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
    """Add a list of offered tools; None means that they are not known."""
    if tools is None:
        return
    case.columns["tools_known"] = True
    for item in listed_items(tools):
        add_offered(case, item)


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


def _parts(rows: Rows, item: Any, wire: bool) -> tuple[dict[str, Any], Any, bool]:
    if not isinstance(item, dict):
        raise TypeError(f"a call is a name or an object, not {type(item).__name__}")
    inner = item
    if isinstance(item.get("function"), dict):
        inner, wire = {**item, **item["function"]}, True
        del inner["function"]
    found = {
        field: inner[key] for field, keys in CALL_KEYS.items() if (key := next((k for k in keys if k in inner), None))
    }
    if not isinstance(found.get("name"), str):
        raise ValueError(f"a call has no name (its keys: {', '.join(map(str, item))[:80]})")
    for key in inner.keys() - _KNOWN:
        rows.report("ignored_keys", f"{str(key)[:60]!r} of calls", record="")
    arguments = found.get("arguments", ABSENT)
    return found, arguments, wire


def _given(output: Any) -> Any:
    """Take a null output as one that nobody wrote down."""
    return ABSENT if output is None else output


def _integer(value: Any, default: Any) -> Any:
    if value is None:
        return default
    if isinstance(value, bool) or int(value) != value or value < 0:
        raise ValueError(f"turn and step count from 0, not {value!r}")
    return int(value)
