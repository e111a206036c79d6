"""Enforcing a policy while an agent works: one core that decides calls, and thin faces for MCP and for hooks."""
