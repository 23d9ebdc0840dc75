from __future__ import annotations

import json

import pandas as pd
import pytest

import toolcorrect as tc
from tests.loaders.plain import rows


def line(kind, uuid, parent, *blocks, session="s", message=None, **more):
    content = blocks[0] if blocks and isinstance(blocks[0], str) else list(blocks)
    said = {"role": kind, "content": content, **({"id": message} if message else {})}
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": session, "message": said, **more}


def use(identity, name="Bash"):
    return {"type": "tool_use", "id": identity, "name": name, "input": {"n": identity}}


def result(identity, **more):
    return {"type": "tool_result", "tool_use_id": identity, "content": "done", **more}


def test_blocks_of_one_message_are_one_step_though_results_come_between():
    data = tc.load(
        [
            line("user", "1", None, "Go"),
            line("assistant", "2", "1", use("a"), message="m1"),
            line("user", "3", "2", result("a")),
            line("assistant", "4", "2", use("b", "mcp__web__search"), message="m1"),
            line("user", "5", "4", result("b", is_error=True)),
            line("assistant", "6", "5", use("c"), message="m2"),
        ]
    )
    assert rows(data.calls, "tool", "step", "kind", "server", "error") == [
        ["Bash", 0, "function", None, False],
        ["mcp__web__search", 0, "mcp", "web", True],
        ["Bash", 1, "function", None, None],
    ]


def test_what_the_person_went_back_behind_is_left_out_and_said():
    data = tc.load(
        [
            line("user", "1", None, "Go"),
            line("assistant", "2", "1", use("a"), message="m1"),
            line("user", "3", "2", result("a")),
            line("user", "4", "3", "Delete it"),
            line("assistant", "5", "4", use("wrong"), message="m2"),
            line("user", "6", "5", result("wrong")),
            line("user", "7", "3", "Keep it"),
            line("assistant", "8", "7", use("b"), message="m3"),
        ]
    )
    assert data.calls.call_id.to_list() == ["a", "b"]
    assert data.report[data.report.code == "rewound"]["count"].sum() == 3
    assert data.cases.turns.to_list() == [2]


def test_a_resumed_session_tells_lines_again():
    lines = [line("user", "1", None, "Go"), line("assistant", "2", "1", use("a"), message="m")]
    data = tc.load([*lines, *lines, line("user", "3", "2", result("a")), {"type": "summary", "summary": "x"}])
    assert len(data.calls) == 1
    assert data.cases.turns.to_list() == [1]
    assert "unreadable" not in data.report.code.to_list()


def test_side_chains_are_deeper_and_give_no_answer():
    data = tc.load(
        [
            line("user", "1", None, "Go"),
            line("assistant", "2", "1", use("t", "Task"), message="m1"),
            line("user", "3", None, "Look around", isSidechain=True),
            line("assistant", "4", "3", use("a", "Read"), message="m2", isSidechain=True, agentId="x"),
            line("user", "5", "4", result("a"), isSidechain=True),
            line("assistant", "6", "5", {"type": "text", "text": "inner"}, message="m3", isSidechain=True),
            line("user", "7", "2", result("t")),
            line("assistant", "8", "7", {"type": "text", "text": "outer"}, message="m4"),
        ]
    )
    assert rows(data.calls, "tool", "depth", "agent") == [["Task", 0, None], ["Read", 1, "x"]]
    assert data.cases[["input", "output", "turns"]].values.tolist() == [["Go", "outer", 1]]


def test_the_stream_of_a_headless_run():
    lines = [
        {"type": "system", "subtype": "init", "session_id": "s", "tools": ["Bash", "Read"]},
        {"type": "assistant", "session_id": "s", "parent_tool_use_id": None,
         "message": {"id": "m", "role": "assistant", "content": [use("a")]}},
        {"type": "user", "session_id": "s", "parent_tool_use_id": None,
         "message": {"role": "user", "content": [result("a")]}},
    ]  # fmt: skip
    data = tc.load(lines)
    assert data.calls.output.to_list() == ['"done"']
    assert data.tools.tool.to_list() == ["Bash", "Read"]


def test_ids_that_are_no_texts_lose_no_session():
    lines = [
        line("user", "1", None, "Go"),
        line("assistant", "2", "1", use("a")),
        line("user", "3", "2", result("a")),
    ]
    for key in ("uuid", "parentUuid"):
        for strange in ([1], {"a": 1}):
            data = tc.load([*lines[:2], {**lines[2], key: strange}])
            assert rows(data.calls, "tool", "output") == [["Bash", '"done"']]


def test_a_prompt_without_an_id_takes_no_other_lines_with_it():
    data = tc.load(
        [line("user", None, "0", "Go"), line("user", "1", "0", "Stop"), line("assistant", "2", "1", use("a"))]
    )
    assert data.calls.call_id.to_list() == ["a"]


