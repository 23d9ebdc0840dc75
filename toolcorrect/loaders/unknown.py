"""What to say of content that no format fits."""

from __future__ import annotations

from toolcorrect.errors import LoadError
from toolcorrect.loaders.format import seen
from toolcorrect.loaders.plain_records import meant_by
from toolcorrect.loaders.source import Source

_EXAMPLE = '{"case": "a", "called": ["search"], "expected": ["search"]}'


def not_known(source: Source) -> LoadError:
    """Make the error for content of no known format: what was seen, what may be meant, what to do."""
    if source.shape == "table" and not source.head:
        return LoadError(f"{source.name} has a header and no record below it. Was the export empty?")
    if source.shape != "archive" and not source.head:
        return LoadError(f"{source.name} is of no known format: there is no record in it. Was the export empty?")
    keys = source.columns or [str(key) for record in source.head if isinstance(record, dict) for key in record]
    slips = {key: meant for key in dict.fromkeys(keys[:1000]) if (meant := meant_by(key))}
    renamed = dict(list(slips.items())[:4]) or {"found": "called"}
    return LoadError(
        f"{source.name} is of no known format: {seen(source)}. "
        f"Rename keys with columns={renamed}, write records like {_EXAMPLE}, "
        'or force a format, such as format="plain_records"; tc.formats() lists them.'
    )
