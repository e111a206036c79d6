"""Phrases that are replaced by plainer ones before a sentence is read."""
