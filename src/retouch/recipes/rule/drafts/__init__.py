"""Drafts: rules that passed every check, kept in the user's data directory until they are approved or expire."""
