"""Reads ordinary sentences: all readings, what they mean for the tools at hand, and whether they agree."""
