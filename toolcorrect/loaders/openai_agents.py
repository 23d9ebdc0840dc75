"""Traces of the OpenAI Agents SDK: function spans, and what generations announced."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from toolcorrect.arguments.decoding import ABSENT
from toolcorrect.loaders.chat import content_text
from toolcorrect.loaders.conversation import kind_of_tool
from toolcorrect.loaders.format import Format
from toolcorrect.loaders.rows import Case, Rows
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.spans import ancestry
from toolcorrect.loaders.telling import objects

# Spans of one answer of the model.
_ANSWERS = ("response", "generation")


def read(source: Source, rows: Rows) -> None:
    """Read traces; the spans of each are written as they end, and sorted here by their start."""
    traces: dict[Any, dict[str, Any]] = {}
    spans: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for label, record in source.records():
        with rows.record(label):
            for item in _items(record):
                if item["object"] == "trace":
                    traces[item["id"]] = item
                    spans.setdefault(item["id"], [])
                else:
                    _ = item["span_data"]["type"], item["id"]
                    spans[item["trace_id"]].append(item)
    for identity, found in spans.items():
        with rows.record(str(identity)):
            trace = traces.get(identity, {})
            tags = {key: trace[key] for key in ("workflow_name", "metadata") if trace.get(key)}
            case = rows.case(identity, session=trace.get("group_id"), **tags)
            _Trace(case, sorted(found, key=lambda span: str(span.get("started_at") or ""))).read()


def _items(record: Any) -> Iterator[dict[str, Any]]:
    """Yield the items of a record: one, or all that were posted together."""
    for item in record["data"] if isinstance(record.get("data"), list) else [record]:
        if item.get("object") in ("trace", "trace.span"):
            yield item
        else:
            raise ValueError("its object is neither trace nor trace.span")


class _Trace:
    """The spans of one trace, by their start."""

    def __init__(self, case: Case, spans: list[dict[str, Any]]) -> None:
        self.case = case
        self.spans = spans
        self.above = ancestry(spans, identity="id", parent="parent_id")
        self._answers: dict[Any, int] = defaultdict(int)
        self._steps: dict[Any, int] = {}

    def read(self) -> None:
        readers: dict[str, Callable[[dict[str, Any], dict[str, Any]], None]] = {
            "generation": self._generation,
            "function": self._function,
            "handoff": self._handoff,
            "agent": self._agent,
            "mcp_tools": self._listed,
        }
        for span in self.spans:
            data = span["span_data"]
            if data["type"] in _ANSWERS:
                self._answers[span.get("parent_id")] += 1
            if data["type"] in readers:
                readers[data["type"]](span, data)

    def _where(self, span: dict[str, Any]) -> dict[str, Any]:
        """Return step, agent and depth: calls after the same answer of the same agent are one step."""
        above = self.above(span)
        agents = [a["span_data"].get("name") for a in above if a["span_data"]["type"] == "agent"]
        parent = span.get("parent_id")
        step = self._steps.setdefault((parent, self._answers[parent]), len(self._steps))
        depth = sum(a["span_data"]["type"] == "function" for a in above)
        return {"step": step, "agent": agents[0] if agents else None, "depth": depth}

    def _generation(self, span: dict[str, Any], data: dict[str, Any]) -> None:
        columns = self.case.columns
        if columns.get("model") is None:
            columns["model"] = data.get("model")
        for message in data.get("input") or []:
            if message.get("role") == "user" and columns.get("input") is None:
                columns["input"] = content_text(message.get("content"))
        for message in data.get("output") or []:
            columns["output"] = content_text(message.get("content")) or columns.get("output")
            for call in message.get("tool_calls") or []:
                function = call["function"]
                name, arguments = function["name"], function.get("arguments", ABSENT)
                kind = kind_of_tool(name)
                self.case.call(name, arguments, id=call.get("id"), wire=True, kind=kind, **self._where(span))

    def _function(self, span: dict[str, Any], data: dict[str, Any]) -> None:
        given = data.get("input")
        output = data.get("output")
        error = span.get("error")
        server = (data.get("mcp_data") or {}).get("server")
        self.case.execution(
            data["name"],
            ABSENT if given is None else given,
            wire=True,
            output=ABSENT if output is None else output,
            error=error is not None,
            error_message=None if error is None else error.get("message"),
            kind="function" if server is None else "mcp",
            server=server,
            started=span.get("started_at"),
            **self._where(span),
        )

    def _handoff(self, span: dict[str, Any], data: dict[str, Any]) -> None:
        # The span names the agent; the tool has the name that the SDK makes of it.
        name = "transfer_to_" + str(data.get("to_agent")).replace(" ", "_").lower()
        error = span.get("error") is not None
        where = self._where(span)
        self.case.execution(name, kind="handoff", error=error, started=span.get("started_at"), **where)

    def _agent(self, span: dict[str, Any], data: dict[str, Any]) -> None:
        if data.get("tools") is not None:
            self._offer(data["tools"])

    def _listed(self, span: dict[str, Any], data: dict[str, Any]) -> None:
        self._offer(data.get("result") or [])

    def _offer(self, names: list[Any]) -> None:
        self.case.columns["tools_known"] = True
        known = {tool[0] for tool in self.case.tools}
        for name in names:
            if name not in known:
                self.case.tool(name)


def detect(source: Source) -> tuple[float, str] | None:
    """Recognise the items of a trace by their object."""
    for record in objects(source):
        items = record["data"] if isinstance(record.get("data"), list) else [record]
        for item in items[:5]:
            if isinstance(item, dict) and item.get("object") in ("trace", "trace.span"):
                return 0.96, f'object is "{item["object"]}"'
    return None


OPENAI_AGENTS = Format("openai_agents_trace", "traces of the OpenAI Agents SDK", detect, read)
