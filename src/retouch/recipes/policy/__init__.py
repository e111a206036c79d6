"""Plain English -> rules and scenarios that agree: the engine that decides about calls, without any model.

from retouch.recipes.policy import Policy, evaluate

policy = Policy.load("policy.json")
decision = evaluate(policy, {"serverName": "filesystem", "toolName": "read_file", "arguments": {"path": "~/a"}})
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._faces import lazily

if TYPE_CHECKING:
    from retouch.recipes.policy.analysis import Analysis, Finding, analyse
    from retouch.recipes.policy.canonical import prepare_arguments
    from retouch.recipes.policy.coverage import Coverage, Gap, measure_coverage
    from retouch.recipes.policy.decision import Decision, Trace
    from retouch.recipes.policy.difference import Change, Difference, compare_policies
    from retouch.recipes.policy.evaluation import Surroundings, evaluate
    from retouch.recipes.policy.explanation import Explanation, WhyNot, explain, why_not
    from retouch.recipes.policy.filters import Discard, Filtered, contradictions, filter_scenarios, refuse_handwritten
    from retouch.recipes.policy.making.answers import parse_json_with_schema
    from retouch.recipes.policy.making.feedback import ScenarioFeedback, format_feedback_message
    from retouch.recipes.policy.making.job import recipe
    from retouch.recipes.policy.making.session import ScenarioGeneratorSession, SessionLimits
    from retouch.recipes.policy.making.source import PolicyJob, policy_job
    from retouch.recipes.policy.paths import is_within, real_path
    from retouch.recipes.policy.policy import Policy
    from retouch.recipes.policy.regions import tool_spaces
    from retouch.recipes.policy.scenarios import Execution, Scenario, execute, meets, read_scenarios, request_id
    from retouch.recipes.policy.urls import (
        domain_matches,
        extract_domain,
        extract_git_domain,
        normalize_git_url,
        normalize_url,
    )
    from retouch.recipes.policy.validation import Complaint, validate_policy
    from retouch.recipes.policy.values import ListDef, Request, ResolvedList, Rule, Server, Tool, When

_HOMES = {
    "Analysis": "analysis",
    "Change": "difference",
    "Complaint": "validation",
    "Coverage": "coverage",
    "Decision": "decision",
    "Difference": "difference",
    "Discard": "filters",
    "Execution": "scenarios",
    "Explanation": "explanation",
    "Filtered": "filters",
    "Finding": "analysis",
    "Gap": "coverage",
    "ListDef": "values",
    "Policy": "policy",
    "PolicyJob": "making.source",
    "Request": "values",
    "ResolvedList": "values",
    "Rule": "values",
    "Scenario": "scenarios",
    "ScenarioFeedback": "making.feedback",
    "ScenarioGeneratorSession": "making.session",
    "Server": "values",
    "SessionLimits": "making.session",
    "Surroundings": "evaluation",
    "Tool": "values",
    "Trace": "decision",
    "When": "values",
    "WhyNot": "explanation",
    "analyse": "analysis",
    "compare_policies": "difference",
    "contradictions": "filters",
    "domain_matches": "urls",
    "evaluate": "evaluation",
    "execute": "scenarios",
    "explain": "explanation",
    "extract_domain": "urls",
    "extract_git_domain": "urls",
    "filter_scenarios": "filters",
    "format_feedback_message": "making.feedback",
    "is_within": "paths",
    "measure_coverage": "coverage",
    "meets": "scenarios",
    "normalize_git_url": "urls",
    "normalize_url": "urls",
    "parse_json_with_schema": "making.answers",
    "policy_job": "making.source",
    "prepare_arguments": "canonical",
    "read_scenarios": "scenarios",
    "real_path": "paths",
    "recipe": "making.job",
    "refuse_handwritten": "filters",
    "request_id": "scenarios",
    "tool_spaces": "regions",
    "validate_policy": "validation",
    "why_not": "explanation",
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
    "Request",
    "ResolvedList",
    "Rule",
    "Scenario",
    "ScenarioFeedback",
    "ScenarioGeneratorSession",
    "Server",
    "SessionLimits",
    "Surroundings",
    "Tool",
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

__getattr__ = lazily(__name__, {name: f".{home}" for name, home in _HOMES.items()})
