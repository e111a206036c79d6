"""The core: one loop over stored prompts. It knows no recipe, no provider and no terminal."""
