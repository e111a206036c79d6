"""Terminal applications. Textual is imported only here."""
