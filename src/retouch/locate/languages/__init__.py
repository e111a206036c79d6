"""The languages whose definitions can be located, each a value."""
