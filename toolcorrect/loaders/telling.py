"""What detection shares: a look at the first records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from toolcorrect.loaders.source import Source


def mostly(signs: Iterable[object]) -> bool:
    """Tell whether at least half of some signs are there: a damaged record must not hide what the others are."""
    every = [bool(sign) for sign in signs]
    return bool(every) and 2 * sum(every) >= len(every)


def objects(source: Source) -> Iterator[dict[str, Any]]:
    """Yield those of the first records that are JSON objects; rows of a table are none."""
    if source.shape != "table":
        yield from (record for record in source.head if isinstance(record, dict))
