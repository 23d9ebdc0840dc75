"""The registry of definitions: every variant by name.

To add one of an existing kind, put one entry into the ``VARIANTS`` of its family's module.
"""

from __future__ import annotations

import fnmatch
import importlib
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, overload

import pandas as pd

from toolcorrect.encoding import Match
from toolcorrect.errors import OptionError, check_name, check_type, listed, shown
from toolcorrect.variants.definition import Axes, Empty, Variant
from toolcorrect.variants.formulas import tversky

FAMILIES = (
    "basic",
    "deepeval",
    "seeds",
    "checks",
    "ragas",
    "agentevals",
    "adk",
    "vertex",
    "azure",
    "mlflow",
    "promptfoo",
    "snowflake",
    "agentcore",
    "strands",
    "pydantic_evals",
    "toolscore",
    "agent_inspect",
    "autoevals",
    "unitxt",
    "trajectory_packages",
    "bfcl",
    "tau2",
)
CORE = (
    "recall",
    "precision",
    "f1",
    "jaccard",
    "exact",
    "exact.args",
    "sequence",
    "deepeval",
    "deepeval.exact",
    "notebook.jaccard",
    "galtea",
)
_TVERSKY = re.compile(r"tversky\(extra=([0-9.]+), ?missing=([0-9.]+)\)(\.args)?")

Wanted = str | Variant | Iterable["str | Variant"]


@cache
def registry() -> Mapping[str, Variant]:
    """Return every registered variant by name, family by family."""
    modules = (importlib.import_module(f"toolcorrect.variants.{family}") for family in FAMILIES)
    return {variant.name: variant for module in modules for variant in module.VARIANTS}


@overload
def variants(name: None = None) -> pd.DataFrame: ...
@overload
def variants(name: str) -> Any: ...
def variants(name: str | None = None) -> Any:
    """Return the table of definitions, or one definition.

    Parameters
    ----------
    name
        A variant's name; a glob (``"ragas.*"``), ``"core"`` or ``"all"`` for some rows of the table; None for all.

    Returns
    -------
    pandas.DataFrame or Variant
        A `Variant` for a name, else the table, which has one row a variant, index ``name``, and these columns, texts
        unless said otherwise:

        * title, rule, formula: what it is, in words and in symbols (E, C, m: expected, called, matched calls);
        * upstream, version: whose number it is, and of which release; empty for our own;
        * recorded, agrees (int): outputs recorded of upstream (or that follow plainly from its documentation), and
          how many of them this definition gives; 0 where nothing could be recorded;
        * needs (list): the data it looks at beside the names of the calls made: expected, arguments, outputs,
          kinds, steps, turns, schemas, rules;
        * scope, names, arguments, multiplicity, order: which calls count, when two names and two argument sets
          are the same, how often a call may be used, whether order matters (``"own"``: by a rule of its own);
        * by: "turn" where each user turn is scored alone and the case is their mean, else "case";
        * low, high (float), better: the range, and whether "higher" or "lower" is better;
        * empty_both, empty_unexpected, empty_uncalled (object): the score where nothing is expected nor called,
          where something is called unexpectedly, where nothing is called: a number, NaN, "rejected" (upstream
          refuses), or "formula" where no rule is made for it;
        * properties (list): what always holds, tested; faults (list): what is known to be wrong with it, with the
          number of the upstream report.

    Raises
    ------
    UnknownNameError
        For a name that is not registered, or a glob that meets none.

    Examples
    --------
    >>> variants("deepeval").axes.rule.notation
    'm/E'
    >>> variants("galtea*").rule.to_dict()
    {'galtea': '1 if both sides have the same set of tool names after normalising them'}
    >>> variants().loc["tau2.actions", ["upstream", "scope", "needs"]].to_list()
    ['tau2-bench', 'everyone', ['arguments', 'expected']]
    """
    check_type("name", name, str | None, "the name of a variant, or a glob")
    chosen = list(registry().values()) if name is None else _named(name)
    if name is not None and not _is_several(name):
        return chosen[0]
    return pd.DataFrame.from_records([described(v) for v in chosen]).set_index("name")


