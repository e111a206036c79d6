"""Executes scenarios: compares the decision of a policy with the expected one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding.evaluation import ON_DISK, Surroundings, evaluate
from retouch.recipes.policy.language.values import CallState
from retouch.recipes.policy.scenarios.scenario import meets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Outcome
    from retouch.recipes.policy.scenarios.scenario import Scenario


@dataclass(frozen=True, kw_only=True)
class Execution:
    """The decision of a policy about a scenario."""

    scenario: Scenario
    decision: Outcome
    rule: str
    passed: bool
    discharging: tuple[str, ...] = ()

    def as_json(self) -> dict[str, JSON]:
        """Return the execution as JSON."""
        return {
            "id": self.scenario.id,
            "description": self.scenario.description,
            "expected": self.scenario.expected,
            "decision": self.decision,
            "rule": self.rule,
            "passed": self.passed,
        }


def execute(
    policy: Policy, scenarios: Iterable[Scenario], *, surroundings: Surroundings = ON_DISK
) -> tuple[Execution, ...]:
    """Return the decision of `policy` about each scenario, in order."""
    return tuple(_executed(policy, one, surroundings) for one in scenarios)


def _executed(policy: Policy, scenario: Scenario, surroundings: Surroundings) -> Execution:
    request = scenario.request
    if request.state is None:
        request = replace(request, state=CallState())  # no earlier calls, at an unknown time
    found = evaluate(policy, request, surroundings=surroundings)
    return Execution(
        scenario=scenario,
        decision=found.decision,
        rule=found.rule,
        passed=meets(scenario.expected, found.decision),
        discharging=found.discharging,
    )
