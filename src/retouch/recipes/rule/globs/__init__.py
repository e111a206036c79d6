"""Globs of rules: parsing, matching paths, and comparing them with each other."""
