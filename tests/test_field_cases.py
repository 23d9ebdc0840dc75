"""Users' own reports, retold: every question gets its right answer, under each convention named."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

import toolcorrect as tc
from tests.field_cases import dataset, field_case, field_cases
from toolcorrect.encoding import Match
from toolcorrect.references.preparing import shares

# Asked in the cases, and answered otherwise on purpose.
DIFFERENT = {
    "needs": "advice in prose on what to write instead; verdict_changes says which options help, people choose",
}

POLICIES = {
    "json_equal": None,
    "with_matchers": tc.ArgumentOptions(),
    "casefold": tc.ArgumentOptions(casefold=True),
    "trim": tc.ArgumentOptions(trim=True),
    "nfc": tc.ArgumentOptions(unicode="nfc"),
    "unordered_lists": tc.ArgumentOptions(unordered=True),
    "expected_keys_only": tc.ArgumentOptions(keys="expected"),
    "called_keys_only": tc.ArgumentOptions(keys="called"),
    "null_as_missing": tc.ArgumentOptions(null_as_missing=True),
    "dates": tc.ArgumentOptions(dates=True),
    "rel_1e-9": tc.ArgumentOptions(relative=1e-9),
    "ignore_args": tc.ArgumentOptions(ignore=True),
    "fill_defaults": tc.ArgumentOptions(fill_defaults=True),
    "schema_coerce": tc.ArgumentOptions(coerce=True),
    "decode_nested_json": tc.ArgumentOptions(decode_nested=True),
}
RELATIONS = {"python_eq": "python", "type_strict": "typed"}

# What each option of an axis means here: arguments of the function that answers.
AXES: dict[tuple[str, str], dict[str, Any]] = {
    **{("empty_policy", word): {"empty": word} for word in ("perfect", "skip", "zero")},
    ("failed_calls", "count"): {},
    ("failed_calls", "drop"): {"scope": "succeeded"},
    ("check_formats", "on"): {"formats": True},
    ("check_formats", "off"): {"formats": False},
    ("prefix_split", "last_separator"): {"names": tc.Names(mcp="last")},
    ("prefix_split", "first_separator"): {"names": tc.Names(mcp="first")},
    ("prefix_split", "known_server"): {"names": tc.Names(servers=("my__server",))},
    ("prefix", "strip"): {"names": "galtea"},
    ("prefix", "keep"): {"names": "exact"},
    ("name_case", "fold"): {"names": "format"},
    ("name_case", "keep"): {"names": "exact"},
    ("optional_wrong_args", "fail"): {"optional_arguments": "fail"},
    ("optional_wrong_args", "ignore"): {"optional_arguments": "ignore"},
}

NORMAL = tc.Names(wrapper=True, mcp="first", dots=True)

Answer = Callable[..., Any]
Case = dict[str, Any]


def value(found: Any) -> Any:
    return None if pd.isna(found) else found


def scored(variant: str | tc.Variant, **fixed: Any) -> Answer:
    return lambda case, **options: value(tc.score(dataset(case), variants=variant, **fixed, **options).iloc[0, 0])


def holds(variant: str | tc.Variant, **fixed: Any) -> Answer:
    def answer(case: Case, **options: Any) -> bool | None:
        found = scored(variant, **fixed)(case, **options)
        return None if found is None else found == 1.0

    return answer


def axes(multiplicity: str, order: str, formula: str, arguments: str | None = None) -> tc.Variant:
    plain = tc.Variant("mine", axes=tc.Axes(multiplicity, order, formula), empty=tc.Empty())
    return replace(plain, match=Match(arguments=arguments))


def lines(case: Case) -> pd.DataFrame:
    return tc.explain(dataset(case), "x").alignment


def tools(side: str, *kinds: str) -> Answer:
    def answer(case: Case) -> list[str]:
        shown = lines(case)
        shown = shown[shown["kind"].isin(kinds)] if kinds else shown
        return shown[side].dropna().to_list()

    return answer


def fact(column: str) -> Answer:
    return lambda case: value_or_list(tc.diagnose(dataset(case))[column].item())


def value_or_list(found: Any) -> Any:
    return found if isinstance(found, list | str) else value(found)


def first_f1(case: Case) -> float:
    one = tc.overlap(dataset(case)).loc[("x", 0)]
    return float(2 * one.shared / (one.expected + one.called))


def steps_equal(case: Case) -> bool:
    return tc.overlap(dataset(case)).steps_equal.item() == 1


def arguments_equal(**options: Any) -> Answer:
    def answer(case: Case) -> bool:
        data = dataset(case)
        if options.get("options") is None and "$match" in json.dumps(case):
            # Plain equality: a matcher is then a value like any other.
            data = dataset(json.loads(json.dumps(case).replace("$match", "match")))
        return tc.overlap(data, **{"arguments": "json"} | options).shared.item() == 1

    return answer


def share(name: str) -> Answer:
    def answer(case: Case) -> float | None:
        shown = lines(case)
        pairs = zip(shown["arguments_expected"], shown["arguments_called"])
        found = [shares(json.loads(one), json.loads(other))[name] for one, other in pairs]
        return value(sum(found) / len(found))

    return answer


def defects(case: Case, **options: Any) -> list[dict[str, str]]:
    found = tc.validate(dataset(case), **options)
    # What only a stricter reader minds is told beside it.
    found = found[~found["code"].isin(["undeclared", "placeholder"])]
    return found[["path", "code"]].astype(str).to_dict("records")


def passed(case: Case, **demands: Any) -> bool:
    names = "galtea" if (case.get("policy") or {}).get("normalise") else "exact"
    found = tc.verdicts(dataset(case), demands=tc.Demands(**demands), names=names)["passed"]
    return bool((found == 1.0).any())


def forbidden(case: Case) -> list[str]:
    names = "galtea" if case["policy"].get("normalise") else "exact"
    return tc.forbidden_calls(dataset(case), names=names)["tool"].to_list()


def linted(column: str, *codes: str) -> Answer:
    def answer(case: Case) -> list[str]:
        found = tc.lint(dataset(case)).astype({"code": str})
        return found.loc[found["code"].isin(codes) if codes else slice(None), column].to_list()

    return answer


def argument_differences(case: Case) -> list[dict[str, Any]]:
    found = [(int(row.called_position), one) for row in lines(case).itertuples() for one in row.differences]
    return [{"call": position, **one} for position, one in found]


ANSWERS: dict[str, Answer] = {
    "names.recall": scored("recall"),
    "names.precision": scored("precision"),
    "names.f1": scored("f1"),
    "names.f1_best": scored("f1"),
    "names.f1_first": first_f1,
    "names.f1_required": scored("f1", optional="left_out"),
    "names.jaccard_multiset": scored("jaccard"),
    "names.lcs_recall": scored("lcs"),
    "names.lcs_f1": scored(axes("list", "longest", "f1")),
    "names.lcs_over_longest": scored(axes("list", "longest", "max_overlap")),
    "names.positional_recall": scored(axes("list", "position", "recall")),
    "names.set_equal": holds("exact.set"),
    "names.multiset_equal": holds("exact"),
    "names.multiset_equal_normalised": lambda case, names=NORMAL: holds("exact")(case, names=names),
    "names.sequence_equal": holds("sequence"),
    "names.in_order": holds("in_order"),
    "names.contains_all": holds(axes("multiset", "free", "contains")),
    "names.within": holds(axes("multiset", "free", "within")),
    "names.missing": tools("tool_expected", "missing"),
    "names.extra": tools("tool_called", "extra", "repeated"),
    "containment.called_superset_of_expected": holds(axes("multiset", "free", "contains")),
    "containment.called_subset_of_expected": holds(axes("multiset", "free", "within")),
    "calls.recall": scored("recall.args"),
    "calls.precision": scored("precision.args"),
    "calls.f1": scored("f1.args"),
    "calls.multiset_equal": holds("exact.args"),
    "calls.sequence_equal": holds("sequence.args"),
    "calls.positional_recall": scored(axes("list", "position", "recall", "json")),
    "calls_expected_keys_only.recall": scored("recall.args", options=tc.ArgumentOptions(keys="expected")),
    "alternatives.best": lambda case: tc.best_reference(dataset(case), variants="f1").f1.item(),
    "applicable": lambda case, **options: tc.status(dataset(case), variants="f1", **options).f1.item() == "ok",
    "reason_code": lambda case: tc.status(dataset(case), variants="f1").f1.item(),
    "score.max": lambda case: min(1.0, tc.score(dataset(case), variants="all").max(axis=None)),
    "verdict.any_exact": holds("sequence"),
    "verdict.pass": passed,
    "verdict.no_call_respected": passed,
    "verdict.match_in_order": lambda case, **demands: passed(case, order="in_order", extras="refused", **demands),
    "verdict.forbidden_called": forbidden,
    "verdict.count_ok": lambda case: bool(tc.check_rules(dataset(case))["ok"].all()),
    "verdict.before": lambda case: bool(tc.check_rules(dataset(case))["ok"].all()),
    "count.search": lambda case: tc.check_rules(dataset(case))["count"].item(),
    "redundant_calls": lambda case: tc.redundant_calls(dataset(case)).item(),
    "recovered": fact("recovered"),
    "failure.stage": fact("stage"),
    "turns.equal": lambda case: steps_equal(case) and holds("sequence")(case),
    "turns.equal_unordered_within": steps_equal,
    "called.turns": lambda case: dataset(case).calls.groupby("step")["tool"].agg(list).to_list(),
    "called.n_status_unknown": fact("outcome_unknown"),
    "called.unknown_tools": lambda case: tc.validate(dataset(case)).query("code == 'unknown_tool'")["tool"].to_list(),
    "args.invented": fact("invented"),
    "args.undeclared": fact("undeclared"),
    "args.mean_share_expected_matched": share("share_expected"),
    "schema.valid": lambda case, **options: not defects(case, **options),
    "schema.valid_null_as_missing": lambda case: not defects(case, null_as_missing=True),
    "schema.errors": defects,
    "lint.codes": linted("code"),
    "lint.expected_unknown_tools": linted("tool", "unknown_tool"),
    "explanation.expected": tools("tool_expected"),
    "explanation.called": tools("tool_called"),
    "explanation.arg_diffs": argument_differences,
    **{f"args.{name}": share(name) for name in ("share_expected", "share_called", "pair_f1", "key_union_share")},
    **{f"args.{name}": arguments_equal(options=options) for name, options in POLICIES.items()},
    **{f"args.{name}": arguments_equal(arguments=relation) for name, relation in RELATIONS.items()},
}


def questions() -> list[Any]:
    found = []
    for case in field_cases():
        for question, right in case["right"].items():
            if question in DIFFERENT:
                continue
            by = right["by"] if isinstance(right, dict) and "by" in right else None
            for option, wanted in right["values"].items() if by else [(None, right)]:
                name = f"{case['id']}-{question}" + (f"-{option}" if by else "")
                found.append(pytest.param(case["id"], question, by and (by, option), wanted, id=name))
    return found


def comparable(answer: Any) -> Any:
    """Lists of names and of errors are compared without regard to order."""
    if isinstance(answer, list):
        return sorted(answer, key=json.dumps)
    return pytest.approx(answer, abs=1e-9) if isinstance(answer, float) else answer


@pytest.mark.parametrize(("case", "question", "axis", "right"), questions())
def test_right_answers(case: str, question: str, axis: tuple[str, str] | None, right: Any) -> None:
    answer = ANSWERS[question](field_case(case), **(AXES[axis] if axis else {}))
    assert comparable(answer) == comparable(right)


def test_every_question_of_every_case_is_asked() -> None:
    assert len(field_cases()) == 95
    asked = {question for case in field_cases() for question in case["right"]}
    assert asked == {*ANSWERS, *DIFFERENT}
