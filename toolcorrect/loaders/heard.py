"""What a span of a model holds: its messages, requests and responses, in the form of whatever provider.

Messages are read by the same functions that read files of their family, into a case of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders import anthropic, bedrock, gemini, langchain, openai_responses, pydantic_ai, vercel
from toolcorrect.loaders.calls import Call
from toolcorrect.loaders.chat import ROLES, add_messages, content_text
from toolcorrect.loaders.conversation import Conversation, kind_of_tool, unwrapped
from toolcorrect.loaders.histories import MESSAGES
from toolcorrect.loaders.rows import Case, Rows
from toolcorrect.loaders.span import decoded

_ROLES = {"model": "assistant", "ai": "assistant", "human": "user"}
# What the text of a tool message of LangChain has one of: keys that tell it, or an escape that may be of one.
_ENVELOPES = ("tool_call_id", "output", "data", '"lc"', "'lc'", "\\u", "\\x")
# The tool by which pydantic-ai gives a structured answer.
_ANSWER = "final_result"


class Heard(Case):
    """What messages say, as a case that stands alone.

    Attributes
    ----------
    calls
        With what answered them.
    columns
        ``input`` is the last question, ``output`` the last answer.
    loose
        Answers to calls that are not in the messages.
    """

    def __init__(self) -> None:
        super().__init__(_UNREPORTED, None, "step")
        self.loose: list[Call] = []

    def result(
        self, output: Any = ABSENT, *, id: Any = None, tool: Any = None, error: Any = None, error_message: Any = None
    ) -> Call | None:
        """Attach an answer as `Case.result` does, or keep it by itself."""
        if not id or str(id) in self._last:
            return super().result(output, id=id, tool=tool, error=error, error_message=error_message)
        made = Call(str(tool or ""), None, None, call_id=str(id))
        made.complete(output, error, error_message)
        self.loose.append(made)
        return made


class _Unreported(Rows):
    """What one request's messages would report is reported by its trace."""

    def __init__(self) -> None:
        """Have no source."""

    def report(self, *args: Any, **options: Any) -> None:
        """Note nothing."""


_UNREPORTED = _Unreported()


def heard(messages: Sequence[Any]) -> Heard:
    """Read messages of any family."""
    case = Heard()
    if messages:
        talk = Conversation(case)
        add = family_of(messages)
        columns = case.columns
        for message in messages:
            asked = columns.pop("input", None)
            add(talk, message)
            if columns.get("input") is None:
                columns["input"] = asked
    return case


def add_parts_message(talk: Conversation, message: dict[str, Any]) -> None:
    """Add one message of the GenAI conventions: a role and parts."""
    parts = message.get("parts") or []
    role = message.get("role")
    words = words_of(parts)
    if role in ("assistant", "model"):
        talk.message()
        talk.answered(words)
    elif role == "user":
        talk.asked(words)
    for part in parts:
        kind = part.get("type")
        if kind in ("tool_call", "server_tool_call"):
            arguments = part.get("arguments", part.get("server_tool_call", ABSENT))
            word = "server" if kind == "server_tool_call" else "function"
            talk.call(part["name"], arguments, id=part.get("id"), wire=isinstance(arguments, str), kind=word)
        elif kind in ("tool_call_response", "server_tool_call_response"):
            output = next((part[key] for key in ("response", "result", kind) if key in part), ABSENT)
            talk.result(unwrapped(output), id=part.get("id"))


def words_of(parts: Sequence[dict[str, Any]]) -> str:
    """Return the text of the parts of a message."""
    return "".join([str(p["content"]) for p in parts if p.get("type") == "text" and p.get("content") is not None])


def kind_of(name: Any) -> str:
    """Return the kind of a tool by its name: handoffs and structured answers are no ordinary functions."""
    return "pseudo" if isinstance(name, str) and name.startswith(_ANSWER) else kind_of_tool(name)


def _tell_parts(messages: Sequence[Any]) -> str | None:
    return next(("parts with a type" for m in messages if isinstance(m.get("parts"), list)), None)


