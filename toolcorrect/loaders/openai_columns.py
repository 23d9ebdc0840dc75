"""OpenAI chats by whole columns: what `openai_chat` reads record by record.

Regular are contents that are texts, and calls and results with ids.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from toolcorrect.arguments.columns import decode_texts
from toolcorrect.arguments.decoding import TEXT
from toolcorrect.loaders.fast_chat import ChatColumns
from toolcorrect.loaders.fast_records import as_json, is_null_somewhere
from toolcorrect.loaders.lines import Block
from toolcorrect.loaders.message_lists import family_of
from toolcorrect.loaders.openai_chat import PLUMBING
from toolcorrect.loaders.parts import Note, note_statuses
from toolcorrect.loaders.sharegpt import CALL_TAG
from toolcorrect.loaders.told import Calls, Results, Told, hashes

_CALL = pa.struct(
    [
        *((name, TEXT) for name in ("id", "type")),
        ("function", pa.struct([("name", TEXT), ("arguments", TEXT)])),
    ]
)
_MESSAGE = pa.struct(
    [
        *((name, TEXT) for name in ("role", "content", "name", "tool_call_id", "refusal")),
        ("tool_calls", pa.list_(_CALL)),
    ]
)


def _told(columns: Mapping[str, pa.Array], block: Block, notes: list[Note]) -> Told | None:
    lists = columns["messages"]
    messages = lists.flatten()
    if messages.field("role").null_count:
        return None
    content = messages.field("content")
    said = pc.greater(pc.binary_length(content), 0).fill_null(False).to_numpy(False)
    roles = messages.field("role").dictionary_encode()
    words = np.array(roles.dictionary.to_pylist(), dtype=object)[roles.indices.to_numpy()]
    returns = (words == "tool") | (words == "function")
    counts = messages.field("tool_calls").value_lengths().fill_null(0).to_numpy()
    items = messages.field("tool_calls").flatten()
    functions = items.field("function")
    names, arguments, ids = functions.field("name"), functions.field("arguments"), items.field("id")
    message, returned = np.repeat(np.arange(len(counts)), counts), np.flatnonzero(returns)
    answers = messages.field("tool_call_id").take(pa.array(returned))
    if (
        (counts[returns] > 0).any()
        or items.null_count + functions.null_count + names.null_count + ids.null_count + answers.null_count
        or is_null_somewhere(arguments, block.data, "arguments")
    ):
        return None
    decoded = decode_texts(arguments, wire=True)
    note_statuses(notes, decoded.status, decoded.twice)
    asked, answered = (np.flatnonzero((words == role) & said) for role in ("user", "assistant"))
    output = {"output": as_json(content.take(pa.array(returned)))}
    told = Told(
        lists.value_lengths().to_numpy(),
        (asked, content.take(pa.array(asked))),
        (answered, content.take(pa.array(answered))),
        counts > 0,
        Calls(message, message, names, decoded, ids, {"actor": roles.cast(TEXT).take(pa.array(message))}),
        Results(returned, returned, answers, pa.nulls(len(returned), TEXT), output),
        hashes(content.fill_null("").to_pylist()),
    )
    return None if _are_of_others(told, content, block) else told


def _are_of_others(told: Told, content: pa.Array, block: Block) -> bool:
    """Tell whether a conversation without calls is of another family: of texts alone only tags can make it one."""
    tagged = pc.match_substring(content, CALL_TAG).fill_null(False).to_numpy(zero_copy_only=False)
    suspects = {*told.case[tagged].tolist()} - {*told.case[told.calls.message].tolist()}
    lines = block.data.split(b"\n") if suspects else []
    return any(family_of(orjson.loads(lines[case])) for case in suspects)


OPENAI = ChatColumns(
    "messages", _MESSAGE, _told, PLUMBING, frozenset({"choices", "request", "response", "functions"})
)
