"""Tools as data: a method's annotations become its JSON Schema, and arguments are checked against it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

TYPES = {"string": str, "integer": int, "number": (int, float), "array": list, "object": dict}


class ShopError(Exception):
    """The shop says no; the text tells the agent why."""


def read(method: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a tool that only looks."""
    method.effect = False
    return method


def effect(method: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a tool that changes the state."""
    method.effect = True
    return method


def _schema(hint: Any) -> dict[str, Any]:
    """Turn a type hint into a JSON Schema."""
    if get_origin(hint) is Annotated:
        base, note = get_args(hint)
        return {**_schema(base), "description": note}
    if get_origin(hint) is Literal:
        values = list(get_args(hint))
        return {"type": "string" if isinstance(values[0], str) else "integer", "enum": values}
    if get_origin(hint) is list:
        return {"type": "array", "items": _schema(*get_args(hint))}
    if is_typeddict(hint):
        fields = get_type_hints(hint, include_extras=True)
        return {
            "type": "object",
            "properties": {name: _schema(field) for name, field in fields.items()},
            "required": list(fields),
        }
    return {"type": {str: "string", int: "integer", float: "number"}[hint]}


def check(value: Any, schema: dict[str, Any], where: str) -> None:
    """Refuse a value that does not fit its schema (the few keywords `_schema` writes)."""
    if not isinstance(value, TYPES[schema["type"]]):
        raise ShopError(f"{where} must be of type {schema['type']}")
    if value not in schema.get("enum", [value]):
        raise ShopError(f"{where} must be one of {', '.join(map(str, schema['enum']))}")
    if isinstance(value, list):
        for item in value:
            check(item, schema["items"], where)
    if isinstance(value, dict):
        for name in [*schema["required"], *value]:
            if name not in value:
                raise ShopError(f"{where} lack {name}")
            if name not in schema["properties"]:
                raise ShopError(f"{where} have no {name}")
            check(value[name], schema["properties"][name], name)


def describe(method: Callable[..., Any]) -> dict[str, Any]:
    """Return a method as an entry of an OpenAI tools list, with `effect` beside it."""
    hints = get_type_hints(method, include_extras=True)
    hints.pop("return")
    optional = list(hints)[len(hints) - len(method.__defaults__ or ()) :]
    parameters = {
        "type": "object",
        "properties": {name: _schema(hint) for name, hint in hints.items()},
        "required": [name for name in hints if name not in optional],
    }
    description = (method.__doc__ or "").strip()
    function = {"name": method.__name__, "description": description, "parameters": parameters}
    return {"type": "function", "function": function, "effect": method.effect}