def _tell_langchain(messages: Sequence[Any]) -> str | None:
    for m in messages:
        if ("lc" in m and "kwargs" in m) or (m.get("type") in langchain.TYPES and "role" not in m):
            return "messages of LangChain"
    return None


def add_chat(talk: Conversation, message: Any) -> None:
    """Add one message in OpenAI's form, or near it."""
    role = message.get("role", "assistant")
    role = _ROLES.get(role, role)
    if role in ROLES:
        add_messages(talk.case, [message if message.get("role") == role else {**message, "role": role}])


def _have_types(parts: Any) -> bool:
    return isinstance(parts, list) and all(
        isinstance(p, dict) and "type" in p and "part_kind" not in p for p in parts
    )


_Tell = Callable[[Sequence[Any]], str | None]
_Add = Callable[[Conversation, Any], None]
# The first that knows a list of messages reads it.
_FAMILIES: tuple[tuple[_Tell, _Add], ...] = (
    (_tell_langchain, langchain.add_message),
    (pydantic_ai.tell, pydantic_ai.add_message),
    (gemini.tell, gemini.add_content),
    (_tell_parts, add_parts_message),
    (bedrock.tell, bedrock.add_message),
    (vercel.tell, vercel.add_message),
    (anthropic.tell, anthropic.add_message),
    (openai_responses.tell, openai_responses.add_item),
)


# Keys that messages of no other family have, where contents are texts, and parts have types.
CHAT_KEYS = frozenset({"role", "content", "tool_calls", "tool_call_id", "name", "refusal"})
PARTS_KEYS = frozenset({"role", "parts", "finish_reason", "name"})


def family_of(messages: Sequence[Any]) -> _Add:
    """Return the function that adds messages of the family they are of; OpenAI's form is the last resort."""
    if not all(isinstance(message, dict) for message in messages):
        raise TypeError("a message is an object")
    if all(m.keys() <= CHAT_KEYS and isinstance(m.get("content"), str | None) for m in messages):
        return add_chat
    if all(m.keys() <= PARTS_KEYS and _have_types(m.get("parts")) for m in messages):
        return add_parts_message
    return next((add for tell, add in _FAMILIES if tell(messages)), add_chat)


def request_messages(value: Any) -> list[Any]:
    """Return the messages of a request: a list, a provider's body, or a question alone."""
    value = decoded(value)
    if isinstance(value, str):
        return [{"role": "user", "content": value}]
    if isinstance(value, list):
        return _listed(value)
    if not isinstance(value, dict):
        return []
    if "role" in value:
        return [value]
    for key in MESSAGES:
        if value.get(key):
            return request_messages(value[key])
    return []


def response_messages(value: Any) -> list[Any]:
    """Return the messages of a response: one, a list, or a provider's body."""
    value = decoded(value)
    if isinstance(value, str):
        return [{"role": "assistant", "content": value}]
    if isinstance(value, list):
        return _listed(value)
    return [] if not isinstance(value, dict) else _of_body(value)


def _of_body(body: dict[str, Any]) -> list[Any]:
    if isinstance(body.get("choices"), list):
        return [
            {"role": "assistant", **c["message"]} for c in body["choices"][:1] if isinstance(c.get("message"), dict)
        ]
    if isinstance(body.get("generations"), list):
        return _listed(_generated(body["generations"]))
    if isinstance(body.get("candidates"), list):
        return [c["content"] for c in body["candidates"][:1] if isinstance(c.get("content"), dict)]
    if "role" in body or "lc" in body or "kwargs" in body or isinstance(body.get("data"), dict):
        return [body]
    if isinstance(body.get("content"), dict):
        return [body["content"]]
    for key in ("message", "output", "messages", "content", "response", "answer", "text"):
        if body.get(key):
            return response_messages(body[key])
    return []


