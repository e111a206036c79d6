"""Decides which side is at fault if rules and scenarios disagree: prompts and verdicts of judges, state of a server."""
