"""Checks an answer: reads it in any of its forms, checks it in tiers, and tries it on every sample."""
