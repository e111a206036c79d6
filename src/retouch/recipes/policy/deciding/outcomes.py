"""Applies the rules to one role of a call: the rule that decides each value, and the values without a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from retouch.recipes.policy.deciding.decision import DEFAULT, SANDBOX
from retouch.recipes.policy.deciding.matching import FolderRun
from retouch.recipes.policy.language.values import STRICTNESS

if TYPE_CHECKING:
    from retouch.recipes.policy.deciding.facts import Facts, Spot
    from retouch.recipes.policy.deciding.matching import ReadyRule
    from retouch.recipes.policy.language.values import Outcome

Discharge: TypeAlias = "tuple[ReadyRule | None, tuple[str, ...]]"
NO_RULE = "No rule applies, so it is denied"


class RoleOutcome(NamedTuple):
    """The decision about one role, or about the call if the role is None. A discharge without a rule is the sandbox."""

    role: str | None
    decision: Outcome
    rule: str
    reason: str
    discharges: tuple[Discharge, ...] = ()
    left: tuple[str, ...] = ()


def whole_call(facts: Facts) -> RoleOutcome:
    """Return the decision about a call without resources: that of the first rule that matches the whole call."""
    for rule in facts.view.rules:
        if rule.folders is None and rule.domains is None and facts.lists_hold(rule, None) and facts.applies(rule):
            return _outcome_by(None, rule, ((rule, ()),))
    return RoleOutcome(None, "deny", DEFAULT, NO_RULE)


def role_outcome(facts: Facts, role: str) -> RoleOutcome:
    """Return the decision about the values of one role. Every value needs a rule, and the strictest rule wins.

    A path with two possible locations needs a rule for each of them.
    """
    if not facts.values(role):
        return _without_values(facts, role)
    inside = facts.in_sandbox(role) if facts.server.piecewise else ()
    discharges: list[Discharge] = [(None, inside)] if inside else []
    left: list[Spot] = facts.spots(role)
    if inside:
        settled = frozenset(inside)
        left = [spot for spot in left if spot[0] not in settled]
    doubtful: list[Discharge] = []
    for rule in facts.view.steps[role]:
        if not left:
            break
        if isinstance(rule, FolderRun):
            left = _sorted_out(rule, left, discharges)
            continue
        if not facts.applies(rule):
            continue
        taken = facts.taken(rule, role, left)
        if rule.keeps_out and rule.rule.then == "escalate" and rule.folders is not None:
            doubtful += _may_touch(facts, rule, role, left)
        if taken:
            discharges.append((rule, _distinct_texts(taken)))
            gone = frozenset(taken)
            left = [spot for spot in left if spot not in gone]
    if left:
        return RoleOutcome(role, "deny", DEFAULT, NO_RULE, tuple(discharges), _distinct_texts(left))
    found = _strictest(role, tuple(discharges))
    return _strictest(role, (*discharges, *doubtful)) if found.decision == "allow" and doubtful else found


def _sorted_out(run: FolderRun, spots: list[Spot], discharges: list[Discharge]) -> list[Spot]:
    """Add the values that each rule of a run decides, and return the rest."""
    left: list[Spot] = []
    taken: dict[ReadyRule, list[Spot]] = {}
    for spot in spots:
        rule = None if spot[1] is None else run.first(spot[1])
        if rule is None:
            left.append(spot)
        else:
            taken.setdefault(rule, []).append(spot)
    rules = sorted(taken, key=lambda one: one.position) if len(taken) > 1 else taken
    discharges += [(rule, _distinct_texts(taken[rule])) for rule in rules]
    return left


def _may_touch(facts: Facts, rule: ReadyRule, role: str, left: list[Spot]) -> list[Discharge]:
    """Return the values that may contain the directory of an escalating rule, or spell it differently.

    Such a value must not be allowed without asking. The rule does not decide it, so without an allowing rule it stays
    denied.
    """
    texts = tuple(dict.fromkeys(text for text, _ in left if facts.may_touch(text, rule.folded, role)))
    return [(rule, texts)] if texts else []


def _distinct_texts(spots: list[Spot]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text, _ in spots))


def _without_values(facts: Facts, role: str) -> RoleOutcome:
    for rule in filter(facts.applies, facts.view.relevant[role]):  # the tests of later rules are not needed
        if rule.folders is None and facts.domains_hold(rule, role) and facts.lists_hold(rule, role):
            return _outcome_by(role, rule, ((rule, ()),))
    return RoleOutcome(role, "deny", DEFAULT, NO_RULE)


def _strictest(role: str, discharges: tuple[Discharge, ...]) -> RoleOutcome:
    best: ReadyRule | None = None
    for rule, _ in discharges:
        if rule is not None and (best is None or STRICTNESS[rule.rule.then] > STRICTNESS[best.rule.then]):
            best = rule
    if best is None:
        return RoleOutcome(role, "allow", SANDBOX, "Every value is inside the sandbox", discharges)
    return _outcome_by(role, best, discharges)


def _outcome_by(role: str | None, rule: ReadyRule, discharges: tuple[Discharge, ...]) -> RoleOutcome:
    return RoleOutcome(role, rule.rule.then, rule.rule.name, rule.rule.reason, discharges)
