"""`Span`: one span of a trace, whoever wrote it down: OTLP/JSON, console exporter, Phoenix, MLflow."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from toolcorrect.arguments.decoding import parse_json
from toolcorrect.loaders.calllike import python_literal

_EPOCH = datetime.fromtimestamp(0, UTC)
# Numbers below these are seconds, milliseconds, microseconds since the epoch; above, nanoseconds.
_NANOSECONDS = 10**17
_UNITS = ((10**11, 10**9), (10**14, 10**6), (_NANOSECONDS, 10**3))
_IDS = ("spanId", "span_id", "context.span_id")
_TRACES = ("traceId", "trace_id", "context.trace_id")
_PARENTS = ("parentSpanId", "parent_span_id", "parent_id", "parentId")
_STARTED = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime")
_ENDED = ("endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime")
# What JSON begins with, and its words.
_STARTS = frozenset('{["-0123456789tfnNI')
_WORDS = frozenset({"true", "false", "null", "NaN", "Infinity"})
# The usual codes of spans that did not fail.
_FINE = (None, "OK", "STATUS_CODE_OK", "UNSET", "STATUS_CODE_UNSET")


class Event(NamedTuple):
    """An event of a span."""

    name: str
    attributes: dict[str, Any]


@dataclass(slots=True)
class Span:
    """One span.

    Attributes
    ----------
    trace, id, parent
        Ids, hexadecimal where they were base64.
    started, ended
        Nanoseconds since the epoch, None where not known.
    failed
        Whether its status is an error; a span without status did not fail.
    message
        Of its status or its exception.
    attributes
        Values as Python's, under the names as written.
    """

    trace: str | None
    id: str | None
    parent: str | None
    name: str
    started: int | None = None
    ended: int | None = None
    failed: bool = False
    message: str | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)


def read_span(record: dict[str, Any]) -> Span:
    """Read one span of any of the writers.

    Parameters
    ----------
    record
        OTLP/JSON (``traceId``, or ``trace_id``), an object with ``context``, or a row with ``context.span_id``
        and ``attributes.*`` columns.

    Raises
    ------
    ValueError, TypeError
        Where it is no span.
    """
    get = record.get
    context = get("context")
    inner = context if isinstance(context, dict) else {}
    # The commonest names first: the others cost a look at each.
    identity = get("spanId") or get("span_id") or inner.get("span_id") or _first(record, _IDS)
    if identity is None:
        raise ValueError("a span has no id")
    trace = get("traceId") or get("trace_id") or inner.get("trace_id") or _first(record, _TRACES)
    parent = get("parentSpanId") or get("parent_span_id") or get("parent_id") or _first(record, _PARENTS)
    started = get("startTimeUnixNano") or get("start_time_unix_nano") or get("start_time") or _first(record, _STARTED)
    ended = get("endTimeUnixNano") or get("end_time_unix_nano") or get("end_time") or _first(record, _ENDED)
    written = get("events")
    events = _events(written) if written else []
    failed, message = _status(record)
    if failed and not message:
        message = next((e.attributes.get("exception.message") for e in events if e.name == "exception"), None)
    return Span(
        hex_id(trace),
        hex_id(identity),
        hex_id(parent),
        str(get("name") or ""),
        nanoseconds(started),
        nanoseconds(ended),
        failed,
        message or None,
        _attributes_of(record),
        events,
    )


def otlp_spans(record: dict[str, Any]) -> Iterator[Any]:
    """Yield the spans of one OTLP/JSON request as written, and whatever stands where one belongs."""
    for resource in _items(record, "resourceSpans", "resource_spans"):
        for scope in _items(resource, "scopeSpans", "scope_spans", "instrumentationLibrarySpans"):
            yield from _items(scope, "spans")


def log_spans(record: dict[str, Any]) -> Iterator[Span]:
    """Yield a span, below the one it belongs to, for each log record that is an event of a conversation."""
    for resource in _items(record, "resourceLogs", "resource_logs"):
        for scope in _items(resource, "scopeLogs", "scope_logs"):
            for log in _items(scope, "logRecords", "log_records"):
                attributes = attribute_values(log.get("attributes"))
                name = log.get("eventName") or attributes.get("event.name")
                body = _value(log.get("body") or {})
                if name and isinstance(body, dict):
                    attributes = {**attributes, **body}
                time = nanoseconds(_first(log, ("timeUnixNano", "observedTimeUnixNano", "time_unix_nano")))
                trace, parent = hex_id(_first(log, _TRACES[:2])), hex_id(_first(log, _IDS[:2]))
                if name:
                    yield Span(trace, None, parent, "", time, time, events=[Event(str(name), attributes)])


def _items(holder: Any, *keys: str) -> list[Any]:
    """Return a list that an object holds; what is no object, or no list, as its only item."""
    found = _first(holder, keys) if isinstance(holder, dict) else holder
    return found if isinstance(found, list) else [] if found is None else [found]


def hex_id(value: Any) -> str | None:
    """Return an id as hexadecimal digits; ids of any other kind as they are.

    Examples
    --------
    >>> hex_id("hqjohCOLssE="), hex_id("0x86A8e884238bb2c1"), hex_id("0000000000000000")
    ('86a8e884238bb2c1', '86a8e884238bb2c1', None)
    """
    if not value:
        return None
    text = str(value)
    if text[0] != "0" and text[-1] != "=":
        return text
    if text.startswith("0x"):
        text = text[2:].lower()
    elif text.endswith("=") and len(text) in (12, 24):
        try:
            text = base64.b64decode(text, validate=True).hex()
        except binascii.Error:
            return text
    return text if text.strip("0") else None


def nanoseconds(value: Any) -> int | None:
    """Return a time as nanoseconds since the epoch; None for what is no time.

    Parameters
    ----------
    value
        ISO text, a datetime, or a number (or its digits) of seconds, milli-, micro- or nanoseconds, told by its size.

    Examples
    --------
    >>> nanoseconds("1970-01-01T00:00:01Z"), nanoseconds(1796026734855), nanoseconds("soon")
    (1000000000, 1796026734855000000, None)
    """
    if isinstance(value, str):
        if len(value) < 20 and value.isdigit() and value.isascii():
            value = int(value)
        else:
            try:
                value = datetime.fromisoformat(value)
            except ValueError:
                return None
    if type(value) is int and _NANOSECONDS <= value < 1 << 63:
        return value
    if isinstance(value, datetime):
        since = (value if value.tzinfo else value.replace(tzinfo=UTC)) - _EPOCH
        return (since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1000
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or not 0 < value < 1 << 63:
        return None
    if value >= _NANOSECONDS:
        return int(value)
    unit = next(unit for limit, unit in _UNITS if value < limit)
    return int(value * unit)


def attribute_values(attributes: Any) -> dict[str, Any]:
    """Return attributes by name, whether they are an object or OTLP's list of keys and values."""
    if isinstance(attributes, dict):
        return attributes
    try:
        texts = {item["key"]: item["value"].get("stringValue") for item in attributes or ()}
    except (KeyError, AttributeError, TypeError):
        return {item["key"]: _value(item.get("value") or {}) for item in attributes}
    if None not in texts.values():
        return texts
    if len(texts) < len(attributes):
        # Of a name that is there twice the last value counts.
        return {item["key"]: _value(item["value"]) for item in attributes}
    for item in attributes:
        if texts[item["key"]] is None:
            texts[item["key"]] = _value(item["value"])
    return texts


