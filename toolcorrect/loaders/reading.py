"""`Reading`: what one span says about calls, whatever its dialect."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.announcing import announced
from toolcorrect.loaders.calls import Call, made_call
from toolcorrect.loaders.heard import offered, request_messages, response_messages
from toolcorrect.loaders.histories import Part
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.span import Span, decoded

# What begins as messages do in JSON.
_CUT = re.compile(r'\s*(\[\s*)*\{\s*"')


@dataclass(slots=True, eq=False)
class Reading:
    """What one span says.

    Attributes
    ----------
    kind
        ``llm`` (it announces calls), ``tool`` (it executes one), ``agent``, ``plain`` (it executes one if its
        name is that of a tool), or empty: it only stands between others.
    id, parent, started, ended
        Of the span.
    place
        In the order in which the readings of the trace were added.
    agent
        Name of the agent, of an agent's span or as a model's or a tool's span states it.
    announced
        The calls that a model asked for, in order.
    given
        What a model was given, as recorded; ``hear`` makes messages of it, or of a part of it.
    part
        What of it no earlier span of the trace was given.
    offer
        The tools that were offered, as recorded; ``show`` makes a list of them (see `heard.offered`).
    offers_within
        They stand in what was given, beside the messages.
    execution
        The call as the span of a tool tells it.
    captured
        A model's span holds what the model said, be it no call.
    """

    kind: str = ""
    id: str | None = None
    parent: str | None = None
    started: int | None = None
    ended: int | None = None
    place: int = 0
    agent: Any = None
    announced: list[Call] = field(default_factory=list)
    given: Any = None
    part: Part | None = None
    hear: Callable[[Any], list[Any]] = request_messages
    offer: Any = None
    show: Callable[[Any], list[dict[str, Any]]] = offered
    offers_within: bool = False
    execution: Call | None = None
    captured: bool = False
    question: Any = None
    answer: Any = None
    model: Any = None
    session: Any = None

    def of(self, span: Span) -> Reading:
        """Take over the place of a span in its trace."""
        self.id, self.parent, self.started, self.ended = span.id, span.parent, span.started, span.ended
        return self


def model_reading(rows: Rows, given: Any, said: Any, *, tools: Any = None, model: Any = None) -> Reading:
    """Read the span of a model.

    Parameters
    ----------
    given, said
        Its input and its output, as recorded.
    tools
        What it offered, in any provider's form; None where not recorded.
    """
    made = Reading("llm", given=given, offer=tools, model=model)
    said = decoded(said)
    if isinstance(said, str) and _CUT.match(said):
        # Exporters cut long attributes.
        rows.report("messages_unreadable", "what a model said is no JSON: cut off by a limit?", record="")
        return made
    messages = response_messages(said) if said else []
    if messages:
        made.captured = True
        made.announced, made.answer = announced(messages)
    return made


def request_reading(rows: Rows, request: Any, said: Any, *, tools: Any = None, model: Any = None) -> Reading:
    """Read the span of a model whose input is a request, with the tools it offers; its text is not parsed here."""
    if isinstance(request, str) and request.startswith(("{", "[")):
        made = model_reading(rows, request, said, tools=tools, model=model)
        made.offers_within = tools is None
        return made
    request = decoded(request)
    if tools is None and isinstance(request, dict):
        tools = request.get("tools")
    return model_reading(rows, request_messages(request), said, tools=tools, model=model)


def tool_reading(
    tool: Any,
    arguments: Any,
    span: Span,
    *,
    id: Any = None,
    output: Any = ABSENT,
    failed: bool | None = None,
    message: Any = None,
    kind: str = "function",
) -> Reading:
    """Read the span of a tool: its status is that of the call unless the dialect says otherwise."""
    failed = span.failed if failed is None else failed
    call = made_call(
        tool,
        arguments,
        id=id,
        wire=isinstance(arguments, str),
        output=output,
        error=failed,
        error_message=(message or span.message) if failed else None,
        kind=kind,
        source="tool",
        started=span.started,
    )
    return Reading("tool", execution=call)
