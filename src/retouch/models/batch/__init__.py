"""Sends many requests through a provider's batch API, which answers later and costs less."""
