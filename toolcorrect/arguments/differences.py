"""Where two argument values differ: path by path, `$match` matchers of the expected side understood."""

from __future__ import annotations

import math
import re
from typing import Any

from toolcorrect.arguments.schemas import satisfies
from toolcorrect.errors import check_number, check_option

# A path is kept as a chain of (parent, part), so that deep values cost no more than flat ones.
_Path = tuple[Any, Any] | None

_PATH_PARTS = 64
_PASSED_AT_TOP = {"expected": "extra", "called": "missing"}
_JSON_TYPES: dict[type, str] = {str: "string", list: "array", dict: "object"}
_PLAIN_KEY = re.compile(r"[^\W\d]\w*(-\w+)*")


def is_matcher(value: Any) -> bool:
    """Tell whether an expected value is a matcher: an object with the key ``$match``.

    Examples
    --------
    >>> is_matcher({"$match": {"pattern": "^A"}}), is_matcher("*")
    (True, False)
    """
    return isinstance(value, dict) and "$match" in value


def is_optional(value: Any) -> bool:
    """Tell whether a matcher lets its argument be absent (``"$optional": true``)."""
    return is_matcher(value) and value.get("$optional") is True


def differences(
    expected: Any,
    called: Any,
    *,
    keys: str = "all",
    absolute: float = 0.0,
    relative: float = 0.0,
    limit: int = 200,
) -> list[dict[str, Any]]:
    """List where a called value differs from the expected one, by JSON meaning.

    Parameters
    ----------
    expected, called
        Decoded JSON values; ``expected`` may hold matchers (``{"$match": JSON Schema}``, beside it
        ``"$optional": true`` where the argument may be absent).
    keys
        ``"all"``; ``"expected"``: keys that are not expected at the top level do not count (``"expected_deep"``: at
        any level); ``"called"``: keys that are not called at the top level do not count.
    absolute, relative
        Numbers this close are equal (relative to the larger one).
    limit
        At most so many differences are listed.

    Returns
    -------
    list of dict
        ``path`` (``"stops[0].city"``; ``""`` is the value itself), ``code``, ``expected``, ``called``, in the
        order of the expected side, extras last within their object. The codes: ``value``, ``type`` (of another
        JSON type), ``missing`` (not called; ``called`` is None) and ``extra`` (not expected; ``expected`` is None).

    Notes
    -----
    1 and 1.0 are equal, 1 and true are not; integers are compared whole, at any size. Lists are compared item
    by item. Nesting of any depth is followed; a path shows its first 64 parts.

    Examples
    --------
    >>> differences({"q": "ferry", "n": 1}, {"q": "train", "n": 1.0, "x": None})
    [{'path': 'q', 'code': 'value', 'expected': 'ferry', 'called': 'train'},
     {'path': 'x', 'code': 'extra', 'expected': None, 'called': None}]
    """
    check_option("keys", keys, ("all", "expected", "expected_deep", "called"))
    check_number("absolute", absolute, low=0)
    check_number("relative", relative, low=0)
    check_number("limit", limit, whole=True)
    found: list[dict[str, Any]] = []

    def note(path: _Path, code: str, one: Any, other: Any) -> None:
        found.append({"path": _path_text(path), "code": code, "expected": one, "called": other})

    # Entries wait on the stack as (path, code or None, expected, called): None is still to be compared.
    stack: list[tuple[_Path, str | None, Any, Any]] = [(None, None, expected, called)]
    while stack and len(found) < limit:
        path, code, one, other = stack.pop()
        if code is not None:
            note(path, code, one, other)
        elif is_matcher(one):
            if not satisfies(one["$match"], other):
                note(path, "value", one, other)
        elif json_type(one) != json_type(other):
            note(path, "type", one, other)
        elif isinstance(one, dict):
            entries = _in_objects(path, one, other)
            passed = "extra" if keys == "expected_deep" else _PASSED_AT_TOP.get(keys) if path is None else None
            stack.extend(entry for entry in reversed(entries) if passed is None or entry[1] != passed)
        elif isinstance(one, list):
            stack.extend(reversed(_in_lists(path, one, other)))
        elif not (_same_leaf(one, other) or _close(one, other, absolute, relative)):
            note(path, "value", one, other)
    return found


def matches(expected: Any, called: Any) -> bool:
    """Tell whether a called value is what was expected, matchers understood.

    Examples
    --------
    >>> matches({"id": {"$match": {"type": "string"}}}, {"id": "9f1c"})
    True
    """
    return not differences(expected, called, limit=1)


def json_type(value: Any) -> str:
    """Return the JSON type of a decoded value; integers are numbers, true is not.

    Examples
    --------
    >>> json_type(True), json_type(1), json_type(None)
    ('boolean', 'number', 'null')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return _JSON_TYPES.get(type(value), "value of no JSON type")


def _same_leaf(one: Any, other: Any) -> bool:
    return one == other or (one != one and other != other)


def _close(one: Any, other: Any, absolute: float, relative: float) -> bool:
    if not (absolute or relative) or json_type(one) != "number":
        return False
    try:
        return math.isclose(one, other, rel_tol=relative, abs_tol=absolute)
    except OverflowError:  # integers beyond any float
        return False


def _in_objects(path: _Path, one: dict[str, Any], other: dict[str, Any]) -> list[tuple[_Path, str | None, Any, Any]]:
    entries: list[tuple[_Path, str | None, Any, Any]] = []
    for key, value in one.items():
        if key in other:
            entries.append(((path, key), None, value, other[key]))
        elif not is_optional(value):
            entries.append(((path, key), "missing", value, None))
    entries.extend(((path, key), "extra", None, value) for key, value in other.items() if key not in one)
    return entries


def _in_lists(path: _Path, one: list[Any], other: list[Any]) -> list[tuple[_Path, str | None, Any, Any]]:
    shared = min(len(one), len(other))
    entries: list[tuple[_Path, str | None, Any, Any]] = [((path, i), None, one[i], other[i]) for i in range(shared)]
    entries.extend(((path, i), "missing", one[i], None) for i in range(shared, len(one)))
    entries.extend(((path, i), "extra", None, other[i]) for i in range(shared, len(other)))
    return entries


def _path_text(path: _Path) -> str:
    parts: list[Any] = []
    while path is not None:
        path, part = path
        parts.append(part)
    parts.reverse()
    return path_text(parts)


def path_text(parts: list[Any]) -> str:
    """Write a path: keys joined by dots, list positions and unusual keys in brackets.

    Examples
    --------
    >>> path_text(["stops", 0, "a.b"])
    'stops[0]["a.b"]'
    """
    text = ""
    for part in parts[:_PATH_PARTS]:
        if isinstance(part, int):
            text += f"[{part}]"
        elif _PLAIN_KEY.fullmatch(part):
            text += f".{part}" if text else part
        else:
            # Lone surrogates are no Unicode text: no table could hold the path.
            plain = part[:100].encode("utf-8", "backslashreplace").decode()
            quoted = plain.replace("\\", "\\\\").replace('"', '\\"')
            text += f'["{quoted}"]'
    return text + ("…" if len(parts) > _PATH_PARTS else "")
