"""Chat messages in OpenAI's form (and tau2's flat one) into the calls of a case."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.calls import FreeText, text_of
from toolcorrect.loaders.rows import Case

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


def add_messages(case: Case, messages: Iterable[Any]) -> None:
    """Add the calls of a conversation, with what the tools answered, and its texts.

    Parameters
    ----------
    messages
        ``{"role", "content", "tool_calls"?, "function_call"?, "tool_call_id"?, ...}`` in order. A call may be
        OpenAI's (``function`` with JSON text), a custom one (free text) or flat (``name``, ``arguments``).

    Notes
    -----
    Turns count user messages that say something, steps the messages that made calls.
    """
    turns, step = 0, 0
    for message in messages:
        role = message["role"]
        if role in ("tool", "function"):
            _add_results(case, message)
            continue
        said = content_text(message.get("content"))
        if role == "user" and said:
            turns += 1
            if case.columns.get("input") is None:
                case.columns["input"] = said
        elif role == "assistant" and said:
            case.columns["output"] = said
        made = list(message.get("tool_calls") or [])
        without = sum(not item.get("id") for item in made)
        if without:
            case.rows.report("id_missing", "calls without an id are paired with results by order", count=without)
        if isinstance(message.get("function_call"), dict):
            made.append({"function": message["function_call"]})
        for item in made:
            _add_call(case, item, turn=max(turns - 1, 0), step=step, by=role)
        step += bool(made)
    case.columns["turns"] = turns


def _add_call(case: Case, item: dict[str, Any], *, turn: int, step: int, by: str) -> None:
    where: dict[str, Any] = {
        "id": item.get("id") or None,
        "turn": turn,
        "step": step,
        "actor": text_of(item.get("requestor") or by),
    }
    if isinstance(item.get("custom"), dict):
        custom = item["custom"]
        given = custom.get("input", ABSENT)
        case.call(custom["name"], FreeText(given) if isinstance(given, str) else given, **where)
        return
    function = item["function"] if isinstance(item.get("function"), dict) else item
    case.call(function["name"], function.get("arguments", ABSENT), wire=True, **where)


def _add_results(case: Case, message: dict[str, Any]) -> None:
    # tau2 packs the answers to parallel calls into one message.
    for answer in message.get("tool_messages") or [message]:
        output = answer.get("content")
        case.result(
            ABSENT if output is None else content_text(output) if isinstance(output, list) else output,
            id=answer.get("tool_call_id") or answer.get("id") or None,
            tool=answer.get("name") or None,
            error=answer["error"] if isinstance(answer.get("error"), bool) else None,
        )


def content_text(content: Any) -> str | None:
    """Return the text of a message's content: a text, or a list of parts; None where it says nothing.

    Examples
    --------
    >>> content_text([{"type": "text", "text": "hi"}, {"type": "image_url"}])
    'hi'
    """
    if isinstance(content, str):
        return content or None
    if not isinstance(content, list):
        return None
    parts = [part if isinstance(part, str) else part.get("text") for part in content]
    return "".join(part for part in parts if isinstance(part, str)) or None
