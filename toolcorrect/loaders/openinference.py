"""OpenInference: spans of Arize's conventions, with their lists in dotted names."""

from __future__ import annotations

from collections.abc import Iterable
from operator import methodcaller
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.heard import offered, request_messages, text_of_answer, tool_answer
from toolcorrect.loaders.reading import Reading, model_reading, tool_reading
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.span import Span, decoded

KIND = "openinference.span.kind"
_OF_MESSAGES = methodcaller("startswith", ("llm.output_messages", "llm.input_messages"))
_CALL_PATHS = [["tool_call", "id"], ["tool_call", "function", "name"], ["tool_call", "function", "arguments"]]
_FIELDS = frozenset({"role", "content", "tool_call_id", "name"})
_LISTS = frozenset({"llm.input_messages", "llm.output_messages", "llm.tools"})
# A name with more dots is no name of these conventions.
_DEEPEST = 30


def read(span: Span, rows: Rows) -> Reading:
    """Read one span."""
    a = span.attributes
    kind = str(a.get(KIND) or ("LLM" if has_messages(a) else "")).upper()
    if kind == "LLM":
        made = _model(a, rows)
    elif kind == "TOOL":
        made = _tool(span, rows)
    elif kind == "AGENT":
        made = Reading("agent", agent=a.get("agent.name") or span.name)
    else:
        made = Reading()
    if kind in ("AGENT", "CHAIN") and span.parent is None:
        made.question, made.answer = _question(a), text_of_answer(a.get("output.value"))
    made.session = a.get("session.id")
    return made


def has_messages(attributes: dict[str, Any]) -> bool:
    """Tell a model's span by its messages, where it has no kind."""
    return any(map(_OF_MESSAGES, attributes))


def _model(a: dict[str, Any], rows: Rows) -> Reading:
    given, found, offer = _lists(a)
    said: Any = _messages(found)
    if not said and not found and not any(key.startswith("llm.output_messages") for key in a):
        said = a.get("output.value")
    made = model_reading(rows, given or a.get("input.value"), said, model=a.get("llm.model_name"))
    if given:
        made.hear = _messages
    made.offer, made.show = offer, _tools
    return made


def _tool(span: Span, rows: Rows) -> Reading:
    a = span.attributes
    name, arguments = a.get("tool.name"), a.get("input.value", a.get("tool.parameters", ABSENT))
    output, call_id, failed = tool_answer(a.get("output.value", ABSENT))
    inner = None if name else _wrapped(arguments)
    if inner is not None:
        rows.report("unwrapped", f"{span.name} carries the call of another tool")
        name, arguments = inner
    name = name or span.name
    identity = a.get("tool_call.id") or a.get("tool.id") or call_id
    return tool_reading(name, arguments, span, id=identity, output=output, failed=span.failed or failed)


def _wrapped(arguments: Any) -> tuple[str, Any] | None:
    """Return the call that a dispatcher was given as its only argument."""
    given = decoded(arguments)
    inner = next(iter(given.values())) if isinstance(given, dict) and len(given) == 1 else None
    if not isinstance(inner, dict) or len(inner) != 2:
        return None
    name = inner.get("tool_name", inner.get("name"))
    if isinstance(name, str) and ("args" in inner or "arguments" in inner):
        return name, inner.get("args", inner.get("arguments"))
    return None


def _question(a: dict[str, Any]) -> Any:
    value = a.get("input.value")
    if value is None:
        return None
    messages = request_messages(value)
    said = [m.get("content") for m in messages if m.get("role") == "user"]
    return said[-1] if said else None


def _lists(a: dict[str, Any]) -> tuple[list[Any], list[Any], list[Any]]:
    """Return what `_below` finds for messages in, messages out and tools, in one pass over long lists."""
    if not _LISTS.isdisjoint(a):
        return _below(a, "llm.input_messages"), _below(a, "llm.output_messages"), _below(a, "llm.tools")
    given: list[Any] = []
    said: list[Any] = []
    offer: list[Any] = []
    for key, value in a.items():
        # The most frequent ones first.
        if key[:19] == "llm.input_messages.":
            given.append((key[19:], value))
        elif key[:20] == "llm.output_messages.":
            said.append((key[20:], value))
        elif key[:10] == "llm.tools.":
            offer.append((key[10:], value))
    return given, said, offer


def _below(a: dict[str, Any], prefix: str) -> list[Any]:
    """Return what the attributes below a name hold: a list, or pairs of a dotted name and a value."""
    whole = decoded(a.get(prefix))
    if isinstance(whole, list):
        return whole
    start = prefix + "."
    length = len(start)
    return [(key[length:], value) for key, value in a.items() if key.startswith(start)]


