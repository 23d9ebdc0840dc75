"""`Conversation`: what every family of messages shares while its calls are read into a case."""

from __future__ import annotations

from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.calls import Call, made_call
from toolcorrect.loaders.rows import Case

# Agent frameworks hand over to another agent by calls whose names begin so, or are so.
_HANDOFFS = ("transfer_to_", "transfer_back_to_")
_HANDOFF = "handoff"
_REPORTED = frozenset({"handoff", "pseudo"})


class Conversation:
    """Counts turns and steps, keeps the first question and the last answer, and pairs results with calls.

    Turns count user messages that say something; steps the messages that made calls.
    """

    def __init__(self, case: Case) -> None:
        self.case = case
        self._stated = {name: case.columns[name] for name in ("output", "turns") if case.columns.get(name)}
        self.turns = 0
        self.step = -1
        self._between_steps = True
        self._waiting: list[Call] = []

    def message(self) -> None:
        """Begin a message of the assistant: its calls are a step of their own."""
        self._between_steps = True

    def asked(self, text: str | None) -> None:
        """Note what the user said; nothing, where a message only brings results."""
        if text:
            self.turns += 1
            if self.case.columns.get("input") is None:
                self.case.columns["input"] = text

    def answered(self, text: str | None) -> None:
        """Note what the assistant said: the last of it is the final answer."""
        if text:
            self.case.columns["output"] = text

    def call(self, tool: Any, arguments: Any = ABSENT, **columns: Any) -> Call:
        """Add a call of the present message; columns as in `Case.call`."""
        if self._between_steps:
            self._between_steps = False
            self.step += 1
            self._waiting = []
        if columns.get("kind") in _REPORTED:
            self.case.report("pseudo_tool", f"{tool} is marked as {columns['kind']}")
        turn = self.turns - 1 if self.turns else 0
        made = self.case.add(made_call(tool, arguments, turn=turn, step=self.step, **columns))
        self._waiting.append(made)
        return made

    def result(
        self, output: Any = ABSENT, *, id: Any = None, tool: Any = None, error: Any = None, error_message: Any = None
    ) -> None:
        """Attach what came back: by id, else within the last step by tool and order."""
        if id:
            self.case.result(output, id=id, error=error, error_message=error_message)
            return
        found = next((call for call in self._waiting if tool is None or call.tool == tool), None)
        if found is None:
            self.case.report("result_without_call", "a result that answers no call in the file")
            return
        self._waiting.remove(found)
        found.complete(output, error, error_message)

    def close(self) -> None:
        """Write down how many turns there were; what the case was given beforehand counts more."""
        self.case.columns["turns"] = self.turns
        self.case.columns.update(self._stated)


def kind_of_tool(name: Any) -> str:
    """Return ``handoff`` for a tool that hands over to another agent, else ``function``.

    A transfer to people is a tool like any other.

    Examples
    --------
    >>> kind_of_tool("transfer_to_billing"), kind_of_tool("transfer_to_human_agents"), kind_of_tool("transfer_money")
    ('handoff', 'function', 'function')
    """
    word = name if isinstance(name, str) else ""
    return "handoff" if word == _HANDOFF or (word.startswith(_HANDOFFS) and "human" not in word) else "function"


def unwrapped(content: Any) -> Any:
    """Return what a tool said without the envelope of its text blocks; other content as it is.

    Examples
    --------
    >>> unwrapped([{"type": "text", "text": "21 C"}])
    '21 C'
    >>> unwrapped([{"type": "image", "data": "..."}])
    [{'type': 'image', 'data': '...'}]
    """
    if not isinstance(content, list) or not content:
        return content
    texts = [_text(block) for block in content]
    return content if None in texts else "".join(text for text in texts if text)


def _text(block: Any) -> str | None:
    """Return the text of a block that is only a text."""
    if isinstance(block, dict) and block.get("type", "text") in ("text", "input_text", "output_text"):
        block = block.get("text")
    return block if isinstance(block, str) else None
