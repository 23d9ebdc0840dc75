"""OpenAI Responses: items, response objects, requests with their responses, and chains of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.calls import FreeText
from toolcorrect.loaders.chat import content_text
from toolcorrect.loaders.conversation import Conversation, kind_of_tool, unwrapped
from toolcorrect.loaders.gathering import Blocks, Gathered, Layout, of_each
from toolcorrect.loaders.message_lists import Family, Unfolded, message_format, request_and_response
from toolcorrect.loaders.rows import MALFORMED, Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.telling import objects

# What a built-in tool was asked to do, by the key that says it.
_ASKED = ("action", "queries", "code", "operation", "input")
_ANSWERED = ("results", "outputs", "output", "result")
# These are carried out by the caller, whose answer comes as an item of its own.
_AT_THE_CALLER = frozenset({"computer_call", "local_shell_call", "shell_call", "apply_patch_call"})
# Events of a stream that hold the whole response.
_WHOLE = frozenset({"response.completed", "response.incomplete", "response.failed"})
_PLUMBING = frozenset(
    {
        *("input", "output", "instructions", "previous_response_id", "parallel_tool_calls", "text", "truncation"),
        *("error", "incomplete_details", "reasoning", "store", "max_output_tokens", "background", "completed_at"),
        *("include", "prompt", "service_tier", "top_logprobs", "max_tool_calls", "safety_identifier", "user"),
        *("prompt_cache_key", "prompt_cache_retention", "prompt_cache_options", "prompt_cache_diagnostics"),
        *("access_programs", "conversation", "image", "input_transformations", "moderation", "tool_usage"),
    }
)


def add_item(talk: Conversation, item: dict[str, Any]) -> None:
    """Add one item of the input or the output of a response."""
    kind = item.get("type", "message")
    if kind == "message":
        text = content_text(item.get("content"))
        if item["role"] == "user":
            talk.message()
            talk.asked(text)
        elif item["role"] == "assistant":
            talk.answered(text)
    elif kind.endswith("_call_output"):
        # Calls after an output belong to the next response of the model.
        talk.message()
        _add_output(talk, item)
    elif kind == "function_call":
        name = item["name"]
        talk.call(name, item.get("arguments", ABSENT), id=item.get("call_id"), wire=True, kind=kind_of_tool(name))
    elif kind == "custom_tool_call":
        text = item.get("input", ABSENT)
        talk.call(item["name"], FreeText(text) if isinstance(text, str) else text, id=item.get("call_id"))
    elif kind in ("mcp_call", "mcp_approval_request"):
        _add_mcp(talk, item)
    elif kind == "mcp_list_tools":
        for tool in item.get("tools") or []:
            talk.case.tool(tool["name"], description=tool.get("description"), parameters=tool.get("input_schema"))
    elif kind.endswith("_call"):
        _add_built_in(talk, item, kind)


def _add_output(talk: Conversation, item: dict[str, Any]) -> None:
    output = unwrapped(item.get("output", ABSENT))
    talk.result(output, id=item["call_id"])


def _gather(talks: Sequence[list[Any]], gathered: Gathered) -> set[int]:
    """Say what `add_item` says, of several conversations of plain items at once."""
    items = [item for talk in talks for item in talk]
    kinds = [item.get("type", "message") for item in items]
    if any(kind in _ONE_BY_ONE or kind.endswith("_call") for kind in {*kinds} - {"function_call"}):
        raise ValueError("items that are not regular")
    outputs = {kind for kind in {*kinds} if kind.endswith("_call_output")}
    speaks = [item["role"] if kind == "message" else None for kind, item in zip(kinds, items)]
    said = [None if who is None else content_text(item.get("content")) for who, item in zip(speaks, items)]
    begins = [who == "user" or kind in outputs for who, kind in zip(speaks, kinds)]
    blocks = Blocks(gathered, list(map(len, talks)), [[text] for text in said], begins, said)
    made = [row for row, kind in enumerate(kinds) if kind == "function_call"]
    calls = [items[row] for row in made]
    if any("content" in call for call in calls):
        raise ValueError("calls that do not show the family")
    names = [call["name"] for call in calls]
    shown = blocks.calls(
        made,
        names,
        [call.get("arguments", ABSENT) for call in calls],
        [call.get("call_id") for call in calls],
        of_each(kind_of_tool, names),
    )
    returned = [row for row, kind in enumerate(kinds) if kind in outputs]
    results = [items[row] for row in returned]
    found = [(unwrapped(result.get("output", ABSENT)), None, None) for result in results]
    blocks.results(returned, found, [result["call_id"] for result in results])
    blocks.asked([who == "user" for who in speaks], itemgetter(0))
    blocks.answered([who == "assistant" for who in speaks], itemgetter(0))
    return shown


_ONE_BY_ONE = frozenset({"mcp_approval_request", "mcp_list_tools"})


def _add_mcp(talk: Conversation, item: dict[str, Any]) -> None:
    """Add a call of a remote server, which its item answers too; one that waits for approval has no answer yet."""
    arguments = item.get("arguments", ABSENT)
    where = {"server": item.get("server_label"), "kind": "mcp", "wire": True}
    # An approved call comes back as an item of its own, which names the request.
    identity = item.get("approval_request_id") or item.get("id")
    call = talk.call(item["name"], arguments, id=identity, **where)
    error, output = item.get("error"), item.get("output")
    if error is not None:
        call.complete(ABSENT if output is None else output, True, error)
    elif output is not None:
        call.complete(output, False, None)


def _add_built_in(talk: Conversation, item: dict[str, Any], kind: str) -> None:
    asked = next((item[key] for key in _ASKED if item.get(key) is not None), ABSENT)
    arguments = asked if asked is ABSENT or isinstance(asked, dict) else {_name(item, asked): asked}
    answer = next((item[key] for key in _ANSWERED if item.get(key) is not None), ABSENT)
    waits = kind in _AT_THE_CALLER
    talk.call(
        kind.removesuffix("_call"),
        arguments,
        id=item.get("call_id") or item.get("id"),
        kind="function" if waits else "server",
        output=answer,
        error=None if waits else {"completed": False, "failed": True}.get(str(item.get("status"))),
    )


def _name(item: dict[str, Any], value: Any) -> str:
    return next(key for key in _ASKED if item.get(key) is value)


# Keys of which a tool that is not OpenAI's own has one.
_NAMED = ("name", "function")


def unfold(record: dict[str, Any]) -> Iterator[Unfolded]:
    """Yield the items of a request's input and of its response's output."""
    request = record["request"] if isinstance(record.get("request"), dict) else record
    response = record["response"] if isinstance(record.get("response"), dict) else record
    given, output = request.get("input"), response.get("output")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    items = [*(items if isinstance(items, list) else []), *(output if isinstance(output, list) else [])]
    if not items and isinstance(record.get("items"), list):
        items = record["items"]
    if "type" in record:
        # An item, or an event of a stream.
        return
    if not (items or response.get("object") == "response") or not all(isinstance(item, dict) for item in items):
        return
    context = request_and_response(record)
    if isinstance(context.get("tools"), list):
        # Tools of OpenAI's own have a type only; what a remote server offers is listed in an item.
        context["tools"] = [
            {"name": tool.get("type")} if isinstance(tool, dict) and not any(map(tool.get, _NAMED)) else tool
            for tool in context["tools"]
            if not (isinstance(tool, dict) and tool.get("type") == "mcp")
        ]
    session = context.get("conversation")
    if session:
        context["session"] = session["id"] if isinstance(session, dict) else session
    yield items, context


def _items(record: dict[str, Any]) -> Any:
    """Return the items of a record as `unfold` does, where all are in their usual place."""
    given, output = record.get("input"), record.get("output")
    if "type" in record:
        raise ValueError("an item, or an event of a stream")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given or []
    return [*items, *output] if isinstance(output, list) else items


def tell(messages: Sequence[Any]) -> str | None:
    """Recognise items by their types."""
    for item in messages:
        kind = str(item.get("type")) if isinstance(item, dict) else ""
        if (kind.endswith(("_call", "_call_output")) and "content" not in item) or kind == "mcp_list_tools":
            return f"items of type {kind}"
        if kind == "reasoning" and "summary" in item:
            return "items of type reasoning"
        if kind == "message" and isinstance(item.get("content"), list):
            return "items of type message"
    return None


_ELSEWHERE = frozenset({"request", "response", "items", "previous_response_id", "conversation"})
_FAMILY = Family(
    "openai_responses",
    "OpenAI Responses items and response objects",
    tell,
    add_item,
    unfold,
    _PLUMBING,
    Layout(_items, _gather, _ELSEWHERE, wire=True),
)


def read(source: Source, rows: Rows) -> None:
    """Read items or responses; a response that continues an earlier one of the source is the same run."""
    if any(_previous(record) or _is_event(record) for record in objects(source)):
        _FAMILY.read_records(_chained(_responses(source)), rows, merge=True)
    else:
        _FAMILY.read(source, rows)


def _responses(source: Source) -> Iterator[tuple[str, Any]]:
    """Yield records, and of a stream its responses: whole at the end, or what came before it broke off."""
    begun: dict[str, Any] | None = None
    for label, record in source.records():
        event = record["type"] if isinstance(record, dict) and _is_event(record) else None
        response = record.get("response") if event else None
        if event is None:
            yield label, record
        elif event == "response.created" and isinstance(response, dict):
            if begun is not None:
                yield label, begun
            begun = {**response, "output": []}
        elif event in _WHOLE:
            begun = None
            yield label, response
        elif event == "response.output_item.done" and begun is not None:
            begun["output"].append(record.get("item"))
    if begun is not None:
        yield "the end", begun


def _is_event(record: dict[str, Any]) -> bool:
    return str(record.get("type")).startswith("response.")


def _chained(records: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Yield each chain of responses as one record: the last, after the items of those before it."""
    chains: dict[Any, tuple[str, Any]] = {}
    for label, record in records:
        try:
            found = next(unfold(record), None) if isinstance(record, dict) else None
        except MALFORMED:
            # It fails again, and is reported, where it is read by itself.
            found = None
        if found is None:
            yield label, record
            continue
        items, context = found
        _, earlier = chains.pop(_previous(record), ("", {}))
        only_items = {"request": None, "response": None, "output": None, "previous_response_id": None}
        whole = {**earlier, **context, **only_items, "input": [*earlier.get("input", ()), *items]}
        chains[context.get("id") or label] = label, whole
    yield from chains.values()


def _previous(record: dict[str, Any]) -> Any:
    return request_and_response(record).get("previous_response_id")


def detect(source: Source) -> tuple[float, str] | None:
    """Recognise response objects, which may be empty, and items."""
    if any(request_and_response(record).get("object") == "response" for record in objects(source)):
        return 0.96, 'object is "response"'
    return _FAMILY.detect(source)


OPENAI_RESPONSES = replace(message_format(_FAMILY), detect=detect, read=read)
