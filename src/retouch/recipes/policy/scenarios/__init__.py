"""Calls with an expected decision: reads them, executes them, and removes those that prove nothing."""
