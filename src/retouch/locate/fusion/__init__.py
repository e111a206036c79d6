"""Fuses the hints of several strategies to one ranking of candidates. Independent of the language."""
