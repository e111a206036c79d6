"""Applying a rule to a path, and measuring how far its glob is from a path that it does not match."""
