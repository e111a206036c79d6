"""The session with a scenario generator: the message of each turn, and how its answer is merged."""
