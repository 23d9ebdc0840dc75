"""LangChain messages in their three serialisations, and the updates that LangGraph streams."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.chat import content_text
from toolcorrect.loaders.conversation import Conversation, kind_of_tool, unwrapped
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.gathering import Blocks, Gathered, Layout, of_each
from toolcorrect.loaders.message_lists import Family, Unfolded, message_format, under_messages
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.source import Source

TYPES = frozenset({"human", "ai", "tool", "system", "function", "remove"})
_ERRORS = {"success": False, "error": True}


def flat(message: Any) -> dict[str, Any]:
    """Return a message of any of the three serialisations as flat fields with their ``type``.

    Examples
    --------
    >>> flat({"type": "human", "data": {"content": "hi"}})
    {'content': 'hi', 'type': 'human'}
    """
    if isinstance(message.get("kwargs"), dict) and "lc" in message:
        fields, kind = message["kwargs"], message["id"][-1]
    elif isinstance(message.get("data"), dict):
        fields, kind = message["data"], message["type"]
    else:
        fields, kind = message, message["type"]
    word = str(fields.get("type") or kind).lower()
    return {**fields, "type": word.removesuffix("chunk").removesuffix("message")}


def add_message(talk: Conversation, message: Any, *, agent: Any = None, depth: int = 0) -> None:
    """Add one message in any serialisation."""
    fields = flat(message)
    kind = fields["type"]
    if kind == "human":
        talk.asked(content_text(fields.get("content")))
    elif kind == "ai":
        talk.message()
        talk.answered(content_text(fields.get("content")))
        for call in _calls(talk, fields):
            name = call["name"]
            talk.call(
                name,
                call.get("args", ABSENT),
                id=call.get("id"),
                wire=isinstance(call.get("args"), str),
                kind=kind_of_tool(name),
                agent=fields.get("name") or agent,
                depth=depth,
            )
    elif kind in ("tool", "function"):
        output, error, note = _returned(fields)
        name = fields.get("name")
        talk.result(output, id=fields.get("tool_call_id"), tool=name, error=error, error_message=note)


def _returned(fields: dict[str, Any]) -> tuple[Any, bool | None, str | None]:
    """Return what a tool said, whether it is an error, and the message of that."""
    error = _ERRORS.get(str(fields.get("status")))
    output = unwrapped(fields.get("content"))
    return output, error, output if error and isinstance(output, str) else None


def _calls(talk: Conversation, fields: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the calls of a message, unparsable ones among them, in the order the model wrote them."""
    good, bad = list(fields.get("tool_calls") or []), list(fields.get("invalid_tool_calls") or [])
    extra = fields.get("additional_kwargs") or {}
    raw = list(extra.get("tool_calls") or [])
    if not good and not bad:
        raw += [{"function": extra["function_call"]}] if isinstance(extra.get("function_call"), dict) else []
        return [
            {"id": c.get("id"), "name": f["name"], "args": f.get("arguments")} for c in raw if (f := c["function"])
        ]
    if good and bad:
        order = {call.get("id"): place for place, call in enumerate(raw) if call.get("id")}
        made = [*good, *bad]
        if all(call.get("id") in order for call in made):
            return sorted(made, key=lambda call: order[call["id"]])
        talk.case.report("order_inferred", "calls that cannot be parsed are put behind those that can")
    return good + bad


def _gather(talks: Sequence[list[Any]], gathered: Gathered) -> set[int]:
    """Say what `add_message` says, of several conversations at once."""
    messages = [
        flat(message) if "kwargs" in message or "data" in message else message for talk in talks for message in talk
    ]
    types = [message["type"] for message in messages]
    kinds = of_each(lambda kind: flat({"type": kind})["type"], types)
    answers = [kind == "ai" for kind in kinds]
    made = [_plain_calls(message) if kind == "ai" else [] for kind, message in zip(kinds, messages)]
    # A message stands before its calls.
    contents = [[message, *calls] for message, calls in zip(messages, made)]
    said = [text for message, calls in zip(messages, made) for text in (_words([message]), *[None] * len(calls))]
    blocks = Blocks(gathered, list(map(len, talks)), contents, answers, said)
    starts = list(itertools.accumulate(map(len, contents), initial=0))
    rows = [row for start, calls in zip(starts, made) for row in range(start + 1, start + 1 + len(calls))]
    calls = [blocks.all[row] for row in rows]
    names = [call["name"] for call in calls]
    blocks.calls(
        rows,
        names,
        [call.get("args", ABSENT) for call in calls],
        [call.get("id") for call in calls],
        of_each(kind_of_tool, names),
        agent=[messages[blocks.message[row]].get("name") or None for row in rows],
    )
    returned = [row for row, kind in enumerate(kinds) if kind in ("tool", "function")]
    results = [messages[row] for row in returned]
    blocks.results(
        [starts[row] for row in returned],
        list(map(_returned, results)),
        [result.get("tool_call_id") for result in results],
        [result.get("name") for result in results],
    )
    blocks.asked([kind == "human" for kind in kinds], _words)
    blocks.answered(answers, _words)
    return set()


