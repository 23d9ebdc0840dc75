"""ShareGPT conversations, and Hermes text, where calls are written between tags."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from toolcorrect.arguments.decoding import ABSENT, parse_json
from toolcorrect.loaders.calllike import add_offered_list, listed_items, python_literal
from toolcorrect.loaders.conversation import Conversation
from toolcorrect.loaders.gathering import Blocks, Gathered, Layout, of_each
from toolcorrect.loaders.message_lists import Family, Unfolded, message_format

# What the speakers are called.
_SPEAKERS = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "assistant", "model", "chatgpt"), "assistant"),
    **dict.fromkeys(("function_call", "tool_call"), "call"),
    **dict.fromkeys(("observation", "tool", "function_response", "function", "ipython"), "result"),
    "system": "system",
}
CALL_TAG = "<tool_call>"
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
# A block that is not closed goes to the next one, or to the end of the text.
_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|(?=<tool_call>)|\Z)", re.DOTALL)
_RESPONSE = re.compile(r"<tool_response>(.*?)(?:</tool_response>|(?=<tool_response>)|\Z)", re.DOTALL)
_TOOLS = re.compile(r"<tools>(.*?)</tools>", re.DOTALL)
_NAME = re.compile(r'"name"\s*:\s*"([^"\\]+)"')
_ARGUMENTS = re.compile(r'"arguments"\s*:\s*(.*)\Z', re.DOTALL)


def add_turn(talk: Conversation, turn: dict[str, Any]) -> None:
    """Add one turn; calls may be turns of their own, or be between tags in what the assistant says."""
    who, text = _speaker(turn), str(turn.get("value", turn.get("content")) or "")
    if who == "user":
        talk.asked(text)
    elif who == "assistant":
        _say(talk, text)
    elif who == "call":
        talk.message()
        _add_text(talk, text)
    elif who == "result":
        for response in _RESPONSE.findall(text) or [text]:
            talk.result(response.strip())
    elif who == "system" and not talk.case.columns.get("tools_known"):
        add_offered_list(talk.case, _tools_in_text(text))
    elif who is None:
        raise ValueError(f"nobody knows the speaker {str(turn.get('from', turn.get('role')))[:40]!r}")


def _speaker(turn: dict[str, Any]) -> str | None:
    return _SPEAKERS.get(str(turn.get("from", turn.get("role"))))


def _say(talk: Conversation, text: str) -> None:
    spoken = _THOUGHT.sub("", text)
    talk.message()
    for block in _CALL.findall(spoken):
        _add_text(talk, block.strip())
    talk.answered(_CALL.sub("", spoken).strip())


def _add_text(talk: Conversation, text: str) -> None:
    """Add the calls that a text holds; one that is cut off keeps its name and the text of its arguments."""
    try:
        for call in listed_items(text) if text.startswith(("[", "{")) else [_value(text)]:
            arguments = call.get("arguments", call.get("parameters", ABSENT))
            talk.call(call["name"], arguments, wire=isinstance(arguments, str))
    except (ValueError, TypeError, AttributeError, KeyError):
        name, rest = _NAME.search(text), _ARGUMENTS.search(text)
        if name is None:
            talk.case.report("unreadable_call", f"a call of which not even the name can be read: {text[:60]!r}")
            return
        talk.call(name[1], rest[1] if rest else ABSENT, wire=True)


def _gather(talks: Sequence[list[Any]], gathered: Gathered) -> set[int]:
    """Say what `add_turn` says, of several conversations without tags at once."""
    turns = list(itertools.chain.from_iterable(talks))
    words = [turn["from"] if "from" in turn else turn.get("role") for turn in turns]
    speakers = of_each(lambda word: _SPEAKERS.get(str(word)), words)
    texts = [str((turn["value"] if "value" in turn else turn.get("content")) or "") for turn in turns]
    whole = "\n".join(texts)
    if None in speakers or "<tool" in whole or "<think>" in whole:
        raise ValueError("a speaker that nobody knows, or tags")
    # A turn stands before its calls.
    contents: list[list[Any]] = [[text] for text in texts]
    for turn, who in zip(contents, speakers):
        if who == "call":
            turn += _plain_calls(turn[0])
    begins = [who in ("assistant", "call") for who in speakers]
    said = [block if type(block) is str else None for block in itertools.chain.from_iterable(contents)]
    blocks = Blocks(gathered, list(map(len, talks)), contents, begins, said)
    rows = [row for row, text in enumerate(said) if text is None]
    calls = [blocks.all[row] for row in rows]
    none = [None] * len(calls)
    arguments = [call.get("arguments", call.get("parameters", ABSENT)) for call in calls]
    blocks.calls(rows, [call["name"] for call in calls], arguments, none, ["function"] * len(calls))
    starts = list(itertools.accumulate(map(len, contents), initial=0))
    returned = [row for row, who in enumerate(speakers) if who == "result"]
    results = [(texts[row].strip(), None, None) for row in returned]
    blocks.results([starts[row] for row in returned], results, [None] * len(returned))
    blocks.asked([who == "user" for who in speakers], itemgetter(0))
    blocks.answered([who == "assistant" for who in speakers], lambda turn: str(turn[0]).strip())
    return set()


def _plain_calls(text: str) -> Sequence[dict[str, Any]]:
    """Return the calls of a text that is JSON.

    Raises
    ------
    ValueError
        Where it is not, or holds anything else.
    """
    if not text.startswith(("[", "{")):
        raise ValueError("no JSON")
    found = parse_json(text)
    calls = found if type(found) is list else [found]
    for call in calls:
        if type(call) is not dict or type(call.get("name")) is not str:
            raise ValueError("no calls")
    return calls


def _turns(record: dict[str, Any]) -> Any:
    """Return the turns of a record, as `unfold` does."""
    for turns, _ in unfold(record):
        return turns
    return None


def _tools_in_text(text: str) -> Any:
    """Return the tools that a system text lists between tags; None where it lists none."""
    # A prompt may name the tags before it uses them.
    for listed in filter(None, map(str.strip, _TOOLS.findall(text))):
        try:
            return listed_items(listed)
        except ValueError:
            # One object a line.
            return [_value(line) for line in listed.splitlines() if line.strip()]
    return None


def _value(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        return python_literal(text)


def unfold(record: dict[str, Any]) -> Iterator[Unfolded]:
    """Yield the turns of a record, which may have the system text beside them."""
    turns = record.get("conversations") or record.get("messages")
    if isinstance(turns, list) and turns:
        before = [{"role": "system", "content": record["system"]}] if record.get("system") else []
        yield [*before, *turns], record


def _tell_sharegpt(turns: Sequence[Any]) -> str | None:
    if any(isinstance(turn, dict) and "from" in turn and "value" in turn for turn in turns):
        return "a from and a value"
    return None


def _tell_hermes(turns: Sequence[Any]) -> str | None:
    for turn in turns:
        text = turn.get("value", turn.get("content")) if isinstance(turn, dict) else None
        if isinstance(text, str) and CALL_TAG in text and _speaker(turn) == "assistant":
            # With calls of its own beside the text, a message needs no tags.
            return None if turn.get("tool_calls") else "calls between <tool_call> tags"
    return None


_BESIDE = frozenset({"conversations", "system"})
_LAYOUT = Layout(_turns, _gather, wire=True)
HERMES_TEXT = message_format(
    Family("hermes_text", "conversations with calls in Hermes text", _tell_hermes, add_turn, unfold, _BESIDE)
)
SHAREGPT = message_format(
    Family("sharegpt", "ShareGPT conversations", _tell_sharegpt, add_turn, unfold, _BESIDE, _LAYOUT)
)
