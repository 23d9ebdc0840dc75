"""Definitions and runs against each other: agreement, rankings, what implies what, paired comparison."""