def _words(blocks: Sequence[dict[str, Any]]) -> str | None:
    return content_text(blocks[0].get("content"))


def _plain_calls(fields: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the calls of a message that are where they belong.

    Raises
    ------
    ValueError
        Where it has others.
    """
    calls = fields.get("tool_calls") or []
    extra = fields.get("additional_kwargs")
    if fields.get("invalid_tool_calls") or (not calls and extra and {"tool_calls", "function_call"} & extra.keys()):
        raise ValueError("calls that are not regular")
    return list(calls)


def _tell_dumpd(messages: Sequence[Any]) -> str | None:
    if any(isinstance(m, dict) and "lc" in m and "kwargs" in m for m in messages):
        return "lc and kwargs"
    return None


def _tell_to_dict(messages: Sequence[Any]) -> str | None:
    if any(isinstance(m, dict) and "type" in m and isinstance(m.get("data"), dict) and "content" in m["data"]
           for m in messages):  # fmt: skip
        return "a type and data"
    return None


def tell_flat(messages: Sequence[Any]) -> str | None:
    """Recognise dumped messages: the types of LangChain, with its own fields or ids of calls."""
    if not messages or not all(isinstance(m, dict) and m.get("type") in TYPES and "content" in m for m in messages):
        return None
    if any("additional_kwargs" in m or any(call.get("id") for call in m.get("tool_calls") or []) for m in messages):
        return "types human, ai and tool, and ids of calls"
    return None


def _unfold(record: dict[str, Any]) -> Iterator[Unfolded]:
    """Yield the messages of a state, once each: a state may be in a checkpoint or beside its values."""
    state = next((record[k] for k in ("values", "channel_values", "output") if _is_state(record.get(k))), record)
    yield from under_messages({**record, **state} if state is not record else record)


def _is_state(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("messages"), list)


_LAYOUT = Layout(itemgetter("messages"), _gather, frozenset({"values", "channel_values"}), wire=True)
LANGCHAIN_DUMPD = message_format(
    Family("langchain_dumpd", "LangChain messages through dumpd", _tell_dumpd, add_message, _unfold, layout=_LAYOUT)
)
LANGCHAIN_TO_DICT = message_format(
    Family(
        "langchain_messages_to_dict",
        "LangChain messages_to_dict",
        _tell_to_dict,
        add_message,
        _unfold,
        layout=_LAYOUT,
    )
)
LANGCHAIN_MODEL_DUMP = message_format(
    Family(
        "langchain_model_dump",
        "LangChain messages through model_dump",
        tell_flat,
        add_message,
        _unfold,
        layout=_LAYOUT,
    )
)


def read_updates(source: Source, rows: Rows) -> None:
    """Read a stream of updates as one case: the messages that each node wrote, each once."""
    talk = Conversation(rows.case(None))
    seen: set[Any] = set()
    for label, record in source.records():
        try:
            path, nodes = _update(record)
        except ValueError as cause:
            rows.skip(str(cause), label)
            continue
        for node, update in nodes.items():
            for message in _written(update):
                identity = flat(message).get("id")
                if identity is None or identity not in seen:
                    seen.add(identity)
                    add_message(talk, message, agent=node, depth=len(path))
    talk.close()


def _update(record: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return the path of the sub-graph and the nodes of an update, which is a pair where sub-graphs stream."""
    if isinstance(record, list) and len(record) == 2 and isinstance(record[0], list):
        path, record = record
    else:
        path = []
    if not isinstance(record, dict):
        raise ValueError("an update is an object with a node")
    return path, record


def _written(update: Any) -> list[Any]:
    found = update.get("messages") if isinstance(update, dict) else None
    return found if isinstance(found, list) else [found] if isinstance(found, dict) else []


def detect_updates(source: Source) -> tuple[float, str] | None:
    """Recognise updates: objects of nodes, each with messages of LangChain."""
    if source.shape in ("table", "archive") or not source.head:
        return None
    wrote = 0
    for record in source.head:
        try:
            _, nodes = _update(record)
        except ValueError:
            return None
        for node, update in nodes.items():
            if str(node).startswith("__") or update is None:
                continue
            if not isinstance(update, dict) or "messages" not in update:
                return None
            told = [tell(_written(update)) for tell in (_tell_dumpd, _tell_to_dict, tell_flat)]
            if _written(update) and not any(told):
                return None
            wrote += any(told)
    return (0.95, "nodes, each with messages") if wrote else None


LANGGRAPH_UPDATES = Format("langgraph_updates", "LangGraph, stream_mode updates", detect_updates, read_updates)
