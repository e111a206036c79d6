"""What a rule takes from a path, and how near its glob comes to one that it does not fit."""
