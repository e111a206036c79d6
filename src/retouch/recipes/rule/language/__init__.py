"""What a rule says: its values, and the YAML that it is read from and written as, each problem with its place."""
