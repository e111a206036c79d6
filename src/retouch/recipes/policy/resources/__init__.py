"""The resources that arguments name: their roles, paths and hosts."""