def test_a_plain_session_is_read_as_one_in_which_something_is_to_be_reported():
    plain = [
        line("user", "1", None, "<command-name>/clear"),
        line("user", "2", "1", "Go"),
        line("assistant", "3", "2", {"type": "thinking", "thinking": "Hm"}, message="m1"),
        line("assistant", "4", "3", use("a"), message="m1", timestamp="2026-01-01T12:00:00.000Z"),
        line("assistant", "5", "4", use("b", "mcp__web__search"), message="m1"),
        line("user", "6", "5", result("b", is_error=True)),
        line("user", "7", "6", {**result("a"), "content": [{"type": "text", "text": "21 C"}]}),
        line("assistant", "8", "7", use("c"), message="m2"),
        line("assistant", "9", "8", {"type": "text", "text": "It is warm"}, message="m2"),
        line("user", "10", "9", {"type": "text", "text": "Thanks"}),
        line("assistant", "11", "10", "Welcome", message="m3"),
        {"type": "system", "uuid": "12", "parentUuid": "11", "sessionId": "s", "subtype": "turn_duration"},
    ]
    data = tc.load(plain)
    also = tc.load([*plain, line("user", "13", "12", result("unknown"))])
    for table in ("cases", "calls"):
        pd.testing.assert_frame_equal(getattr(data, table), getattr(also, table))
    assert rows(data.cases, "input", "output", "turns") == [["Go", "Welcome", 2]]
    assert rows(data.calls, "call_id", "step", "turn", "output") == [
        ["a", 0, 0, '"21 C"'],
        ["b", 0, 0, '"done"'],
        ["c", 1, 0, None],
    ]
    assert list(also.report.code) == [*data.report.code, "result_without_call"]


def files(folder, **sessions):
    for name, lines in sessions.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    return folder


def timed(second):
    return {"timestamp": f"2026-01-01T00:00:{second:02}Z"}


SESSION = [
    line("user", "1", None, "Go", **timed(0)),
    line("assistant", "2", "1", use("a", "Task"), message="m1", **timed(1)),
    line("user", "3", "2", result("a"), **timed(9)),
    line("assistant", "4", "3", use("b"), message="m2", **timed(10)),
    line("user", "5", "4", result("b"), **timed(11)),
    line("assistant", "6", "5", {"type": "text", "text": "Done."}, message="m3", **timed(12)),
]
AGENT = [
    line("user", "7", None, "Look around", isSidechain=True, agentId="x", **timed(2)),
    line("assistant", "8", "7", use("c", "Read"), message="m4", isSidechain=True, agentId="x", **timed(3)),
    line("user", "9", "8", result("c"), isSidechain=True, agentId="x", **timed(4)),
    line("assistant", "10", "9", {"type": "text", "text": "Found."}, message="m5", isSidechain=True, **timed(5)),
]


def test_the_file_of_a_sub_agent_belongs_to_its_session(tmp_path):
    data = tc.load(files(tmp_path, agent=AGENT, session=SESSION))
    assert data.cases[["input", "output", "turns"]].to_numpy().tolist() == [["Go", "Done.", 1]]
    assert rows(data.calls, "call_id", "step", "depth", "agent", "error") == [
        ["a", 0, 0, None, False],
        ["c", 1, 1, "x", False],
        ["b", 2, 0, None, False],
    ]
    assert set(data.report.code) == {"session_joined"}


def test_a_session_resumed_in_another_file_counts_its_calls_once(tmp_path):
    resumed = [{**one, "sessionId": "t"} for one in SESSION]
    more = [
        line("user", "11", "6", "Go on", session="t", **timed(20)),
        line("assistant", "12", "11", use("d"), message="m6", session="t", **timed(21)),
    ]
    data = tc.load(files(tmp_path, first=SESSION, second=[*resumed, *more]))
    assert data.cases.index.to_list() == ["t"]
    assert data.calls.call_id.to_list() == ["a", "b", "d"]
    assert data.report.code.to_list() == ["history_merged"]
    apart = [line("user", "1", None, "Go", session="u"), line("assistant", "2", "1", use("z"), session="u")]
    assert len(tc.load(files(tmp_path, first=SESSION, second=apart))) == 2


def test_a_copy_of_a_file_counts_once(tmp_path):
    data = tc.load(files(tmp_path, backup=SESSION, session=SESSION))
    assert rows(data.calls, "call_id", "step", "output") == [["a", 0, '"done"'], ["b", 1, '"done"']]
    assert data.cases.index.to_list() == ["s"]


def test_sessions_that_only_number_their_calls_alike_are_two():
    first = [line("user", "1", None, "Go"), line("assistant", "2", "1", use("Bash:0"), message="m")]
    other = {"type": "tool_use", "id": "Bash:0", "name": "Bash", "input": {"command": "rm"}}
    second = [
        line("user", "3", None, "Clean", session="t"),
        line("assistant", "4", "3", other, message="n", session="t"),
        line("assistant", "5", "4", use("Bash:1"), message="o", session="t"),
    ]
    data = tc.load([*first, *second])
    assert data.calls.case.to_list() == ["s", "t", "t"]


