"""Regular expressions of rules: RE2 syntax, parsed, and searched in bounded time."""
