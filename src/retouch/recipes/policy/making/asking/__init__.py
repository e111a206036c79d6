"""The prompts, the source they are made from, and the form of the answers."""
