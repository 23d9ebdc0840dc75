"""BFCL's accepted values of an argument as a matcher of the ``expected`` table, and back.

An argument lists its accepted values, ``""`` among them where it may be left out. An accepted object lists
accepted values for each of its keys. As a matcher (``{"$match": JSON Schema}``) both are plain JSON Schema.
"""

from __future__ import annotations

from typing import Any

LEFT_OUT = ""


def to_matcher(values: list[Any]) -> dict[str, Any]:
    """Write the accepted values of an argument as a matcher.

    Examples
    --------
    >>> to_matcher(["km", ""])
    {'$match': {'enum': ['km', '']}, '$optional': True}
    >>> to_matcher([{"x": [1, 2]}])["$match"]["properties"]
    {'x': {'enum': [1, 2]}}
    """
    made: dict[str, Any] = {"$match": _schema(values)}
    return {**made, "$optional": True} if LEFT_OUT in values else made


def from_argument(value: Any) -> list[Any]:
    """Return the accepted values of an expected argument: those of a matcher, or the plain value alone.

    Examples
    --------
    >>> from_argument(to_matcher(["km", ""])), from_argument({"a": 1}), from_argument(5)
    (['km', ''], [{'a': [1]}], [5])
    """
    if isinstance(value, dict) and "$match" in value:
        return _values(value["$match"])
    return [{key: [item] for key, item in value.items()} if isinstance(value, dict) else value]


def _schema(values: list[Any]) -> dict[str, Any]:
    """Describe accepted values, in their order, as one schema."""
    parts: list[dict[str, Any]] = []
    for value in values:
        described = _structured(value)
        if described is not None:
            parts.append(described)
        elif parts and "enum" in parts[-1]:
            parts[-1]["enum"].append(value)
        else:
            parts.append({"enum": [value]})
    return {"anyOf": parts} if len(parts) > 1 else parts[0] if parts else {"enum": []}


def _structured(value: Any) -> dict[str, Any] | None:
    """Describe an object of accepted values, or a list that holds such; None for a plain value."""
    if isinstance(value, dict) and all(isinstance(item, list) for item in value.values()):
        return {
            "type": "object",
            "properties": {key: _schema(items) for key, items in value.items()},
            "required": [key for key, items in value.items() if LEFT_OUT not in items],
            "additionalProperties": False,
        }
    if isinstance(value, list):
        items = [_structured(item) for item in value]
        if any(item is not None for item in items):
            described = [{"const": plain} if item is None else item for plain, item in zip(value, items)]
            return {"type": "array", "prefixItems": described, "items": False, "minItems": len(value)}
    return None


def _values(schema: Any) -> list[Any]:
    """Return the accepted values that a schema describes; a schema of another making accepts no value known here."""
    if not isinstance(schema, dict):
        return []
    if "anyOf" in schema:
        return [value for part in schema["anyOf"] for value in _values(part)]
    if "enum" in schema:
        return list(schema["enum"])
    if "const" in schema:
        return [schema["const"]]
    if "properties" in schema:
        return [{key: _values(part) for key, part in schema["properties"].items()}]
    if "prefixItems" in schema:
        return [[_values(part)[0] for part in schema["prefixItems"]]]
    return []
