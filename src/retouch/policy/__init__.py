"""Policies of agents: decide about calls, and enforce the decisions.

from retouch.policy import Guard

guard = Guard("policy", audit="audit.jsonl")
ruling = guard.decide("filesystem", "read_file", {"path": "~/notes/a.md"})
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch.recipes.policy.deciding.decision import Decision
    from retouch.recipes.policy.deciding.evaluation import Surroundings, evaluate
    from retouch.recipes.policy.guard.audit import check_audit
    from retouch.recipes.policy.guard.core import Escalation, Guard, Ruling
    from retouch.recipes.policy.guard.terminal import ask_on_terminal
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import ToolCall

_HOMES = {
    "Decision": "deciding.decision",
    "Escalation": "guard.core",
    "Guard": "guard.core",
    "Policy": "language.policy",
    "ToolCall": "language.values",
    "Ruling": "guard.core",
    "Surroundings": "deciding.evaluation",
    "ask_on_terminal": "guard.terminal",
    "check_audit": "guard.audit",
    "evaluate": "deciding.evaluation",
}

__all__ = [
    "Decision",
    "Escalation",
    "Guard",
    "Policy",
    "Ruling",
    "Surroundings",
    "ToolCall",
    "ask_on_terminal",
    "check_audit",
    "evaluate",
]

__getattr__ = lazy_attributes(__name__, {name: f"retouch.recipes.policy.{home}" for name, home in _HOMES.items()})
