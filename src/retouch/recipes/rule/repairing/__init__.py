"""Repairs of a round: the failures are computed from its attempts and sent in a further turn."""
