"""Many requests answered together through a provider's batch API: later, and for less."""
