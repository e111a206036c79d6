"""The public names of the specification, for programs that use them."""

from __future__ import annotations

from retouch.recipes.policy.making.asking.answers import parse_json_with_schema
from retouch.recipes.policy.making.session.feedback import ScenarioFeedback, format_feedback_message
from retouch.recipes.policy.making.session.turns import ScenarioGeneratorSession

__all__ = [
    "ScenarioFeedback",
    "ScenarioGeneratorSession",
    "format_feedback_message",
    "parse_json_with_schema",
]
