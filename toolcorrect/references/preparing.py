"""What to overlook in arguments before they are compared: options that change both sides alike."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from toolcorrect.arguments import schema_led
from toolcorrect.arguments.dates import canonical_date
from toolcorrect.arguments.decoding import parse_json, to_json
from toolcorrect.arguments.differences import differences, is_matcher
from toolcorrect.arguments.equality import canonical_text
from toolcorrect.arguments.schemas import deeper
from toolcorrect.dataset import Dataset, check_dataset
from toolcorrect.errors import check_number, check_option, check_type
from toolcorrect.tables import STRING
from toolcorrect.validity.offering import offer

Where: TypeAlias = bool | Sequence[str] | Mapping[str, Sequence[str]]
"""True (everywhere), names of arguments, or names of arguments by tool."""

_DEPTH_LIMIT = 150


@dataclass(frozen=True)
class ArgumentOptions:
    """What does not count when arguments are compared; everything counts by default.

    Most options bring both sides to one form before the comparison. ``tolerance`` and ``keys`` look at a pair, as
    ``$match`` matchers do; see `toolcorrect.resolve`. An option that says where takes True (everywhere),
    names of arguments, or names of arguments by tool.

    Parameters
    ----------
    ignore
        Arguments that are not compared at all.
    unordered
        Lists are compared without regard to order, at every depth.
    dates
        Texts that are a date or an instant, in any usual spelling, are compared by what they say.
    casefold, trim, collapse_whitespace
        Letter case; blanks at the ends; blanks at the ends and runs of blanks.
    unicode
        ``"nfc"`` or ``"nfkc"``: texts in this normal form.
    null_as_missing
        A null is an argument left out, at every depth of objects.
    fill_defaults, coerce, decode_nested
        Led by the schema of the tool: absent arguments take their default; texts become numbers and so on, or the
        other way, where exact; texts that hold JSON become an object or array.
    keys
        ``"all"``; ``"expected"``: further arguments called do not count (``"expected_deep"``: at every depth);
        ``"called"``: arguments not called do not count.
    absolute, relative
        Numbers are equal within the larger of the two tolerances (relative to the larger number).

    Raises
    ------
    OptionError
        For a ``keys`` or ``unicode`` that does not exist.

    Notes
    -----
    A matcher is tested against the prepared value. What is nested more than 150 deep stays as it is.

    Examples
    --------
    >>> options = ArgumentOptions(trim=True, unordered=["tags"])
    >>> options.equal({"tags": ["b", "a"], "q": "x"}, {"tags": ["a", "b"], "q": "x "})
    True
    """

    ignore: Where = False
    unordered: Where = False
    dates: Where = False
    casefold: Where = False
    trim: Where = False
    collapse_whitespace: Where = False
    unicode: Literal["", "nfc", "nfkc"] = ""
    null_as_missing: Where = False
    fill_defaults: bool = False
    coerce: bool = False
    decode_nested: bool = False
    keys: Literal["all", "expected", "expected_deep", "called"] = "all"
    absolute: float = 0.0
    relative: float = 0.0

    def __post_init__(self) -> None:
        check_option("keys", self.keys, ("all", "expected", "expected_deep", "called"))
        check_option("unicode", self.unicode, ("", "nfc", "nfkc"))
        check_number("absolute", self.absolute, low=0)
        check_number("relative", self.relative, low=0)

    @property
    def by_pair(self) -> bool:
        """Whether a pair must be looked at: one form for each side does not settle it."""
        return self.keys != "all" or self.absolute > 0 or self.relative > 0

    @property
    def prepares(self) -> bool:
        """Whether any option changes values before the comparison."""
        by_pair = ("keys", "absolute", "relative")
        return any(getattr(self, field.name) for field in fields(self) if field.name not in by_pair)

    def equal(self, expected: Any, called: Any, *, schema: Any = None, tool: str = "") -> bool:
        """Tell whether two argument values are the same; `differences` says where they are not."""
        return not self.differences(expected, called, schema=schema, tool=tool, limit=1)

    def differences(
        self, expected: Any, called: Any, *, schema: Any = None, tool: str = "", limit: int = 200
    ) -> list[dict[str, Any]]:
        """List where two argument values differ, as `toolcorrect.arguments.differences.differences` does."""
        one, other = (self.prepare(value, schema=schema, tool=tool) for value in (expected, called))
        return differences(one, other, keys=self.keys, absolute=self.absolute, relative=self.relative, limit=limit)

    def prepare(self, value: Any, *, schema: Any = None, tool: str = "") -> Any:
        """Return a value in the form in which it is compared.

        Parameters
        ----------
        value
            Decoded arguments, of either side.
        schema
            Decoded JSON Schema of the tool; without one nothing is led by it.
        tool
            Name of the tool, for options that are given by tool.

        Examples
        --------
        >>> ArgumentOptions(null_as_missing=True, casefold=["q"]).prepare({"q": "ÅL", "n": None})
        {'q': 'ål'}
        """
        if not self.prepares or deeper(value, _DEPTH_LIMIT):
            return value
        for used, change in (
            (self.decode_nested, schema_led.decode_nested),
            (self.coerce, schema_led.coerce),
        ):
            value = change(value, schema, schema) if used and schema is not None else value
        value = _at(value, self.null_as_missing, tool, _without_nulls)
        if self.fill_defaults and schema is not None:
            value = schema_led.fill_defaults(value, schema, schema)
        if self.ignore and isinstance(value, dict):
            named = _names(self.ignore, tool)
            value = {key: item for key, item in value.items() if named is not None and key not in named}
        for where, change_text in self._texts():
            value = _at(value, where, tool, partial(_map_texts, change=change_text))
        return _at(value, self.unordered, tool, _sorted_lists)

    def _texts(self) -> Iterator[tuple[Where, Callable[[str], str]]]:
        if self.dates:
            yield self.dates, lambda text: canonical_date(text) or text
        if self.unicode:
            form: Any = self.unicode.upper()
            yield True, lambda text: unicodedata.normalize(form, text)
        if self.collapse_whitespace:
            yield self.collapse_whitespace, lambda text: " ".join(text.split())
        if self.trim:
            yield self.trim, str.strip
        if self.casefold:
            yield self.casefold, str.casefold


def prepare(data: Dataset, options: ArgumentOptions) -> Dataset:
    """Return the dataset with all arguments, expected and called, in the form in which they are compared.

    Parameters
    ----------
    data
        The dataset. The schema of an expected call is that of its tool's offer.
    options
        What to overlook; ``keys`` and the tolerances take no part here.

    Returns
    -------
    Dataset
        Unknown arguments stay unknown, and texts that are no JSON stay as they are.

    Examples
    --------
    >>> calls = pd.DataFrame({"case": ["x"], "tool": ["op"], "arguments": ['{"q": " A"}']})
    >>> data = Dataset(pd.DataFrame(index=["x"]), calls)
    >>> prepare(data, ArgumentOptions(trim=True)).calls.arguments.to_list()
    ['{"q":"A"}']
    """
    check_dataset(data)
    check_type("options", options, ArgumentOptions, "tc.ArgumentOptions, as tc.ArgumentOptions(trim=True)")
    if not options.prepares:
        return data
    tables = {"calls": data.calls, "expected": data.expected}
    return data.replace(
        **{table: frame.assign(arguments=_prepared(data, table, options)) for table, frame in tables.items()}
    )


def _prepared(data: Dataset, table: str, options: ArgumentOptions) -> pd.Series:
    """Prepare each distinct (text, schema, tool) once."""
    frame = data.calls if table == "calls" else data.expected
    offered = offer(data, table=table)
    texts, distinct = pd.factorize(frame["arguments"])
    by_tool = any(isinstance(getattr(options, field.name), Mapping) for field in fields(options))
    tools, names = pd.factorize(frame["tool"] if by_tool else np.zeros(len(frame), dtype=np.int64))
    known = texts >= 0
    keys = np.column_stack([texts, offered.schema, tools])[known]
    pairs, place = np.unique(keys, axis=0, return_inverse=True)
    schemas = [_decoded(text) for text in offered.schemas]
    made = []
    for text, schema, tool in pairs.tolist():
        try:
            value = parse_json(distinct[text])
        except ValueError:
            made.append(distinct[text])
            continue
        made.append(
            to_json(options.prepare(value, schema=schemas[schema] if schema >= 0 else None, tool=str(names[tool])))
        )
    column = pd.Series(pd.NA, index=frame.index, dtype=STRING)
    column[known] = pd.Series(made, dtype=STRING).take(place.ravel()).array
    return column


def _decoded(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        return None


def _names(where: Where, tool: str) -> frozenset[str] | None:
    """Return the arguments an option speaks of at a tool, or None for all."""
    if isinstance(where, bool):
        return None if where else frozenset()
    if isinstance(where, str):
        return frozenset([where])
    return frozenset(where.get(tool, ()) if isinstance(where, Mapping) else where)


def _at(value: Any, where: Where, tool: str, change: Callable[[Any], Any]) -> Any:
    """Change the arguments that an option speaks of."""
    named = _names(where, tool)
    if named is None:
        return change(value)
    if not named or not isinstance(value, dict):
        return value
    changed = {key: change({key: item}) if key in named else {key: item} for key, item in value.items()}
    return {key: item for part in changed.values() for key, item in part.items()}


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict) and not is_matcher(value):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict) and not is_matcher(value):
        return {key: _map_texts(item, change) for key, item in value.items()}
    return [_map_texts(item, change) for item in value] if isinstance(value, list) else value


def _sorted_lists(value: Any) -> Any:
    if isinstance(value, dict) and not is_matcher(value):
        return {key: _sorted_lists(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted(map(_sorted_lists, value), key=lambda item: canonical_text(json.dumps(item)))
    return value


def shares(expected: Mapping[str, Any], called: Mapping[str, Any]) -> dict[str, float]:
    """Return how large a part of two argument objects agrees, key by key.

    Parameters
    ----------
    expected, called
        Decoded argument objects; matchers on the expected side are understood.

    Returns
    -------
    dict
        ``share_expected`` and ``share_called`` (equal pairs over the keys of one side), ``pair_f1`` (their harmonic
        mean, over both sides), ``key_union_share`` (over all keys); NaN where there is nothing to divide by.

    Examples
    --------
    >>> shares({"city": "Turin", "rooms": 1}, {"city": "Turin", "rooms": 2, "spa": True})["pair_f1"]
    0.4
    """
    equal = sum(key in called and not differences(value, called[key], limit=1) for key, value in expected.items())
    divisors = {
        "share_expected": len(expected),
        "share_called": len(called),
        "pair_f1": (len(expected) + len(called)) / 2,
        "key_union_share": len(expected.keys() | called.keys()),
    }
    return {name: equal / divisor if divisor else math.nan for name, divisor in divisors.items()}
