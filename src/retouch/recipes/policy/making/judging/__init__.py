"""Decides which side is wrong if rules and scenarios disagree: prompts and verdicts of judges, state of a server."""
