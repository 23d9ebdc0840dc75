"""Gemini contents: bare, requests with tools, responses; camelCase and snake_case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from operator import itemgetter
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.conversation import Conversation, kind_of_tool
from toolcorrect.loaders.gathering import Blocks, Gathered, Layout, of_each
from toolcorrect.loaders.message_lists import Family, Unfolded, blocks_of, message_format, request_and_response

_TELLING = frozenset(
    {
        *("text", "functionCall", "functionResponse", "function_call", "function_response"),
        *("executableCode", "executable_code", "inlineData", "inline_data", "fileData", "file_data"),
    }
)
_KINDS = {
    **dict.fromkeys(("functionCall", "function_call"), "call"),
    **dict.fromkeys(("functionResponse", "function_response"), "response"),
    **dict.fromkeys(("executableCode", "executable_code"), "code"),
    **dict.fromkeys(("codeExecutionResult", "code_execution_result"), "ran"),
}
# The built-in tool that runs code.
_CODE = "code_execution"
_ELSEWHERE = frozenset(
    {
        *("request", "response", "candidates", "automatic_function_calling_history", "config"),
        *("modelVersion", "model_version"),
    }
)
_PLUMBING = frozenset(
    {
        *("contents", "candidates", "systemInstruction", "system_instruction", "generationConfig", "usageMetadata"),
        *("usage_metadata", "toolConfig", "tool_config", "safetySettings", "config", "responseId", "response_id"),
        *("promptFeedback", "prompt_feedback", "automatic_function_calling_history", "sdk_http_response", "parsed"),
    }
)


def either(value: dict[str, Any], snake: str, default: Any = None) -> Any:
    """Return what is under a snake_case key or under its camelCase alias.

    Examples
    --------
    >>> either({"functionCall": {}}, "function_call"), either({}, "function_call", "none")
    ({}, 'none')
    """
    if value.get(snake) is not None:
        return value[snake]
    found = value.get(_camel(snake))
    return default if found is None else found


@cache
def _camel(snake: str) -> str:
    first, *rest = snake.split("_")
    return first + "".join(word.capitalize() for word in rest)


def add_content(talk: Conversation, content: dict[str, Any]) -> None:
    """Add one content: the model's calls and words, or what came back."""
    parts = content.get("parts") or []
    if content.get("role") == "model":
        talk.message()
        talk.answered(words(parts))
    elif content.get("role", "user") == "user":
        talk.asked(words(parts))
    add_parts(talk, parts)


def words(parts: Sequence[dict[str, Any]]) -> str:
    """Return the text of parts, without thoughts."""
    return "".join([str(part["text"]) for part in parts if part.get("text") and not part.get("thought")])


def add_parts(talk: Conversation, parts: Sequence[dict[str, Any]], **columns: Any) -> None:
    """Add the calls and responses among parts; columns of the calls as in `Case.call`."""
    for part in parts:
        for key, value in part.items():
            kind = _KINDS.get(key)
            if kind is None or value is None:
                continue
            if kind == "call":
                name = value["name"]
                talk.call(name, value.get("args", ABSENT), id=value.get("id"), kind=_kind(name), **columns)
            elif kind == "response":
                returned, error, message = _returned(value)
                talk.result(returned, id=value.get("id"), tool=value.get("name"), error=error, error_message=message)
            elif kind == "code":
                talk.call(_CODE, value, kind="server", **columns)
            else:
                failed = "OK" not in str(value.get("outcome"))
                talk.result(value.get("output", ABSENT), tool=_CODE, error=failed)


def _kind(name: Any) -> str:
    return "pseudo" if name == "adk_request_credential" else kind_of_tool(name)


def _returned(value: dict[str, Any]) -> tuple[Any, bool | None, Any]:
    """Return what came back, whether it is an error, and the message of that."""
    returned = value.get("response", ABSENT)
    return returned, *failure(returned)


def failure(response: Any) -> tuple[bool | None, Any]:
    """Tell, by the convention of a key ``error`` or a status, whether a response is an error; and its text."""
    if not isinstance(response, dict):
        return None, None
    if response.get("error"):
        return True, response["error"]
    if response.get("status") == "error":
        return True, response.get("error_message") or response.get("message")
    return False, None


def _gather(talks: Sequence[list[Any]], gathered: Gathered) -> set[int]:
    """Say what `add_content` says, of several conversations at once."""
    contents = [content for talk in talks for content in talk]
    roles = [content.get("role", "user") for content in contents]
    answers = [role == "model" for role in roles]
    blocks = gather_parts(talks, [content.get("parts") or [] for content in contents], answers, gathered)
    told = add_gathered(blocks)
    blocks.asked([role == "user" for role in roles], words)
    blocks.answered(answers, words)
    return told


