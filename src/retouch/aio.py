"""The verbs to await; `retouch` itself has the same ones as plain functions."""

from retouch.engine.verbs import adopt, assemble, compare, generate, regenerate, repaginate, validate

__all__ = ["adopt", "assemble", "compare", "generate", "regenerate", "repaginate", "validate"]
