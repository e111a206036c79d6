"""Answers without a model: the offline model, which follows the prompt, and faults as models make them."""
