"""What is wrong with one argument text under one schema: codes, paths, words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolcorrect.arguments import schema_led
from toolcorrect.arguments.decoding import parse_json
from toolcorrect.arguments.differences import is_matcher, path_text
from toolcorrect.arguments.equality import canonical_text
from toolcorrect.arguments.schemas import DEPTH_LIMIT, declared, deeper, validator

# Invalid by the letter of JSON Schema.
SCHEMA_CODES = (
    "unknown_tool",
    "not_json",
    "missing_required",
    "unknown_param",
    "type",
    "enum",
    "format",
    "range",
    "pattern",
    "unique",
    "one_of",
    "other",
    "coercible",
)
# Wrong all the same for who reads calls strictly: an argument that no schema names, a value never filled in.
RUBRIC_CODES = ("undeclared", "placeholder")

_CODE_OF_KIND = {
    "required": "missing_required",
    "additionalProperties": "unknown_param",
    "unevaluatedProperties": "unknown_param",
    "type": "type",
    "enum": "enum",
    "const": "enum",
    "format": "format",
    "pattern": "pattern",
    "propertyNames": "pattern",
    "uniqueItems": "unique",
    "anyOf": "one_of",
    "oneOf": "one_of",
    "minimum": "range",
    "maximum": "range",
    "exclusiveMinimum": "range",
    "exclusiveMaximum": "range",
    "multipleOf": "range",
    "minLength": "range",
    "maxLength": "range",
    "minItems": "range",
    "maxItems": "range",
    "minProperties": "range",
    "maxProperties": "range",
}
_PLACEHOLDER = re.compile(
    r"<[^<>\"\\]{1,60}>|\{\{[^{}\"\\]{1,60}\}\}|\$\{[^{}\"\\]{1,60}\}|your[ _-][^\"\\]{1,40}|"
    r"unknown|n/a|string|null|undefined|placeholder|todo|tbd|xxx+",
    re.IGNORECASE,
)
_QUOTED_PLACEHOLDER = re.compile(rf'"(?:{_PLACEHOLDER.pattern})"', re.IGNORECASE)
_LONE_SURROGATE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_NOTE_LENGTH = 200


@dataclass(frozen=True)
class Defect:
    """One thing wrong: its code, the path of the argument, a sentence."""

    code: str
    path: str
    note: str


def schema_defects(
    schema: str, arguments: str, *, formats: bool = True, null_as_missing: bool = False, coerce: bool = False
) -> list[Defect]:
    """Check one argument text against one schema.

    Parameters
    ----------
    schema, arguments
        JSON texts. Matchers in the arguments (``$match``) are passed over.
    formats
        Whether ``format`` is checked.
    null_as_missing
        Whether a null that the schema refuses counts as an argument left out.
    coerce
        Whether defects that an exact coercion mends (``"22"`` for 22) bear the code ``coercible``.

    Returns
    -------
    list of Defect
        All of them, not only the first.

    Raises
    ------
    BrokenSchemaError
        Where the schema cannot be used.

    Examples
    --------
    >>> schema_defects('{"properties": {"n": {"type": "integer"}}}', '{"n": true}')
    [Defect(code='type', path='n', note='true is not of type "integer"')]
    """
    made = validator(schema, formats=formats)
    value, problem = _decoded(arguments)
    if problem:
        return [Defect("not_json", "", problem)]
    if not isinstance(value, dict):
        return [Defect("type", "", "the arguments are no object")]
    if made.is_valid(value):
        return []
    try:
        errors = [found for error in made.iter_errors(value) for found in _explained(error)]
    except ValueError:
        return [Defect("other", "", "the arguments break their schema, too deep to say where")]
    if null_as_missing and _drop_nulls(value, [parts for _, parts, _ in errors]):
        return schema_defects(schema, json.dumps(value), formats=formats, null_as_missing=True)
    if coerce:
        return _coerced(schema, arguments, value, formats)
    if '"$match"' in arguments:
        errors = [error for error in errors if not _at_matcher(value, error)]
    found = (Defect(code, path_text(parts), _short(note)) for code, parts, note in errors)
    return list(dict.fromkeys(found))


def _coerced(schema: str, arguments: str, value: Any, formats: bool) -> list[Defect]:
    root = parse_json(schema)
    left = schema_defects(schema, json.dumps(schema_led.coerce(value, root, root)), formats=formats)
    plain = schema_defects(schema, arguments, formats=formats)
    return left + [Defect("coercible", found.path, found.note) for found in plain if found not in left]


def rubric_defects(schema: str | None, arguments: str) -> list[Defect]:
    """Name arguments that the schema does not declare, and values that are mere placeholders.

    Examples
    --------
    >>> [d.code for d in rubric_defects('{"properties": {"city": {}}}', '{"city": "<city>", "color": "red"}')]
    ['undeclared', 'placeholder']
    """
    value, problem = _decoded(arguments)
    if problem or not isinstance(value, dict):
        return []
    known = declared(schema) if schema is not None else None
    found = [
        Defect("undeclared", path_text([name]), "the schema does not name this argument")
        for name in value
        if known is not None and known.lacks(name)
    ]
    if _QUOTED_PLACEHOLDER.search(arguments):
        for parts, leaf in leaves(value):
            stated = known is not None and canonical_text(json.dumps(leaf)) in known.stated
            if isinstance(leaf, str) and _PLACEHOLDER.fullmatch(leaf) and not stated:
                found.append(Defect("placeholder", path_text(parts), f"{leaf!r} stands for a value"))
    return found


def leaves(value: Any) -> Iterator[tuple[list[Any], Any]]:
    """Yield path and value of every text, number, truth value and null, in order, without recursion.

    Examples
    --------
    >>> list(leaves({"a": [1, {"b": None}]}))
    [(['a', 0], 1), (['a', 1, 'b'], None)]
    """
    path: list[Any] = []
    stack = [_children(value) if isinstance(value, dict | list) else iter([(None, value)])]
    while stack:
        for part, child in stack[-1]:
            here = path if part is None else [*path, part]
            if isinstance(child, dict | list):
                path.append(part)
                stack.append(_children(child))
                break
            yield here, child
        else:
            stack.pop()
            if path:
                path.pop()


def _children(value: Any) -> Iterator[tuple[Any, Any]]:
    return iter(value.items()) if isinstance(value, dict) else iter(enumerate(value))


def _decoded(text: str) -> tuple[Any, str]:
    """Return the value and "", or None and why there is none."""
    if _LONE_SURROGATE.search(text):
        # A lone surrogate is no Unicode text, which the validator refuses to see.
        try:
            json.dumps(json.loads(text), ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            text = _LONE_SURROGATE.sub(r"\\ufffd", text)
    try:
        value = parse_json(text)
    except ValueError as cause:
        return None, str(cause)
    if text.count("[") + text.count("{") > DEPTH_LIMIT and deeper(value, DEPTH_LIMIT):
        return None, f"nested more than {DEPTH_LIMIT} deep"
    return value, ""


def _explained(error: Any) -> Iterator[tuple[str, list[Any], str]]:
    """Turn a validation error into codes; of alternatives, speak of the only one of the right type."""
    kind, path = error.kind.name, list(error.instance_path)
    code = _CODE_OF_KIND.get(kind, "other")
    if kind in ("anyOf", "oneOf"):
        branches = [list(branch) for branch in getattr(error.kind, "context", [])]
        fitting = [branch for branch in branches if not any(_wrong_type_at(path, e) for e in branch)]
        if branches and not fitting:
            yield "type", path, error.message
        elif len(fitting) == 1:
            for inner in fitting[0]:
                yield from _explained(inner)
        else:
            yield code, path, error.message
    elif kind == "required":
        yield code, [*path, str(error.kind.property)], error.message
    elif code == "unknown_param":
        for name in error.kind.unexpected:
            yield code, [*path, str(name)], "the schema allows no such argument"
    elif kind == "falseSchema" and path and isinstance(path[-1], str):
        yield "unknown_param", path, "the schema allows no such argument"
    else:
        yield code, path, error.message


def _wrong_type_at(path: list[Any], error: Any) -> bool:
    return error.kind.name == "type" and list(error.instance_path) == path


def _at(value: Any, parts: list[Any]) -> Iterator[Any]:
    """Yield the values on the way down a path, the last one at its end, as far as they exist."""
    yield value
    for part in parts:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return
        yield value


def _drop_nulls(value: dict[str, Any], paths: list[list[Any]]) -> bool:
    dropped = False
    for parts in paths:
        way = list(_at(value, parts))
        if len(way) == len(parts) + 1 and way[-1] is None and parts and isinstance(way[-2], dict):
            del way[-2][parts[-1]]
            dropped = True
    return dropped


def _at_matcher(value: Any, error: tuple[str, list[Any], str]) -> bool:
    """Tell whether an error speaks of a matcher, or of alternatives that hold one."""
    code, parts, _ = error
    way = list(_at(value, parts))
    if any(map(is_matcher, way[1:] if code != "unknown_param" else way[1:-1])):
        return True
    return code == "one_of" and '"$match"' in json.dumps(way[-1])


def _short(text: str) -> str:
    return text if len(text) <= _NOTE_LENGTH else text[: _NOTE_LENGTH - 1] + "…"
