"""Runs code in pydantic-monty: a separate interpreter in worker processes, on every operating system."""
