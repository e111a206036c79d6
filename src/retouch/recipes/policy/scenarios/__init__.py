"""Calls with the decision that is expected of them: read, executed, and filtered for those that prove something."""
