"""The formats that come with the package, one line each."""

from __future__ import annotations

from toolcorrect.loaders.adk import ADK_SESSION
from toolcorrect.loaders.adk_eval import ADK_EVALSET, ADK_INVOCATIONS, ADK_LEGACY_TEST
from toolcorrect.loaders.anthropic import ANTHROPIC_MESSAGES
from toolcorrect.loaders.anthropic_stream import ANTHROPIC_STREAM
from toolcorrect.loaders.autogen import AUTOGEN_TASK_RESULT
from toolcorrect.loaders.bedrock import BEDROCK_CONVERSE
from toolcorrect.loaders.bfcl import BFCL_RESULT
from toolcorrect.loaders.claude_code import CLAUDE_CODE
from toolcorrect.loaders.crewai import CREWAI_EVENTS, CREWAI_OUTPUT
from toolcorrect.loaders.deepeval import DEEPEVAL_GOLDENS, DEEPEVAL_TESTCASES
from toolcorrect.loaders.format import register
from toolcorrect.loaders.galtea import GALTEA_SPANS
from toolcorrect.loaders.gemini import GEMINI_CONTENTS
from toolcorrect.loaders.inspect_log import INSPECT_LOG
from toolcorrect.loaders.langchain import LANGCHAIN_DUMPD, LANGCHAIN_MODEL_DUMP, LANGCHAIN_TO_DICT, LANGGRAPH_UPDATES
from toolcorrect.loaders.langfuse import LANGFUSE_OBSERVATIONS
from toolcorrect.loaders.langsmith import LANGSMITH_RUNS
from toolcorrect.loaders.livemcpbench import LIVEMCPBENCH
from toolcorrect.loaders.llamaindex import LLAMAINDEX
from toolcorrect.loaders.mlflow import MLFLOW_DATASET, MLFLOW_TRACE
from toolcorrect.loaders.openai_agents import OPENAI_AGENTS
from toolcorrect.loaders.openai_chat import OPENAI_CHAT
from toolcorrect.loaders.openai_responses import OPENAI_RESPONSES
from toolcorrect.loaders.openai_stream import OPENAI_CHAT_STREAM
from toolcorrect.loaders.otlp import OTEL_CONSOLE, OTLP
from toolcorrect.loaders.phoenix import PHOENIX_FRAME, PHOENIX_SPANS
from toolcorrect.loaders.plain_records import PLAIN_RECORDS
from toolcorrect.loaders.promptfoo import PROMPTFOO_RESULTS, PROMPTFOO_TESTS
from toolcorrect.loaders.pydantic_ai import PYDANTIC_AI
from toolcorrect.loaders.ragas import RAGAS_MULTITURN
from toolcorrect.loaders.sharegpt import HERMES_TEXT, SHAREGPT
from toolcorrect.loaders.smolagents import SMOLAGENTS_STEPS
from toolcorrect.loaders.tau import TAU2, TAU_BENCH
from toolcorrect.loaders.vercel import VERCEL_MESSAGES, VERCEL_STEPS
from toolcorrect.loaders.vertex import VERTEX

register(PLAIN_RECORDS)
register(OPENAI_CHAT)
register(TAU_BENCH, TAU2)
register(DEEPEVAL_TESTCASES, DEEPEVAL_GOLDENS)
register(GALTEA_SPANS)
register(BFCL_RESULT)
register(OPENAI_AGENTS, OPENAI_CHAT_STREAM, ANTHROPIC_STREAM)
register(PROMPTFOO_RESULTS, ADK_EVALSET, ADK_SESSION, CREWAI_OUTPUT, AUTOGEN_TASK_RESULT)
register(CLAUDE_CODE, ADK_INVOCATIONS, ADK_LEGACY_TEST, CREWAI_EVENTS, SMOLAGENTS_STEPS)
register(LIVEMCPBENCH, VERTEX, PROMPTFOO_TESTS)
register(*OTLP, OTEL_CONSOLE, PHOENIX_FRAME, PHOENIX_SPANS, MLFLOW_TRACE, MLFLOW_DATASET)
register(LANGFUSE_OBSERVATIONS, LANGSMITH_RUNS, INSPECT_LOG)
register(LANGGRAPH_UPDATES, VERCEL_STEPS)
# Lists of messages: all are found with the same confidence, so that the first of these that fits is taken.
register(HERMES_TEXT, SHAREGPT)
register(LANGCHAIN_DUMPD, LANGCHAIN_TO_DICT, PYDANTIC_AI, GEMINI_CONTENTS, LLAMAINDEX, BEDROCK_CONVERSE)
register(VERCEL_MESSAGES, ANTHROPIC_MESSAGES, OPENAI_RESPONSES, LANGCHAIN_MODEL_DUMP, RAGAS_MULTITURN)
