"""The rules of C# for text: keywords, string literals, and prose in source code."""
