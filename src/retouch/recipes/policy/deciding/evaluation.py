"""Evaluates a call: first the built-in decisions, then the rules for each role. The strictest outcome wins."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from retouch.recipes.policy.deciding import decision as names
from retouch.recipes.policy.deciding.counting import (
    NOWHEN,
    Amounts,
    CallMoment,
    Spent,
    moment_of,
    subjects_before,
    unknown_total,
)
from retouch.recipes.policy.deciding.decision import Decision, Step, Trace
from retouch.recipes.policy.deciding.facts import Facts
from retouch.recipes.policy.deciding.normalizing import normalized_arguments
from retouch.recipes.policy.deciding.outcomes import RoleOutcome, role_outcome, whole_call
from retouch.recipes.policy.deciding.prepared import prepared
from retouch.recipes.policy.deciding.structure import (
    Answer,
    breaks_schema,
    domain_gate,
    introspection,
    protected_path,
    resolved_by_sandbox,
    unreadable,
)
from retouch.recipes.policy.deciding.tracing import traced
from retouch.recipes.policy.language.values import STRICTNESS, ToolCall
from retouch.recipes.policy.resources.paths import fold_place

if TYPE_CHECKING:
    from datetime import datetime

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.deciding.prepared import EarlierTest, Prepared
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Tool


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What a decision may read from the machine: symbolic links, and a repository's default remote.

    `schemas`: check values against the tool's schema, and decide about a path or an address that the call omits by the
    default that the schema states for it. Analyses turn this off because their calls are incomplete.
    `kept` are absolute paths of files that no call may write, move or delete, whatever the policy says.
    `default_remote` maps a directory inside the sandbox to a URL, or None if it has no remote. `at` and `spent` are the
    time and the totals of earlier calls, for calls that have no state of their own. If they are unknown, rules that
    depend on them decide as strictly as they may.
    """

    disk: bool = True
    schemas: bool = True
    kept: tuple[str, ...] = ()
    default_remote: Callable[[str], str | None] | None = None
    at: datetime | None = None
    spent: Spent = unknown_total


_CHANGING = frozenset({"write-path", "delete-path"})
ON_DISK = Surroundings()
LEXICAL = Surroundings(disk=False, schemas=False)


def evaluate(
    policy: Policy, request: ToolCall | Mapping[str, JSON], *, surroundings: Surroundings = ON_DISK
) -> Decision:
    """Return the decision of `policy` about a call: `{"serverName", "toolName", "arguments"}` or a `ToolCall`.

    Malformed calls are denied. This function never raises for a call. The decision follows `policy.semantics`.
    """
    call = as_request(request)
    if call is None:
        reason = "A call is an object with serverName and toolName (strings) and arguments (an object)"
        return _structural_decision(Answer(decision="deny", rule=names.INVALID, reason=reason))
    ready = prepared(policy, disk=surroundings.disk)
    server = ready.server(call.server)
    tool = policy.tools.get((call.server, call.tool))
    if tool is not None and surroundings.schemas and ready.semantics.strict and not server.trusted:
        call = ready.completed(tool, call)
    if surroundings.kept and tool is not None and (answer := _changes_kept_file(ready, call, tool, surroundings)):
        return _structural_decision(answer)
    if call.server in ready.failed:
        return _structural_decision(Answer(decision="deny", rule=names.UNVERIFIED, reason=ready.failed[call.server]))
    if server.trusted:
        reason = f"Server {call.server!r} is trusted"
        answer = Answer(decision="allow", rule=names.TRUSTED, reason=reason)
        return _structural_decision(answer, partial(dict[str, "JSON"], call.arguments))
    if tool is None:
        reason = f"The policy has no tool {call.server}/{call.tool}"
        return _structural_decision(Answer(decision="deny", rule=names.UNKNOWN_TOOL, reason=reason))
    facts = facts_of(ready, call, tool, surroundings)
    # Both decisions deny. With strict semantics the one with the more specific reason comes first.
    first, second = (
        (protected_path(facts), None) if ready.semantics.strict else (unreadable(facts, tool), protected_path)
    )
    answer = first or (unreadable(facts, tool) if second is None else second(facts))
    answer = answer or introspection(facts) or domain_gate(facts)
    if (answer is None or answer.decision != "deny") and surroundings.schemas:
        answer = breaks_schema(facts, tool) or answer
    if answer is None and _fill_remote(facts, surroundings):
        answer = unreadable(facts, tool) or (domain_gate(facts) if ready.semantics.strict else None)
    return _by_rules(facts) if answer is None else _structural_decision(answer, partial(normalized_arguments, facts))


def _changes_kept_file(ready: Prepared, call: ToolCall, tool: Tool, surroundings: Surroundings) -> Answer | None:
    view = ready.view(tool, call.arguments)
    if _CHANGING.isdisjoint(view.active):
        return None
    facts = Facts(ready, call, view, tool)
    for role in _CHANGING.intersection(view.active):
        for text in facts.values(role):
            for file in surroundings.kept:
                if facts.may_touch(text, (fold_place(file),), role) or _is_other_name(text, role, file, facts):
                    reason = f"{text!r} may change {file!r}, which the guard itself uses; keep it somewhere else"
                    return Answer(decision="deny", rule=names.OWN_FILE, reason=reason, role=role)
    return None


def _is_other_name(text: str, role: str, file: str, facts: Facts) -> bool:
    """Return whether a path is a hard link to a file."""
    try:
        own = os.stat(file)  # noqa: PTH116 - at every call
    except OSError:
        return False
    return own.st_nlink > 1 and any(_is_file(place, own) for place in facts.places(text, role).candidates)


