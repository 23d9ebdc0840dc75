"""Where two definitions disagree: what a user chose, and the view of it. Pure functions, no widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from toolcorrect.dashboards.frame import DPI, INK, Shown, png
from toolcorrect.dataset import Dataset
from toolcorrect.explaining import disagreeing
from toolcorrect.scoring import score
from toolcorrect.variants.definition import Variant
from toolcorrect.widgets.table import shorten

ANY = ""
# The slack that `toolcorrect.disagreements` gives to ``minimum``.
ROUNDING = 1e-9
BLUE, SKY = "#0072b2", "#56b4e9"


@dataclass(frozen=True)
class State:
    """What a user has chosen.

    Parameters
    ----------
    a, b
        The two definitions.
    minimum
        Smallest gap shown, 0 to 1.
    causes
        Causes shown; all where None.
    tool, model
        Only cases that call or expect this tool, or that ran this model; all where empty.
    """

    a: str
    b: str
    minimum: float = 0.0
    causes: frozenset[str] | None = None
    tool: str = ANY
    model: str = ANY

    def __str__(self) -> str:
        causes = "all" if self.causes is None else "+".join(sorted(self.causes))
        return f"{self.a}|{self.b}|{self.minimum:.2f}|{causes}|{self.tool or 'any'}|{self.model or 'any'}"


@dataclass(frozen=True)
class View(Shown):
    """The view of a state.

    Parameters
    ----------
    cases
        All disagreements of the pair, largest gap first, index case.
    mask
        Which of them are shown, a boolean a row.
    counts
        Cases a cause, whatever causes are chosen.
    """

    cases: pd.DataFrame
    mask: np.ndarray
    counts: dict[str, int]


@dataclass(frozen=True)
class Pairs:
    """A dataset and what is computed from it once, so that a slider only has to mask.

    Parameters
    ----------
    data
        The runs.
    variants
        The definitions to choose from.
    """

    data: Dataset
    variants: Sequence[Variant]
    _cases: dict[tuple[str, str], pd.DataFrame] = field(default_factory=dict)
    _with_tool: dict[str, np.ndarray] = field(default_factory=dict)

    @cached_property
    def scores(self) -> pd.DataFrame:
        """All scores, a column a definition."""
        return score(self.data, variants=list(self.variants))

    def known(self, a: str, b: str) -> bool:
        """Tell whether a pair has been compared already."""
        return (a, b) in self._cases

    def cases(self, a: str, b: str) -> pd.DataFrame:
        """Return `toolcorrect.disagreements` of a pair, whatever the gap."""
        if (a, b) not in self._cases:
            named = {variant.name: variant for variant in self.variants}
            self._cases[a, b] = disagreeing.disagreements(self.data, named[a], named[b])
        return self._cases[a, b]

    def with_tool(self, tool: str) -> np.ndarray:
        """Return for every case of the data whether it calls or expects a tool."""
        if tool not in self._with_tool:
            found = np.zeros(len(self.data), dtype=bool)
            for table in ("calls", "expected"):
                named = getattr(self.data, table)["tool"].eq(tool).to_numpy(dtype=bool, na_value=False)
                found[self.data.case_rows(table)[named]] = True
            self._with_tool[tool] = found
        return self._with_tool[tool]


def view(pairs: Pairs, state: State) -> View:
    """Work out what a state shows.

    Raises
    ------
    OptionError
        Where both definitions are the same.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> from toolcorrect.variants import resolve
    >>> data = tc.load([{"case": "x", "called": ["a", "b"], "expected": ["a"]}])
    >>> view(Pairs(data, resolve("core")), State("recall", "jaccard", 0.3)).finding
    '1 of 1 run differs by 0.30 or more. recall is higher; the cause is extra calls.'
    """
    cases = pairs.cases(state.a, state.b)
    mask = np.abs(cases["gap"].to_numpy()) >= state.minimum - ROUNDING
    if state.model:
        mask = mask & cases["model"].eq(state.model).to_numpy(dtype=bool, na_value=False)
    if state.tool:
        mask = mask & pairs.with_tool(state.tool)[pairs.data.cases.index.get_indexer(cases.index)]
    counts = _counts(cases["cause"].to_numpy(dtype=object)[mask])
    if state.causes is not None:
        mask = mask & cases["cause"].isin(list(state.causes)).to_numpy(dtype=bool)
    shown = {cause: n for cause, n in counts.items() if state.causes is None or cause in state.causes}
    rows = cases[mask]
    return View(
        state=str(state),
        finding=_finding(rows, state, len(pairs.data), shown),
        note=_note(state, int(pairs.scores[[state.a, state.b]].isna().any(axis=1).sum()), len(pairs.data)),
        code=code(state),
        rows=rows.reset_index(),
        picture=cause_bars(tuple(shown.items())),
        description="; ".join(f"{disagreeing.CAUSES_IN_WORDS[cause]}: {n:,}" for cause, n in shown.items())
        or "no cases",
        cases=cases,
        mask=mask,
        counts=counts,
    )


def code(state: State) -> str:
    """Return pandas code that gives a state's rows from ``data``."""
    lines = ["import toolcorrect as tc", ""]
    minimum = f", minimum={state.minimum:g}" if state.minimum else ""
    lines.append(f"cases = tc.disagreements(data, {state.a!r}, {state.b!r}{minimum})")
    if state.model:
        lines.append(f'cases = cases[cases["model"] == {state.model!r}]')
    if state.tool:
        lines.insert(0, "import pandas as pd")
        lines.append('used = pd.concat([data.calls[["case", "tool"]], data.expected[["case", "tool"]]])')
        lines.append(f'cases = cases[cases.index.isin(used.loc[used["tool"] == {state.tool!r}, "case"])]')
    if state.causes is not None:
        lines.append(f'cases = cases[cases["cause"].isin({sorted(state.causes)!r})]')
    return "\n".join([*lines, "cases"])


