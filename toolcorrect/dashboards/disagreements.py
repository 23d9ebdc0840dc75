"""Where two definitions disagree, and why: `tc.dashboards.disagreements`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import ipywidgets
import pandas as pd

from toolcorrect.dashboards.disagreement_view import ANY, Pairs, State, View, view
from toolcorrect.dashboards.frame import Frame, Shown
from toolcorrect.dataset import Dataset, check_dataset
from toolcorrect.errors import check_number
from toolcorrect.explaining.disagreeing import CAUSES_IN_WORDS
from toolcorrect.explaining.one_case import explain
from toolcorrect.variants import Wanted, resolve, resolve_one
from toolcorrect.variants.definition import Variant
from toolcorrect.widgets import Diff, Table
from toolcorrect.widgets.table import shorten
from toolcorrect.widgets.turns import in_turn

# A dropdown of more is no help; the others can be reached by code.
MOST_CHOICES = 200


class Disagreements(Frame):
    """The dashboard that `disagreements` makes; ``state`` and ``view`` tell what it shows."""

    def __init__(self, data: Dataset, variants: Sequence[Variant], state: State) -> None:
        self.pairs = Pairs(data, variants)
        names = [variant.name for variant in variants]
        self.view: View | None = None
        self._told: tuple[str | None, str, str] | None = None
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
            for cause in CAUSES_IN_WORDS
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
            causes=None if len(causes) == len(CAUSES_IN_WORDS) else causes,
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
        asked = (self.case, self._a.value, self._b.value)
        if asked == self._told:  # most moves of the slider keep the case
            return
        self._told = None
        if self.case is None:
            self.diff.show(title="No case is chosen.")
            return
        told = explain(self.pairs.data, self.case, variants=[self._a.value, self._b.value])
        facts = self.pairs.data.cases.loc[self.case, ["task", "model"]]
        parts = [f"{name} {value}" for name, value in facts.items() if pd.notna(value) and value not in self.case]
        self.diff.show(
            told.alignment, title=" · ".join([self.case, *parts, *filter(None, [told.note])]), sums=told.sums
        )
        self._told = asked


def disagreements(
    data: Dataset,
    a: str | Variant = "deepeval",
    b: str | Variant = "notebook.jaccard",
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
    check_dataset(data)
    check_number("minimum", minimum, low=0, high=1)
    begin = State(resolve_one(a).name, resolve_one(b).name, minimum)
    chosen = {variant.name: variant for wanted in (variants, [a, b]) for variant in resolve(wanted)}
    return Disagreements(data, list(chosen.values()), begin)


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
        description=name,
        options=options,
        value=chosen,
        layout={"width": "210px"},
        style={"description_width": "initial"},
    )


def _dropdown(name: str, options: list[str], chosen: str) -> Any:
    return ipywidgets.Dropdown(
        description=name,
        options=options,
        value=chosen,
        layout={"width": "250px"},
        style={"description_width": "initial"},
    )
