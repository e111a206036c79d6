"""Sample file paths -> an extraction rule: the rule language, its evaluator, and what is said about rules and paths."""

from retouch.engine.budget import RetryBudget
from retouch.engine.validation import ValidationResult
from retouch.recipes.rule.asking.context import RetryContext, WizardState, get_spinner_message
from retouch.recipes.rule.asking.source import RuleJob
from retouch.recipes.rule.asking.turns import build_retry_prompt
from retouch.recipes.rule.errors import InvalidRule, Problem
from retouch.recipes.rule.evaluate import Extraction, Reason, apply_rule
from retouch.recipes.rule.job import recipe
from retouch.recipes.rule.load import Reading, load_rule, load_rules, read_text
from retouch.recipes.rule.model import Field, Rule

__all__ = [
    "Extraction",
    "Field",
    "InvalidRule",
    "Problem",
    "Reading",
    "Reason",
    "RetryBudget",
    "RetryContext",
    "Rule",
    "RuleJob",
    "ValidationResult",
    "WizardState",
    "apply_rule",
    "build_retry_prompt",
    "get_spinner_message",
    "load_rule",
    "load_rules",
    "read_text",
    "recipe",
]