def decoded(value: Any) -> Any:
    """Return what a text of JSON (or a printed Python list or object) holds; any other value as it is.

    Examples
    --------
    >>> decoded('{"a": 1}'), decoded("['x']"), decoded("x")
    ({'a': 1}, ['x'], 'x')
    """
    if not isinstance(value, str):
        return value
    bare = value.lstrip()
    start = bare[:1]
    # Most texts are words, which no parser needs to look at.
    if start not in _STARTS or (start.isalpha() and bare.rstrip() not in _WORDS):
        return value
    try:
        return parse_json(value)
    except ValueError:
        pass
    if start in ("[", "{"):
        try:
            return python_literal(value)
        except ValueError:
            pass
    return value


def _value(value: dict[str, Any]) -> Any:
    """Return what an OTLP value holds; an integer is written as text."""
    for key, inner in value.items():
        if inner is None:
            continue
        kind = key.replace("_", "").lower()
        if kind == "intvalue":
            return int(inner)
        if kind == "arrayvalue":
            return [_value(item) for item in inner.get("values") or []]
        if kind == "kvlistvalue":
            return {item["key"]: _value(item.get("value") or {}) for item in inner.get("values") or []}
        return inner
    return None


def _attributes_of(record: dict[str, Any]) -> dict[str, Any]:
    stated = record.get("attributes")
    if stated is not None or "context.span_id" not in record:
        return attribute_values(decoded(stated))
    prefix = "attributes."
    return {
        key[len(prefix) :]: value for key, value in record.items() if value is not None and key.startswith(prefix)
    }


def _events(events: Any) -> list[Event]:
    found = decoded(events)
    if not isinstance(found, list):
        return []
    return [Event(str(e.get("name")), attribute_values(e.get("attributes"))) for e in found if isinstance(e, dict)]


def _status(record: dict[str, Any]) -> tuple[bool, Any]:
    """Return whether a span failed, and the words of its status."""
    status = record.get("status")
    if isinstance(status, dict):
        if not status:
            return False, None
        code = status["code"] if "code" in status else status.get("status_code")
        message = status["message"] if "message" in status else status.get("description")
    else:
        code, message = record.get("status_code", status), record.get("status_message")
    return code not in _FINE and (code == 2 or str(code).upper().endswith("ERROR")), message


def _first(record: dict[str, Any], keys: tuple[str, ...]) -> Any:
    for key in keys:
        value = record.get(key)
        if value is not None:
            return value
    return None
