"""Builds the trace of a decision: the rule that decided each value, and why earlier rules did not."""

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
    """Return the steps that led to `outcomes`. `resolved` are the roles that the sandbox decided."""
    found = [
        Step(role=role, values=facts.values(role), decision="allow", rule=SANDBOX, why="all values are in the sandbox")
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
        yield Step(role=role, values=outcome.left, decision="deny", rule=DEFAULT, why="no rule applies", passed=passed)


def why_it_holds(rule: ReadyRule) -> str:
    """Return the condition of a rule as text."""
    when = rule.rule.when
    parts = [
        f"{what} is {' or '.join(names)}"
        for what, names in (("server", when.server), ("tool", when.tool), ("a role", when.roles))
        if names is not None
    ]
    if when.paths is not None:
        parts.append(f"{'/'.join(when.paths.roles)} within {when.paths.within}")
    if when.domains is not None:
        parts.append(f"{'/'.join(when.domains.roles)} on {_shortened(when.domains.allowed)}")
    parts += [f"{'/'.join(one.roles)} in {_shortened(one.allowed)}" for one in when.lists or ()]
    parts += [one.words for one in when.where]
    parts += [f"not ({' and '.join(one.words for one in when.unless)})"] if when.unless else []
    return ", ".join(parts) or "it has no condition"


def _passed(facts: Facts, role: str | None, values: tuple[str, ...], *, before: int | None) -> tuple[Passed, ...]:
    rules = facts.prepared.rules[:before]
    applicable = facts.prepared.rules_for(facts.request.server, facts.request.tool)
    whys = ((rule, why_not(facts, rule, role, values) or "no values were left") for rule in rules)
    return tuple(Passed(rule=rule.rule.name, why=why, elsewhere=rule not in applicable) for rule, why in whys)


def why_not(facts: Facts, rule: ReadyRule, role: str | None, values: tuple[str, ...]) -> str | None:
    """Return the first condition of a rule that does not hold for some of `values`. None if all hold."""
    when, request = rule.rule.when, facts.request
    if when.server is not None and request.server not in when.server:
        return f"server is {request.server!r}, not {_shortened(when.server)}"
    if when.tool is not None and request.tool not in when.tool:
        return f"tool is {request.tool!r}, not {_shortened(when.tool)}"
    if when.roles is not None and facts.view.roles.isdisjoint(when.roles):
        return f"the tool does not have the role {_shortened(when.roles)} here"
    if role is not None and not rule.is_relevant(role):
        return f"it does not apply to {role}"
    if not facts.applies(rule):
        return _why_test_fails(facts, rule)
    return _values_why_not(facts, rule, role, values)


def _why_test_fails(facts: Facts, rule: ReadyRule) -> str:
    for test in facts.prepared.where[rule.position]:
        passed = facts.passes(test, rule)
        if not (passed.surely if rule.rule.then == "allow" else passed.possibly):
            return f"it is not certain that {test.limit.words}" if passed.possibly else f"not {test.limit.words}"
    return f"excepted: {' and '.join(one.words for one in rule.rule.when.unless)}"


def _values_why_not(facts: Facts, rule: ReadyRule, role: str | None, values: tuple[str, ...]) -> str | None:
    when = rule.rule.when
    considered = values if facts.prepared.semantics.strict or role is None else facts.values(role)
    if rule.domains is not None and when.domains is not None:
        hosts = [host_of(role, one) for one in considered] if role in URL_ROLES else []
        unmatched = tuple(one for one in hosts if not rule.domains(one))
        if unmatched or not hosts:
            return f"{_shortened(unmatched)} not on {_shortened(when.domains.allowed)}" if hosts else "there is no URL"
    if when.lists is not None and not facts.lists_hold(rule, role):
        return f"not all are in {' and '.join(_shortened(one.allowed) for one in when.lists)}"
    if when.paths is None or rule.folders is None:
        return None
    outside = tuple(one for one in values if not facts.is_in(one, rule.folders))
    if outside or not values:
        return f"{_shortened(outside)} not within {when.paths.within}" if values else "there is no path"
    return None


def _shortened(names: tuple[str, ...]) -> str:
    shown = ", ".join(map(repr, names[:3]))
    return f"{shown} and {len(names) - 3} more" if len(names) > 3 else shown or "nothing"
