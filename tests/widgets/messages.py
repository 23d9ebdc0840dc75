"""Plays the browser's part: what a page would send to a widget, and what the widget answers."""

from __future__ import annotations

from typing import Any


def update(widget: Any, **state: Any) -> None:
    """Change traits as a browser does."""
    data = {"method": "update", "state": state, "buffer_paths": []}
    widget._handle_msg({"content": {"data": data}, "buffers": []})


def ask(widget: Any, **content: Any) -> list[Any]:
    """Send a custom message, and return the answers."""
    answers: list[Any] = []
    widget.send = lambda message, buffers=None: answers.append(message)
    try:
        widget._handle_msg({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})
    finally:
        del widget.send
    return answers
