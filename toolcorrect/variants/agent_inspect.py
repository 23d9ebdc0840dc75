"""Tool correctness of SAP's agent-quality-inspect, where nothing needs a model."""

from __future__ import annotations

import numpy as np

from toolcorrect import pairing
from toolcorrect.encoding import Encoding, Match, SideName
from toolcorrect.key_agreement import agreement
from toolcorrect.names import Names
from toolcorrect.overlap import Overlap
from toolcorrect.variants.definition import Empty, Variant, every_property_but
from toolcorrect.variants.forms import refuses, unless_refused
from toolcorrect.variants.formulas import rounded
from toolcorrect.variants.shares import Arguments, by_name, includes, of_objects


def _fits(expected: Arguments, called: Arguments) -> bool:
    return includes(_trimmed(called), _trimmed(expected))


def _trimmed(arguments: Arguments) -> Arguments:
    return {key.strip(): value for key, value in arguments.items()}


_refused = refuses(unnamed=("expected",))


def _correctness(overlap: Overlap) -> np.ndarray:
    encoding = overlap.encoding
    met, counted = _met(encoding), _within_turns(encoding)
    return rounded(encoding.expected.count(met & counted) / encoding.expected.count(counted), 4)


def _in_words(overlap: Overlap, at: int) -> str:
    met, counted = _met(overlap.encoding), _within_turns(overlap.encoding)
    found, due = (overlap.encoding.expected.count(marked)[at] for marked in (met & counted, counted))
    return f"{found} of {due} expected met in their turn" if due else "nothing is expected in a turn of the trace"


def _met(encoding: Encoding) -> np.ndarray:
    """Mark expected calls that some call of their turn meets; a call may meet many."""
    pairs = by_name(encoding)
    e, c = pairs.expected, pairs.called
    outputs, called_outputs = np.split(encoding.output_values, [len(encoding.expected.row)])
    pairs = pairs.only(
        (_turns(encoding, "expected")[e] == _turns(encoding, "called")[c])
        & ((outputs[e] == 0) | (outputs[e] == called_outputs[c]))
    )
    expected, called = encoding.codes(Match(arguments="python"))
    met = pairing.served(pairs, expected[pairs.expected] == called[pairs.called])
    # Only an expected call without its equal needs a closer look, and only padded names have to be trimmed.
    pairs = pairs.only(~met[pairs.expected])
    found = agreement(pairs, "python")
    fits = found.objects & (found.equal == found.expected)
    fits[found.padded] = pairing.compare(pairs.only(found.padded), of_objects(_fits)) > 0
    return met | pairing.served(pairs, fits)


def _within_turns(encoding: Encoding) -> np.ndarray:
    """Mark expected calls of turns that the trace reaches; where a case does not say its turns, all are."""
    turns = encoding.data.cases["turns"].fillna(np.iinfo(np.int64).max).to_numpy(dtype=np.int64)
    return _turns(encoding, "expected") < turns[encoding.list_case][encoding.expected.owner]


def _turns(encoding: Encoding, side: SideName) -> np.ndarray:
    return np.asarray(encoding.column(side, "turn"), dtype=np.int64)


VARIANTS = (
    Variant(
        "agent_inspect.correctness",
        _correctness,
        title="agent-quality-inspect tool correctness",
        rule="share of expected calls that some call of the same turn meets: name, the expected arguments and, if "
        "given, the output; rounded to four digits",
        notation="met/E",
        looks_at=frozenset({"arguments", "outputs", "turns"}),
        words=unless_refused(_in_words, _refused),
        upstream="agent-quality-inspect",
        version="2.3.6a1",
        names=Names(trim=True),
        properties=every_property_but(),
        empty=Empty("rejected", "rejected", 0.0),
        rejects=_refused,
        faults=(
            "an expected call of a turn that the trace does not reach silently leaves the score",
            "one call can meet several equal expected ones",
        ),
    ),
)
