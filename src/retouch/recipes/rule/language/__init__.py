"""The rule language: its values, its YAML form, and problems with their positions."""
