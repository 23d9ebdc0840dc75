"""Argument texts: from what a trace holds to JSON text, its form and its status.

Rules: a text is parsed as JSON; a text inside the text is parsed again (at most twice); then Python's
literal syntax, code fences, stray template tokens and trailing commas are tried. What still cannot be
read is ``failed`` and unknown: never ``{}``.
"""

from __future__ import annotations

import ast
import json
import math
import re
from dataclasses import asdict, is_dataclass
from enum import Enum
from typing import Any, Final, NamedTuple

import numpy as np
import orjson
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from toolcorrect.tables import FORMS, STATUSES

ABSENT: Final = type("Absent", (), {"__repr__": lambda self: "ABSENT", "__bool__": lambda self: False})()
"""Stands for a key that is not there, which differs from null."""

TEXT: Final = pa.large_string()
"""Arrow type of every text column; pandas keeps it without a copy."""

FORM: Final[dict[str, int]] = {name: code for code, name in enumerate(FORMS.categories)}
STATUS: Final[dict[str, int]] = {name: code for code, name in enumerate(STATUSES.categories)}

# Integers that orjson would turn into floats; the character before keeps digits inside texts out.
WIDE_INTEGER: Final = r"(?:^|[\s:,\[-])(?:[0-9]{20}|9[2-9][0-9]{17})"
_WIDE_INTEGER = re.compile(WIDE_INTEGER.encode())
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_MANY_DIGITS = b"0" * 19
# Beyond so many bytes Arrow's search is worth its call.
_LONG_DOCUMENT = 4000

# Literals longer than this are not worth the parser's memory.
_LONGEST_LITERAL = 200_000
_FENCE = re.compile(r"^```[a-zA-Z]*|```$")
_TEMPLATE_TOKEN = re.compile(r"<\|[a-z_]{1,40}\|>|</?(?:s|tool_call|function_call)>")
# A text that never ends is passed over at once, so that each character is looked at once only.
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+"?)|,(\s*+[}\]])', re.DOTALL)
_OPENERS = ("{", "[", "(", "'", '"')


class Decoded(NamedTuple):
    """One decoded argument value.

    Attributes
    ----------
    text
        JSON text of the value; None where it is not known.
    form
        How the value came: a category of ``toolcorrect.tables.FORMS``.
    status
        A category of ``toolcorrect.tables.STATUSES``.
    raw
        The text as it came, where it is not plainly ok.
    """

    text: str | None
    form: str
    status: str
    raw: str | None


def parse_json(text: str | bytes) -> Any:
    """Parse JSON without losing anything: integers of up to 4,300 digits, NaN and lone surrogates included.

    Parameters
    ----------
    text
        One JSON document.

    Raises
    ------
    ValueError
        Where it is not JSON, is nested too deeply, or holds a longer integer, on which Python would spend too long.

    Examples
    --------
    >>> parse_json('{"id": 123456789012345678901}')
    {'id': 123456789012345678901}
    """
    try:
        data = text.encode() if isinstance(text, str) else text
        if _MANY_DIGITS not in data.translate(_DIGITS) or not _has_wide_integers(data):
            return orjson.loads(data)
    except ValueError as cause:
        if "ecursion" in str(cause):
            raise
    return parse_json_slowly(text)


def _has_wide_integers(data: bytes) -> bool:
    if len(data) < _LONG_DOCUMENT:
        return _WIDE_INTEGER.search(data) is not None
    ends = np.array([0, len(data)])
    column = pa.Array.from_buffers(pa.large_binary(), 1, [None, pa.py_buffer(ends), pa.py_buffer(data)])
    return bool(pc.match_substring_regex(column, WIDE_INTEGER)[0].as_py())


