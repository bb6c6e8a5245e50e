"""Measurements of time and memory, each ours against theirs in one run."""
