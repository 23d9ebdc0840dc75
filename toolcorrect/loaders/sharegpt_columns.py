"""ShareGPT conversations by whole columns: what `sharegpt` reads turn by turn.

Regular are turns from speakers that are known, without tags, in which every call is JSON.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from toolcorrect.arguments.decoding import ABSENT, STATUS, TEXT, parse_json
from toolcorrect.loaders.fast_chat import ChatColumns
from toolcorrect.loaders.fast_records import as_json
from toolcorrect.loaders.gathering import decoded_arguments, held_arguments
from toolcorrect.loaders.lines import Block
from toolcorrect.loaders.message_lists import PLUMBING
from toolcorrect.loaders.parts import Note
from toolcorrect.loaders.sharegpt import BESIDE, PLAIN_CALL, SPEAKERS
from toolcorrect.loaders.told import Calls, Results, Said, Told, hashes

_TURN = pa.struct([("from", TEXT), ("value", TEXT)])
# What `str.strip` takes away.
_SPACE = "".join(filter(str.isspace, map(chr, range(0x3001))))


class _Called(NamedTuple):
    """The calls of some turns: how many each makes, their arguments as `held_arguments` gives them."""

    counts: np.ndarray
    names: pa.Array
    arguments: pa.Array
    form: np.ndarray
    # Those that Arrow found.
    plain: np.ndarray


def _told(columns: Mapping[str, pa.Array], block: Block, notes: list[Note]) -> Told | None:
    lists = columns["conversations"]
    turns = lists.flatten()
    texts = pc.fill_null(turns.field("value"), "")
    words = turns.field("from").dictionary_encode()
    speakers = np.array([SPEAKERS.get(word) for word in words.dictionary.to_pylist()], dtype=object)
    if words.null_count or None in speakers or any(map(_are_tagged, (texts, columns.get("system")))):
        return None
    speaker = speakers[words.indices.to_numpy()]

    def said(who: str) -> Said:
        rows = np.flatnonzero(speaker == who)
        return rows, texts.take(pa.array(rows))

    calling, spoken = said("call")
    called = _called(spoken)
    decoded = decoded_arguments(called.arguments, called.form, notes, wire=True)
    # What only looked like an object may be a part of the text that means something else.
    if (decoded.status[called.plain] != STATUS["ok"]).any():
        return None
    message = np.repeat(calling, called.counts)
    returned, outputs = said("result")
    (answered, answers), (asking, questions) = said("assistant"), said("user")
    nothing = pa.nulls(len(message) + len(returned), TEXT)
    return Told(
        lists.value_lengths().to_numpy(),
        _filled(asking, questions),
        _filled(answered, pc.utf8_trim(answers, characters=_SPACE)),
        (speaker == "call") | (speaker == "assistant"),
        Calls(message, message, called.names, decoded, nothing[: len(message)]),
        Results(
            returned,
            returned,
            nothing[: len(returned)],
            nothing[: len(returned)],
            {"output": as_json(pc.utf8_trim(outputs, characters=_SPACE))},
        ),
        hashes(texts.to_pylist()),
    )


def _are_tagged(texts: pa.Array | None) -> bool:
    # Beside texts the column of a block may hold nulls or numbers alone.
    return (
        texts is not None
        and texts.type == TEXT
        and bool(pc.any(pc.match_substring_regex(texts, "<tool|<think>")).as_py())
    )


def _filled(rows: np.ndarray, texts: pa.Array) -> Said:
    """Return what is said, where it is anything."""
    there = pc.not_equal(texts, "")
    return rows[there.to_numpy(zero_copy_only=False)], texts.filter(there)


def _called(texts: pa.Array) -> _Called:
    """Take the calls out of texts: the plainest by Arrow, others one by one.

    Raises
    ------
    ValueError
        Where a text is no JSON, or holds anything but calls.
    """
    found = pc.extract_regex(texts, f"^{PLAIN_CALL}$")
    others = found.is_null().to_numpy(zero_copy_only=False)
    listed = list(map(_listed_calls, texts.filter(pa.array(others)).to_pylist()))
    counts = np.ones(len(texts), dtype=np.int64)
    counts[others] = list(map(len, listed))
    plain = ~np.repeat(others, counts)
    form = np.full(len(plain), -1, dtype=np.int8)
    calls = list(itertools.chain.from_iterable(listed))
    words, form[~plain] = held_arguments([call.get("arguments", call.get("parameters", ABSENT)) for call in calls])
    place = np.where(plain, np.cumsum(plain) - 1, plain.sum() + np.cumsum(~plain) - 1)
    names, arguments = (
        pa.concat_arrays([found.field(key).filter(pa.array(~others)), pa.array(more, TEXT)]).take(pa.array(place))
        for key, more in (("name", [call["name"] for call in calls]), ("arguments", words))
    )
    return _Called(counts, names, arguments, form, plain)


def _listed_calls(text: str) -> list[dict[str, Any]]:
    """Return the calls of a text."""
    found = parse_json(text) if text.startswith(("[", "{")) else None
    calls: list[Any] = found if isinstance(found, list) else [found]
    if not all(isinstance(call, dict) and isinstance(call.get("name"), str) for call in calls):
        raise ValueError("no JSON, or no calls")
    return calls


SHAREGPT = ChatColumns("conversations", _TURN, _told, PLUMBING | BESIDE, frozenset({"messages"}))
