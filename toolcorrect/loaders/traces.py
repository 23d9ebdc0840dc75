"""Spans of traces into cases: one call is one call id inside one trace.

A model's span announces calls: it gives their order, ids and arguments. A tool's span executes one: it gives
output, error and time. What a model is given repeats history: no call is counted from there, but an answer to a
call that no span executed is taken from it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from toolcorrect.arguments.decoding import FORM
from toolcorrect.loaders.calls import Call, text_of
from toolcorrect.loaders.heard import kind_of
from toolcorrect.loaders.reading import Reading
from toolcorrect.loaders.rows import Case, Rows
from toolcorrect.loaders.trace import Offers, Trace
from toolcorrect.loaders.waiting import Announced, canonical, key_of


class Traces:
    """All traces of a source; `combine` makes cases of them.

    Attributes
    ----------
    columns
        What a source says of a trace beside its spans: trace id to columns and tags of its case.
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        rows.unfinished = self
        self.columns: dict[Any, dict[str, Any]] = {}
        self._traces: dict[Any, Trace] = {}
        self._offers = Offers()

    def add(self, trace: Any, reading: Reading) -> None:
        """Add what one span says to its trace."""
        self.trace(trace).add(reading)

    def trace(self, identity: Any) -> Trace:
        """Return the trace of that id, begun where it is new."""
        if identity not in self._traces:
            self._traces[identity] = Trace(self.rows, self._offers)
        return self._traces[identity]

    def is_empty(self) -> bool:
        """Tell whether there was no span."""
        return not self._traces

    def hand_over(self, begun: dict[Any, Traces]) -> None:
        """Hand what is of a trace that an earlier source began to that source; note what begins here in ``begun``."""
        if self.is_empty():
            self.rows.report("empty_trace", "no spans: what was called is not known")
        for identity in [identity for identity in self._traces if identity is not None]:
            first = begun.setdefault(identity, self)
            if first is not self:
                first._traces[identity].absorb(self._traces.pop(identity))
                if identity in self.columns:
                    first.columns[identity] = {**self.columns[identity], **first.columns.get(identity, {})}
                self.rows.report("trace_joined", "traces that began in an earlier file", record="")

    def cases(self) -> None:
        """Make the cases, one a trace, or one a session where a trace holds several."""
        self.rows.unfinished = None
        for identity in list(self._traces):
            # What is merged is let go of.
            trace = self._traces.pop(identity)
            label = "" if identity is None else str(identity)
            if identity not in self.columns and not any(reading.kind for reading in trace.readings):
                self.rows.report("no_agent_spans", "traces without a span of a model, a tool or an agent", record="")
                continue
            with self.rows.record(label):
                sessions = trace.by_session()
                for session, readings in sessions.items():
                    name = f"{identity}/{session}" if len(sessions) > 1 else identity
                    columns = {"session": session, **self.columns.get(identity, {})}
                    fill_case(self.rows.case(name, ids_within="step", **columns), trace, readings)


def combine(sources: Sequence[Rows]) -> Sequence[Rows]:
    """Make the cases of all traces: a trace may be spread over several sources."""
    begun: dict[Any, Traces] = {}
    held: list[Traces] = [rows.unfinished for rows in sources]
    for traces in held:
        traces.hand_over(begun)
    for traces in held:
        traces.cases()
    return sources


def fill_case(case: Case, trace: Trace, readings: list[Reading]) -> None:
    """Merge what the spans of one trace say into a case.

    Parameters
    ----------
    case
        Columns that are set already stay.
    readings
        Those of the trace that belong to the case.
    """
    _Merge(case, trace, readings).run()


