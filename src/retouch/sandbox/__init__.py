"""Runs Python that a model wrote under limits: time, memory, output, files, network. Knows no engine."""
