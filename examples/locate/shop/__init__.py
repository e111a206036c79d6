"""A small shop with two defects, for the demo beside it."""
