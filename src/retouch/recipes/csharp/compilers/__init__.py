"""Tier 3: real C# compilers judge the assembled file, and what they say is mapped back to types and pages."""
