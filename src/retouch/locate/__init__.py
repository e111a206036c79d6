"""Where to mend: spans of source code, evidence about them, and their ranking. Knows no engine and no recipe."""
