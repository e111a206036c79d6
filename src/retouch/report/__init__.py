"""A run folder as one HTML file that stands by itself."""
