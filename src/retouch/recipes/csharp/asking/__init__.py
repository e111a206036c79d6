"""The prompts of an endpoint: how its types are cut into pages, and the text of each page."""
