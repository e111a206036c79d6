"""Sample file paths -> an extraction rule: the rule language, its evaluator, and the recipe that finds a rule.

Holds the rule language, its evaluator, and the checks of rules. Names are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch.engine.tiers import ValidationResult
    from retouch.engine.types import RetryBudget
    from retouch.recipes.rule.applying.evaluation import apply_rule
    from retouch.recipes.rule.asking.context import RetryContext, WizardState, get_spinner_message
    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.asking.turns import build_retry_prompt
    from retouch.recipes.rule.detecting.candidates import RuleCandidate, detect
    from retouch.recipes.rule.errors import InvalidRule, Problem
    from retouch.recipes.rule.job import recipe
    from retouch.recipes.rule.language.extraction import Extraction, Reason
    from retouch.recipes.rule.language.load import RuleReading, load_rule, load_rules, read_text
    from retouch.recipes.rule.language.model import ExtractionRule, Field

_HOMES = {
    "RuleCandidate": ".detecting.candidates",
    "Extraction": ".language.extraction",
    "Field": ".language.model",
    "InvalidRule": ".errors",
    "Problem": ".errors",
    "RuleReading": ".language.load",
    "Reason": ".language.extraction",
    "RetryBudget": "retouch.engine.types",
    "RetryContext": ".asking.context",
    "ExtractionRule": ".language.model",
    "RuleJob": ".asking.source",
    "ValidationResult": "retouch.engine.tiers",
    "WizardState": ".asking.context",
    "apply_rule": ".applying.evaluation",
    "build_retry_prompt": ".asking.turns",
    "detect": ".detecting.candidates",
    "get_spinner_message": ".asking.context",
    "load_rule": ".language.load",
    "load_rules": ".language.load",
    "read_text": ".language.load",
    "recipe": ".job",
}

__all__ = [
    "Extraction",
    "ExtractionRule",
    "Field",
    "InvalidRule",
    "Problem",
    "Reason",
    "RetryBudget",
    "RetryContext",
    "RuleCandidate",
    "RuleJob",
    "RuleReading",
    "ValidationResult",
    "WizardState",
    "apply_rule",
    "build_retry_prompt",
    "detect",
    "get_spinner_message",
    "load_rule",
    "load_rules",
    "read_text",
    "recipe",
]

__getattr__ = lazy_attributes(__name__, _HOMES)
