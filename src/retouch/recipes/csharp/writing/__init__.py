"""Builds files from pages: one block per type, the assembled file, and the page for review."""
