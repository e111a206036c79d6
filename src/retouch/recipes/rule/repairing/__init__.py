"""How to ask again: what failed is worked out from the attempts of a round, and told in a further turn."""