def gather_parts(
    talks: Sequence[list[Any]], parts: Sequence[Any], begins: Sequence[bool], gathered: Gathered
) -> Blocks:
    """Return the parts of each content of some conversations as blocks.

    Raises
    ------
    TypeError, ValueError
        Where parts are not regular.
    """
    if not {*map(type, parts)} <= {list}:
        raise TypeError("parts is a list")
    blocks = Blocks(gathered, list(map(len, talks)), parts, begins)
    if not _NOT_PARTS.isdisjoint(key for part in blocks.all for key in part):
        raise ValueError("parts that are not regular")
    return blocks


# Keys of parts of other families, and of those that are read one by one.
_NOT_PARTS = frozenset({"part_kind", "type", *(key for key, kind in _KINDS.items() if kind in ("code", "ran"))})


def add_gathered(blocks: Blocks, **columns: Sequence[Any]) -> set[int]:
    """Take the calls and responses among the parts of many contents; see `add_parts`.

    Parameters
    ----------
    columns
        Of the calls, a value for each content.
    """
    made, returned = _rows(blocks, "call"), _rows(blocks, "response")
    calls, responses = list(made.values()), list(returned.values())
    names = [call["name"] for call in calls]
    told = blocks.calls(
        list(made),
        names,
        [call.get("args", ABSENT) for call in calls],
        [call.get("id") for call in calls],
        of_each(_kind, names),
        **{name: [values[blocks.message[row]] for row in made] for name, values in columns.items()},
    )
    blocks.results(
        list(returned),
        list(map(_returned, responses)),
        [response.get("id") for response in responses],
        [response.get("name") for response in responses],
    )
    return told


def _rows(blocks: Blocks, kind: str) -> dict[int, dict[str, Any]]:
    """Return what parts hold under the one key of a kind, by row."""
    found = [
        (row, part[key])
        for key in (key for key, meant in _KINDS.items() if meant == kind)
        for row, part in enumerate(blocks.all)
        if key in part and part[key] is not None
    ]
    rows = dict(sorted(found, key=itemgetter(0)))
    if len(rows) < len(found):
        raise ValueError("a part of two spellings")
    return rows


def unfold(record: dict[str, Any]) -> Iterator[Unfolded]:
    """Yield the contents of a request, with each candidate of its response."""
    context = request_and_response(record)
    contents = context.get("contents") or context.get("automatic_function_calling_history") or []
    if isinstance(contents, dict):
        contents = [contents]
    candidates = [c["content"] for c in context.get("candidates") or [] if isinstance(c.get("content"), dict)]
    if not isinstance(contents, list) or not (contents or candidates):
        return
    config = context.get("config")
    tools = context.get("tools")
    if tools is None and isinstance(config, dict):
        tools = config.get("tools")
    context["tools"] = [offer for tool in tools for offer in _offered(tool)] if isinstance(tools, list) else tools
    if version := either(context, "model_version"):
        context.setdefault("model", version)
    for candidate in candidates or [None]:
        yield ([*contents, candidate] if candidate else contents), context


def _offered(tool: Any) -> Iterator[Any]:
    """Yield the tools that one item declares; one that is not in Gemini's form as it is."""
    if not isinstance(tool, dict) or "name" in tool or "function" in tool:
        yield tool
        return
    declared = either(tool, "function_declarations", [])
    own = [key for key in tool if key in _BUILT_IN and tool[key] is not None]
    if not isinstance(declared, list) or not (declared or own or "functionDeclarations" in tool):
        yield tool
        return
    for one in declared:
        if not isinstance(one, dict):
            yield one
            continue
        schema = either(one, "parameters_json_schema", one.get("parameters"))
        yield {"name": one.get("name"), "description": one.get("description"), "parameters": schema}
    yield from ({"name": key} for key in own)


# Tools that Gemini runs itself.
_BUILT_IN = frozenset(
    spelling
    for name in (
        *("google_search", "google_search_retrieval", "code_execution", "url_context", "retrieval", "google_maps"),
        *("enterprise_web_search", "computer_use", "file_search"),
    )
    for spelling in (name, _camel(name))
)


def tell(messages: Sequence[Any]) -> str | None:
    """Recognise parts with the keys of Gemini."""
    for message in messages:
        for part in blocks_of(message, "parts"):
            if "part_kind" not in part and "type" not in part and _TELLING & part.keys():
                return f"parts with {min(_TELLING & part.keys())}"
    return None


GEMINI_CONTENTS = message_format(
    Family(
        "gemini_contents",
        "Gemini contents, requests and responses",
        tell,
        add_content,
        unfold,
        _PLUMBING,
        Layout(itemgetter("contents"), _gather, _ELSEWHERE),
    )
)
