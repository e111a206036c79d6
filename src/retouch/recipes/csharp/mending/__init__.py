"""Repairs by rule, without a call."""
