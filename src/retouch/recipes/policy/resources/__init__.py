"""The things in the world that arguments name: the roles they play there, paths and hosts."""
