"""`Rows` and `Case`: what a format's reader fills, and the one place where calls are merged."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any

from toolcorrect.arguments.decoding import ABSENT, to_json
from toolcorrect.errors import LoadError
from toolcorrect.loaders.calls import Call, Expected, held, made_call, name_of, storable, text_of, tool_row
from toolcorrect.loaders.faults import described
from toolcorrect.loaders.source import Source
from toolcorrect.loaders.waiting import Waiting
from toolcorrect.tables import CASES, KINDS

# Errors that one malformed record can cause in a reader; anything else is a fault of ours.
MALFORMED = (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError, OverflowError)

_CASE_COLUMNS = frozenset(CASES) | {"case"}
_KINDS = frozenset(KINDS.categories)


class Case:
    """One case of a source: gathers its calls, its references and the tools it offered.

    Made by `Rows.case`. ``calls`` is an ordinary list in the order the calls were made: a reader may sort it.

    Examples
    --------
    >>> from toolcorrect.loaders.source import open_records
    >>> rows = Rows(open_records([]))
    >>> case = rows.case("run 1", model="m")
    >>> announced = case.call("get_weather", {"city": "Faro"}, id="1")
    >>> case.execution("get_weather", id="1", output="18 degrees") is announced
    True
    >>> announced.source, announced.output, announced.arguments
    ('both', '"18 degrees"', '{"city":"Faro"}')
    """

    def __init__(self, rows: Rows, identity: str | None, ids_within: str) -> None:
        # Rows own their cases, so that both are freed without a search for cycles.
        self.rows: Rows = weakref.proxy(rows)
        self.identity = identity
        self.columns: dict[str, Any] = {"called_known": True, "expected_known": False}
        self.tags: dict[str, Any] = {}
        self.calls: list[Call] = []
        self.expected: list[Expected] = []
        self.tools: list[tuple[Any, ...]] = []
        self._by_step = ids_within == "step"
        self._by_id: dict[Any, Call] = {}
        self._last: dict[str, Call] = {}
        self._open: dict[int, Call] = {}
        self._open_ids: dict[str, list[Call]] = {}
        self._waiting: Waiting | None = None

    def call(self, tool: Any, arguments: Any = ABSENT, **columns: Any) -> Call:
        """Add a call that the model announced (or that a record simply states).

        An id announced before, with the same tool and arguments, is the same call told again: it is merged
        and reported. Another call under a known id is kept, and reported as ``id_reused``. Under
        ``ids_within="step"`` the same id in a later step is always another call.

        Parameters
        ----------
        tool, arguments, columns
            As of `toolcorrect.loaders.calls.made_call`: ``id, wire, turn, step, output, error, ...``.

        Returns
        -------
        Call
            The call, for the reader to complete.
        """
        return self.add(made_call(tool, arguments, **columns))

    def add(self, made: Call) -> Call:
        """Add a call that is put together already; see `call`."""
        if made.kind not in _KINDS:
            made.kind = self._known_kind(made.kind)
        identity = made.call_id
        if identity:
            key = (made.step, identity) if self._by_step else identity
            known = self._by_id.get(key)
            if known is not None:
                unknown = known.arguments is None or made.arguments is None
                if known.tool == made.tool and (unknown or known.same_arguments(made)):
                    self.report("merged", "a call id told again")
                    if known.source == "tool":
                        known.source, known.step, known.turn = "both", made.step, made.turn
                    if known.arguments is None:
                        known.arguments, known.form, known.wire = made.arguments, made.form, made.wire
                    return known
                self.report("id_reused", "a call id stands for different calls")
            self._by_id[key] = self._last[identity] = made
        self.calls.append(made)
        if made.output is None:
            self._open[id(made)] = made
            if identity:
                self._open_ids.setdefault(identity, []).append(made)
        return made

    def result(
        self,
        output: Any = ABSENT,
        *,
        id: Any = None,
        tool: Any = None,
        error: Any = None,
        error_message: Any = None,
    ) -> Call | None:
        """Attach what came back to the call it answers: by id, else by tool, else to the oldest open call.

        Returns
        -------
        Call or None
            None (and ``result_without_call`` in the report) where nothing is open that it could answer.
        """
        answered = self._announced(id if id is None else text_of(id), tool if tool is None else name_of(tool))
        if answered is None:
            self.report("result_without_call", "a result that answers no call in the file")
            return None
        answered.complete(output, error, error_message)
        return answered

    def execution(self, tool: Any, arguments: Any = ABSENT, **columns: Any) -> Call:
        """Add a call that was executed (a tool span): joined with its announcement, or a call of its own.

        Announce first, then add executions. They are paired by id; without one by tool and equal arguments,
        then by tool and order. A joined call has ``source`` both, one of its own has tool.

        Parameters
        ----------
        tool, arguments, columns
            As in `call`.
        """
        return self.add_execution(made_call(tool, arguments, **{"source": "tool", **columns}))

    def add_execution(self, made: Call) -> Call:
        """Add an execution that is put together already; see `execution`."""
        self._waiting = self._waiting or Waiting(self.calls)
        known = self._waiting.call_of(made)
        if known is None:
            return self.add(made)
        if known.source == "llm":
            known.source = "both"
        else:
            self.report("merged", "an execution told again")
        if made.kind != "function":
            known.kind = self._known_kind(made.kind)
        known.join(made)
        return known

    def expect(
        self,
        tool: Any,
        arguments: Any = ABSENT,
        *,
        reference: int = 0,
        wire: bool = False,
        turn: int = 0,
        step: int | None = None,
        output: Any = ABSENT,
        kind: str = "function",
        role: str = "required",
        compare: Any = None,
    ) -> None:
        """Add a call that should have been made; see ``toolcorrect.tables.EXPECTED``."""
        text, form = held(arguments)
        made = Expected(
            tool=name_of(tool),
            arguments=text,
            form=form,
            wire=wire,
            reference=reference,
            turn=turn,
            step=step,
            output=None if output is ABSENT else to_json(output),
            kind=self._known_kind(kind),
            role=role,
            compare=None if compare is None else to_json(compare),
        )
        self.expected.append(made)
        self.columns["expected_known"] = True
        self.columns["references"] = max(self.columns.get("references", 1), reference + 1)

    def tool(self, name: Any, *, description: Any = None, parameters: Any = None, effect: Any = None) -> None:
        """Add a tool that this case offered."""
        self.tools.append(tool_row(name, description, parameters, effect))
        self.columns["tools_known"] = True

    def report(self, code: str, note: str = "", *, count: int = 1) -> None:
        """Note something about this case."""
        self.rows.report(code, note, case=self, count=count)

    def _known_kind(self, kind: str) -> str:
        if kind in _KINDS:
            return kind
        self.report("unknown_kind", f"{str(kind)[:60]!r} taken as function")
        return "function"

    def _announced(self, call_id: str | None, tool: str | None) -> Call | None:
        if call_id:
            while line := self._open_ids.get(call_id):
                chosen = line.pop(0)
                if self._open.pop(id(chosen), None):
                    return chosen
            # Answered already: the last answer to that id counts.
            last = self._last.get(call_id)
            if last is not None:
                self.report("result_repeated", "a call answered twice: the later answer is kept")
            return last
        found = next((c for c in self._open.values() if not tool or c.tool == tool), None)
        return None if found is None else self._open.pop(id(found))


class Rows:
    """What a reader fills from one source.

    Attributes
    ----------
    source
        The open source.
    cases
        The cases made so far, in order.
    unfinished
        What a reader leaves to ``Format.combine``, which sees all sources that are loaded at once.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.cases: list[Case] = []
        self.unfinished: Any = None
        self.tools: list[tuple[Any, ...]] = []
        self.rules: list[dict[str, Any]] = []
        self.reported: dict[tuple[str, str, str, Case | None], int] = {}
        self._record = ""

    def case(
        self,
        id: Any = None,
        *,
        ids_within: str = "trace",
        tags: Mapping[str, Any] | None = None,
        **columns: Any,
    ) -> Case:
        """Begin a case.

        Parameters
        ----------
        id
            Its id in the file, or None to have one made. Made unique across everything loaded at once.
        ids_within
            ``"trace"``: a call id stands for one call in the whole case. ``"step"``: some providers use ids
            again in later steps, and the source states each call only once.
        tags
            The user's own columns; one that has the name of a column of ours takes a ``_`` behind it.
        columns
            Columns of ``Dataset.cases`` (``task, model, trial, session, turns, input, output, outcome,
            called_known, expected_known, tools_known, references``); any other is a tag too.
            Calls are known and references unknown unless said otherwise.
        """
        made = Case(self, text_of(id), ids_within)
        for name, value in columns.items():
            if name in _CASE_COLUMNS:
                made.columns[name] = value
            else:
                made.tags[storable(name)] = value
        for name, value in (tags or {}).items():
            made.tags[f"{name}_" if name in _CASE_COLUMNS else storable(name)] = value
        made.columns["source"] = f"{self.source.name}, {self._record}" if self._record else self.source.name
        self.cases.append(made)
        return made

    def tool(self, name: Any, *, description: Any = None, parameters: Any = None, effect: Any = None) -> None:
        """Add a tool that every case offers."""
        self.tools.append(tool_row(name, description, parameters, effect))

    def rule(self, rule: str, tool: str, *, case: Case | None = None, **columns: Any) -> None:
        """Add a rule; see ``toolcorrect.tables.RULE_COLUMNS``."""
        self.rules.append({"case": case, "rule": rule, "tool": tool, **columns})

    def report(
        self, code: str, note: str = "", *, case: Case | None = None, count: int = 1, record: str | None = None
    ) -> None:
        """Note what was merged, repaired, guessed or skipped; equal notes are counted.

        Parameters
        ----------
        code
            One word with underscores.
        note
            What happened, in a few words.
        record
            By default the record being read; ``""`` counts over the whole source.
        """
        key = (self._record if record is None else record, code, note, case)
        self.reported[key] = self.reported.get(key, 0) + count

    def skip(self, reason: str, label: str | None = None) -> None:
        """Note a record that cannot be read (an error under ``strict=True``)."""
        self.source.skip(self._record if label is None else label, reason)

    def record(self, label: str) -> Record:
        """Read one record: if it is malformed it is skipped and reported, and nothing of it stays.

        Parameters
        ----------
        label
            Its place in the source, as `Source.records` yields it.
        """
        return Record(self, label)


class Record:
    """The context in which one record is read; see `Rows.record`."""

    __slots__ = ("_before", "_held", "_label", "_rows")

    def __init__(self, rows: Rows, label: str) -> None:
        self._rows = rows
        self._label = label

    def __enter__(self) -> None:
        """Note what is there already."""
        rows = self._rows
        self._before, rows._record = rows._record, self._label
        self._held = len(rows.cases), len(rows.tools), len(rows.rules)

    def __exit__(self, kind: object, cause: BaseException | None, traceback: object) -> bool:
        """Take back what came of a malformed record."""
        rows = self._rows
        rows._record = self._before
        if not isinstance(cause, MALFORMED) or isinstance(cause, LoadError):
            return False
        cases, tools, rules = self._held
        del rows.cases[cases:], rows.tools[tools:], rows.rules[rules:]
        kept = set(map(id, rows.cases))
        rows.reported = {k: n for k, n in rows.reported.items() if k[3] is None or id(k[3]) in kept}
        rows.skip(f"it is not as this format should be ({described(cause)})", self._label)
        return True
