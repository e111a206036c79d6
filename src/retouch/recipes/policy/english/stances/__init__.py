"""Phrases that say what may happen, wherever they stand in a sentence."""
