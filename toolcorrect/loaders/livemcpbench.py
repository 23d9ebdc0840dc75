"""LiveMCPBench: tasks with annotated tools, the calls an agent made through a wrapper, and people's verdicts."""

from __future__ import annotations

from typing import Any

from toolcorrect.arguments.decoding import ABSENT, parse_json
from toolcorrect.loaders.chat import add_messages
from toolcorrect.loaders.format import Format, each_record
from toolcorrect.loaders.rows import Case, Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.telling import objects

# The one tool through which an agent reaches those of all servers.
_WRAPPER = "execute-tool"
# The tool by which it looks for them: no task expects it.
_LOOKUP = "route"
_READ = frozenset(
    {"task_id", "question", "Question", "called", "messages", "expected_tools", "human_success", "judges"}
)


def read_record(record: Any, rows: Rows) -> None:
    """Read one task with its run."""
    judges = record.get("judges") or {}
    label = record.get("human_success")
    case = rows.case(
        record["task_id"],
        ids_within="step",
        input=record.get("question", record.get("Question")),
        outcome=None if label is None else float(label),
        called_known=record.get("called") is not None or record.get("messages") is not None,
        tags={
            **{key: value for key, value in record.items() if key not in _READ},
            **{f"judge {name}": verdict for name, verdict in judges.items()},
        },
    )
    if record.get("called") is not None:
        for call in record["called"]:
            case.call(call["name"], call.get("arguments", ABSENT), **_on(call.get("server")))
    else:
        add_messages(case, record.get("messages") or [])
    for made in list(case.calls):
        if made.tool == _WRAPPER:
            _unwrap(case, made)
        elif made.tool == _LOOKUP and made.server is None:
            made.kind = "pseudo"
            case.report("pseudo_tool", f"{_LOOKUP} looks for tools, and is marked so")
    expected = record.get("expected_tools")
    case.columns["expected_known"] = expected is not None
    for name in expected or []:
        # All of its tools are on servers.
        case.expect(name, kind="mcp")


def _on(server: Any) -> dict[str, Any]:
    return {} if server is None else {"server": server, "kind": "mcp"}


def _unwrap(case: Case, made: Any) -> None:
    """Put the tool that a wrapper carried in the wrapper's place."""
    try:
        inner = parse_json(made.arguments)
        name, params = inner["tool_name"], inner.get("params", ABSENT)
        probe = case.call(name, params, **_on(inner.get("server_name")))
    except (ValueError, TypeError, KeyError, AttributeError):
        case.report("not_unwrapped", f"a call of {_WRAPPER} that does not say what it carries")
        return
    case.calls.remove(probe)
    made.tool, made.arguments, made.form, made.wire = probe.tool, probe.arguments, probe.form, True
    made.server, made.kind = probe.server, probe.kind
    case.report("unwrapped", f"calls of {_WRAPPER} stand for the tools that they carry")


def detect(source: Source) -> tuple[float, str] | None:
    """Recognise tasks by their question, calls and the people's verdict."""
    for record in objects(source):
        asked = "task_id" in record and {"question", "Question"} & record.keys()
        if asked and "human_success" in record and {"called", "messages"} & record.keys():
            return 0.95, "tasks with a question and human_success"
    return None


LIVEMCPBENCH = Format("livemcpbench", "LiveMCPBench runs", detect, each_record(read_record))
