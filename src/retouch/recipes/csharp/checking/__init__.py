"""Tiers 1 and 2: whether the pages of a type are the C# that was asked for."""
