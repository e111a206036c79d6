"""Runs Python in a process that is locked by the kernel. Linux only."""
