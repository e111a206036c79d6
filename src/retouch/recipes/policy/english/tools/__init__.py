"""Tools as words: what the names, schemas and descriptions of the tools at hand say, and what people call the same."""
