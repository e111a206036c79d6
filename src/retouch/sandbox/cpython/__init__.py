"""Runs Python itself in a process that the kernel has locked: Linux only."""
