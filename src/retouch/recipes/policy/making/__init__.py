"""Plain English -> rules and scenarios that agree: the recipe, its judge, its patches, its session with a generator."""
