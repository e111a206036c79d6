"""Regular expressions of rules: those of RE2, parsed, and searched in a time that is bounded."""
