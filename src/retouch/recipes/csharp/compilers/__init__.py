"""Tier 3: compiles the assembled file, and maps the compiler's diagnostics to types and pages."""