def _tree(found: list[Any]) -> list[Any]:
    """Return the list that `_below` found in either form."""
    return _items(_grown(found) if found and isinstance(found[0], tuple) else _opened(found))


def _messages(found: list[Any]) -> list[Any]:
    plain = _plain(found) if found and isinstance(found[0], tuple) else None
    if plain is not None:
        return plain
    return [_message(item.get("message", item)) for item in _tree(found) if isinstance(item, dict)]


def _plain(found: list[tuple[str, Any]]) -> list[Any] | None:
    """Return the messages of dotted names in OpenAI's form, without a tree; None where any name is not the usual."""
    messages: dict[str, dict[str, Any]] = {}
    calls: dict[tuple[str, str], dict[str, Any]] = {}
    for name, value in found:
        number, *path = name.split(".")
        if not path or path[0] != "message" or not isinstance(value, str):
            return None
        message = messages.setdefault(number, {})
        if len(path) == 2 and path[1] in _FIELDS:
            message[path[1]] = value
        elif path[1:2] == ["tool_calls"] and path[3:] in _CALL_PATHS:
            calls.setdefault((number, path[2]), {})[path[-1]] = value
        else:
            return None
    numbers = [*messages, *(place for _, place in calls)]
    if not all(number.isascii() and number.isdecimal() and len(number) < 10 for number in numbers):
        return None
    if not all("name" in call for call in calls.values()):
        return None
    for message in messages.values():
        message["role"] = message.get("role") or "assistant"
        message["tool_calls"] = []
    for number, place in sorted(calls, key=lambda key: int(key[1])):
        call = calls[number, place]
        messages[number]["tool_calls"].append({"id": call.pop("id", None), "function": call})
    return [messages[number] for number in sorted(messages, key=int)]


def _tools(found: list[Any]) -> list[dict[str, Any]]:
    return offered([_schema(tool) for tool in _tree(found)])


def _message(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message in OpenAI's form."""
    parts = [part.get("message_content", part) for part in _items(message.get("contents"))]
    made = {
        "role": message.get("role") or "assistant",
        "content": message.get("content") if message.get("content") is not None else parts or None,
        "tool_calls": [_call(item.get("tool_call", item)) for item in _items(message.get("tool_calls"))],
        "tool_call_id": message.get("tool_call_id"),
        "name": message.get("name"),
    }
    if message.get("function_call_name"):
        name, text = message["function_call_name"], message.get("function_call_arguments_json")
        made["function_call"] = {"name": name} if text is None else {"name": name, "arguments": text}
    return made


def _call(call: dict[str, Any]) -> dict[str, Any]:
    function = call.get("function") or {}
    made = {"name": function["name"]}
    if function.get("arguments") is not None:
        made["arguments"] = function["arguments"]
    return {"id": call.get("id"), "function": made}


def _schema(tool: Any) -> Any:
    """Return a tool as its schema says it, or by its name alone."""
    inner = tool.get("tool", tool) if isinstance(tool, dict) else tool
    if not isinstance(inner, dict):
        return inner
    schema = decoded(inner.get("json_schema"))
    return schema if isinstance(schema, dict) else inner


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def subtree(attributes: dict[str, Any], prefix: str) -> Any:
    """Return what the attributes below a name hold, as objects and lists; None where there are none.

    Numbers in names are places in a list, in numeric order, gaps allowed; values may hold dotted names too.

    Examples
    --------
    >>> subtree({"a.10.b": 1, "a.2.b.c": 2, "x": 0}, "a")
    [{'b': {'c': 2}}, {'b': 1}]
    >>> subtree({"a": [{"b.c": 2}]}, "a")
    [{'b': {'c': 2}}]
    """
    found = _below(attributes, prefix)
    return _grown(found) if found and isinstance(found[0], tuple) else _opened(found) or None


def _grown(items: Iterable[tuple[str, Any]]) -> Any:
    tree: dict[str, Any] = {}
    for name, value in items:
        *path, last = name.split(".", _DEEPEST)
        place = tree
        for step in path:
            inner = place.get(step)
            place[step] = place = inner if isinstance(inner, dict) else {}
        place[last] = _opened(value)
    return _with_lists(tree) if tree else None


def _opened(value: Any) -> Any:
    if isinstance(value, list):
        return [_opened(item) for item in value]
    if isinstance(value, dict):
        return _grown((str(key), item) for key, item in value.items() if item is not None) or {}
    return value


def _with_lists(value: Any) -> Any:
    """Make lists of objects whose keys are numbers."""
    if not isinstance(value, dict):
        return value
    made = {key: _with_lists(item) for key, item in value.items()}
    if made and all(key.isascii() and key.isdigit() and len(key) < 10 for key in made):
        return [made[key] for key in sorted(made, key=int)]
    return made
