"""What things are called in C#: valid, unique, and the same whatever stands beside them."""
