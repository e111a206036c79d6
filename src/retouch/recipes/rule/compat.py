"""The names of the specification, for programs that were written against it."""

from __future__ import annotations

from retouch.engine.tiers import ValidationResult
from retouch.engine.types import RetryBudget
from retouch.recipes.rule.asking.context import RetryContext, get_spinner_message
from retouch.recipes.rule.asking.turns import build_retry_prompt

__all__ = [
    "RetryBudget",
    "RetryContext",
    "ValidationResult",
    "build_retry_prompt",
    "get_spinner_message",
]
