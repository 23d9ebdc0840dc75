"""What is wrong with a malformed record, in words for people."""

from __future__ import annotations

import re

from toolcorrect.loaders.lines import reason

# What Python calls the values of JSON.
_WORDS = {
    "str": "a text",
    "dict": "an object",
    "list": "a list",
    "int": "a number",
    "float": "a number",
    "bool": "true or false",
    "NoneType": "null",
}
_NAMES = "|".join(_WORDS)
# How Python says that a value is of the wrong kind, and how our own sentences end.
_PYTHON = re.compile(rf"'({_NAMES})'|^(str|list)(?:ing)? indices|non-iterable ({_NAMES}) object")
_OURS = re.compile(rf"(?<=not )({_NAMES})$")


def described(cause: Exception) -> str:
    """Say what an error means that a malformed record has caused in a reader.

    Examples
    --------
    >>> described(KeyError("name")), described(AttributeError("'str' object has no attribute 'get'"))
    ("the key 'name' is missing", 'a text stands where something else belongs')
    >>> described(TypeError("a tool name is a text, not dict"))
    'a tool name is a text, not an object'
    """
    said = reason(cause)
    if isinstance(cause, KeyError):
        return f"the key {said} is missing"
    if isinstance(cause, RecursionError):
        return "it is nested too deeply"
    if isinstance(cause, IndexError):
        return "a list is shorter than it should be"
    found = _PYTHON.search(said) if isinstance(cause, AttributeError | TypeError) else None
    if found is None:
        return _OURS.sub(lambda kind: _WORDS[kind[1]], said)
    return f"{_WORDS[found[found.lastindex or 1]]} stands where something else belongs"
