"""Compiles plain English to rules and scenarios that agree: the recipe, its judge, its patches, its generator session."""