@lru_cache(maxsize=64)
def cause_bars(counts: tuple[tuple[str, int], ...]) -> bytes:
    """Draw how many cases each cause has, as a PNG; the longest bar is the strongest."""
    rows = max(len(counts), 1)
    figure = Figure(figsize=(5.6, 0.42 + 0.29 * rows), dpi=DPI)
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set_axis_off()
    total, longest = sum(n for _, n in counts), max((n for _, n in counts), default=1)
    title = "what makes the gap, in runs" if counts else "no run is left to explain"
    ax.text(-0.71 * longest, -1.0, title, va="center", fontsize=9.5, color=INK)
    for row, (cause, n) in enumerate(counts):
        ax.barh(row, n, height=0.66, color=BLUE if n == longest else SKY)
        ax.text(
            -0.02 * longest, row, disagreeing.CAUSES_IN_WORDS[cause], ha="right", va="center", fontsize=10, color=INK
        )
        ax.text(n + 0.02 * longest, row, f"{n:,}  ({n / total:.0%})", va="center", fontsize=10, color=INK)
    ax.set_xlim(-0.72 * longest, 1.62 * longest)
    ax.set_ylim(rows - 0.5, -1.5)
    return png(figure)


def _counts(causes: np.ndarray) -> dict[str, int]:
    counted = pd.Series(causes, dtype=object).value_counts()
    return {str(cause): int(n) for cause, n in counted.items() if n}


def _finding(rows: pd.DataFrame, state: State, total: int, counts: dict[str, int]) -> str:
    n, bound = len(rows), f" by {state.minimum:.2f} or more" if state.minimum else ""
    if not n:
        return f"None of {total:,} runs differs{bound} under this choice."
    runs = f"{n:,} of {total:,} run{'' if total == 1 else 's'}"
    differ = f"differ{'s' if n == 1 else ''}{bound}"
    gap = rows["gap"].to_numpy()
    higher = {state.a: int((gap > 0).sum()), state.b: int((gap < 0).sum())}
    leader, rest = sorted(higher, key=higher.__getitem__, reverse=True)
    leading = f"{leader} is higher in {higher[leader]:,}, {rest} in {higher[rest]:,}"
    if higher[leader] == n:
        leading = f"{leader} is higher{' in all of them' if n > 1 else ''}"
    cause, most = next(iter(counts.items()))
    why = (
        f"the cause is {disagreeing.CAUSES_IN_WORDS[cause]}"
        if most == n
        else f"the main cause is {disagreeing.CAUSES_IN_WORDS[cause]} ({most / n:.0%})"
    )
    return f"{runs} {differ}. {leading}; {why}."


def _note(state: State, unscored: int, total: int) -> str:
    parts = [f"n = {total:,} runs", f"{unscored:,} not scored by one of the two"]
    parts += [
        f"{kind} {shorten(value, 60)}" for kind, value in (("tool", state.tool), ("model", state.model)) if value
    ]
    if state.causes is not None:
        parts.append(f"causes: {', '.join(sorted(state.causes)) or 'none chosen'}")
    return " · ".join(parts)
