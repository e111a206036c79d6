"""The wizard as a plain object: events in, the next state and what is to be done out. Knows no screen and no model."""
