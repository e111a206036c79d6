"""The trace of a decision: which rule answered for what, and which part of the others did not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding.decision import DEFAULT, SANDBOX, Passed, Step, Trace
from retouch.recipes.policy.deciding.matching import host_of
from retouch.recipes.policy.resources.roles import URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.deciding.facts import Facts
    from retouch.recipes.policy.deciding.matching import ReadyRule
    from retouch.recipes.policy.deciding.outcomes import RoleOutcome


def traced(facts: Facts, outcomes: tuple[RoleOutcome, ...], resolved: frozenset[str]) -> Trace:
    """Return the steps that led to `outcomes`; `resolved` are the roles that the sandbox answered for."""
    found = [
        Step(role=role, values=facts.values(role), decision="allow", rule=SANDBOX, why="all of it is in the sandbox")
        for role in facts.view.active
        if role in resolved
    ]
    for outcome in outcomes:
        found += _steps(facts, outcome)
    return Trace(steps=tuple(found))


def _steps(facts: Facts, outcome: RoleOutcome) -> Iterator[Step]:
    role = outcome.role
    for rule, values in outcome.discharges:
        if rule is None:
            yield Step(role=role, values=values, decision="allow", rule=SANDBOX, why="inside the sandbox")
            continue
        name, then = rule.rule.name, rule.rule.then
        passed = _passed(facts, role, values, before=rule.position)
        yield Step(role=role, values=values, decision=then, rule=name, why=why_it_holds(rule), passed=passed)
    if outcome.rule == DEFAULT:
        passed = _passed(facts, role, outcome.left, before=None)
        yield Step(role=role, values=outcome.left, decision="deny", rule=DEFAULT, why="no rule answers", passed=passed)


def why_it_holds(rule: ReadyRule) -> str:
    """Return the condition of a rule in words."""
    when = rule.rule.when
    parts = [
        f"{what} is {' or '.join(names)}"
        for what, names in (("server", when.server), ("tool", when.tool), ("a role", when.roles))
        if names is not None
    ]
    if when.paths is not None:
        parts.append(f"{'/'.join(when.paths.roles)} within {when.paths.within}")
    if when.domains is not None:
        parts.append(f"{'/'.join(when.domains.roles)} on {_some(when.domains.allowed)}")
    parts += [f"{'/'.join(one.roles)} among {_some(one.allowed)}" for one in when.lists or ()]
    return ", ".join(parts) or "it has no condition"


def _passed(facts: Facts, role: str | None, values: tuple[str, ...], *, before: int | None) -> tuple[Passed, ...]:
    rules = facts.prepared.rules[:before]
    near = facts.prepared.rules_for(facts.request.server, facts.request.tool)
    whys = ((rule, why_not(facts, rule, role, values) or "it had nothing left to answer for") for rule in rules)
    return tuple(Passed(rule=rule.rule.name, why=why, elsewhere=rule not in near) for rule, why in whys)


def why_not(facts: Facts, rule: ReadyRule, role: str | None, values: tuple[str, ...]) -> str | None:
    """Return the first part of a rule's condition that does not hold for some of `values`, None when all hold."""
    when, request = rule.rule.when, facts.request
    if when.server is not None and request.server not in when.server:
        return f"server is {request.server!r}, not {_some(when.server)}"
    if when.tool is not None and request.tool not in when.tool:
        return f"tool is {request.tool!r}, not {_some(when.tool)}"
    if when.roles is not None and facts.view.roles.isdisjoint(when.roles):
        return f"the tool has no role {_some(when.roles)} here"
    if role is not None and not rule.is_relevant(role):
        return f"it does not speak of {role}"
    return _values_why_not(facts, rule, role, values)


def _values_why_not(facts: Facts, rule: ReadyRule, role: str | None, values: tuple[str, ...]) -> str | None:
    when = rule.rule.when
    judged = values if facts.prepared.semantics.strict or role is None else facts.values(role)
    if rule.domains is not None and when.domains is not None:
        hosts = [host_of(role, one) for one in judged] if role in URL_ROLES else []
        strange = tuple(one for one in hosts if not rule.domains(one))
        if strange or not hosts:
            return f"{_some(strange)} not on {_some(when.domains.allowed)}" if hosts else "there is no address"
    if when.lists is not None and not facts.lists_hold(rule, role):
        return f"not all are among {' and '.join(_some(one.allowed) for one in when.lists)}"
    if when.paths is None or rule.folders is None:
        return None
    outside = tuple(one for one in values if not facts.is_in(one, rule.folders))
    if outside or not values:
        return f"{_some(outside)} not within {when.paths.within}" if values else "there is no path"
    return None


def _some(names: tuple[str, ...]) -> str:
    shown = ", ".join(map(repr, names[:3]))
    return f"{shown} and {len(names) - 3} more" if len(names) > 3 else shown or "nothing"
