"""Runs code in pydantic-monty: an interpreter of its own, in worker processes, on every system."""
