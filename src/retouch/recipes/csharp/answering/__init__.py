"""Answers that no model gave: by rule from the prompt alone, and spoiled as models spoil them."""