def _is_file(place: str, own: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(place), own)  # noqa: PTH116 - at every call
    except (OSError, ValueError):
        return False


def facts_of(ready: Prepared, call: ToolCall, tool: Tool, surroundings: Surroundings = LEXICAL) -> Facts:
    """Return the facts about a call of a known tool."""
    moment = _moment(ready, call, surroundings)
    return Facts(ready, call, ready.view(tool, call.arguments), tool, moment)


def _moment(ready: Prepared, call: ToolCall, surroundings: Surroundings) -> CallMoment:
    if not ready.needs_state:
        return NOWHEN
    if call.state is not None:
        return moment_of(call.state, lambda earlier, at: amounts_of(ready, earlier, at))
    return CallMoment(at=surroundings.at, spent=surroundings.spent)


def amounts_of(ready: Prepared, call: ToolCall, at: datetime | None, *, surely: bool = True) -> Amounts:
    """Return what a call that is made adds to the totals of each scope, and what it is kept as for tests of what was
    called before. None is an unknown amount. `surely`: it is certain that the call is made.
    """
    tool = ready.policy.tools.get((call.server, call.tool))
    if tool is None:
        return {}
    view = ready.view(tool, call.arguments)
    facts = Facts(ready, call, view, tool, CallMoment(at=at))
    found: dict[str, dict[str, float | None]] = {}
    for rule in ready.rules_for(call.server, call.tool):
        totals = rule.rule.when.totals
        if totals and facts.is_counted(rule):
            own = found.setdefault(rule.rule.when.scope_of(call.server, call.tool), {})
            own |= dict(facts.added(limit) for limit in totals)
    for one in ready.before(call.server, call.tool):
        subjects = _kept_as(facts, one, surely=surely)
        if subjects:
            found[one.after.scope_of(call.server, call.tool)] = dict.fromkeys(subjects, 1)
    return found


def _kept_as(facts: Facts, test: EarlierTest, *, surely: bool) -> tuple[str, ...]:
    """Return what a call that is made is kept as, for a test of what was called before. () if it is no such call."""
    passed = [facts.passes_alone(one) for one in test.where]
    if not all(one.possibly for one in passed):
        return ()
    values = facts.same_values([other for _, other in test.after.same])
    return subjects_before(values, surely=surely and all(one.surely for one in passed))


def as_request(value: object) -> ToolCall | None:
    """Return a call as a `ToolCall`. None if it is malformed. Omitted or null arguments count as no arguments."""
    if isinstance(value, ToolCall):
        return value
    if not isinstance(value, Mapping):
        return None
    found = cast("Mapping[object, JSON]", value)
    server, tool, arguments = found.get("serverName"), found.get("toolName"), found.get("arguments")
    if not isinstance(server, str) or not isinstance(tool, str) or not isinstance(arguments, (Mapping, type(None))):
        return None
    return ToolCall(server=server, tool=tool, arguments=arguments or {})


def _fill_remote(facts: Facts, surroundings: Surroundings) -> bool:
    """Use the repository's own remote for an omitted argument. Return whether it has one."""
    arg = facts.server.default_remote_arg
    directory = None if arg is None else facts.arguments.get(arg)
    if surroundings.default_remote is None or not isinstance(directory, str):
        return False
    remotes = facts.view.args_of.get("git-remote-url", ())
    missing = [one for one in remotes if facts.arguments.get(one) in (None, "", [])]
    remote = surroundings.default_remote(directory) if missing and facts.is_in_sandbox(directory) else None
    for one in missing if remote is not None else ():
        facts.fill(one, remote or "")
    return remote is not None


def _by_rules(facts: Facts) -> Decision:
    active = facts.view.active
    resolved = resolved_by_sandbox(facts)
    if active and len(resolved) == len(active):
        reason = "Every path is inside the sandbox"
        answer = Answer(decision="allow", rule=names.SANDBOX, reason=reason)
        return _structural_decision(answer, partial(normalized_arguments, facts))
    if not active:
        return _combined_decision(facts, (whole_call(facts),), resolved)
    outcomes: list[RoleOutcome] = []
    for role in active:
        if role in resolved:
            continue
        outcomes.append(role_outcome(facts, role))
        if outcomes[-1].decision == "deny":
            break
    return _combined_decision(facts, tuple(outcomes), resolved)


def _combined_decision(facts: Facts, outcomes: tuple[RoleOutcome, ...], resolved: frozenset[str]) -> Decision:
    worst = outcomes[0]
    for one in outcomes[1:]:
        if STRICTNESS[one.decision] > STRICTNESS[worst.decision]:
            worst = one
    asked: tuple[str, ...] = ()
    if worst.decision == "escalate":
        asked = tuple(one.role for one in outcomes if one.decision == "escalate" and one.role is not None)
    answering = (rule.rule.name for one in outcomes for rule, _ in one.discharges if rule is not None)
    return Decision(
        decision=worst.decision,
        rule=worst.rule,
        reason=worst.reason,
        escalated_roles=asked,
        discharging=tuple(dict.fromkeys(answering)),
        tracer=partial(traced, facts, outcomes, resolved),
        normalizer=partial(normalized_arguments, facts),
    )


def _structural_decision(answer: Answer, normalizer: Callable[[], dict[str, JSON]] | None = None) -> Decision:
    step = Step(role=answer.role, values=(), decision=answer.decision, rule=answer.rule, why=answer.reason)
    return Decision(
        decision=answer.decision,
        rule=answer.rule,
        reason=answer.reason,
        escalated_roles=(answer.role,) if answer.role is not None and answer.decision == "escalate" else (),
        tracer=partial(Trace, steps=(step,)),
        normalizer=normalizer,
    )
