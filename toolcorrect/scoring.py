"""Scores of many definitions side by side, and why a case has none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from toolcorrect.arguments.decoding import TEXT
from toolcorrect.dataset import Dataset, check_dataset
from toolcorrect.encoding import SCOPES, Encoding, Match
from toolcorrect.errors import check_option
from toolcorrect.names import LEVELS, Names
from toolcorrect.names import resolve as resolve_names
from toolcorrect.overlap import Overlap
from toolcorrect.references.matching import Optional, treat_optional
from toolcorrect.references.matching import resolve as resolve_data
from toolcorrect.references.preparing import ArgumentOptions
from toolcorrect.tables import STRING
from toolcorrect.variants import Wanted, resolve
from toolcorrect.variants.definition import POLICIES, Empty, Side, Variant

STATUSES = (
    "ok",
    "called_unknown",
    "expected_unknown",
    "effect_unknown",
    "arguments_unknown",
    "rejected",
    "undefined",
    "failed",
)
# Cases that are scored at a time.
_BLOCK = 40_000
_STATUS = {name: code for code, name in enumerate(STATUSES)}

EmptyRule = str | Empty | tuple[Side, Side, Side]


@dataclass(frozen=True)
class Scored:
    """One variant over all cases.

    Parameters
    ----------
    variant
        The definition.
    score
        float64, one entry a case, NaN where there is none.
    status
        Numbers into `STATUSES`, one entry a case.
    reference
        The alternative reference whose score was taken (the best), one entry a case.
    """

    variant: Variant
    score: np.ndarray
    status: np.ndarray
    reference: np.ndarray


class Scorer:
    """Scores variants of one dataset; what several variants need is computed once.

    Parameters
    ----------
    data
        The runs.
    scope, names, empty, options, optional
        As in `score`.
    """

    def __init__(
        self,
        data: Dataset,
        *,
        scope: str = "assistant",
        names: str | Names | None = None,
        empty: EmptyRule | None = None,
        options: ArgumentOptions | None = None,
        optional: Optional = "counted",
    ) -> None:
        check_dataset(data)
        check_option("scope", scope, SCOPES)
        resolve_names("exact" if names is None else names)
        if isinstance(empty, str):
            check_option("empty", empty, POLICIES)
        self.data = data
        if options is not None:
            self.data = resolve_data(data, options=options, scope=scope, names=names or "exact")
        self.optional = optional
        self.scope = scope
        self.names = names
        self.empty = Empty.of(empty) if empty is not None and not isinstance(empty, str) else empty
        self._given: Encoding | None = None
        self._encodings: dict[tuple[str, str | Names, str], Encoding] = {}
        self._read: dict[tuple[Encoding, Callable[[Encoding], Encoding]], Encoding] = {}
        self._overlaps: dict[tuple[Encoding, Match], Overlap] = {}

    @classmethod
    def of_lists(cls, encoding: Encoding, *, empty: EmptyRule | None = None) -> Scorer:
        """Make a scorer of these lists, whatever names and scope a variant asks for."""
        made = cls(encoding.data, empty=empty)
        made._given = encoding
        return made

    def overlap(self, variant: Variant) -> Overlap:
        """Return the counts a variant is made of."""
        names = variant.names if self.names is None or variant.names != "exact" else self.names
        encoding = self._encoding(variant.scope if self.scope == "assistant" else self.scope, names, variant.by)
        if variant.reads:
            if (encoding, variant.reads) not in self._read:
                self._read[encoding, variant.reads] = variant.reads(encoding)
            encoding = self._read[encoding, variant.reads]
        match = encoding.simplest(variant.match)
        if (encoding, match) not in self._overlaps:
            self._overlaps[encoding, match] = Overlap(encoding, match)
        return self._overlaps[encoding, match]

    def _encoding(self, scope: str, names: str | Names, by: Literal["case", "turn"]) -> Encoding:
        """Return the lists of one meaning of calls and names, shared by all that the data cannot tell apart."""
        if self._given is not None:
            return self._given
        scope = "assistant" if scope in self._same_as_assistant else scope
        by = "case" if self._one_turn else by
        key = (scope, _level(names), by)
        if key not in self._encodings:
            # Names also say which tools have effects.
            plain = self._encoding(scope, "exact", by) if key[1] != "exact" and scope != "effect" else None
            if plain and list(map(resolve_names(names), plain.tool_names)) == plain.tool_names:
                self._encodings[key] = plain
            else:
                made = Encoding(self.data, scope=scope, names=names, by=by)
                self._encodings[key] = treat_optional(made, self.optional)
        return self._encodings[key]

    @cached_property
    def _same_as_assistant(self) -> set[str]:
        """The scopes that hold just the assistant's calls, because no call failed or nobody else made one."""
        calls = self.data.calls
        same = set() if calls["error"].fillna(False).any() else {"succeeded"}
        return same | ({"everyone"} if (calls["actor"] == "assistant").fillna(False).all() else set())

    @cached_property
    def _one_turn(self) -> bool:
        """Whether no case has a second turn, so that the lists of a turn are those of the case."""
        last = [frame["turn"].max() for frame in (self.data.calls, self.data.expected) if len(frame)]
        return bool((self.data.cases["turns"].fillna(1) <= 1).all() and max(last, default=0) == 0)

    def lists(self, variant: Variant) -> tuple[np.ndarray, np.ndarray]:
        """Return score and status of every list (a case and reference, or a turn of one)."""
        overlap = self.overlap(variant)
        values = variant.raw(overlap)
        status = np.where(np.isnan(values), _STATUS["rejected" if variant.upstream else "undefined"], _STATUS["ok"])
        self._fill_empty(variant, overlap, values, status)
        if variant.rejects:
            _leave_out(values, status, variant.rejects(overlap), "rejected")
        encoding = overlap.encoding
        if variant.needs_arguments:
            _leave_out(values, status, ~encoding.arguments_known, "arguments_unknown")
        for name, lists in encoding.remember("unknown", lambda: _unknown(encoding)).items():
            if name != "expected_unknown" or variant.needs_expected:
                _leave_out(values, status, lists, name)
        return values, status

    def cases(self, variant: Variant) -> Scored:
        """Return the score of every case: the mean of its turns, the best of its references."""
        values, status = self.lists(variant)
        overlap = self.overlap(variant)
        encoding, reference = overlap.encoding, overlap.encoding.list_reference
        if encoding.list_count > encoding.case_count:
            case = encoding.list_case
            begins = np.flatnonzero(np.diff(case, prepend=-1) | np.diff(reference, prepend=-1))
            same = (overlap.expected == overlap.called) & (overlap.positions == overlap.expected)
            values, status, same = _of_turns(values, status, same, begins)
            keep = _best(values, status, same, case[begins], variant.better)
            values, status, reference = values[keep], status[keep], reference[begins[keep]]
        return Scored(variant, values, status, reference)

    def _fill_empty(self, variant: Variant, overlap: Overlap, values: np.ndarray, status: np.ndarray) -> None:
        no_expected, no_called = overlap.expected == 0, overlap.called == 0
        rule = variant.empty
        if isinstance(self.empty, Empty):
            rule = self.empty
        elif self.empty is not None:
            # A word speaks only of what the formula leaves open; with both sides empty that is always so.
            open_ = (no_expected | no_called) & (np.isnan(values) | (no_expected & no_called))
            values[open_] = POLICIES[self.empty]
            status[open_] = _STATUS["undefined" if self.empty == "skip" else "ok"]
            return
        if rule is None:
            return
        for cells, value in (
            (no_expected & no_called, rule.both),
            (no_expected & ~no_called, rule.unexpected),
            (~no_expected & no_called, rule.uncalled),
        ):
            values[cells] = np.nan if value == "rejected" else value
            name = "rejected" if value == "rejected" else "undefined" if value != value else "ok"
            status[cells] = _STATUS[name]


