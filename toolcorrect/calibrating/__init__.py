"""Definitions against an outcome: discrimination, verdicts, repeated trials, labels by people."""
