"""Tool correctness of SAP's agent-quality-inspect, where nothing needs a model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from toolcorrect import pairing
from toolcorrect.encoding import Encoding
from toolcorrect.names import Names
from toolcorrect.overlap import Overlap
from toolcorrect.variants.definition import Empty, Variant, rounded
from toolcorrect.variants.forms import refuses
from toolcorrect.variants.shares import Arguments, by_name, includes, of_objects


def _fits(expected: Arguments, called: Arguments) -> bool:
    return includes(_trimmed(called), _trimmed(expected))


def _trimmed(arguments: Arguments) -> Arguments:
    return {key.strip(): value for key, value in arguments.items()}


def _correctness(overlap: Overlap) -> np.ndarray:
    encoding = overlap.encoding
    met, counted = _met(encoding), _within_turns(encoding)
    return rounded(encoding.expected.count(met & counted) / encoding.expected.count(counted), 4)


def _met(encoding: Encoding) -> np.ndarray:
    """Mark expected calls that some call of their turn meets; a call may meet many."""
    pairs = by_name(encoding)
    e, c = pairs.expected, pairs.called
    outputs, called_outputs = np.split(encoding.output_values, [len(encoding.expected.row)])
    pairs = pairs.only(
        (_turns(encoding, "expected")[e] == _turns(encoding, "called")[c])
        & ((outputs[e] == 0) | (outputs[e] == called_outputs[c]))
    )
    return pairing.served(pairs, pairing.compare(pairs, of_objects(_fits)) > 0)


def _within_turns(encoding: Encoding) -> np.ndarray:
    """Mark expected calls of turns that the trace reaches: those said for the case, else those with calls."""
    last = pd.Series(_turns(encoding, "called")).groupby(encoding.called.owner).max()
    said = encoding.data.cases["turns"].to_numpy(dtype=float, na_value=np.nan)[encoding.list_case]
    reached = last.reindex(range(encoding.list_count), fill_value=0).to_numpy() + 1
    turns = np.where(np.isnan(said), reached, said)
    return np.asarray(_turns(encoding, "expected") < turns[encoding.expected.owner])


def _turns(encoding: Encoding, side: Any) -> np.ndarray:
    return np.asarray(encoding.column(side, "turn"))


VARIANTS = (
    Variant(
        "agent_inspect.correctness",
        _correctness,
        title="agent-quality-inspect tool correctness",
        rule="share of expected calls that some call of the same turn meets: name, the expected arguments and, if "
        "given, the output; rounded to four digits",
        notation="met/E",
        upstream="agent-quality-inspect",
        version="2.3.6a1",
        names=Names(trim=True),
        empty=Empty("rejected", "rejected", 0.0),
        rejects=refuses(unnamed=("expected",)),
        faults=(
            "an expected call of a turn that the trace does not reach silently leaves the score",
            "one call can meet several equal expected ones",
        ),
    ),
)
