"""Drafts: rules that passed every check, stored in the user's data directory until they are approved or expire."""
