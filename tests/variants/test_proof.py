"""How many recorded outputs agree is counted, not typed; the names of the design are all there."""

from __future__ import annotations

import csv
import itertools
import re
from random import Random

import pandas as pd
import pytest

from tests.variants.proof import PATH, count
from tests.variants.random_cases import random_cases
from toolcorrect.dataset import Dataset
from toolcorrect.scoring import score
from toolcorrect.variants import registry, variants
from toolcorrect.variants.definition import NEEDS


def test_the_committed_counts_are_the_counted_ones() -> None:
    assert count() == PATH.read_text(encoding="utf-8"), "run: python -m tests.variants.proof"


def test_all_that_was_recorded_agrees_and_stands_in_the_table() -> None:
    rows = list(csv.DictReader(PATH.read_text(encoding="utf-8").splitlines()))
    assert all(row["recorded"] == row["agrees"] for row in rows)
    assert {row["variant"] for row in rows} <= set(registry())
    assert variants()["agrees"].sum() == sum(int(row["agrees"]) for row in rows) > 62_000


# The names the design promises: braces choose one, what stands in brackets may be left out.
DESIGNED = """
{recall,precision,f1,jaccard,exact}[.set][.args] {sequence,in_order,any_order,lcs}[.args]
deepeval[.args] deepeval.args.output deepeval.output
deepeval.{exact,ordered}[.args] deepeval.{exact,ordered}.args.output
deepeval.ordered.output deepeval.docs deepeval.{permission,repetition} reference.pass deepeval.fixed[.args]
notebook.jaccard galtea agentarts.parameters ragas.accuracy[.flexible] ragas.f1
{agentevals,openevals}.{strict,unordered,subset,superset}[.ignore]
{agentevals,openevals}.{strict,unordered,subset,superset}.{subset,superset}
adk.{exact,in_order,any_order}[.names] vertex.{exact_match,in_order_match,any_order_match,precision,recall}
azure.{exact,in_order,any_order,precision,recall,f1}[.params] mlflow.exact[.ordered]
promptfoo.{f1,used,sequence} promptfoo.sequence.exact promptfoo.args.{partial,exact} snowflake.tool_selection
agentcore.{exact,in_order,any_order} strands.{exact,in_order,any_order} strands.{exact,in_order}.args
pydantic_evals.correctness[.extra] pydantic_evals.trajectory.{exact,in_order,any_order} pydantic_evals.max_calls
toolscore.{invocation,selection,correctness,required_recall,trajectory,partial,sequence,redundant}
toolscore.correctness.{positional,args} toolscore.argument_f1[.strict] agent_inspect.correctness
autoevals.list_contains[.extra] autoevals.json_diff
unitxt.{exact,tool_name,argument_name_recall,argument_name_precision,argument_value_precision}
trajscore.f1 trajeval.order bfcl.ast tau2.actions
"""
# These ask a model: left out here.
ASKING = "deepeval.{selection,judged} agentarts.parameters.judge"
# Of the designed ones, those of which nothing could be recorded: no public package, or no output of its own.
UNRECORDED = {"galtea", "deepeval.permission", "deepeval.repetition"}


def test_every_name_of_the_design_exists() -> None:
    designed = [name for words in DESIGNED.split() for name in spelled(words)]
    assert len(designed) == len(set(designed))
    assert set(designed) - set(registry()) == set()
    asking = {name for words in ASKING.split() for name in spelled(words)}
    assert all(registry()[name].asks_model for name in asking & set(registry()))


def test_every_designed_definition_of_a_library_is_proven_or_listed_here() -> None:
    table = variants().loc[[name for words in DESIGNED.split() for name in spelled(words)]]
    assert set(table.index[(table["upstream"] != "") & (table["recorded"] == 0)]) == UNRECORDED


def spelled(words: str) -> list[str]:
    """Spell out one pattern."""
    parts = re.findall(r"\{[^}]*\}|\[[^]]*\]|[^][{}]+", words)
    choices = [
        part[1:-1].split(",") if part[0] == "{" else ["", part[1:-1]] if part[0] == "[" else [part] for part in parts
    ]
    return ["".join(chosen) for chosen in itertools.product(*choices)]


SAME = {
    "arguments": {"arguments": "{}", "arguments_form": "object"},
    "outputs": {"output": pd.NA},
    "kinds": {"kind": "function"},
    "steps": {"step": pd.NA},
    "turns": {"turn": 0},
}
OTHER = {"arguments": {"arguments": '{"other": 1}'}, "outputs": {"output": '"other"'}, "kinds": {"kind": "server"}}


def _without(data: Dataset, what: str) -> Dataset:
    """The same runs without some data: the same everywhere, or not known."""
    if what in SAME:
        tables = {name: getattr(data, name).assign(**SAME[what]) for name in ("calls", "expected")}
        return data.replace(cases=data.cases.assign(turns=1) if what == "turns" else data.cases, **tables)
    if what == "expected":
        return data.replace(cases=data.cases.assign(expected_known=False), expected=data.expected.iloc[:0])
    return data.replace(**{"tools" if what == "schemas" else what: pd.DataFrame()})


def _runs(what: str) -> Dataset:
    """Random runs that state their arguments; the perfect ones differ in just what is looked for."""
    data = random_cases(Random(5), 200)
    tables = {name: getattr(data, name).copy() for name in ("calls", "expected")}
    for table in tables.values():
        table.loc[table["arguments"].isna(), list(SAME["arguments"])] = list(SAME["arguments"].values())
    calls = tables["calls"]
    for column, value in OTHER.get(what, {}).items():
        calls.loc[calls["case"].str.endswith("/perfect"), column] = value
    rules = pd.DataFrame({"rule": "forbid", "tool": ["d", "c"], "arguments": [pd.NA, '{"required": ["p"]}']})
    return data.replace(rules=rules, **tables)


@pytest.mark.parametrize("what", NEEDS)
def test_a_definition_looks_at_what_it_says_and_at_nothing_else(what: str) -> None:
    data = _runs(what)
    before, after = score(data, variants="all"), score(_without(data, what), variants="all")
    moved = {name for name in before if not before[name].equals(after[name])}
    said = {name for name, variant in registry().items() if what in variant.needs}
    assert (sorted(moved - said), sorted(said - moved)) == ([], [])
