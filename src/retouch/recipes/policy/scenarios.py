"""Scenarios: calls with the decision that is expected of them; they are tests by being executed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.evaluation import ON_DISK, Surroundings, evaluate
from retouch.recipes.policy.strict_json import read_json
from retouch.recipes.policy.values import Outcome, Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch.recipes.policy.forms import RequestForm, ScenarioForm
    from retouch.recipes.policy.policy import Policy
    from retouch.recipes.policy.values import JSON

Expectation: TypeAlias = Literal["allow", "deny", "escalate", "not-allow"]
Source: TypeAlias = Literal["generated", "handwritten", "probe", "derived"]
ID_LETTERS = 12


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One call and what is expected. `origin` is the turn that brought it, `corrected_from` the first expectation."""

    request: Request
    expected: Expectation
    description: str = ""
    reasoning: str = ""
    source: Source = "generated"
    origin: int | None = None
    corrected_from: Expectation | None = None

    @cached_property
    def id(self) -> str:
        """The identity: a short hash of the call, whatever the order of its keys. The expectation has no part in it."""
        return request_id(self.request)

    def as_json(self) -> dict[str, JSON]:
        """Return the scenario as it is stored."""
        found: dict[str, JSON] = {
            "id": self.id,
            "description": self.description,
            "request": self.request.as_json(),
            "expectedDecision": self.expected,
            "reasoning": self.reasoning,
            "source": self.source,
        }
        extra: dict[str, JSON] = {"origin": self.origin, "correctedFrom": self.corrected_from}
        return found | {key: value for key, value in extra.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class Execution:
    """What a policy decided about a scenario."""

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


def canonical_request(request: Request) -> str:
    """Return a call as JSON text that is the same whatever the order of keys."""
    return json.dumps(request.as_json(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def request_id(request: Request) -> str:
    """Return the short hash of a call."""
    return sha256(canonical_request(request).encode()).hexdigest()[:ID_LETTERS]


def meets(expected: Expectation, decision: Outcome) -> bool:
    """Return whether a decision is what was expected; `not-allow` is met by anything but allow."""
    return decision != "allow" if expected == "not-allow" else decision == expected


def agree(one: Expectation, other: Expectation) -> bool:
    """Return whether some decision meets both expectations."""
    outcomes: tuple[Outcome, ...] = ("allow", "deny", "escalate")
    return any(meets(one, outcome) and meets(other, outcome) for outcome in outcomes)


def execute(
    policy: Policy, scenarios: Iterable[Scenario], *, surroundings: Surroundings = ON_DISK
) -> tuple[Execution, ...]:
    """Return what `policy` decides about each scenario, in order."""
    return tuple(_executed(policy, one, surroundings) for one in scenarios)


def _executed(policy: Policy, scenario: Scenario, surroundings: Surroundings) -> Execution:
    found = evaluate(policy, scenario.request, surroundings=surroundings)
    return Execution(
        scenario=scenario,
        decision=found.decision,
        rule=found.rule,
        passed=meets(scenario.expected, found.decision),
        discharging=found.discharging,
    )


def read_scenarios(path: str | Path) -> tuple[Scenario, ...]:
    """Return the scenarios of a file: an object with `scenarios`, or the list alone.

    Raises:
        BadInput: it cannot be read; every error is listed with its path.
    """
    return scenarios_in(read_json(Path(path)), name=str(path))


def scenarios_in(value: JSON, *, name: str) -> tuple[Scenario, ...]:
    """Return the scenarios of a JSON value that `name` names.

    Raises:
        BadInput: it has another shape; every error is listed with its path.
    """
    from retouch.recipes.policy.files import checked
    from retouch.recipes.policy.forms import ScenariosForm

    form = checked(ScenariosForm, {"scenarios": value} if isinstance(value, list) else value, name=name)
    return tuple(scenario_of(one) for one in form.scenarios)


def scenario_of(form: ScenarioForm) -> Scenario:
    """Return the scenario that was read."""
    return Scenario(
        request=request_of(form.request),
        expected=form.expected_decision,
        description=form.description,
        reasoning=form.reasoning,
        source=form.source,
        origin=form.origin,
        corrected_from=form.corrected_from,
    )


def request_of(form: RequestForm) -> Request:
    """Return the call that was read."""
    return Request(server=form.server_name, tool=form.tool_name, arguments=form.arguments)


def stored_scenarios(scenarios: Sequence[Scenario]) -> dict[str, JSON]:
    """Return scenarios as a file holds them."""
    return {"scenarios": [one.as_json() for one in scenarios]}
