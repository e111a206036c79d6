"""Tier 4: payloads are read and written by System.Text.Json, and compared."""
