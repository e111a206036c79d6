"""Parses C# with tree-sitter into a small tree of values."""
