"""Vertex AI evaluation data sets: predicted and reference trajectories."""

from __future__ import annotations

from typing import Any

from toolcorrect.loaders.format import Format, each_record
from toolcorrect.loaders.plain_records import add_lists
from toolcorrect.loaders.rows import Rows
from toolcorrect.loaders.source import Source

_CALLED, _EXPECTED = "predicted_trajectory", "reference_trajectory"


def read_record(record: Any, rows: Rows) -> None:
    """Read one row of the data set."""
    identity = record.get("case", record.get("id"))
    tags = {
        key: value
        for key, value in record.items()
        if key not in (_CALLED, _EXPECTED, "prompt", "response", "case", "id")
    }
    case = rows.case(identity, input=record.get("prompt"), output=record.get("response"), tags=tags)
    add_lists(case, record.get(_CALLED), record.get(_EXPECTED), None)


def detect(source: Source) -> tuple[float, str] | None:
    """Recognise rows by their trajectories."""
    keys = {key for record in source.head if isinstance(record, dict) for key in record} | set(source.columns)
    if {_CALLED, _EXPECTED} & keys:
        return 0.95, "predicted_trajectory or reference_trajectory"
    return None


VERTEX = Format("vertex_trajectories", "Vertex AI evaluation data sets", detect, each_record(read_record))
