"""What a policy says: its values, and the files that hold them."""
