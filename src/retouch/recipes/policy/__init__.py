"""Plain English -> rules and scenarios that agree: the engine that decides about calls, without any model.

    from retouch.recipes.policy import Policy, evaluate

    policy = Policy.load("policy.json")
    decision = evaluate(policy, {"serverName": "filesystem", "toolName": "read_file", "arguments": {"path": "~/a"}})
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retouch.recipes.policy.canonical import prepare_arguments
    from retouch.recipes.policy.decision import Decision, Trace
    from retouch.recipes.policy.evaluation import Surroundings, evaluate
    from retouch.recipes.policy.filters import contradictions, filter_scenarios
    from retouch.recipes.policy.paths import is_within, real_path
    from retouch.recipes.policy.policy import Policy
    from retouch.recipes.policy.scenarios import Execution, Scenario, execute, read_scenarios
    from retouch.recipes.policy.urls import (
        domain_matches,
        extract_domain,
        extract_git_domain,
        normalize_git_url,
        normalize_url,
    )
    from retouch.recipes.policy.values import Request, Rule, Server, Tool, When

_HOMES = {
    "Decision": "decision",
    "Execution": "scenarios",
    "Policy": "policy",
    "Request": "values",
    "Rule": "values",
    "Scenario": "scenarios",
    "Server": "values",
    "Surroundings": "evaluation",
    "Tool": "values",
    "Trace": "decision",
    "When": "values",
    "contradictions": "filters",
    "domain_matches": "urls",
    "evaluate": "evaluation",
    "execute": "scenarios",
    "extract_domain": "urls",
    "extract_git_domain": "urls",
    "filter_scenarios": "filters",
    "is_within": "paths",
    "normalize_git_url": "urls",
    "normalize_url": "urls",
    "prepare_arguments": "canonical",
    "read_scenarios": "scenarios",
    "real_path": "paths",
}

__all__ = [
    "Decision",
    "Execution",
    "Policy",
    "Request",
    "Rule",
    "Scenario",
    "Server",
    "Surroundings",
    "Tool",
    "Trace",
    "When",
    "contradictions",
    "domain_matches",
    "evaluate",
    "execute",
    "extract_domain",
    "extract_git_domain",
    "filter_scenarios",
    "is_within",
    "normalize_git_url",
    "normalize_url",
    "prepare_arguments",
    "read_scenarios",
    "real_path",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
