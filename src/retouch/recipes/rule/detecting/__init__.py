"""A rule inferred from sample paths, without a model: values are cut into columns, columns become fields."""
