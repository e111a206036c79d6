"""The forms of whole sentences, and of the phrases that they are made of."""
