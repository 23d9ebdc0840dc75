"""The neutral spans of the field cases as traces of a format that loaders understand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ADAPTERS: dict[str, Callable[[Any], Any]] = {}
