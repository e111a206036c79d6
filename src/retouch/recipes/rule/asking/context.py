"""The failures of the current round, and the status line that the user sees while a response is pending."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from retouch.engine.types import RetryBudget

if TYPE_CHECKING:
    from retouch.engine.tiers import ValidationResult


class WizardState(StrEnum):
    """The user's position between sample paths and an approved rule."""

    ANALYZING = "analyzing"
    REGENERATING = "regenerating"
    YAML_RESULT = "yaml_result"
    PYTHON_RESULT = "python_result"
    HINT_INPUT = "hint_input"
    EDITING = "editing"
    VALIDATING = "validating"
    VALIDATION_ERROR = "validation_error"
    ANALYSIS_ERROR = "analysis_error"
    APPROVED = "approved"
    CANCELED = "canceled"
    CLOSED = "closed"


@dataclass(kw_only=True)
class RetryContext:
    """The failures of one round, oldest first, and its remaining budget.

    `add_failure` only records. `grant` asks for a retry and pays for it if it is granted. `retries` counts the granted
    ones.
    """

    budget: RetryBudget = field(default_factory=RetryBudget)
    validation_history: list[ValidationResult] = field(default_factory=list["ValidationResult"])
    last_error: ValidationResult | None = None
    retries: int = 0

    def add_failure(self, result: ValidationResult) -> None:
        """Record the issues of one answer."""
        self.validation_history.append(result)
        self.last_error = result

    def grant(self) -> bool:
        """Return whether the last failure may be retried. If it may, the retry is paid from the budget."""
        tier = self.last_error.tier if self.last_error is not None else 0
        if not self.budget.can_retry(tier):
            return False
        self.budget = self.budget.consume(tier)
        self.retries += 1
        return True

    @property
    def attempt(self) -> int:
        """The number of the current answer in this round, from 1."""
        return 1 + self.retries

    @property
    def most_retries(self) -> int:
        """The largest number of retries that this round can have."""
        return self.retries + self.budget.total_remaining


_WAITING = {
    WizardState.ANALYZING: "Analyzing paths...",
    WizardState.REGENERATING: "Regenerating...",
    WizardState.VALIDATING: "Checking your edit...",
}


def get_spinner_message(state: WizardState, retry_context: RetryContext | None) -> str:
    """Return the status line shown while a response is pending. A retry adds a line with the previous error."""
    if retry_context is None or retry_context.retries == 0 or state == WizardState.VALIDATING:
        return _WAITING.get(state, "")
    last = retry_context.last_error
    activity = "Testing on samples" if last is not None and last.tier == 3 else "Validating output"
    base = f"{activity}... (retry {retry_context.retries} of {retry_context.most_retries})"
    return f"{base}\n  Previous: {last.short_message}" if last is not None else base
