"""What a policy decides about one call, and why."""
