"""Small widgets: a table that loads lazily, and expected calls beside the calls made."""

from __future__ import annotations

from toolcorrect.widgets.diff import Diff
from toolcorrect.widgets.table import Table

__all__ = ["Diff", "Table"]
