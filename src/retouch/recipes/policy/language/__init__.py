"""The values of a policy, and the files that store them."""
