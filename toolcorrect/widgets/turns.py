"""One browser message at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any

# A kernel may handle the messages of each widget in a thread of its own (JupyterLab does so since 4.4), so that
# two controls moved quickly would draw at once. One lock for all our widgets cannot deadlock.
_TURN = threading.RLock()


def in_turn(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let a method wait until no other such method runs in another thread."""

    @wraps(method)
    def waiting(*args: Any, **options: Any) -> Any:
        with _TURN:
            return method(*args, **options)

    return waiting
