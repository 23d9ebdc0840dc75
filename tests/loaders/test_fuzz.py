"""Damaged files: cut off anywhere, or with bits flipped, over every sample; seeded, so that a failure repeats.

``TOOLCORRECT_FUZZ`` sets how many cuts and how many flips (2,000 of each without it).
"""

from __future__ import annotations

import io
import json
import os
import random
import time
from collections import Counter
from typing import Any

import pytest

import toolcorrect as tc
from tests.loaders.samples import SAMPLES, files
from toolcorrect.dataset import Dataset
from toolcorrect.errors import ToolcorrectError

DAMAGED = int(os.environ.get("TOOLCORRECT_FUZZ", "2000"))
# Seconds for one small file, with room for a machine that is busy.
SLOW = 20.0

FILES = {f"{sample}/{path.name}": path for sample in SAMPLES for path in files(sample)}
# Of every family whose records stand alone, the same thing as lines: five records, each with an id of its own.
LINES = {
    "plain": [
        {"case": f"c{i}", "called": [{"name": f"t{i}", "arguments": {"n": i}}], "expected": []} for i in range(5)
    ],
    "chat": [
        {
            "id": f"c{i}",
            "messages": [
                {"role": "user", "content": f"question {i}"},
                {"role": "assistant", "tool_calls": [{"id": "x", "function": {"name": f"t{i}", "arguments": "{}"}}]},
                {"role": "tool", "tool_call_id": "x", "content": f"answer {i}"},
            ],
        }
        for i in range(5)
    ],
    "anthropic": [
        {
            "id": f"c{i}",
            "messages": [
                {"role": "user", "content": f"question {i}"},
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "x", "name": f"t{i}", "input": {"n": i}}],
                },
            ],
        }
        for i in range(5)
    ],
    "ragas": [
        {
            "user_input": [
                {"type": "human", "content": f"question {i}"},
                {"type": "ai", "content": "", "tool_calls": [{"name": f"t{i}", "args": {"n": i}}]},
            ],
            "reference_tool_calls": [],
        }
        for i in range(5)
    ],
    "bfcl": [{"id": f"parallel_{i}", "result": [{f"t{i}": '{"n": 1}'}]} for i in range(5)],
    "sharegpt": [
        {
            "conversations": [
                {"from": "human", "value": f"question {i}"},
                {"from": "function_call", "value": json.dumps({"name": f"t{i}", "arguments": {"n": i}})},
            ]
        }
        for i in range(5)
    ],
}


def cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def flipped(data: bytes, chance: random.Random) -> bytes:
    made = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 3))):
        made[chance.randrange(len(made))] ^= 1 << chance.randrange(8)
    return bytes(made)


def loaded(data: bytes, name: str) -> Dataset | str:
    """Load within the bound of time: a dataset, or the one sentence why not."""
    stream = io.BytesIO(data)
    stream.name = name
    start = time.perf_counter()
    try:
        found: Dataset | str = tc.load(stream)
    except ToolcorrectError as refused:
        found = str(refused)
        assert found.startswith(name)
        assert "\n" not in found
        assert len(found) < 2000
    assert time.perf_counter() - start < SLOW
    return found


def bad_lines(data: bytes) -> list[int]:
    """The numbers of the lines that are not JSON, by the standard library."""
    bad = []
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            if line.strip():
                json.loads(line)
        except ValueError:
            bad.append(number)
    return bad


def same(a: Dataset | str, b: Dataset | str) -> bool:
    """Tell whether two loads hold the same, apart from their reports and the numbers of lines."""
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and isinstance(b, str)
    tables = [(one.cases.drop(columns="source"), one.calls, one.expected, one.tools) for one in (a, b)]
    return all(one.equals(other) for one, other in zip(*tables))


def check_lines(data: bytes, found: Dataset | str, name: str) -> None:
    """A line that is no JSON is one row of the report, and changes nothing else."""
    bad = bad_lines(data)
    lines = data.split(b"\n")
    good = b"\n".join(line for number, line in enumerate(lines, 1) if number not in bad)
    if bad and good.count(b"\n") > 1:
        assert same(found, loaded(good, name))
    if isinstance(found, Dataset):
        unreadable = Counter(found.report.loc[found.report.code == "unreadable", "record"])
        assert all(unreadable[f"line {number}"] == 1 for number in bad)
        assert (found.report.file == name).all()


@pytest.mark.parametrize("damage", [cut, flipped])
@pytest.mark.parametrize("sample", FILES)
def test_damage_is_refused_or_reported(sample: str, damage: Any) -> None:
    whole = FILES[sample].read_bytes()
    chance = random.Random(f"{damage.__name__} {sample}")
    of_lines = whole.count(b"\n") > 1 and not bad_lines(whole)
    for _ in range(-(-DAMAGED // len(FILES))):
        data = damage(whole, chance)
        found = loaded(data, "damaged.file")
        if of_lines:
            check_lines(data, found, "damaged.file")


@pytest.mark.parametrize("family", LINES)
def test_records_that_are_not_damaged_all_load(family: str) -> None:
    lines = [json.dumps(record).encode() for record in LINES[family]]
    whole = loaded(b"\n".join(lines), "runs.jsonl")
    assert isinstance(whole, Dataset)
    assert whole.calls.tool.to_list() == [f"t{i}" for i in range(5)]
    chance = random.Random(family)
    for _ in range(-(-DAMAGED // 50)):
        touched = set(chance.sample(range(5), 2))
        data = b"\n".join(
            (cut if chance.random() < 0.5 else flipped)(line, chance) if i in touched else line
            for i, line in enumerate(lines)
        )
        if data.count(b"\n") != 4:
            # A flip has made a newline, so lines have other numbers.
            continue
        found = loaded(data, "runs.jsonl")
        assert isinstance(found, Dataset), found
        untouched = [i for i in range(5) if i not in touched]
        for i in untouched:
            rows = found.cases.index[found.cases.source.str.endswith(f"line {i + 1}")]
            assert len(rows) == 1
            assert found.calls.loc[found.calls.case == rows[0], "tool"].to_list() == [f"t{i}"]
        check_lines(data, found, "runs.jsonl")


def test_every_sample_is_among_them() -> None:
    assert {name.split("/")[0] for name in FILES} == set(SAMPLES)
