"""BFCL's descriptions of parameters as JSON Schema: its own type names are kept beside JSON's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Keyword that keeps the type as the description states it, where JSON Schema has another word.
STATED = "x-type"

_JSON_TYPES = {"dict": "object", "float": "number", "tuple": "array", "list": "array", "bool": "boolean"}
_PLAIN = frozenset({"string", "integer", "number", "boolean", "array", "object", "null"})


def to_json_schema(description: Any, *, source_text: bool = False) -> Any:
    """Return a description of parameters as JSON Schema.

    Parameters
    ----------
    description
        What BFCL's questions state for a tool's ``parameters``, or for one of these.
    source_text
        Arguments are source text (Java, JavaScript): texts to JSON, whatever type they stand for.

    Examples
    --------
    >>> to_json_schema({"type": "dict", "properties": {"x": {"type": "float"}}})
    {'type': 'object', 'properties': {'x': {'type': 'number', 'x-type': 'float'}}, 'x-type': 'dict'}
    """
    if not isinstance(description, dict):
        return description
    made = dict(description)
    properties = made.get("properties")
    if isinstance(properties, dict):
        made["properties"] = {name: _argument(one, source_text) for name, one in properties.items()}
    if "items" in made:
        made["items"] = to_json_schema(made["items"])
    stated = made.get("type")
    if isinstance(stated, str) and stated not in _PLAIN:
        made[STATED] = stated
        if stated in _JSON_TYPES:
            made["type"] = _JSON_TYPES[stated]
        else:
            del made["type"]
    return made


def _argument(description: Any, source_text: bool) -> Any:
    made = to_json_schema(description)
    if source_text and isinstance(made, dict):
        return {**made, "type": "string", STATED: stated_type(made)}
    return made


def stated_type(schema: Mapping[str, Any]) -> str:
    """Return the type that BFCL's description states.

    Examples
    --------
    >>> stated_type({"type": "number", "x-type": "float"}), stated_type({"type": "string"})
    ('float', 'string')
    """
    return str(schema.get(STATED, schema.get("type", "")))
