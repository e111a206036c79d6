"""Words and their readings at a position of a sentence: what each part of speech may be, without any tool."""
