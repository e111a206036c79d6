"""Names in C#: valid, unique, and independent of their siblings."""
