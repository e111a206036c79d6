"""Enforces a policy while an agent works: a core that decides calls, with adapters for MCP and hooks."""
