"""Resolves the schemas of a document: references are followed, and combinations are merged."""