def _generated(generations: list[Any]) -> list[Any]:
    """Return the messages of LangChain's generations: of the first prompt, the first answer."""
    inner = generations[0] if generations and isinstance(generations[0], list) else generations
    return [g.get("message") or {"role": "assistant", "content": g.get("text")} for g in inner[:1]]


def _listed(messages: list[Any]) -> list[Any]:
    """Return a list of messages, the first of a batch; pairs of a role and a text become messages."""
    if messages and isinstance(messages[0], list):
        pairs = all(isinstance(m, list) and len(m) == 2 and all(isinstance(x, str) for x in m) for m in messages)
        if not pairs:
            return _listed(messages[0])
        return [{"role": _ROLES.get(role, role), "content": text} for role, text in messages]
    if all(isinstance(m, str) for m in messages):
        return [{"role": "user", "content": text} for text in messages[:1]]
    return [m for m in messages if isinstance(m, dict)]


def offered(value: Any) -> list[dict[str, Any]]:
    """Return the tools of a request, whatever the provider, as ``name, description, parameters``."""
    found = decoded(value)
    return [tool for item in (found if isinstance(found, list) else []) for tool in _offered(decoded(item))]


def _offered(item: Any) -> Iterator[dict[str, Any]]:
    if isinstance(item, str):
        yield {"name": item}
        return
    if not isinstance(item, dict):
        return
    declared = gemini.either(item, "function_declarations")
    if isinstance(declared, list):
        yield from (tool for one in declared for tool in _offered(one))
        return
    inner = next((item[key] for key in ("function", "toolSpec") if isinstance(item.get(key), dict)), item)
    name = inner.get("name") or inner.get("type")
    if not isinstance(name, str):
        return
    keys = ("parameters", "inputSchema", "input_schema", "parameters_json_schema", "parametersJsonSchema")
    schema = next((inner[key] for key in keys if inner.get(key) is not None), None)
    if isinstance(schema, dict) and isinstance(schema.get("json"), dict):
        schema = schema["json"]
    yield {"name": name, "description": inner.get("description"), "parameters": schema}


def tool_answer(value: Any) -> tuple[Any, str | None, bool | None]:
    """Take a LangChain tool message out of its envelope.

    Returns
    -------
    (output, id, failed)
        Of any other value the value itself, None, None.

    Examples
    --------
    >>> tool_answer('{"type": "tool", "data": {"content": "21", "tool_call_id": "1", "status": "success"}}')
    ('21', '1', False)
    >>> tool_answer("21 C")
    ('21 C', None, None)
    """
    if isinstance(value, str) and not any(map(value.__contains__, _ENVELOPES)):
        return value, None, None
    message = decoded(value)
    if isinstance(message, dict) and set(message) == {"output"}:
        message = value = decoded(message["output"])
    if isinstance(message, dict) and ("lc" in message or isinstance(message.get("data"), dict)):
        try:
            message = langchain.flat(message)
        except (KeyError, IndexError, TypeError, AttributeError):
            return value, None, None
    if not isinstance(message, dict) or not {"content", "tool_call_id"} <= message.keys():
        return value, None, None
    failed = {"success": False, "error": True}.get(str(message.get("status")))
    return unwrapped(message["content"]), message["tool_call_id"], failed


def text_of_answer(value: Any) -> Any:
    """Return the text of a value that may be the body of a response."""
    for message in reversed(response_messages(value)):
        text = content_text(message.get("content")) if isinstance(message, dict) else None
        if text:
            return text
    return None


def only_text(value: Any) -> str | None:
    """Return the one text inside a value, under whatever names; None where there is none, or are several.

    Examples
    --------
    >>> only_text('{"args": ["Which city?"], "kwargs": {}}'), only_text({"a": "x", "b": "y"})
    ('Which city?', None)
    """
    found = decoded(value)
    while isinstance(found, dict | list):
        inner = [
            item for item in (found.values() if isinstance(found, dict) else found) if item not in ([], {}, None)
        ]
        if len(inner) != 1:
            return None
        found = inner[0]
    return found if isinstance(found, str) else None