def score(
    data: Dataset,
    *,
    variants: Wanted = "core",
    scope: str = "assistant",
    names: str | Names | None = None,
    empty: EmptyRule | None = None,
    options: ArgumentOptions | None = None,
    optional: Optional = "counted",
) -> pd.DataFrame:
    """Score every case under many definitions.

    Parameters
    ----------
    data
        The runs.
    variants
        Names, globs (``"deepeval*"``), ``"core"``, ``"all"`` (all but those that ask a model), `Variant` objects, or
        a list of these.
    scope
        Which calls count: ``"assistant"`` (the assistant's, without handoffs), ``"effect"`` (of these, the ones that
        change state), ``"succeeded"`` or ``"everyone"``.
    names
        When two tool names are the same, for the variants that do not say it themselves.
    empty
        What to score where a side is empty instead of what each definition says: ``"perfect"``, ``"skip"`` or
        ``"zero"`` where the formula divides by nothing, or three values (see `Empty`).
    options
        What to overlook in arguments; with any, ``ArgumentOptions()`` too, `$match` matchers in the reference are
        understood (see `resolve`). None: arguments are compared as they are written.
    optional
        ``"counted"`` as any other expected call, or ``"left_out"``: optional expected calls, and the calls that
        answer them, count on neither side.

    Returns
    -------
    pandas.DataFrame
        Index case, one float64 column a variant. NaN: not scored, see `status`. Of several references the one
        that scores best counts, see `best_reference`.

    Raises
    ------
    UnknownNameError
        For a variant that does not exist.
    OptionError
        For an option that does not exist.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["set_thermostat", "notify"], "expected": ["set_thermostat"]}])
    >>> tc.score(data, variants=["deepeval", "notebook.jaccard", "galtea"]).loc["x"].to_dict()
    {'deepeval': 1.0, 'notebook.jaccard': 0.5, 'galtea': 0.0}
    """
    settings = {"scope": scope, "names": names, "empty": empty, "options": options, "optional": optional}
    return _side_by_side(data, variants, "score", settings)


