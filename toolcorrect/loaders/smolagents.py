"""smolagents: the steps of an agent's memory."""

from __future__ import annotations

from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.calls import FreeText
from toolcorrect.loaders.conversation import Conversation
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.source import Source

_ANSWER = "final_answer"
# Its one argument is code.
_CODE = "python_interpreter"


def read(source: Source, rows: Rows) -> None:
    """Read the steps of one run, or one run a record."""
    runs = [(label, record) for label, record in source.records()]
    if runs and all(isinstance(record, dict) and not isinstance(record.get("steps"), list) for _, record in runs):
        runs = [("", [record for _, record in runs])]
    for label, run in runs:
        with rows.record(label):
            talk = Conversation(rows.case(None, ids_within="step"))
            for step in run["steps"] if isinstance(run, dict) else run:
                _add_step(talk, step)
            talk.close()


def _add_step(talk: Conversation, step: dict[str, Any]) -> None:
    if isinstance(step.get("task"), str):
        talk.asked(step["task"])
        return
    # A step that failed lists no calls: what the model wrote still does.
    message = step.get("model_output_message") or {}
    made = message.get("tool_calls") or step.get("tool_calls") or []
    talk.message()
    calls = []
    for item in made:
        function = item["function"]
        name, arguments = function["name"], function.get("arguments", ABSENT)
        if name == _ANSWER:
            talk.case.report("pseudo_tool", f"{_ANSWER}: its argument is the answer")
            talk.answered(_text(arguments))
            continue
        if isinstance(arguments, str) and name == _CODE:
            arguments = FreeText(arguments)
        calls.append(talk.call(name, arguments, id=item.get("id"), wire=True))
    error, observed = step.get("error"), step.get("observations")
    if len(calls) == 1:
        message_text = error.get("message") if isinstance(error, dict) else error
        calls[0].complete(ABSENT if observed is None else observed, error is not None, message_text)
    elif calls:
        for call in calls:
            # Which of several calls failed is not said.
            call.error = None if error is not None else False
        talk.case.report("outputs_joined", "what parallel calls returned is one text", count=len(calls))
    if step.get("is_final_answer") and step.get("action_output") is not None:
        talk.answered(_text(step["action_output"]))
    elif "output" in step and "step_number" not in step:
        talk.answered(_text(step["output"]))


def _text(value: Any) -> str | None:
    """Return an answer, which may be the one argument of the call that gives it."""
    if isinstance(value, dict) and len(value) == 1:
        (value,) = value.values()
    return None if value is None else str(value)


def detect(source: Source) -> tuple[float, str] | None:
    """Recognise steps by the model's message in them."""
    if source.shape == "table":
        return None
    for record in source.head:
        steps = record.get("steps") if isinstance(record, dict) else record
        for step in [record, *(steps if isinstance(steps, list) else [])]:
            if isinstance(step, dict) and "model_output_message" in step:
                return 0.95, "steps with a model_output_message"
    return None


SMOLAGENTS_STEPS = Format("smolagents_steps", "steps of smolagents", detect, read)
