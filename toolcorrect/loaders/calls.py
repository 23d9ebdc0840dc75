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

    def join(self, execution: Call) -> None:
        """Take over what only the execution of this call tells, and how it ended."""
        if self.arguments is None:
            self.arguments, self.form, self.wire = execution.arguments, execution.form, execution.wire
        if execution.output is not None:
            self.output = execution.output
        if execution.error is not None:
            self.error = execution.error
        if execution.error_message is not None:
            self.error_message = execution.error_message
        if self.agent is None:
            self.agent = execution.agent
        if self.server is None:
            self.server = execution.server
        if self.started is None:
            self.started = execution.started
        if self.call_id is None:
            self.call_id = execution.call_id
        self.depth = max(self.depth, execution.depth)


def made_call(
    tool: Any,
    arguments: Any = ABSENT,
    *,
    id: Any = None,
    wire: bool = False,
    turn: int = 0,
    step: int | None = None,
    output: Any = ABSENT,
    error: Any = None,
    error_message: Any = None,
    actor: str = "assistant",
    agent: Any = None,
    server: Any = None,
    depth: int = 0,
    kind: str = "function",
    source: str = "llm",
    started: Any = None,
) -> Call:
    """Put a call together.

    Parameters
    ----------
    tool
        Name, verbatim.
    arguments
        A mapping, a text, None for null; left out where the format does not hold them.
    id
        Call id, if any.
    wire
        Arguments travel as JSON text in this format (see `toolcorrect.arguments.decoding.decode`).
    output
        What the tool returned, any JSON value; left out where not known. None is a null that was returned.
    error
        True, False, or None where the format cannot tell.
    started
        A time: ISO text, datetime, or nanoseconds since the epoch.
    turn, step, error_message, actor, agent, server, depth, kind, source
        See ``toolcorrect.tables.CALLS``.

    Raises
    ------
    TypeError
        Where the name is no text.
    """
    text, form = held(arguments)
    # By place, in the order of its attributes: with names it takes three times as long.
    return Call(
        name_of(tool),
        text,
        form,
        id if id is None else text_of(id),
        wire,
        turn,
        step,
        None if output is ABSENT else to_json(output),
        error if error is None else bool(error),
        error_message if error_message is None else text_of(error_message),
        actor,
        agent if agent is None else text_of(agent),
        server if server is None else text_of(server),
        depth,
        kind,
        source,
        started,
    )


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
    texts = (None if text is None else storable(text) for text in (text_of(description), text_of(parameters)))
    return storable(name_of(name)), *texts, effect if isinstance(effect, bool) else None


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
