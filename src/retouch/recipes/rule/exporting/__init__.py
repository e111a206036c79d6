"""Writes a rule for other tools, and proves by running it that the result gives the same values."""
