"""OpenAI chat: message lists, requests with tools, responses, and logs of requests."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from toolcorrect.arguments.decoding import to_json
from toolcorrect.loaders.calllike import add_offered_list
from toolcorrect.loaders.chat import ROLES, add_messages, content_text
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.message_lists import read_as_other
from toolcorrect.loaders.plain_records import add_lists, split_record
from toolcorrect.loaders.request_log import RequestLog
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.telling import mostly

# Settings of a request and fields of a response that say nothing about the run.
PLUMBING = frozenset(
    {
        *("messages", "choices", "request", "response", "functions", "object", "created", "usage", "stream"),
        *("system_fingerprint", "service_tier", "tool_choice", "parallel_tool_calls", "response_format"),
        *("temperature", "top_p", "n", "max_tokens", "max_completion_tokens", "seed", "logprobs"),
    }
)


def read(source: Source, rows: Rows) -> None:
    """Read one conversation, or one a record; requests that repeat an earlier one's history are merged."""
    log = RequestLog(rows, _fingerprint)
    found = [("", source.document)] if is_messages(source.document) else source.records()
    for label, record in found:
        with rows.record(label):
            held = list(conversations(record))
            if not any(map(_calls, itertools.chain.from_iterable(messages for messages, _ in held))):
                # Nothing is called here, unless it is called in another family's way.
                if read_as_other(record, rows):
                    continue
                if not held:
                    raise ValueError("it holds no messages")
            for messages, context in held:
                _read_one(messages, context, rows)
                if source.shape != "object":
                    log.place(messages, context)


def conversations(record: Any) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """Yield the message lists that one record holds, with the rest of the record.

    A response with several choices is as many conversations.
    """
    if isinstance(record, list):
        yield record, {}
        return
    request = record["request"] if isinstance(record.get("request"), dict) else {}
    response = record["response"] if isinstance(record.get("response"), dict) else {}
    whole = {**response, **request, **record}
    messages = whole.get("messages") or []
    if not isinstance(messages, list):
        raise TypeError("messages is a list")
    choices = whole.get("choices") or []
    for choice in choices:
        yield [*messages, {"role": "assistant", **choice["message"]}], whole
    if not choices and "messages" in whole:
        yield messages, whole


def _calls(message: Any) -> bool:
    return bool(message.get("tool_calls") or message.get("function_call"))


def _read_one(messages: list[Any], context: dict[str, Any], rows: Rows) -> None:
    fields, tags = split_record({key: value for key, value in context.items() if key not in PLUMBING})
    called, expected, tools = (fields.pop(name, None) for name in ("called", "expected", "tools"))
    case = rows.case(fields.pop("case", None), ids_within="step", tags=tags, **fields)
    if called is not None:
        case.report("ignored_keys", "calls stated beside messages: those of the messages count")
    stated = dict(case.columns)
    add_messages(case, messages)
    # What a record says beside its messages counts more than what follows from them.
    case.columns.update({name: stated[name] for name in ("output", "turns") if stated.get(name)})
    add_lists(case, None, expected, tools, wire=True, called_known=True)
    if "functions" in context and tools is None:
        add_offered_list(case, context["functions"])


def _fingerprint(message: dict[str, Any]) -> tuple[Any, ...]:
    calls = [*(message.get("tool_calls") or []), *filter(None, [message.get("function_call")])]
    said = content_text(message.get("content")) or ""
    return message.get("role"), said, to_json(calls) if calls else "", message.get("tool_call_id")


def is_messages(value: Any) -> bool:
    """Tell whether a value is a list of chat messages in OpenAI's form."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(m, dict) and m.get("role") in ROLES and _is_plain(m) for m in value[:50])
    )


def _is_plain(message: dict[str, Any]) -> bool:
    """Tell OpenAI's content (text, or parts of its own types) from that of other families."""
    if not message.keys() & {"content", "tool_calls", "function_call"} or message.keys() & {
        "parts",
        "blocks",
        "type",
    }:
        return False
    content = message.get("content")
    if not isinstance(content, list):
        return content is None or isinstance(content, str)
    return all(isinstance(p, str) or (isinstance(p, dict) and p.get("type") in _PART_TYPES) for p in content)


_PART_TYPES = frozenset({"text", "image_url", "input_audio", "file", "refusal"})


def detect(source: Source) -> tuple[float, str] | None:
    """Recognise chat messages, bare or under ``messages``, and chat responses."""
    head = source.head
    if not head or source.shape == "table":
        return None
    if is_messages(head):
        return (0.85, "a list of chat messages") if source.shape == "array" else None
    lists = [record if isinstance(record, list) else _messages_of(record) for record in head[:10]]
    if mostly(is_messages(found) for found in lists if found):
        return 0.85, "chat messages in each record" if len(head) > 1 else "an object with chat messages"
    if any(isinstance(r, dict) and r.get("object") == "chat.completion" for r in head):
        return 0.95, 'object is "chat.completion"'
    return None


def _messages_of(record: Any) -> Any:
    if not isinstance(record, dict):
        return None
    request = record.get("request")
    return record.get("messages") or (request.get("messages") if isinstance(request, dict) else None)


OPENAI_CHAT = Format("openai_chat", "OpenAI chat messages, requests, responses and logs of them", detect, read)
