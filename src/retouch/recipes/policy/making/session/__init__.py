"""The session with a generator of scenarios: what a turn asks, and how its answer is merged into what stands."""