def status(
    data: Dataset,
    *,
    variants: Wanted = "core",
    scope: str = "assistant",
    names: str | Names | None = None,
    empty: EmptyRule | None = None,
    options: ArgumentOptions | None = None,
    optional: Optional = "counted",
) -> pd.DataFrame:
    """Say for every case and variant whether it is scored, and if not, why.

    Parameters
    ----------
    data, variants, scope, names, empty, options, optional
        As in `score`.

    Returns
    -------
    pandas.DataFrame
        Shaped as the result of `score`, of texts: ``ok``, ``called_unknown``, ``expected_unknown``,
        ``effect_unknown``, ``arguments_unknown``, ``rejected`` (upstream raises or refuses), ``undefined`` (the
        formula says nothing), ``failed`` (a model gave no verdict).

    Examples
    --------
    >>> import toolcorrect as tc
    >>> tc.status(tc.load([{"case": "x", "called": None, "expected": []}]), variants="recall").recall.item()
    'called_unknown'
    """
    settings = {"scope": scope, "names": names, "empty": empty, "options": options, "optional": optional}
    codes = _side_by_side(data, variants, "status", settings)
    # No categories: counting whole rows of them would take memory for every combination.
    words = pa.array(STATUSES, TEXT)
    made = {name: STRING.__from_arrow__(words.take(pa.array(column.to_numpy()))) for name, column in codes.items()}
    return pd.DataFrame(made, index=codes.index, copy=False)


def best_reference(
    data: Dataset,
    *,
    variants: Wanted = "core",
    scope: str = "assistant",
    names: str | Names | None = None,
    empty: EmptyRule | None = None,
    options: ArgumentOptions | None = None,
    optional: Optional = "counted",
) -> pd.DataFrame:
    """Say which alternative reference gave each score: the best one, among equals an exact one, then the first.

    Parameters
    ----------
    data, variants, scope, names, empty, options, optional
        As in `score`.

    Returns
    -------
    pandas.DataFrame
        Shaped as the result of `score`; int64, counting from 0.

    Examples
    --------
    >>> import toolcorrect as tc
    >>> data = tc.load([{"case": "x", "called": ["b"], "expected": {"any_of": [["a"], ["b"]]}}])
    >>> tc.best_reference(data, variants="recall").recall.item()
    1
    """
    settings = {"scope": scope, "names": names, "empty": empty, "options": options, "optional": optional}
    return _side_by_side(data, variants, "reference", settings)


def _side_by_side(data: Dataset, variants: Wanted, what: str, settings: Mapping[str, Any]) -> pd.DataFrame:
    """Return one attribute of `Scored` for every variant; memory is needed for one block of cases at a time."""
    chosen = {variant.name: variant for variant in resolve(variants)}
    check_dataset(data)
    columns: dict[str, np.ndarray] = {}
    end = 0
    for block in data.blocks(_BLOCK):
        scorer = Scorer(block, **settings)
        begin, end = end, end + len(block)
        for name, variant in chosen.items():
            values = getattr(scorer.cases(variant), what)
            if name not in columns:
                columns[name] = np.empty(len(data), dtype=values.dtype)
            columns[name][begin:end] = values
    return pd.DataFrame(columns, index=data.cases.index, copy=False)


def _level(names: str | Names) -> str | Names:
    """Name the level of given steps, so that both ways of saying it share one encoding."""
    return next((level for level, steps in LEVELS.items() if steps == names), names)


def _unknown(encoding: Encoding) -> dict[str, np.ndarray]:
    """Return, by status, the places of the lists of cases that are not known; the last status wins."""
    known = {
        "expected_unknown": encoding.expected_known,
        "effect_unknown": encoding.effect_known,
        "called_unknown": encoding.called_known,
    }
    return {name: np.flatnonzero(~cases[encoding.list_case]) for name, cases in known.items()}


def _leave_out(values: np.ndarray, status: np.ndarray, which: np.ndarray, name: str) -> None:
    values[which] = np.nan
    status[which] = _STATUS[name]


def _of_turns(
    values: np.ndarray, status: np.ndarray, same: np.ndarray, begins: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sum up the turns of each (case, reference): the mean; one turn without a score leaves it without one."""
    turns = np.diff(np.append(begins, len(values)))
    mean = np.add.reduceat(values, begins) / turns
    # The first turn that is not scored says why.
    return mean, np.maximum.reduceat(status, begins), np.logical_and.reduceat(same, begins)


def _best(values: np.ndarray, status: np.ndarray, same: np.ndarray, case: np.ndarray, better: str) -> np.ndarray:
    """Return the place of the best list of each case: scored before unscored, equal lists first, then the first."""
    ranked = np.where(np.isnan(values), np.inf, -values if better == "higher" else values)
    # Where both sides are the same, nothing can be better, though the definition may say nothing of it.
    ranked[same & (status == _STATUS["undefined"])] = -np.inf
    order = np.lexsort((~same, ranked, case))
    first = np.ones(len(order), dtype=bool)
    first[1:] = case[order][1:] != case[order][:-1]
    return np.asarray(order[first])
