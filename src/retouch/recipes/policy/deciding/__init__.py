"""Decides about one call, and explains the decision."""
