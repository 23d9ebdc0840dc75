"""What detection shares: a look at the first records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcorrect.loaders.source import Source


def objects(source: Source) -> Iterator[dict[str, Any]]:
    """Yield those of the first records that are JSON objects; rows of a table are none."""
    if source.shape != "table":
        yield from (record for record in source.head if isinstance(record, dict))
