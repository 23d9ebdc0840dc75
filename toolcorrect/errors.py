"""Errors that say what is wrong, where, what was allowed, and what to do."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from numbers import Integral, Number, Real
from types import UnionType

# Of a value that a message repeats.
_LONGEST = 80


class ToolcorrectError(Exception):
    """Any error this package raises on purpose; its message is meant for the user.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> try:
    ...     tc.load([{"case": "run-1", "called": ["search"]}]).select(["run-2"])
    ... except tc.ToolcorrectError as error:
    ...     print(error)
    There is no case 'run-2'. Did you mean run-1?
    """


class LoadError(ToolcorrectError):
    """A file or record cannot be read as tool calls."""


class DataError(ToolcorrectError, ValueError):
    """A table or column does not hold what it must."""


class OptionError(ToolcorrectError, ValueError):
    """An option was given a value that is not allowed."""


class UnknownNameError(ToolcorrectError, KeyError):
    """A name (of a variant, case, format, ...) that does not exist."""

    def __str__(self) -> str:
        # KeyError would print the repr of the message.
        return str(self.args[0])


def listed(names: Iterable[object], limit: int = 12) -> str:
    """Join names for a message, cut after ``limit`` with the number left out.

    Examples
    --------
    >>> listed(["a", "b", "c"], limit=2)
    'a, b and 1 more'
    """
    every = [str(name) for name in names]
    shown = ", ".join(every[:limit])
    return f"{shown} and {len(every) - limit} more" if len(every) > limit else shown


def shown(value: object) -> str:
    """Write a value for a message: plain ones as they are, cut where they are long, others by their type.

    Examples
    --------
    >>> shown("x"), shown([1, 2]), shown(DataError())
    ("'x'", '[1, 2]', 'a DataError')
    """
    plain = str | Number | None
    if isinstance(value, plain) or (isinstance(value, list | tuple) and all(isinstance(one, plain) for one in value)):
        text = repr(value)
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 20]}...{text[-17:]}"
    # A frame would fill the screen.
    name = type(value).__name__
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


def check_option(option: str, value: object, allowed: Iterable[object]) -> None:
    """Raise `OptionError` unless ``value`` is one of ``allowed``."""
    choices = dict.fromkeys(allowed)
    try:
        known = value in choices
    except TypeError:
        # What has no hash, as lists and frames, is no choice.
        known = False
    if not known:
        raise OptionError(f"{option}={shown(value)} is not known; choose one of {listed(map(repr, choices), 40)}.")


def check_number(
    option: str, value: object, *, low: float | None = None, high: float | None = None, whole: bool = False
) -> None:
    """Raise `OptionError` unless ``value`` is a number, finite and not below ``low`` or above ``high``.

    Examples
    --------
    >>> check_number("threshold", "x", low=0, high=1)
    Traceback (most recent call last):
    toolcorrect.errors.OptionError: threshold='x' must be a number from 0 to 1.
    """
    fits = isinstance(value, Integral if whole else Real) and not isinstance(value, bool)
    least, most = -math.inf if low is None else low, math.inf if high is None else high
    if not (fits and abs(value) < math.inf and least <= value <= most):  # type: ignore[operator, arg-type]
        bounds = "" if low is None else f" at or above {low}" if high is None else f" from {low} to {high}"
        raise OptionError(f"{option}={shown(value)} must be a {'whole ' if whole else ''}number{bounds}.")


def check_type(option: str, value: object, kinds: type | UnionType, wanted: str) -> None:
    """Raise `OptionError` unless ``value`` is of one of some types; ``wanted`` says what to give.

    Examples
    --------
    >>> check_type("title", 1, str | None, "a text")
    Traceback (most recent call last):
    toolcorrect.errors.OptionError: title=1 does not fit; give a text.
    """
    if not isinstance(value, kinds):
        raise OptionError(f"{option}={shown(value)} does not fit; give {wanted}.")


def unknown_name(kind: str, name: object, known: Iterable[str], hint: str = "") -> UnknownNameError:
    """Make the error for a name that does not exist, with the nearest names that do."""
    every = list(known)
    near = difflib.get_close_matches(name, map(str, every), n=3, cutoff=0.5) if isinstance(name, str) else []
    guess = f" Did you mean {listed(near)}?" if near else f" Known: {listed(every)}." if every else ""
    return UnknownNameError(f"There is no {kind} {shown(name)}.{guess}{' ' + hint if hint else ''}")


def check_name(kind: str, name: object, known: Iterable[str], hint: str = "") -> None:
    """Raise what `unknown_name` makes unless ``name`` is a text among those that are known."""
    every = list(known)
    if not isinstance(name, str) or name not in every:
        raise unknown_name(kind, name, every, hint)
