"""What an index is made of: words, their scores, what one file contributes, and the form in which it is kept."""
