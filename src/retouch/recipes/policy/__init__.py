"""Plain English -> rules and test scenarios that agree: decide about tool calls without a model.

policy = Policy.load("policy.json")
decision = evaluate(policy, {"serverName": "filesystem", "toolName": "read_file", "arguments": {"path": "~/a"}})
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch.recipes.policy.analysing.coverage import Coverage, Gap, measure_coverage
    from retouch.recipes.policy.analysing.difference import Change, Difference, compare_policies
    from retouch.recipes.policy.analysing.explanation import Explanation, WhyNot, explain, why_not
    from retouch.recipes.policy.analysing.idle_rules import Analysis, Finding, analyse
    from retouch.recipes.policy.analysing.regions import tool_spaces
    from retouch.recipes.policy.analysing.validation import Complaint, validate_policy
    from retouch.recipes.policy.deciding.decision import Decision, Trace
    from retouch.recipes.policy.deciding.evaluation import Surroundings, evaluate
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import ListDef, ResolvedList, Rule, Server, Tool, ToolCall, When
    from retouch.recipes.policy.making.asking.answers import parse_json_with_schema
    from retouch.recipes.policy.making.asking.source import PolicyJob, policy_job
    from retouch.recipes.policy.making.job import recipe
    from retouch.recipes.policy.making.session.feedback import ScenarioFeedback, format_feedback_message
    from retouch.recipes.policy.making.session.turns import ScenarioGeneratorSession, SessionLimits
    from retouch.recipes.policy.resources.arguments import prepare_arguments
    from retouch.recipes.policy.resources.hosts import (
        domain_matches,
        extract_domain,
        extract_git_domain,
        normalize_git_url,
        normalize_url,
    )
    from retouch.recipes.policy.resources.paths import is_within, real_path
    from retouch.recipes.policy.scenarios.execution import Execution, execute
    from retouch.recipes.policy.scenarios.files import read_scenarios
    from retouch.recipes.policy.scenarios.filters import (
        Discard,
        Filtered,
        contradictions,
        filter_scenarios,
        refuse_handwritten,
    )
    from retouch.recipes.policy.scenarios.scenario import Scenario, meets, request_id

_HOMES = {
    "Analysis": "analysing.idle_rules",
    "Change": "analysing.difference",
    "Complaint": "analysing.validation",
    "Coverage": "analysing.coverage",
    "Decision": "deciding.decision",
    "Difference": "analysing.difference",
    "Discard": "scenarios.filters",
    "Execution": "scenarios.execution",
    "Explanation": "analysing.explanation",
    "Filtered": "scenarios.filters",
    "Finding": "analysing.idle_rules",
    "Gap": "analysing.coverage",
    "ListDef": "language.values",
    "Policy": "language.policy",
    "PolicyJob": "making.asking.source",
    "ToolCall": "language.values",
    "ResolvedList": "language.values",
    "Rule": "language.values",
    "Scenario": "scenarios.scenario",
    "ScenarioFeedback": "making.session.feedback",
    "ScenarioGeneratorSession": "making.session.turns",
    "Server": "language.values",
    "SessionLimits": "making.session.turns",
    "Surroundings": "deciding.evaluation",
    "Tool": "language.values",
    "Trace": "deciding.decision",
    "When": "language.values",
    "WhyNot": "analysing.explanation",
    "analyse": "analysing.idle_rules",
    "compare_policies": "analysing.difference",
    "contradictions": "scenarios.filters",
    "domain_matches": "resources.hosts",
    "evaluate": "deciding.evaluation",
    "execute": "scenarios.execution",
    "explain": "analysing.explanation",
    "extract_domain": "resources.hosts",
    "extract_git_domain": "resources.hosts",
    "filter_scenarios": "scenarios.filters",
    "format_feedback_message": "making.session.feedback",
    "is_within": "resources.paths",
    "measure_coverage": "analysing.coverage",
    "meets": "scenarios.scenario",
    "normalize_git_url": "resources.hosts",
    "normalize_url": "resources.hosts",
    "parse_json_with_schema": "making.asking.answers",
    "policy_job": "making.asking.source",
    "prepare_arguments": "resources.arguments",
    "read_scenarios": "scenarios.files",
    "real_path": "resources.paths",
    "recipe": "making.job",
    "refuse_handwritten": "scenarios.filters",
    "request_id": "scenarios.scenario",
    "tool_spaces": "analysing.regions",
    "validate_policy": "analysing.validation",
    "why_not": "analysing.explanation",
}

__all__ = [
    "Analysis",
    "Change",
    "Complaint",
    "Coverage",
    "Decision",
    "Difference",
    "Discard",
    "Execution",
    "Explanation",
    "Filtered",
    "Finding",
    "Gap",
    "ListDef",
    "Policy",
    "PolicyJob",
    "ResolvedList",
    "Rule",
    "Scenario",
    "ScenarioFeedback",
    "ScenarioGeneratorSession",
    "Server",
    "SessionLimits",
    "Surroundings",
    "Tool",
    "ToolCall",
    "Trace",
    "When",
    "WhyNot",
    "analyse",
    "compare_policies",
    "contradictions",
    "domain_matches",
    "evaluate",
    "execute",
    "explain",
    "extract_domain",
    "extract_git_domain",
    "filter_scenarios",
    "format_feedback_message",
    "is_within",
    "measure_coverage",
    "meets",
    "normalize_git_url",
    "normalize_url",
    "parse_json_with_schema",
    "policy_job",
    "prepare_arguments",
    "read_scenarios",
    "real_path",
    "recipe",
    "refuse_handwritten",
    "request_id",
    "tool_spaces",
    "validate_policy",
    "why_not",
]

__getattr__ = lazy_attributes(__name__, {name: f".{home}" for name, home in _HOMES.items()})
