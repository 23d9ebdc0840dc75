"""Means, intervals, correlations and thresholds of score frames."""
