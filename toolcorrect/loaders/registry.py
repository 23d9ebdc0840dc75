"""The formats that come with the package, one line each."""

from __future__ import annotations

from toolcorrect.loaders.bfcl import BFCL_RESULT
from toolcorrect.loaders.deepeval import DEEPEVAL_GOLDENS, DEEPEVAL_TESTCASES
from toolcorrect.loaders.format import register
from toolcorrect.loaders.galtea import GALTEA_SPANS
from toolcorrect.loaders.openai_chat import OPENAI_CHAT
from toolcorrect.loaders.plain_records import PLAIN_RECORDS
from toolcorrect.loaders.tau import TAU2, TAU_BENCH

register(PLAIN_RECORDS)
register(OPENAI_CHAT)
register(TAU_BENCH, TAU2)
register(DEEPEVAL_TESTCASES, DEEPEVAL_GOLDENS)
register(GALTEA_SPANS)
register(BFCL_RESULT)
