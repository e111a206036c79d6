"""The built-in jobs, one folder each. They know the engine; they know no provider, no terminal and no other recipe."""
