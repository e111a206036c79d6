"""Commands of `retouch policy` that belong to this recipe alone."""
