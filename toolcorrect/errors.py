"""Errors that say what is wrong, where, what was allowed, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ToolcorrectError(Exception):
    """Any error this package raises on purpose; its message is meant for the user."""


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


def check_option(option: str, value: object, allowed: Iterable[object]) -> None:
    """Raise `OptionError` unless ``value`` is one of ``allowed``."""
    choices = list(allowed)
    if value not in choices:
        raise OptionError(f"{option}={value!r} is not known; choose one of {listed(map(repr, choices), 40)}.")


def unknown_name(kind: str, name: object, known: Iterable[str], hint: str = "") -> UnknownNameError:
    """Make the error for a name that does not exist, with the nearest names that do."""
    every = list(known)
    near = difflib.get_close_matches(str(name), map(str, every), n=3, cutoff=0.5)
    guess = f" Did you mean {listed(near)}?" if near else f" Known: {listed(every)}." if every else ""
    return UnknownNameError(f"There is no {kind} {name!r}.{guess}{' ' + hint if hint else ''}")