def test_one_id_for_two_calls_stays_two_with_a_second_file(tmp_path):
    lines = [
        line("user", "1", None, "Go", **timed(0)),
        line("assistant", "2", "1", use("x", "Read"), message="m1", **timed(1)),
        line("user", "3", "2", result("x"), **timed(2)),
        line("assistant", "4", "3", use("x", "Write"), message="m2", **timed(3)),
    ]
    alone = tc.load(files(tmp_path, session=lines))
    both = tc.load(files(tmp_path, session=lines, agent=AGENT))
    assert alone.calls.tool.to_list() == ["Read", "Write"]
    assert both.calls[both.calls.depth == 0].tool.to_list() == ["Read", "Write"]


def test_a_resumed_session_takes_over_the_sub_agents_of_the_first(tmp_path):
    resumed = [{**one, "sessionId": "t"} for one in SESSION]
    more = [line("assistant", "12", "6", use("d"), message="m6", session="t", **timed(21))]
    data = tc.load(files(tmp_path, agent=AGENT, first=SESSION, second=[*resumed, *more]))
    assert data.cases.index.to_list() == ["t"]
    assert rows(data.calls, "call_id", "step", "depth") == [["a", 0, 0], ["c", 1, 1], ["b", 2, 0], ["d", 3, 0]]


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_what_several_files_tell_of_a_session_is_what_one_file_tells(tmp_path, names):
    more = [
        line("user", "11", "6", "And then?", **timed(20)),
        line("assistant", "12", "11", use("d", "Task"), message="m6", **timed(21)),
        line("user", "13", "12", result("d"), **timed(30)),
        line("assistant", "14", "13", {"type": "text", "text": "Really done."}, message="m7", **timed(31)),
    ]
    late = [{**one, **timed(22 + i), "uuid": f"late {i}"} for i, one in enumerate(AGENT)]
    old, new, whole = tmp_path / "old", tmp_path / "new", tmp_path / "whole"
    for folder in (old, new, whole):
        folder.mkdir()
    every = sorted([*SESSION, *more, *late], key=lambda one: one["timestamp"])
    told = tc.load(files(whole, session=every))
    # The first half of one file, all of it in another, and the sub-agent in a third.
    spread = tc.load(files(old, **dict(zip(names, ([*SESSION, *more], SESSION))), c=late))
    for table in ("calls", "tools"):
        pd.testing.assert_frame_equal(getattr(spread, table), getattr(told, table))
    assert spread.cases[["input", "output", "turns"]].to_numpy().tolist() == [["Go", "Really done.", 2]]
    assert told.calls[told.calls.call_id == "c"].turn.to_list() == [1]


def test_a_result_may_stand_in_a_later_file(tmp_path):
    data = tc.load(files(tmp_path, a=SESSION[:2], b=SESSION[2:]))
    assert rows(data.calls, "call_id", "output") == [["a", '"done"'], ["b", '"done"']]


def test_without_times_sessions_that_look_alike_stay_apart():
    lines = [
        one
        for name in "abc"
        for one in (
            line("user", f"{name}1", None, "Go", session=name),
            line("assistant", f"{name}2", f"{name}1", use("Bash:0"), message=f"{name}m", session=name),
        )
    ]
    assert tc.load(lines).calls.case.to_list() == ["a", "b", "c"]


def test_lines_without_a_time_stand_behind_the_one_before(tmp_path):
    settings = {
        "type": "permission-mode",
        "permissionMode": "plan",
        "sessionId": "s",
        "uuid": None,
        "parentUuid": None,
    }
    data = tc.load(files(tmp_path, main=[settings, *SESSION], sub=AGENT))
    assert data.calls.call_id.to_list() == ["a", "c", "b"]


def test_a_time_that_is_none_is_no_reason_to_fail(tmp_path):
    odd = [{**one, "timestamp": ["x"]} for one in SESSION]
    again = [{**one, "sessionId": "t"} for one in odd]
    assert len(tc.load(files(tmp_path, first=odd, second=again))) == 2


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_a_session_that_is_resumed_without_a_call_is_the_longer_one(tmp_path, names):
    more = [
        line("user", "11", "6", "And now?", session="t", **timed(20)),
        line("assistant", "12", "11", {"type": "text", "text": "Nothing."}, message="m9", session="t", **timed(21)),
    ]
    resumed = [*({**one, "sessionId": "t"} for one in SESSION), *more]
    data = tc.load(files(tmp_path, **dict(zip(names, (SESSION, resumed)))))
    assert data.cases[["output", "turns"]].to_numpy().tolist() == [["Nothing.", 2]]


def test_the_only_telling_of_a_result_is_kept():
    lines = [
        line("user", "1", None, "Go", **timed(0)),
        line("assistant", "2", "1", use("a"), message="m1", **timed(1)),
        {**line("user", "3", "2", **timed(2)), "toolUseResult": "found"},
    ]
    assert tc.load(lines).calls.output.to_list() == ['"found"']
