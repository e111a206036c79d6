"""The prompts of an endpoint: how its types are cut into pages, and what each page says."""
