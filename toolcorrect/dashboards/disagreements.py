"""Where two definitions disagree, and why: `tc.dashboards.disagreements`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import ipywidgets
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from toolcorrect import disagreeing
from toolcorrect.dashboards.frame import DPI, INK, Frame, Shown, png
from toolcorrect.dataset import Dataset
from toolcorrect.explaining import explain
from toolcorrect.scoring import score
from toolcorrect.variants import Wanted, resolve
from toolcorrect.variants.definition import Variant
from toolcorrect.widgets import Diff, Table
from toolcorrect.widgets.table import shorten
from toolcorrect.widgets.turns import in_turn

CAUSES = {
    "extra": "extra calls",
    "missing": "missing calls",
    "repeat": "repeated calls",
    "order": "the order of the calls",
    "arguments": "arguments",
    "names": "names of tools",
    "empty": "an empty side",
    "rule": "the rule itself",
}
ANY = ""
# The slack that `toolcorrect.disagreements` gives to ``minimum``.
ROUNDING = 1e-9
# A dropdown of more is no help; the others can be reached by code.
MOST_CHOICES = 200
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
        description="; ".join(f"{CAUSES[cause]}: {n:,}" for cause, n in shown.items()) or "no cases",
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
        ax.text(-0.02 * longest, row, CAUSES[cause], ha="right", va="center", fontsize=10, color=INK)
        ax.text(n + 0.02 * longest, row, f"{n:,}  ({n / total:.0%})", va="center", fontsize=10, color=INK)
    ax.set_xlim(-0.72 * longest, 1.62 * longest)
    ax.set_ylim(rows - 0.5, -1.5)
    return png(figure)


class Disagreements(Frame):
    """The dashboard that `disagreements` makes; ``state`` and ``view`` tell what it shows."""

    def __init__(self, data: Dataset, variants: Sequence[Variant], state: State) -> None:
        self.pairs = Pairs(data, variants)
        names = [variant.name for variant in variants]
        self.view: View | None = None
        self._a = _dropdown("compare", names, state.a)
        self._b = _dropdown("against", names, state.b)
        self._minimum = ipywidgets.FloatSlider(
            value=state.minimum, min=0, max=1, step=0.05, description="gap ≥", layout={"width": "250px"}
        )
        self._tool = _filter("tool", _by_use(data.calls["tool"], data.expected["tool"]), state.tool)
        self._model = _filter("model", _by_use(data.cases["model"]), state.model)
        self._causes = {
            cause: ipywidgets.Checkbox(
                value=state.causes is None or cause in state.causes, description=cause, indent=False
            )
            for cause in CAUSES
        }
        causes = ipywidgets.Box([ipywidgets.Label("cause"), *self._causes.values()])
        causes.add_class("tc-choices")
        empty = pd.DataFrame({"case": [], state.a: [], state.b: [], "gap": [], "cause": []})
        self.table = Table(empty, label="cases by the gap between two definitions", height=15, bold=["gap"])
        self.diff = Diff()
        chosen = [self._a, self._b, self._minimum, self._tool, self._model]
        super().__init__("Disagreements", [*chosen, causes], [[self.table], [self.diff]])
        for control in (*chosen, *self._causes.values()):
            control.observe(self.refresh, "value")
        self.table.observe(self._choose, "chosen")
        self.refresh()

    @property
    def state(self) -> State:
        """What is chosen now."""
        causes = frozenset(cause for cause, box in self._causes.items() if box.value)
        return State(
            a=self._a.value,
            b=self._b.value,
            minimum=round(self._minimum.value, 2),
            causes=None if len(causes) == len(CAUSES) else causes,
            tool=self._tool.value,
            model=self._model.value,
        )

    def compute(self) -> View:
        """Work out the view of the present choices."""
        state = self.state
        if not self.pairs.known(state.a, state.b):
            self.say(f"Comparing {state.a} with {state.b} …")
        return view(self.pairs, state)

    def assign(self, shown: View) -> None:
        """Put a view into the table, the diff and the counts of the causes."""
        same = self.view is not None and shown.cases is self.view.cases
        self.view = shown
        self.table.show(None if same else _columns(shown.cases, self.state), mask=shown.mask)
        self._explain()
        for cause, box in self._causes.items():
            box.description = f"{cause} {shown.counts.get(cause, 0):,}"

    def finished(self, shown: Shown) -> str:
        """Return the state with the case that the diff shows."""
        return f"{shown.state}|{self.case or 'none'}"

    @property
    def case(self) -> str | None:
        """The case that is chosen in the table."""
        return None if self.view is None or self.table.chosen < 0 else str(self.view.cases.index[self.table.chosen])

    @in_turn
    def _choose(self, _change: Any) -> None:
        if self._drawing or self.view is None:
            return
        try:
            self._explain()
            self.mark(self.finished(self.view))
        except Exception as error:
            self.fail(error)

    def _explain(self) -> None:
        if self.case is None:
            self.diff.show(title="No case is chosen.")
            return
        told = explain(self.pairs.data, self.case, variants=[self._a.value, self._b.value])
        facts = self.pairs.data.cases.loc[self.case, ["task", "model"]]
        parts = [f"{name} {value}" for name, value in facts.items() if pd.notna(value) and value not in self.case]
        self.diff.show(
            told.alignment, title=" · ".join([self.case, *parts, *filter(None, [told.note])]), sums=told.sums
        )


def disagreements(
    data: Dataset,
    a: str = "deepeval",
    b: str = "notebook.jaccard",
    *,
    minimum: float = 0.3,
    variants: Wanted = "core",
) -> Disagreements:
    """Show the cases that two definitions score differently, the cause of each, and its calls.

    Parameters
    ----------
    data
        The runs.
    a, b
        The definitions to begin with.
    minimum
        The smallest gap to begin with.
    variants
        The definitions to choose from: names, globs, ``"core"`` or ``"all"``.

    Returns
    -------
    Disagreements
        A widget; without a notebook, its ``state`` and ``view`` can be read and set all the same.

    Raises
    ------
    UnknownNameError
        For a definition that does not exist.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["a", "b"], "expected": ["a"]}])
    >>> disagreements(data)
    Disagreements: 1 of 1 run differs by 0.30 or more. deepeval is higher; the cause is extra calls.
    """
    chosen = {variant.name: variant for wanted in (variants, [a, b]) for variant in resolve(wanted)}
    return Disagreements(data, list(chosen.values()), State(a, b, minimum))


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
    why = f"the cause is {CAUSES[cause]}" if most == n else f"the main cause is {CAUSES[cause]} ({most / n:.0%})"
    return f"{runs} {differ}. {leading}; {why}."


def _note(state: State, unscored: int, total: int) -> str:
    parts = [f"n = {total:,} runs", f"{unscored:,} not scored by one of the two"]
    parts += [
        f"{kind} {shorten(value, 60)}" for kind, value in (("tool", state.tool), ("model", state.model)) if value
    ]
    if state.causes is not None:
        parts.append(f"causes: {', '.join(sorted(state.causes)) or 'none chosen'}")
    return " · ".join(parts)


def _columns(cases: pd.DataFrame, state: State) -> pd.DataFrame:
    """Return what the table shows; no column for a model that is not known, or that every case id names already."""
    first = cases["model"].dropna().head(200)
    named = all(str(model) in str(case) for case, model in first.items())
    return cases.reset_index()[["case", *([] if named else ["model"]), state.a, state.b, "gap", "cause"]]


def _by_use(*columns: pd.Series) -> list[str]:
    return pd.concat(columns).dropna().value_counts().index.astype(str).to_list()


def _filter(name: str, values: Iterable[str], chosen: str) -> Any:
    every = list(values)
    options = [(f"any of {len(every):,}", ANY), *((shorten(value, 60), value) for value in every[:MOST_CHOICES])]
    return ipywidgets.Dropdown(
        description=name, options=options, value=chosen, layout={"width": "210px"}, style=_STYLE
    )


def _dropdown(name: str, options: list[str], chosen: str) -> Any:
    return ipywidgets.Dropdown(
        description=name, options=options, value=chosen, layout={"width": "250px"}, style=_STYLE
    )


_STYLE = {"description_width": "initial"}
