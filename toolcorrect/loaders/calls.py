"""`Call` and `Expected`: one row each while a case is being put together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from toolcorrect.arguments.decoding import ABSENT, FORM, parse_json, to_json


class FreeText(str):
    """Arguments of a tool that takes free text: not to be decoded."""

    __slots__ = ()


@dataclass(slots=True, eq=False)
class Call:
    """One call while it is being put together; its attributes are the columns of ``Dataset.calls``.

    ``arguments`` holds JSON text, or the text still to be decoded where ``form`` is None.
    """

    tool: str
    arguments: str | None
    form: int | None
    call_id: str | None = None
    wire: bool = False
    turn: int = 0
    step: int | None = None
    output: str | None = None
    error: bool | None = None
    error_message: str | None = None
    actor: str = "assistant"
    agent: str | None = None
    server: str | None = None
    depth: int = 0
    kind: str = "function"
    source: str = "llm"
    started: Any = None

    def same_arguments(self, other: Call) -> bool:
        """Tell whether both hold equal arguments; unknown ones equal nothing."""
        if self.arguments is None or other.arguments is None:
            return False
        return bool(self.arguments == other.arguments or _value(self.arguments) == _value(other.arguments))

    def complete(self, output: Any, error: Any, message: Any) -> None:
        """Add what came back."""
        if output is not ABSENT:
            self.output = to_json(output)
        if error is not None:
            self.error = bool(error)
        if message is not None:
            self.error_message = text_of(message)


@dataclass(slots=True, eq=False)
class Expected:
    """One expected call; its attributes are the columns of ``Dataset.expected``."""

    tool: str
    arguments: str | None
    form: int | None
    wire: bool = False
    reference: int = 0
    turn: int = 0
    step: int | None = None
    output: str | None = None
    kind: str = "function"
    role: str = "required"
    compare: str | None = None


def tool_row(name: Any, description: Any, parameters: Any, effect: Any) -> tuple[Any, ...]:
    """Return a row of ``Dataset.tools`` without its case."""
    schema = parameters if parameters is None or isinstance(parameters, str) else to_json(parameters)
    return name_of(name), text_of(description), schema, effect if isinstance(effect, bool) else None


def name_of(value: Any) -> str:
    """Return a tool name.

    Raises
    ------
    TypeError
        Where it is no text.
    """
    if isinstance(value, str):
        return value
    raise TypeError(f"a tool name is a text, not {type(value).__name__}")


def text_of(value: Any) -> str | None:
    """Return a text as it is, None as None, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value
    return to_json(value)


def moment(value: Any) -> Any:
    """Return a time in ISO's usual spelling as nanoseconds since the epoch; anything else as it is.

    Examples
    --------
    >>> moment("1970-01-01T00:00:01Z"), moment("soon")
    (1000000000, 'soon')
    """
    if not isinstance(value, str) or not _MOMENT.match(value):
        return value
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return value
    passed = found.replace(tzinfo=found.tzinfo or UTC) - EPOCH
    return ((passed.days * 86_400 + passed.seconds) * 1_000_000 + passed.microseconds) * 1000


_MOMENT = re.compile(r"(?:19|20)\d\d-\d\d-\d\d[T ]\d\d:\d\d")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def storable(text: str) -> str:
    r"""Return a text that a table can hold: lone surrogates, which are no Unicode text, become their escapes.

    Examples
    --------
    >>> storable("caf\u00e9"), storable("half \ud83d")
    ('café', 'half \\ud83d')
    """
    return text.encode("utf-8", "backslashreplace").decode()


def held(arguments: Any) -> tuple[str | None, int | None]:
    """Return arguments as text with their form; no form: a text still to be decoded."""
    if isinstance(arguments, str):
        return (to_json(str(arguments)), FORM["other"]) if isinstance(arguments, FreeText) else (arguments, None)
    if isinstance(arguments, dict):
        return to_json(arguments), FORM["object"]
    if arguments is ABSENT:
        return None, FORM["absent"]
    if arguments is None:
        return None, FORM["null"]
    return to_json(arguments), FORM["list" if isinstance(arguments, list | tuple) else "other"]


def _value(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        return text
