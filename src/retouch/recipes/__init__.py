"""The built-in recipes, one package each. They know the engine; they know no provider, terminal or other recipe."""
