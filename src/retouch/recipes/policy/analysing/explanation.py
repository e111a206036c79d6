"""Explains a rule by the calls that it decides, and explains why a call does not get another decision."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from retouch.errors import UnknownName
from retouch.recipes.policy.analysing.idle_rules import decided_regions
from retouch.recipes.policy.analysing.regions import by_size, tool_space
from retouch.recipes.policy.analysing.states import shown
from retouch.recipes.policy.deciding.evaluation import LEXICAL, Surroundings, as_request, evaluate
from retouch.recipes.policy.deciding.prepared import prepared
from retouch.recipes.policy.deciding.tracing import why_it_holds
from retouch.recipes.policy.scenarios.execution import execute

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.deciding.decision import Decision
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Outcome, Rule, ToolCall
    from retouch.recipes.policy.scenarios.scenario import Scenario

MAX_EXAMPLES = 3


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """A rule with its condition as text, the smallest calls that it decides, and the scenarios that reach it.

    `helps` are calls in which the rule answers for some value, but another rule decides the call.
    """

    rule: Rule
    condition: str
    examples: tuple[ToolCall, ...]
    helps: tuple[ToolCall, ...]
    scenarios: tuple[Scenario, ...]

    def as_json(self) -> dict[str, JSON]:
        """Return the explanation as JSON."""
        return {
            "rule": self.rule.name,
            "then": self.rule.then,
            "description": self.rule.description,
            "principle": self.rule.principle,
            "reason": self.rule.reason,
            "condition": self.condition,
            "examples": [one.as_json() for one in self.examples],
            "helps": [one.as_json() for one in self.helps],
            "scenarios": [one.id for one in self.scenarios],
        }


def explain(
    policy: Policy,
    rules: Sequence[str] = (),
    *,
    scenarios: Sequence[Scenario] = (),
    surroundings: Surroundings = LEXICAL,
) -> tuple[Explanation, ...]:
    """Return explanations of the named rules, or of all rules, in the order of the policy.

    Raises:
        UnknownName: there is no such rule.
    """
    known = [rule.name for rule in policy.rules]
    for name in rules:
        if name not in known:
            raise UnknownName(f"no rule {name!r}", hint=f"The rules are: {', '.join(known) or 'none'}.")
    decided = decided_regions(policy, surroundings=surroundings)
    executions = execute(policy, scenarios, surroundings=surroundings)
    ready = {one.rule.name: one for one in prepared(policy, disk=surroundings.disk).rules}
    return tuple(
        Explanation(
            rule=rule,
            condition=why_it_holds(ready[rule.name]),
            examples=_smallest(call for call, was in decided if was.rule == rule.name),
            helps=_smallest(call for call, was in decided if rule.name in was.discharging and was.rule != rule.name),
            scenarios=tuple(one.scenario for one in executions if rule.name in one.discharging),
        )
        for rule in policy.rules
        if not rules or rule.name in rules
    )


def _smallest(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    return tuple(map(shown, sorted(calls, key=by_size)[:MAX_EXAMPLES]))


@dataclass(frozen=True, kw_only=True)
class WhyNot:
    """Why a call did not get the wanted decision: the deciding rule, and the nearest call that gets it.

    `changes` maps each argument that differs to its value in `nearest` (None: the argument is omitted). `nearest` is
    None if no call of this tool gets the wanted decision. The effect of executing the call is not considered.
    """

    decision: Decision
    wanted: Outcome
    nearest: ToolCall | None
    changes: Mapping[str, JSON]

    @property
    def words(self) -> str:
        """The explanation as one or two sentences."""
        took = f"{self.decision.rule!r} decides {self.decision.decision}: {self.decision.reason.rstrip('.')}."
        if self.decision.decision == self.wanted:
            return f"The decision is already {self.wanted}: {took}"
        if self.nearest is None:
            return f"{took} No call of this tool is decided {self.wanted}."
        edits = (f"{name} omitted" if value is None else f"{name} {value!r}" for name, value in self.changes.items())
        return f"{took} With {', '.join(edits)} it would be {self.wanted}."

    def as_json(self) -> dict[str, JSON]:
        """Return the answer as JSON."""
        return {
            "wanted": self.wanted,
            "decision": self.decision.as_json(),
            "nearest": None if self.nearest is None else self.nearest.as_json(),
            "changes": dict(self.changes),
            "message": self.words,
        }


def why_not(
    policy: Policy,
    request: ToolCall | Mapping[str, JSON],
    wanted: Outcome,
    *,
    surroundings: Surroundings = LEXICAL,
) -> WhyNot:
    """Return why a call is not decided as `wanted`, and the most similar call that is. Both calls are evaluated."""
    call = as_request(cast("object", request))
    was = evaluate(policy, request, surroundings=surroundings)
    if call is None or was.decision == wanted:
        return WhyNot(decision=was, wanted=wanted, nearest=None, changes={})
    nearest = _nearest(policy, call, wanted, surroundings)
    changes = {} if nearest is None else _changed_arguments(call, nearest)
    return WhyNot(decision=was, wanted=wanted, nearest=nearest, changes=changes)


def _nearest(policy: Policy, call: ToolCall, wanted: Outcome, surroundings: Surroundings) -> ToolCall | None:
    tool = policy.tools.get((call.server, call.tool))
    if tool is None:
        return None
    space = tool_space(tool, [prepared(policy, disk=surroundings.disk)])
    seen = {one.name for one in space.arguments}
    fixed = {name: value for name, value in call.arguments.items() if name not in seen}
    own = {one.name: one.key_of(call.arguments.get(one.name)) for one in space.arguments}
    found: list[ToolCall] = []
    for region in space.calls():
        # Keep the call's own value if it is of the same kind as the region's value.
        kept = {
            one.name: call.arguments[one.name]
            for one in space.arguments
            if one.name in call.arguments and own[one.name] == one.key_of(region.arguments.get(one.name))
        }
        candidate = replace(call, arguments={**fixed, **region.arguments, **kept})
        if evaluate(policy, candidate, surroundings=surroundings).decision == wanted:
            found.append(candidate)
    return min(found, key=lambda one: (len(_changed_arguments(call, one)), by_size(one)), default=None)


def _changed_arguments(call: ToolCall, other: ToolCall) -> dict[str, JSON]:
    names = dict.fromkeys((*call.arguments, *other.arguments))
    pairs = ((name, call.arguments.get(name), other.arguments.get(name)) for name in names)
    return {name: now for name, was, now in pairs if was != now or type(was) is not type(now)}
