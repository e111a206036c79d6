"""What C# asks of text: its words, its string literals, prose that may stand in it."""
