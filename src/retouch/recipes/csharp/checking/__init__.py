"""Tiers 1 and 2: checks whether the pages of a type are the requested C#."""
