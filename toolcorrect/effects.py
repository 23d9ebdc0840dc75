"""Which tools change state."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping

import pandas as pd

from toolcorrect.dataset import Dataset
from toolcorrect.errors import check_type, unknown_name
from toolcorrect.tables import coerce


def mark_effects(data: Dataset, effects: Iterable[str] | Mapping[str, bool]) -> Dataset:
    """Say which tools change state; see `Dataset.mark_effects`."""
    wanted = "patterns of the tools that change state, or a mapping of tool to True or False"
    check_type("effects", effects, Iterable, wanted)
    told = effects if isinstance(effects, Mapping) else [effects] if isinstance(effects, str) else list(effects)
    for one in told.values() if isinstance(told, Mapping) else told:
        check_type("effects", one, bool if isinstance(told, Mapping) else str, wanted)
    tools = data.tools
    every = [getattr(data, table)["tool"] for table in ("calls", "expected", "tools")]
    names = pd.Index(pd.concat(every).dropna().unique()).sort_values()
    if isinstance(told, Mapping):
        strangers = set(told) - set(names)
        if strangers:
            raise unknown_name("tool", sorted(strangers)[0], names)
        changed = [told.get(name, False) for name in names]
    else:
        changed = [any(fnmatch.fnmatchcase(name, pattern) for pattern in told) for name in names]
    effect = pd.Series(changed, index=names, dtype="boolean")
    listed_tools = tools.assign(effect=tools["tool"].map(effect).astype("boolean"))
    new = names.difference(pd.Index(tools.loc[tools["case"].isna(), "tool"].unique()))
    new = new.difference(pd.Index(tools["tool"].unique()))
    unlisted = pd.DataFrame({"tool": new, "effect": effect[new].array, "offered": False})
    return data.replace(tools=pd.concat([listed_tools, coerce("tools", unlisted)], ignore_index=True))
