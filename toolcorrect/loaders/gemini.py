"""Gemini contents: bare, requests with tools, responses; camelCase and snake_case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.conversation import Conversation, kind_of_tool
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
    first, *rest = snake.split("_")
    found = value.get(first + "".join(word.capitalize() for word in rest))
    return default if found is None else found


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
    return "".join(str(part["text"]) for part in parts if part.get("text") and not part.get("thought"))


def add_parts(talk: Conversation, parts: Sequence[dict[str, Any]], **columns: Any) -> None:
    """Add the calls and responses among parts; columns of the calls as in `Case.call`."""
    for part in parts:
        for key, value in part.items():
            kind = _KINDS.get(key)
            if kind is None or value is None:
                continue
            if kind == "call":
                name = value["name"]
                word = "pseudo" if name == "adk_request_credential" else kind_of_tool(name)
                talk.call(name, value.get("args", ABSENT), id=value.get("id"), kind=word, **columns)
            elif kind == "response":
                returned = value.get("response", ABSENT)
                error, message = failure(returned)
                talk.result(returned, id=value.get("id"), tool=value.get("name"), error=error, error_message=message)
            elif kind == "code":
                talk.call(_CODE, value, kind="server", **columns)
            else:
                failed = "OK" not in str(value.get("outcome"))
                talk.result(value.get("output", ABSENT), tool=_CODE, error=failed)


def failure(response: Any) -> tuple[bool | None, Any]:
    """Tell, by the convention of a key ``error`` or a status, whether a response is an error; and its text."""
    if not isinstance(response, dict):
        return None, None
    if response.get("error"):
        return True, response["error"]
    if response.get("status") == "error":
        return True, response.get("error_message") or response.get("message")
    return False, None


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
    tools = context.get("tools") or (config.get("tools") if isinstance(config, dict) else None)
    context["tools"] = None if tools is None else [offer for tool in tools for offer in _offered(tool)]
    if version := either(context, "model_version"):
        context.setdefault("model", version)
    for candidate in candidates or [None]:
        yield ([*contents, candidate] if candidate else contents), context


def _offered(tool: dict[str, Any]) -> Iterator[dict[str, Any]]:
    declared = either(tool, "function_declarations")
    for one in declared or []:
        schema = either(one, "parameters_json_schema", one.get("parameters"))
        yield {"name": one["name"], "description": one.get("description"), "parameters": schema}
    if declared is None:
        yield from ({"name": key} for key in tool if tool[key] is not None)


def tell(messages: Sequence[Any]) -> str | None:
    """Recognise parts with the keys of Gemini."""
    for message in messages:
        for part in blocks_of(message, "parts"):
            if "part_kind" not in part and "type" not in part and _TELLING & part.keys():
                return f"parts with {min(_TELLING & part.keys())}"
    return None


GEMINI_CONTENTS = message_format(
    Family("gemini_contents", "Gemini contents, requests and responses", tell, add_content, unfold, _PLUMBING)
)
