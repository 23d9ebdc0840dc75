"""Claude Code sessions: one JSON line a block, several sessions, side chains and rewinds in a file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, TypeAlias

from toolcorrect.arguments.decoding import FORM, to_json
from toolcorrect.loaders.anthropic import add_answer, add_results
from toolcorrect.loaders.calls import Call
from toolcorrect.loaders.claude_sessions import in_time, leave_out_repeated
from toolcorrect.loaders.conversation import Conversation, unwrapped
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.message_lists import said
from toolcorrect.loaders.rows import MALFORMED, Case, Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.span import nanoseconds
from toolcorrect.loaders.telling import objects

# What the program, not the person, wrote in the person's name.
_NOT_SAID = ("<command-", "<local-command-", "Caveat: ")
_SERVER = "mcp__"
_OBJECT = FORM["object"]

# The lines of each session with their labels.
Sessions: TypeAlias = defaultdict[str, list[tuple[str, dict[str, Any]]]]


def read(source: Source, rows: Rows) -> None:
    """Read lines; `combine` makes cases of the sessions."""
    sessions: Sessions = defaultdict(list)
    for label, line in source.records():
        session = (line.get("sessionId") or line.get("session_id")) if isinstance(line, dict) else None
        if session is not None:
            if "toolUseResult" in line and _has_content(line) and line["message"]["content"]:
                # Told twice: many files shall take no more memory than what they say.
                del line["toolUseResult"]
            sessions[str(session)].append((label, line))
            continue
        with rows.record(label):
            if not isinstance(line, dict):
                raise TypeError("a line is an object")
            if line.get("type") not in ("summary", "file-history-snapshot", "queue-operation"):
                raise ValueError("it belongs to no session")
    rows.unfinished = sessions


def combine(sources: Sequence[Rows]) -> Sequence[Rows]:
    """Make a case of each session, wherever its lines are; one that another tells again counts once."""
    owners: dict[str, list[Rows]] = defaultdict(list)
    for rows in sources:
        for session in rows.unfinished:
            owners[session].append(rows)
    told_again = leave_out_repeated([_read_session(session, files) for session, files in owners.items()])
    for rows in sources:
        rows.unfinished = None
        rows.cases = [case for case in rows.cases if id(case) not in told_again]
    return sources


def _read_session(session: str, files: Sequence[Rows]) -> Case:
    """Read the lines that one or several files tell of a session."""
    rows, lines = (files[0], files[0].unfinished[session]) if len(files) == 1 else _joined(session, files)
    kept = _kept(lines, rows)
    plain = _plain(kept)
    if plain is None:
        reader = _Session(rows, session)
        reader.read(kept)
        return reader.case
    case = rows.case(session, session=session)
    case.calls, columns = plain
    case.columns.update(columns)
    return case


def _joined(session: str, files: Sequence[Rows]) -> tuple[Rows, list[tuple[str, dict[str, Any]]]]:
    """Return the lines of a session that several files tell, in the order of their times, and whose they are."""
    # What a person asked is in the file of the session, not in those of its sub-agents.
    rows = min(files, key=lambda one: all(line.get("isSidechain") for _, line in one.unfinished[session]))
    lines: list[tuple[str, dict[str, Any]]] = []
    times: list[int] = []
    for one in files:
        own = one.unfinished[session]
        times += _times(own)
        if one is not rows:
            one.report("session_joined", "lines of a session of another file", record="")
            own = [(f"{one.source.name}, {label}", line) for label, line in own]
        lines += own
    return rows, in_time(lines, times)


def _times(lines: list[tuple[str, dict[str, Any]]]) -> list[int]:
    """Return a time for each line, if any has one; one without, as of settings, stands behind the one before it."""
    known = [nanoseconds(line.get("timestamp")) for _, line in lines]
    last = next((time for time in known if time is not None), None)
    times: list[int] = []
    for time in known if last is not None else ():
        last = last if time is None else time
        times.append(last or 0)
    return times


def _told_once(lines: list[dict[str, Any]]) -> bool:
    """Tell whether every line has an id of its own, and no two lines of a user follow the same one."""
    identities = [line.get("uuid") for line in lines]
    before = [line.get("parentUuid") for line in lines if line.get("type") == "user"]
    after = [parent for parent in before if parent and isinstance(parent, str)]
    return {*map(type, identities)} == {str} and all(len({*ids}) == len(ids) for ids in (identities, after))


def _kept(lines: list[tuple[str, dict[str, Any]]], rows: Rows) -> list[tuple[str, dict[str, Any]]]:
    """Leave out lines told again, as resumed sessions do, and what a person went back behind."""
    if _told_once([line for _, line in lines]):
        return lines
    dead = _left_behind(lines)
    told: set[str] = set()
    kept = []
    for label, line in lines:
        identity = _text(line.get("uuid"))
        if dead and (identity in dead or _text(line.get("parentUuid")) in dead):
            dead.add(identity or "")
            rows.report("rewound", "lines that the person went back behind", record="")
            continue
        # A damaged line does not stand for its good copy.
        if identity is not None and _has_content(line):
            if identity in told:
                rows.report("merged", "a line told again", record="")
                continue
            told.add(identity)
        kept.append((label, line))
    return kept


def _left_behind(lines: list[tuple[str, dict[str, Any]]]) -> set[str]:
    """Return the prompts that a person went back behind: of several after the same line the last one was kept."""
    prompts: dict[str, dict[str, None]] = defaultdict(dict)
    for _, line in lines:
        parent = _text(line.get("parentUuid"))
        if parent and line.get("type") == "user" and _is_prompt(line):
            prompts[parent][_text(line.get("uuid")) or ""] = None
    return {identity for same in prompts.values() for identity in [*same][:-1]}


def _text(value: Any) -> str | None:
    """Return an id that is a text: any other is as good as none."""
    return value if isinstance(value, str) else None


def _is_prompt(line: dict[str, Any]) -> bool:
    """Tell whether a line of a user is what a person wrote."""
    if line.get("isSidechain") or line.get("isMeta") or not _has_content(line):
        return False
    return not any(isinstance(b, dict) and b.get("type") == "tool_result" for b in said(line["message"]))


def _has_content(line: dict[str, Any]) -> bool:
    message = line.get("message")
    return isinstance(message, dict) and isinstance(message.get("content"), str | list)


def _plain(lines: list[tuple[str, dict[str, Any]]]) -> tuple[list[Call], dict[str, Any]] | None:
    """Return calls and columns of a session in which nothing is to be reported, as `_Session` reads them.

    Such a session is in one chain, and each of its lines says one thing; None for any other.
    """
    try:
        return _said_plainly([line for _, line in lines])
    except MALFORMED:
        return None


def _said_plainly(lines: list[dict[str, Any]]) -> tuple[list[Call], dict[str, Any]] | None:
    calls: dict[str, Call] = {}
    waiting: dict[str, Call] = {}
    steps: dict[Any, int] = {}
    model = question = answer = None
    turns = 0
    for line in lines:
        speaker = line.get("type")
        if speaker not in ("user", "assistant"):
            if "tools" in line:
                return None
            continue
        message = line["message"]
        content = message["content"]
        (block,) = [{"type": "text", "text": content}] if isinstance(content, str) else content
        kind = block["type"]
        if line.get("isSidechain") or line.get("parent_tool_use_id") or line.get("isMeta"):
            return None
        if speaker == "assistant" and model is None and message.get("model") != "<synthetic>":
            model = message.get("model")
        if kind == "text":
            text = block["text"]
            if not isinstance(text, str):
                return None
            if speaker == "assistant":
                answer = text or answer
            elif text and not text.startswith(_NOT_SAID):
                turns += 1
                question = question or text
        elif kind == "tool_use" and speaker == "assistant":
            tool, identity, given = block["name"], block["id"], block["input"]
            alone = isinstance(identity, str) and identity and identity not in calls
            if not alone or not isinstance(given, dict) or "server_name" in block:
                return None
            step = steps.setdefault(message.get("id") or line.get("uuid"), len(steps))
            made = Call(tool, to_json(given), _OBJECT, identity, False, max(turns - 1, 0))
            _place(made, step, line)
            calls[identity] = waiting[identity] = made
        elif kind == "tool_result" and speaker == "user":
            output, failed = unwrapped(block.get("content", "")), bool(block.get("is_error"))
            if isinstance(output, dict):
                return None
            reason = output if failed and isinstance(output, str) else None
            waiting.pop(block["tool_use_id"]).complete(output, failed, reason)
        elif kind != "thinking":
            return None
    return [*calls.values()], {"model": model, "input": question, "output": answer, "turns": turns}


def _place(call: Call, step: int | None, line: dict[str, Any]) -> None:
    """Say of a call what its line and the name of its tool tell."""
    call.step, call.started = step, line.get("timestamp")
    if call.tool.startswith(_SERVER):
        call.kind, call.server = "mcp", call.tool.removeprefix(_SERVER).split("__")[0]


class _Session:
    """One session while its lines are read."""

    def __init__(self, rows: Rows, identity: str) -> None:
        self.rows = rows
        self.case = rows.case(identity, session=identity)
        self.talk = Conversation(self.case)
        self._steps: dict[Any, int] = {}

    def read(self, lines: list[tuple[str, dict[str, Any]]]) -> None:
        for label, line in lines:
            with self.rows.record(label):
                kind = line.get("type")
                if kind == "assistant":
                    self._assistant(line)
                elif kind == "user":
                    self._user(line)
                elif kind == "system" and isinstance(line.get("tools"), list):
                    for name in line["tools"]:
                        self.case.tool(name)
        self.talk.close()

    def _assistant(self, line: dict[str, Any]) -> None:
        message = line["message"]
        if self.case.columns.get("model") is None and message.get("model") != "<synthetic>":
            self.case.columns["model"] = message.get("model")
        aside = bool(line.get("isSidechain") or line.get("parent_tool_use_id"))
        before, answer = len(self.case.calls), self.case.columns.get("output")
        self.talk.message()
        add_answer(self.talk, said(message), depth=int(aside), agent=line.get("agentId") if aside else None)
        if aside:
            self.case.columns["output"] = answer
        made = self.case.calls[before:]
        # The blocks of one message are a line each.
        step = self._steps.setdefault(message.get("id") or line.get("uuid"), len(self._steps)) if made else None
        for call in made:
            _place(call, step, line)

    def _user(self, line: dict[str, Any]) -> None:
        message = line["message"]
        blocks = said(message) if isinstance(message, dict) else []
        if not blocks and "toolUseResult" in line:
            self._result_alone(line["toolUseResult"])
            return
        if not isinstance(message, dict) or "content" not in message:
            raise ValueError("its message has no content")
        aside = line.get("isSidechain") or line.get("parent_tool_use_id") or line.get("isMeta")
        first = str(blocks[0].get("text") or "") if blocks else ""
        if not (aside or first.startswith(_NOT_SAID)) or any(b.get("type") == "tool_result" for b in blocks):
            add_results(self.talk, blocks)

    def _result_alone(self, output: Any) -> None:
        """Take a result whose message is damaged: it answers the one call that waits, if it is one."""
        waiting = [call for call in self.case.calls if call.output is None and call.error is None]
        if len(waiting) != 1:
            raise ValueError("its message has no content, and several calls wait for a result")
        self.case.report("result_by_order", "a result whose message is damaged")
        failed = isinstance(output, str) and output.startswith("Error")
        self.case.result(output, id=waiting[0].call_id, error=failed, error_message=output if failed else None)


def detect(source: Source) -> tuple[float, str] | None:
    """Recognise lines by the keys of a session."""
    for record in objects(source):
        if {"sessionId", "uuid", "parentUuid"} <= record.keys():
            return 0.95, "sessionId, uuid and parentUuid"
        if {"session_id", "parent_tool_use_id", "message"} <= record.keys():
            return 0.95, "session_id and parent_tool_use_id"
    return None


CLAUDE_CODE = Format("claude_code_jsonl", "Claude Code sessions", detect, read, combine)