class _Merge:
    def __init__(self, case: Case, trace: Trace, readings: list[Reading]) -> None:
        self.case = case
        self.trace = trace
        models = [reading for reading in readings if reading.kind == "llm"]
        tools = [reading for reading in readings if reading.execution is not None]
        # Without all times, the order of the file has to do.
        self.timed = None not in [reading.started for reading in (*models, *tools)]
        self.models, self.tools = self._sorted(models, _end), self._sorted(tools, _start)
        self.readings = readings
        # When each call was made: calls are sorted by it at the end.
        self.made: dict[int, tuple[Any, ...]] = {}

    def run(self) -> None:
        case = self.case
        for tool in self.trace.tools.values():
            case.tool(tool["name"], description=tool.get("description"), parameters=tool.get("parameters"))
        self._tell_tools()
        self._announce()
        self._execute()
        self._recover()
        case.calls.sort(key=lambda call: self.made[id(call)])
        self._columns()
        self._finish()

    def _sorted(self, readings: list[Reading], time: Callable[[Reading], int]) -> list[Reading]:
        """Sort readings, which stand in the order of the file, by time where all have one."""
        return sorted(readings, key=time) if self.timed else readings

    def _tell_tools(self) -> None:
        """Let a plain span be a tool's where it bears the name of one."""
        known = {call.tool for reading in self.models for call in reading.announced}
        known |= {tool[0] for tool in self.case.tools}
        self.tools = [r for r in self.tools if r.kind == "tool" or (r.execution and r.execution.tool in known)]

    def _announce(self) -> None:
        executed = Counter([r.execution.call_id for r in self.tools if r.execution])
        announced = Announced()
        below: dict[int, set[Any]] = defaultdict(set)
        step = 0
        for reading in self.models:
            if not reading.announced:
                continue
            above = self.trace.above(reading)
            agent, depth = _where(reading, above)
            told = below.get(id(reading), ())
            end = _end(reading) if self.timed else 0
            made: list[Call] = []
            for number, call in enumerate(reading.announced):
                # A span around another repeats what that one announced. An id that comes again elsewhere is
                # another call only if it has other arguments, or was executed again.
                again = announced.times(call) >= max(executed[call.call_id], 1)
                if again or (told and key_of(call) in told):
                    self.case.report("merged", "a call announced by more than one span")
                    continue
                call.step, call.turn, call.agent, call.depth = step, 0, call.agent or agent, depth
                new = self.case.add(call)
                self.made.setdefault(id(new), (end, reading.place, number))
                made.append(call)
                announced.add(call)
            step += bool(made)
            for wrapper in above:
                if wrapper.kind == "llm":
                    below[id(wrapper)].update(map(key_of, made))

    def _execute(self) -> None:
        for reading in self.tools:
            run = reading.execution
            above = self.trace.above(reading)
            if run is None or _repeats(run, above):
                self.case.report("merged", "a call executed in two spans, one within the other")
                continue
            agent, run.depth = _where(reading, above)
            run.agent = text_of(agent)
            call = self.case.add_execution(run)
            start = _start(reading) if self.timed else 0
            self.made.setdefault(id(call), (start, reading.place))

    def _recover(self) -> None:
        """Give calls that no span executed the answer that a later request repeats."""
        if not any(call.source == "llm" and call.output is None for call in self.case.calls):
            return
        answers = self.trace.answers(self.readings)
        told: Counter[Any] = Counter()
        for call in self.case.calls:
            key = key_of(call)
            told[key] += 1
            if call.source == "llm" and call.output is None:
                call.output, error, message = answers.get((key, told[key]), (None, None, None))
                call.error = error if call.error is None else call.error
                call.error_message = message if call.error_message is None else call.error_message

    def _columns(self) -> None:
        columns = self.case.columns
        by_start = self._sorted([r for r in self.readings if r.kind == "llm"], _start)
        roots = [r for r in self.readings if r.kind != "llm"]
        found: dict[str, Iterable[Any]] = {
            "input": map(self.trace.question, [*by_start, *roots]),
            "output": (r.answer for r in [*reversed(self.models), *reversed(roots)]),
            "model": (r.model for r in by_start),
        }
        for name, values in found.items():
            if columns.get(name) is None:
                columns[name] = next((value for value in values if value), None)
        columns["called_known"] = bool(self.case.calls) or any(r.captured for r in self.models)

    def _finish(self) -> None:
        case = self.case
        if not case.columns["called_known"]:
            case.report("calls_unknown", "no span says which calls the model made")
        inferred = [call.source for call in case.calls].count("tool")
        if inferred and len(case.calls) > 1:
            case.report("order_inferred", "calls that no model announced stand by their start", count=inferred)
        uncaptured = [call.form for call in case.calls].count(FORM["absent"])
        if uncaptured:
            case.report("arguments_not_captured", "calls whose arguments were not recorded", count=uncaptured)
        for call in case.calls:
            if call.kind == "function":
                call.kind = kind_of(call.tool)
            if call.kind in ("handoff", "pseudo"):
                case.report("pseudo_tool", f"{call.tool} is marked as {call.kind}")


def _start(reading: Reading) -> int:
    return reading.started or 0


def _end(reading: Reading) -> int:
    return reading.ended or reading.started or 0


def _where(reading: Reading, above: list[Reading]) -> tuple[Any, int]:
    """Return agent and depth: how many agents, or calls, a call stands below."""
    agents: dict[str, Any] = {}
    calls = 0
    for outer in above:
        if outer.kind == "agent":
            agents.setdefault(str(outer.agent), outer.agent)
        calls += outer.kind == "tool"
    return next(iter(agents.values()), reading.agent), max(len(agents) - 1, calls)


def _repeats(run: Call, above: list[Reading]) -> bool:
    """Tell whether a span around that of a tool is the same call, seen by another instrumentation."""
    for outer in above:
        if outer.kind == "agent":
            return False
        other = outer.execution
        if outer.kind == "tool" and other and other.tool == run.tool:
            if run.call_id and other.call_id:
                return run.call_id == other.call_id
            if _given(run) == _given(other):
                return True
    return False


def _given(call: Call) -> str | None:
    """Return the arguments of a call in one spelling; None where they are not known, or are none."""
    text = canonical(call.arguments)
    return None if text in ("", "{}", "[]", "null") else text
