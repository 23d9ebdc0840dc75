from __future__ import annotations

import toolcorrect as tc
from tests.loaders.plain import cells, rows


def chunk(piece=None, *, choice=0, identity="c", text=None):
    delta = {"content": text, "tool_calls": None if piece is None else [piece]}
    return {"id": identity, "object": "chat.completion.chunk", "choices": [{"index": choice, "delta": delta}]}


def piece(index, arguments, *, id=None, name=None):
    return {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}


def test_interleaved_pieces_and_choices_are_kept_apart():
    data = tc.load(
        [
            chunk(piece(0, "", id="a", name="one")),
            chunk(piece(1, "", id="b", name="two")),
            chunk(piece(0, '{"x":')),
            chunk(piece(1, '{"y": 2}')),
            chunk(piece(0, " 1}")),
            chunk(piece(0, "{}", id="z", name="other"), choice=1),
            chunk(text="Hello "),
            chunk(text="you"),
            chunk(piece(0, "{}", id="a", name="one"), identity="d"),
            {"id": "c", "object": "chat.completion.chunk", "choices": [], "usage": {}},
        ]
    )
    assert data.cases.index.to_list() == ["c", "c/1", "d"]
    assert rows(data.calls, "case", "tool", "arguments", "step") == [
        ["c", "one", '{"x": 1}', 0],
        ["c", "two", '{"y": 2}', 0],
        ["c/1", "other", "{}", 0],
        ["d", "one", "{}", 0],
    ]
    assert cells(data.cases.output) == ["Hello you", None, None]


def test_a_server_that_gives_every_call_the_same_index():
    data = tc.load([chunk(piece(0, '{"x": 1}', id="a", name="f")), chunk(piece(0, '{"x": 2}', id="b", name="f"))])
    assert data.calls.arguments.to_list() == ['{"x": 1}', '{"x": 2}']


def test_a_stream_that_was_cut_off():
    data = tc.load([chunk(piece(0, "", id="a", name="f")), chunk(piece(0, '{"x": ')), chunk(piece(3, "1}"))])
    assert data.calls.arguments_status.to_list() == ["failed"]
    assert data.calls.arguments_raw.to_list() == ['{"x": ']
    assert "unreadable_call" in data.report.code.to_list()
