"""Suggests exact sentences for a sentence that is not understood."""
