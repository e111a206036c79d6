"""Automatic fixes, without a call."""
