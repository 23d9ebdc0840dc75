"""When two tool names are the same: normalisation, step by step."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import pandas as pd

from toolcorrect.errors import check_option, check_type

_ZERO_WIDTH = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"))
_TRIMMED = " \t\r\n\f\v\u00a0'\"`"
_WRAPPER = re.compile(r"(?:functions|function|default_api|tools|tool|multi_tool_use)(?:\.|::?|/)(.+)", re.DOTALL)
_NAMESPACE = re.compile(r".*(?:[./]|::?)([^\W\d][^./:]*)", re.DOTALL)
_WORD_START = re.compile(r"(?<=[^\W_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BLANKS = re.compile(r"[\s\-_]+")


@dataclass(frozen=True)
class Names:
    """Steps that bring tool names to one form; each is a switch, applied in this order.

    A step that would leave nothing is skipped. Version suffixes (``_v2``) always stay.

    Parameters
    ----------
    aliases
        Raw name to canonical name; wins over every step.
    trim
        Without outer blanks.
    unicode
        NFKC, without zero-width characters, outer blanks, quotes and back-ticks.
    call
        Without a trailing ``()``.
    wrapper
        Without one leading ``functions.``, ``default_api:``, ``tools/`` and their kin.
    mcp
        ``mcp__server__tool`` becomes ``tool``: ``"first"`` takes the shortest server, ``"last"`` the longest.
    servers
        Known server names; a name that begins with one of them is split there, also with single underscores.
    namespace
        Only the last part after ``.``, ``/`` or ``:``, if it begins with a letter.
    dots
        Dots become underscores (providers that forbid dots do this).
    fold
        Words of camelCase apart, runs of blank, ``-`` and ``_`` as one ``_``, case folded.
    affix
        Without a leading ``tool_`` or a trailing ``_tool``.

    Examples
    --------
    >>> Names(wrapper=True, fold=True)("functions.searchCatalog")
    'search_catalog'
    >>> LEVELS["galtea"]("mcp__shop__get-order()")
    'get_order'
    """

    aliases: Mapping[str, str] = field(default_factory=dict, hash=False)
    trim: bool = False
    unicode: bool = False
    call: bool = False
    wrapper: bool = False
    mcp: Literal["", "first", "last"] = ""
    servers: tuple[str, ...] = ()
    namespace: bool = False
    dots: bool = False
    fold: bool = False
    affix: bool = False

    def __call__(self, name: str) -> str:
        """Return the canonical form of one name."""
        if name in self.aliases:
            return self.aliases[name]
        for step in self._steps:
            name = step(name) or name
        return name

    @cached_property
    def _steps(self) -> list[Callable[[str], str]]:
        steps: tuple[tuple[object, Callable[[str], str]], ...] = (
            (self.trim, str.strip),
            (self.unicode, _plain_unicode),
            (self.call, _without_call),
            (self.wrapper, _unwrapped),
            (self.mcp or self.servers, self._without_server),
            (self.namespace, _last_part),
            (self.dots, _without_dots),
            (self.fold, _folded),
            (self.affix, _without_affix),
        )
        return [step for used, step in steps if used]

    def _without_server(self, name: str) -> str:
        bare = name.removeprefix("mcp").lstrip("_") if name.startswith("mcp_") else name
        for server in sorted(self.servers, key=len, reverse=True):
            if bare.startswith(server + "_"):
                return bare[len(server) :].lstrip("_")
        if not self.mcp or not name.startswith("mcp__"):
            return name
        server, found, tool = bare.partition("__") if self.mcp == "first" else bare.rpartition("__")
        return tool if found and server else name


def _plain_unicode(name: str) -> str:
    return unicodedata.normalize("NFKC", name).translate(_ZERO_WIDTH).strip(_TRIMMED)


def _without_call(name: str) -> str:
    return name.removesuffix("()")


def _without_dots(name: str) -> str:
    return name.replace(".", "_")


def _without_affix(name: str) -> str:
    return name.removeprefix("tool_").removesuffix("_tool")


def _unwrapped(name: str) -> str:
    match = _WRAPPER.fullmatch(name)
    return match[1] if match else name


def _last_part(name: str) -> str:
    match = _NAMESPACE.fullmatch(name)
    return match[1] if match else name


def _folded(name: str) -> str:
    return _BLANKS.sub("_", _WORD_START.sub("_", name)).strip("_").casefold()


_FORMAT = Names(unicode=True, call=True, fold=True)
_GALTEA = replace(_FORMAT, wrapper=True, mcp="first", namespace=True)

LEVELS: Mapping[str, Names] = {
    "exact": Names(),
    "format": _FORMAT,
    "galtea": _GALTEA,
    "loose": replace(_GALTEA, affix=True),
}


def resolve(names: str | Names) -> Names:
    """Return the steps of a level name, or the steps themselves.

    Raises
    ------
    OptionError
        For a level that does not exist.
    """
    if isinstance(names, Names):
        return names
    check_option("names", names, LEVELS)
    return LEVELS[names]


def collisions(tools: Iterable[str], names: str | Names = "galtea") -> pd.DataFrame:
    """Show which different raw names one canonical name merges.

    Parameters
    ----------
    tools
        Raw tool names, repeats allowed.
    names
        A level (``"exact"``, ``"format"``, ``"galtea"``, ``"loose"``) or `Names`.

    Returns
    -------
    pandas.DataFrame
        Index ``name`` (canonical), columns ``raw`` (list of the raw names) and ``count``; only names that
        merge two or more.

    Examples
    --------
    >>> collisions(["github.search", "jira.search", "open"])["count"].to_dict()
    {'search': 2}
    """
    steps = resolve(names)
    check_type("tools", tools, Iterable, "names of tools")
    distinct = set(tools)
    for tool in distinct:
        check_type("tools", tool, str, "names of tools")
    raw = pd.Series(sorted(distinct), dtype=object)
    groups = raw.groupby(raw.map(steps).rename("name")).agg(list).to_frame("raw")
    groups["count"] = groups["raw"].map(len).astype("int64")
    return groups[groups["count"] > 1]
