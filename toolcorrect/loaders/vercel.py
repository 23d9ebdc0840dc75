"""Vercel AI SDK: model messages, UI messages of every version, and the steps of a result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.chat import content_text
from toolcorrect.loaders.conversation import Conversation
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.gathering import Blocks, Gathered, Layout, listed_contents
from toolcorrect.loaders.message_lists import Family, blocks_of, case_of, message_format
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.source import Source


def add_message(talk: Conversation, message: dict[str, Any]) -> None:
    """Add one message of either kind."""
    parts = _parts(message)
    text = content_text(message.get("content")) or content_text([p for p in parts if p.get("type") == "text"])
    if message["role"] == "user":
        talk.asked(text)
        return
    if message["role"] == "assistant":
        talk.message()
        talk.answered(text)
    for part in parts:
        _add_part(talk, part)


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return blocks, parts or tool invocations, wherever the version keeps them."""
    parts = blocks_of(message, "parts")
    invocations = [] if any("tool" in str(part.get("type")) for part in parts) else message.get("toolInvocations")
    return [
        *blocks_of(message),
        *parts,
        *({"type": "tool-invocation", "toolInvocation": i} for i in invocations or []),
    ]


def _add_part(talk: Conversation, part: dict[str, Any]) -> None:
    kind = str(part.get("type"))
    if kind == "step-start":
        talk.message()
    elif kind == "tool-call":
        _add_call(talk, part, part["toolName"])
    elif kind in ("tool-result", "tool-error"):
        _add_result(talk, part)
    elif kind == "tool-invocation":
        _add_interface_part(talk, part["toolInvocation"], part["toolInvocation"]["toolName"])
    elif kind == "dynamic-tool" or (kind.startswith("tool-") and "toolCallId" in part):
        _add_interface_part(talk, part, part.get("toolName") or kind.removeprefix("tool-"))


def _add_call(talk: Conversation, part: dict[str, Any], name: Any) -> None:
    arguments = _arguments(part)
    # A call that the SDK could not parse keeps the model's text.
    talk.call(name, arguments, id=part.get("toolCallId"), wire=isinstance(arguments, str), kind=_kind(part))


def _arguments(part: dict[str, Any]) -> Any:
    return part.get("input", part.get("args", ABSENT))


def _kind(part: dict[str, Any]) -> str:
    return "server" if part.get("providerExecuted") else "function"


def _add_result(talk: Conversation, part: dict[str, Any]) -> None:
    output, failed, message = _returned(part)
    talk.result(output, id=part["toolCallId"], error=failed, error_message=message)


def _returned(part: dict[str, Any]) -> tuple[Any, bool, Any]:
    """Return what came back, whether it is an error, and the message of that.

    An error has a type of its own, or, in version 4, a flag.
    """
    output = part.get("output", part.get("result", ABSENT))
    failed = part.get("type") == "tool-error" or bool(part.get("isError"))
    if (
        isinstance(output, dict)
        and "type" in output
        and output.keys() <= {"type", "value", "reason", "providerOptions"}
    ):
        failed = failed or str(output["type"]).startswith(("error-", "execution-denied"))
        output = output.get("value", output.get("reason", ABSENT))
    # An Error object serialises to {}: its text is lost.
    message = (part.get("error") or output or None) if failed else None
    if output is ABSENT and failed and part.get("error"):
        output = part["error"]
    return output, failed, None if message is ABSENT else message


def _add_interface_part(talk: Conversation, part: dict[str, Any], name: Any) -> None:
    """Add a part of a UI message: call and result in one, by its state."""
    _add_call(talk, part, name)
    state, identity = str(part.get("state")), part["toolCallId"]
    if state in ("output-error", "output-denied"):
        text = part.get("errorText")
        talk.result(ABSENT if text is None else text, id=identity, error=True, error_message=text)
    elif state in ("output-available", "result"):
        talk.result(part.get("output", part.get("result", ABSENT)), id=identity, error=False)


