"""Globs of rules: parsed, fitted to paths, and compared with each other."""
