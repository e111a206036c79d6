"""Terminal applications over what the library does; Textual is imported here only."""
