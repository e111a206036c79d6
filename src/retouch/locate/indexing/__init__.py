"""The parts of an index: words, scores, the contents of a file, and the stored form."""
