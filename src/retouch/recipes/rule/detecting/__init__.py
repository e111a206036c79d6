"""Infers a rule from sample paths without a model: values are cut into columns, and columns become fields."""
