"""Sample file paths -> an extraction rule: the rule language, its evaluator, and what is said about rules and paths."""

from retouch.recipes.rule.errors import InvalidRule, Problem
from retouch.recipes.rule.evaluate import Extraction, Reason, apply_rule
from retouch.recipes.rule.load import Reading, load_rule, load_rules, read_text
from retouch.recipes.rule.model import Field, Rule

__all__ = [
    "Extraction",
    "Field",
    "InvalidRule",
    "Problem",
    "Reading",
    "Reason",
    "Rule",
    "apply_rule",
    "load_rule",
    "load_rules",
    "read_text",
]