@cache
def _proof() -> Mapping[str, Mapping[str, int]]:
    """Return how many outputs of each variant were recorded and how many agree, as counted by a test."""
    counted = pd.read_csv(Path(__file__).with_name("proof.csv")).groupby("variant")[["recorded", "agrees"]].sum()
    return counted.to_dict("index")


def resolve(wanted: Wanted) -> list[Variant]:
    """Turn names, globs, ``"core"``, ``"all"`` and variants into variants, each once, in the order asked.

    Raises
    ------
    UnknownNameError
        For a name or glob that meets no variant.
    OptionError
        Where two different variants bear one name.
    """
    asked = [wanted] if isinstance(wanted, str | Variant) or not isinstance(wanted, Iterable) else list(wanted)
    found: dict[str, Variant] = {}
    for one in asked:
        if not isinstance(one, str | Variant):
            raise OptionError(f"variants holds {shown(one)}; give names, globs or tc.Variant objects.")
        for variant in [one] if isinstance(one, Variant) else _named(one):
            if found.setdefault(variant.name, variant) != variant:
                raise OptionError(f"Two variants are called {variant.name!r}; give one another name.")
    return list(found.values())


def resolve_one(wanted: str | Variant) -> Variant:
    """Turn a name, or a variant, into one variant.

    Raises
    ------
    UnknownNameError
        For a name that is no variant.
    OptionError
        Where it means several, as a glob does.
    """
    found = resolve(wanted)
    if len(found) != 1:
        raise OptionError(
            f"One variant is needed here, but {shown(wanted)} means {len(found)}: "
            f"{listed(one.name for one in found)}. Name one of them."
        )
    return found[0]


def _named(text: str) -> list[Variant]:
    known = registry()
    if text == "core":
        return [known[name] for name in CORE]
    if text == "all":
        return [variant for variant in known.values() if not variant.asks_model]
    matched = [variant for name, variant in known.items() if fnmatch.fnmatchcase(name, text)]
    return matched if _is_several(text) and matched else [_one(text)]


def _is_several(text: str) -> bool:
    """Tell whether a text is a word or glob for several variants."""
    return text in ("core", "all") or any(sign in text for sign in "*?[")


def _one(name: str) -> Variant:
    found = _TVERSKY.fullmatch(name)
    if found:
        return Variant(
            name,
            axes=Axes(formula=tversky(extra=float(found[1]), missing=float(found[2]))),
            match=Match(arguments="json" if found[3] else None),
            empty=Empty(),
            needs_arguments=bool(found[3]),
            title="Tversky index",
            rule="extra and missing calls each at their own weight",
        )
    check_name("variant", name, registry(), "tc.variants() lists them; 'core', 'all' and globs work too.")
    return registry()[name]


def described(variant: Variant) -> dict[str, object]:
    """Return the row of a variant in the table of definitions."""
    axes, empty = variant.axes, variant.empty
    return {
        "name": variant.name,
        "title": variant.title,
        "rule": variant.rule,
        "formula": variant.notation or (axes.rule.notation if axes else ""),
        "upstream": variant.upstream,
        "version": variant.version,
        **_proof().get(variant.name, {"recorded": 0, "agrees": 0}),
        "needs": sorted(variant.needs),
        "scope": variant.scope,
        "names": variant.names if isinstance(variant.names, str) else "own",
        "arguments": variant.match.arguments or "ignored",
        "multiplicity": axes.multiplicity if axes else "own",
        "order": axes.order if axes else "own",
        "by": variant.by,
        "low": variant.low,
        "high": variant.high,
        "better": variant.better,
        "empty_both": empty.both if empty else "formula",
        "empty_unexpected": empty.unexpected if empty else "formula",
        "empty_uncalled": empty.uncalled if empty else "formula",
        "properties": sorted(variant.properties),
        "faults": list(variant.faults),
    }
