"""Dashboards: a state, a pure view of it, and the widgets that show it."""

from __future__ import annotations

from toolcorrect.dashboards.disagreements import disagreements

__all__ = ["disagreements"]
