"""How many recorded outputs each definition gives: ``python -m tests.variants.proof`` counts and writes it down."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

import toolcorrect as tc
from tests.shared import ROOT, shared
from tests.variants import test_bfcl as bfcl
from tests.variants import test_oracles_deepeval as deepeval
from tests.variants import test_oracles_peers_a as peers_a
from tests.variants import test_oracles_peers_b as peers_b
from toolcorrect.encoding import Encoding
from toolcorrect.variants import tau2

PATH = ROOT / "toolcorrect" / "variants" / "proof.csv"

Compared = tuple[str, str, Iterable[float], Iterable[float], float]


def comparisons() -> Iterator[Compared]:
    """Yield variant, file, what was recorded, what we score (NaN: no score), and the tolerance."""
    yield from _deepeval()
    yield from _peers_a()
    yield from _peers_b()
    yield from _verdicts()


def _deepeval() -> Iterator[Compared]:
    scores = tc.score(deepeval.data(f"oracles/{deepeval.FILE}.jsonl"), variants=list(deepeval.CONFIGS))
    for variant, config in deepeval.CONFIGS.items():
        yield variant, f"{deepeval.FILE}.jsonl", deepeval.numbers(config), scores[variant], 1e-9
    for seed in deepeval.SEEDS:
        path = f"samples/seeds/{seed}.jsonl"
        scores = tc.score(deepeval.data(path), variants=list(deepeval.STATED))
        for variant, key in deepeval.STATED.items():
            stated = [row["stated_scores"].get(key, math.nan) for row in deepeval.recorded(path)]
            said = ~np.isnan(stated)
            yield variant, f"seeds/{seed}.jsonl", np.array(stated)[said], scores[variant][said], 1e-9
    seed = "seeds/huawei_param_filling.jsonl"
    printed = tc.score(tc.load(shared(f"samples/{seed}")), variants="agentarts.parameters")
    yield "agentarts.parameters", seed, [1.0], printed["agentarts.parameters"], 1e-9


def _peers_a() -> Iterator[Compared]:
    for file, _, layout, variants in peers_a.TABLE:
        scores, _ = peers_a.scored_all(file, layout)
        for variant, key in variants.items():
            wanted = [peers_a.recorded_score(row, key)[0] for row in peers_a.read_rows(file)]
            yield variant, f"{file}.jsonl", wanted, scores[variant], peers_a.ROUNDED.get(file, 1e-9)


def _peers_b() -> Iterator[Compared]:
    for file, (_, record, variants) in peers_b.RECORDED.items():
        rows = peers_b.rows(file)
        scores = tc.score(tc.load([record(row) for row in rows], format="records"), variants=list(variants))
        for variant, read in variants.items():
            yield variant, file, [read(row) for row in rows], scores[variant], 1e-9
    for file, documented in peers_b.DOCUMENTED.items():
        rows = [row for row in peers_b.rows(file) if row.get("kind") != "tool_call"]
        scores = tc.score(
            tc.load([peers_b.one_turn(row) for row in rows], format="records"), variants=list(documented)
        )
        for variant, key in documented.items():
            # What is inferred, or can be read in two ways, documents a choice and proves nothing.
            clear = [r.get("origin") != "inferred" and key not in (r.get("ambiguous") or ()) for r in rows]
            wanted = [peers_b.within("scores", key)(row) for row, plain in zip(rows, clear) if plain]
            yield variant, file, wanted, scores[variant][clear], 1e-9


def _verdicts() -> Iterator[Compared]:
    """The verdicts of BFCL a case, and of tau2 an expected action."""
    recorded = {(row["model"], row["id"]): row["valid"] for row in bfcl.rows("bfcl.jsonl.gz")}
    for model in bfcl.ACCURACY:
        scores = tc.score(bfcl.model_runs(model), variants="bfcl.ast")["bfcl.ast"]
        yield "bfcl.ast", "bfcl.jsonl.gz", [recorded[model, case] for case in scores.index], scores, 1e-9
    mutated, data = bfcl.mutations()
    scores = tc.score(data, variants="bfcl.ast")["bfcl.ast"]
    yield "bfcl.ast", "bfcl_mutations.jsonl.gz", [row["valid"] for row in mutated], scores, 1e-9
    runs, data = peers_b.tau_runs()
    encoding = Encoding(data, scope="everyone")
    each = np.split(tau2.met(encoding), encoding.expected.offsets[1:-1])
    # A run that was not evaluated has no flags for its actions.
    judged = [(run["action_match"], met) for run, met in zip(runs, each) if run["action_match"]]
    wanted, got = (np.concatenate(flags) for flags in zip(*judged))
    yield "tau2.actions", "tau_runs.jsonl.gz", wanted, got, 1e-9


def count() -> str:
    """Return the table as CSV: variant, file, outputs recorded, and how many of them the variant gives."""
    recorded, agrees = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for variant, file, wanted, got, tolerance in comparisons():
        expected, scored = (np.asarray(list(values), dtype=np.float64) for values in (wanted, got))
        recorded[variant, file] += len(expected)
        agrees[variant, file] += int(np.isclose(expected, scored, rtol=0, atol=tolerance, equal_nan=True).sum())
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["variant", "file", "recorded", "agrees"])
    writer.writerows([*key, recorded[key], agrees[key]] for key in recorded if recorded[key])
    return text.getvalue()


if __name__ == "__main__":
    PATH.write_text(count(), encoding="utf-8")
