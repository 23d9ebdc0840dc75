"""The formats that come with the package, one line each."""

from __future__ import annotations

from toolcorrect.loaders.format import register
from toolcorrect.loaders.plain_records import PLAIN_RECORDS

register(PLAIN_RECORDS)
