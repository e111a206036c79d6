"""From pages to files: one block per type, the assembled file, the page for review."""
