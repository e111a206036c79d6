"""Compiles plain English to rules and scenarios that agree: the recipe, judge, patches, and generator session."""
