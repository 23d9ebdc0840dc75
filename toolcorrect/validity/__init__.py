"""Calls against what was offered: schemas, unknown tools, made-up and ungrounded values."""