def parse_json_slowly(text: str | bytes) -> Any:
    """Parse JSON by the standard library, which keeps what orjson refuses or shortens."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except ValueError as cause:
        if str(cause).startswith("Exceeds the limit"):
            raise ValueError("an integer has more than 4,300 digits") from None
        raise


def to_json(value: Any) -> str:
    """Write a value as compact JSON text, without loss where JSON's grammar allows it.

    NaN and infinities are written as Python's json does; keys that are not texts become texts; what JSON
    has no form for becomes its text.

    Examples
    --------
    >>> to_json({"city": "Málaga", "n": 1.0})
    '{"city":"Málaga","n":1.0}'
    """
    try:
        text = orjson.dumps(value)
        # orjson writes NaN as null: only then look again.
        if b"null" not in text or not holds_nan(value):
            return text.decode()
    except TypeError:
        pass
    try:
        text_slowly = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_as_text)
        text_slowly.encode()
    except UnicodeEncodeError:
        # Lone surrogates exist in JSON only as escapes.
        return json.dumps(value, separators=(",", ":"), default=_as_text)
    except (RecursionError, ValueError):
        return json.dumps(_as_text(value)[:10_000])
    return text_slowly


# The commonest values first: the others cost a look at each kind.
_PLAIN = frozenset({str, int, bool, type(None)})


def holds_nan(value: Any) -> bool:
    """Tell whether a value holds NaN or an infinity, for which orjson writes null."""
    if type(value) in _PLAIN:
        return False
    if isinstance(value, dict):
        return any(map(holds_nan, value.values()))
    if isinstance(value, list | tuple):
        return any(map(holds_nan, value))
    if isinstance(value, float):
        return not math.isfinite(value)
    # orjson writes what these hold.
    return holds_nan(_plain(value)) if isinstance(value, Enum) or is_dataclass(value) else False


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else asdict(value)


def _as_text(value: Any) -> Any:
    if isinstance(value, Enum) or (is_dataclass(value) and not isinstance(value, type)):
        return _plain(value)
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if value is pd.NA or value is pd.NaT:
        return None
    try:
        return str(value)
    except RecursionError:
        return type(value).__name__


def decode(value: Any, *, wire: bool = False) -> Decoded:
    """Decode one argument value as a trace holds it.

    Parameters
    ----------
    value
        A mapping, a text, None for null, `ABSENT` for a missing key, or anything else.
    wire
        The format sends arguments as JSON text, so that a text that decodes is no surprise: its form is
        that of the value inside.

    Examples
    --------
    >>> decode('{"a": 1}', wire=True)
    Decoded(text='{"a": 1}', form='object', status='ok', raw=None)
    >>> decode("{'a': 1}").status, decode('{"a": ').status
    ('repaired', 'failed')
    """
    if isinstance(value, str):
        status, form, text, _ = decode_text(value)
        return Decoded(text, form if wire else "text", status, None if text is value else value)
    if isinstance(value, dict):
        return Decoded(to_json(value), "object", "ok", None)
    if value is ABSENT:
        return Decoded(None, "absent", "absent", None)
    if value is None:
        return Decoded(None, "null", "null", None)
    return Decoded(to_json(value), "list" if isinstance(value, list | tuple) else "other", "non_object", None)


def decode_text(text: str) -> tuple[str, str, str | None, bool]:
    """Return status, form of the value inside, JSON text (the same object where verbatim), decoded twice."""
    if not text.strip():
        return "empty", "object", "{}", False
    inner = text
    for depth in range(3):
        try:
            value = parse_json(inner)
        except ValueError:
            if depth:
                # A text that holds no JSON is the value itself.
                return "non_object", "other", to_json(inner), False
            return _repair(text)
        if not isinstance(value, str):
            return _judged(value, inner, text, depth > 0)
        inner = value
    return "non_object", "other", to_json(inner), False


def _judged(value: Any, inner: str, text: str, again: bool) -> tuple[str, str, str | None, bool]:
    kept = text if inner is text else inner
    if isinstance(value, dict):
        return "ok", "object", _storable(kept), again
    if value is None:
        return "null", "null", None, again
    if inner is text:
        # A new text, so that the raw one is kept beside it.
        kept = to_json(value)
    return "non_object", "list" if isinstance(value, list) else "other", _storable(kept), again


def _storable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return to_json(parse_json(text))
    return text


def _repair(text: str) -> tuple[str, str, str | None, bool]:
    value = _literal(text)
    if value is ABSENT:
        bare = _TEMPLATE_TOKEN.sub("", _FENCE.sub("", text.strip())).strip()
        bare = _TRAILING_COMMA.sub(lambda found: found[1] or found[2], bare)
        try:
            value = json.loads(bare, strict=False)
        except (ValueError, RecursionError):
            value = _literal(bare)
    if value is ABSENT:
        return "failed", "text", None, False
    if value is None:
        return "null", "null", None, False
    if isinstance(value, dict):
        return "repaired", "object", to_json(value), False
    return "non_object", "list" if isinstance(value, list) else "other", to_json(value), False


def _literal(text: str) -> Any:
    """Read Python's literal syntax, as printing a dict gives it; `ABSENT` where it is none."""
    stripped = text.strip()
    if (
        len(stripped) > _LONGEST_LITERAL
        or not stripped.startswith(_OPENERS)
        or re.search(r"[-+~(\[{]{200}", stripped)
    ):
        return ABSENT
    try:
        value = ast.literal_eval(stripped)
        value = list(value) if isinstance(value, tuple) else value
        json.dumps(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ABSENT
    return value
