"""Loaders: any trace or test-case file in, one `Dataset` out.

How to add a format (see `plain_records` for a small one):

1. Write a module with two functions. ``detect(source)`` looks at an open `Source` (``shape``, ``head``,
   ``columns``, ``document``) and returns ``(confidence, reason)`` or None. ``read(source, rows)`` fills `Rows`;
   where records stand alone write ``read_one(record, rows)`` and wrap it: ``each_record(read_one)``.
2. In it call ``case = rows.case(id, model=..., input=..., any_tag=...)`` for each run, then
   ``case.call(name, arguments, id=..., step=...)`` for each call the model announced, in order,
   ``case.result(output, id=...)`` for each answer to a call, ``case.execution(name, arguments, id=..., output=...,
   error=...)`` for each tool span (after the announcements: the two are joined, one call = one id in one trace),
   ``case.expect(name, arguments)`` and ``case.tool(name, parameters=...)``. Arguments as they are (object, text,
   None; leave them out where the format has none): decoding is done for you. Say ``called_known=False`` where
   null or missing means that nobody knows. Note anything odd: ``case.report("code", "in words")``.
3. Read parts of a whole document under ``with rows.record("span 3"):`` so that a bad one is skipped and reported.
4. Make ``Format(name, title, detect, read)`` and add it to ``registry.py`` in one line. Your own, outside the
   package: ``register(Format(...))``, or ``load(path, format=Format(...))``.
5. Where a run may be spread over several files, let ``read`` leave what it gathered in ``rows.unfinished`` and give
   the format a ``combine``, which makes the cases of all files together (see `toolcorrect.loaders.traces`).
"""

from __future__ import annotations

from toolcorrect.loaders import registry as _registry  # noqa: F401
from toolcorrect.loaders.calls import Call
from toolcorrect.loaders.format import Detection, Format, each_record, formats, register
from toolcorrect.loaders.loading import detect, load
from toolcorrect.loaders.rows import Case, Rows
from toolcorrect.loaders.source import Source

__all__ = [
    "Call",
    "Case",
    "Detection",
    "Format",
    "Rows",
    "Source",
    "detect",
    "each_record",
    "formats",
    "load",
    "register",
]