def _gather(talks: Sequence[list[Any]], gathered: Gathered) -> set[int]:
    """Say what `add_message` says, of several conversations of model messages at once."""
    messages = [message for talk in talks for message in talk]
    if any("parts" in message or "toolInvocations" in message for message in messages):
        raise ValueError("messages of the UI")
    roles = [message["role"] for message in messages]
    answers = [role == "assistant" for role in roles]
    blocks = Blocks(gathered, list(map(len, talks)), listed_contents(messages), answers)
    kinds = ["" if roles[row] == "user" else str(part.get("type")) for part, row in zip(blocks.all, blocks.message)]
    if any(kind.startswith(("tool-", "dynamic-tool", "step-start")) for kind in {*kinds} - _MODEL):
        raise ValueError("parts of the UI")
    made = [row for row, kind in enumerate(kinds) if kind == "tool-call"]
    calls = [blocks.all[row] for row in made]
    shown = blocks.calls(
        made,
        [call["toolName"] for call in calls],
        list(map(_arguments, calls)),
        [call.get("toolCallId") for call in calls],
        list(map(_kind, calls)),
    )
    returned = [row for row, kind in enumerate(kinds) if kind in ("tool-result", "tool-error")]
    results = [blocks.all[row] for row in returned]
    blocks.results(returned, list(map(_returned, results)), [result["toolCallId"] for result in results])
    blocks.asked([role == "user" for role in roles], content_text)
    blocks.answered(answers, content_text)
    return shown


_MODEL = frozenset({"tool-call", "tool-result", "tool-error"})
# Parts that only messages of the UI have under that key.
_INTERFACE = frozenset({"text", "reasoning", "step-start", "file", "source-url", "source-document"})


def tell(messages: Sequence[Any]) -> str | None:
    """Recognise tool blocks and parts in the SDK's spelling."""
    for message in messages:
        if not isinstance(message, dict) or "role" not in message:
            continue
        if isinstance(message.get("toolInvocations"), list):
            return "toolInvocations"
        shown = blocks_of(message, "parts")
        if any(part.get("type") in _INTERFACE for part in shown):
            return "parts of a type"
        for part in [*blocks_of(message), *shown]:
            kind = str(part.get("type"))
            if kind in ("tool-call", "tool-result") and "toolName" in part:
                return f"parts of type {kind}"
            if kind == "tool-invocation" or (kind.startswith(("tool-", "dynamic-tool")) and "toolCallId" in part):
                return f"parts of type {kind}"
    return None


VERCEL_MESSAGES = message_format(
    Family(
        "vercel_ai_messages",
        "Vercel AI SDK messages, of the model and of the UI",
        tell,
        add_message,
        layout=Layout(itemgetter("messages"), _gather, wire=True),
    )
)

_PLUMBING = frozenset(
    {
        *(
            "steps",
            "toolCalls",
            "toolResults",
            "content",
            "reasoning",
            "reasoningText",
            "files",
            "sources",
            "warnings",
        ),
        *(
            "usage",
            "totalUsage",
            "finishReason",
            "rawFinishReason",
            "response",
            "request",
            "providerMetadata",
            "text",
        ),
        *(
            "staticToolCalls",
            "staticToolResults",
            "dynamicToolCalls",
            "dynamicToolResults",
            "stepType",
            "isContinued",
        ),
        *("logprobs", "experimental_providerMetadata", "stepNumber", "responseMessages", "_output"),
    }
)


def read_steps(source: Source, rows: Rows) -> None:
    """Read the steps of one run, or results that hold their steps."""
    if any(_has_steps(record) for record in source.head):
        for label, record in source.records():
            with rows.record(label):
                _read_run(record["steps"], record, rows)
        return
    with rows.record(""):
        _read_run([record for _, record in source.records()], {}, rows)


def _read_run(steps: list[Any], context: dict[str, Any], rows: Rows) -> None:
    case = case_of(context, rows, _PLUMBING)
    talk = Conversation(case)
    for step in steps:
        talk.message()
        talk.answered(step.get("text"))
        for part in _of_step(step):
            _add_part(talk, part)
    # Steps hold what the model did, not what it was asked.
    case.columns["turns"] = None


def _of_step(step: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield calls, then results, then failures, which are only in the content."""
    for key, kind in (("toolCalls", "tool-call"), ("toolResults", "tool-result")):
        for part in step.get(key) or []:
            yield {**part, "type": kind}
    yield from (part for part in blocks_of(step) if part.get("type") == "tool-error")


def _has_steps(record: Any) -> bool:
    return isinstance(record, dict) and isinstance(record.get("steps"), list) and any(map(_is_step, record["steps"]))


def _is_step(record: Any) -> bool:
    return isinstance(record, dict) and isinstance(record.get("toolCalls"), list) and "toolResults" in record


def detect_steps(source: Source) -> tuple[float, str] | None:
    """Recognise steps by their lists of calls and results."""
    if source.shape != "table" and source.head and all(_is_step(r) or _has_steps(r) for r in source.head):
        return 0.95, "steps with toolCalls and toolResults"
    return None


VERCEL_STEPS = Format("vercel_ai_steps", "Vercel AI SDK steps of generateText", detect_steps, read_steps)
