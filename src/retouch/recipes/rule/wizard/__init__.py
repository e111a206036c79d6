"""The wizard as a plain object: it maps events to the next state and the effects. It knows no screen and no model."""
