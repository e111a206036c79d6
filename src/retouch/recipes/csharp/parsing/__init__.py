"""C# text as a small tree of values, by tree-sitter."""
