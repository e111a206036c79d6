"""The engine's verbs to await; `retouch` itself has the same ones as plain functions."""

from retouch.engine.verbs import adopt, assemble, generate, regenerate, repaginate, validate

__all__ = ["adopt", "assemble", "generate", "regenerate", "repaginate", "validate"]
