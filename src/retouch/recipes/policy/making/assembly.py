"""Assembles the files of a policy run: one policy, its scenarios, a report, and a separate policy per server."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from retouch._lib.hashing import canonical_hash, text_hash
from retouch._lib.json_text import json_text
from retouch.engine.recipe import Unread
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.language.policy import Policy
from retouch.recipes.policy.language.values import Rule, ServerNote, When
from retouch.recipes.policy.making.asking.pages import rules_unit, scenarios_unit
from retouch.recipes.policy.making.judging.ledger import clause_ledger
from retouch.recipes.policy.making.judging.server_state import MAX_TURNS, ServerState, Value, server_state
from retouch.recipes.policy.scenarios.execution import execute
from retouch.recipes.policy.scenarios.files import stored_scenarios

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.making.asking.source import PolicyJob
    from retouch.recipes.policy.making.judging.ledger import ClauseEntry
    from retouch.recipes.policy.scenarios.scenario import Scenario

ENGINE_VERSION = "2"  # the version of the evaluation that a policy was verified with


@dataclass(frozen=True, kw_only=True)
class ServerOutcome:
    """The result of one server. `state` is None if it cannot be read. `reason` is why it did not pass, "" if it did."""

    server: str
    state: ServerState | None
    reason: str


def outcomes(job: PolicyJob, values: Mapping[str, Value | Unread]) -> list[ServerOutcome]:
    """Return the result of each server."""
    readable = {name: value for name, value in values.items() if not isinstance(value, Unread)}
    return [_outcome(server, values, server_state(job, server, readable)) for server in job.servers]


def _outcome(server: str, values: Mapping[str, Value | Unread], state: ServerState | None) -> ServerOutcome:
    if state is None:
        unread = [name for name in (rules_unit(server), scenarios_unit(server)) if isinstance(values.get(name), Unread)]
        return ServerOutcome(server=server, state=None, reason=f"{' and '.join(unread)} could not be read")
    reasons: list[str] = [] if state.executions else ["no scenario was executed"]
    if state.failures:
        reasons.append(f"{len(state.failures)} of {len(state.executions)} scenarios fail")
    if state.attributed.questions:
        reasons.append(f"{len(state.attributed.questions)} questions are open")
    reasons += [f"the judge does not agree: {one}" for one in state.withheld]
    return ServerOutcome(server=server, state=state, reason="; ".join(reasons))


def merged_policy(job: PolicyJob, found: Sequence[ServerOutcome]) -> Policy:
    """Return the policy of all servers that passed. Calls of the servers in `failed` are denied."""
    passed = [one.state for one in found if one.state is not None and not one.reason]
    failed = tuple(ServerNote(server=one.server, reason=one.reason) for one in found if one.reason)
    rules = _rules_with_unique_names(passed)
    if job.allow_partial:
        rules += [_denied(note) for note in failed]
    read = [one.state for one in found if one.state is not None]
    lists = {one.name: one for state in (*read, *passed) for one in state.rules.list_defs}  # to be filled in any case
    return replace(
        job.base,
        rules=tuple(rules),
        list_defs=tuple(lists.values()),
        source_hash=text_hash(job.constitution),
        input_hash=canonical_hash([job.frame, job.handwritten]),
        engine_version=ENGINE_VERSION,
        failed=failed,
    )


def _rules_with_unique_names(passed: Sequence[ServerState]) -> list[Rule]:
    """Return the rules of all servers. If several servers use the same rule name, it gets the server as prefix."""
    owners: dict[str, set[str]] = {}
    for state in passed:
        for rule in state.rules.rules:
            owners.setdefault(rule.name, set()).add(state.server)
    return [
        replace(rule, name=f"{state.server}-{rule.name}") if len(owners[rule.name]) > 1 else rule
        for state in passed
        for rule in state.rules.rules
    ]


def _denied(note: ServerNote) -> Rule:
    return Rule(
        name=f"deny-{note.server}-which-did-not-pass",
        when=When(server=(note.server,)),
        then="deny",
        description="Nothing is allowed on a server whose rules did not pass their scenarios",
        reason=f"{note.server} did not pass: {note.reason}",
    )


def kept_scenarios(job: PolicyJob, found: Sequence[ServerOutcome]) -> tuple[Scenario, ...]:
    """Return the scenarios to store: with `allow_partial` only those of servers that passed."""
    states = [one.state for one in found if one.state is not None and not (one.reason and job.allow_partial)]
    return tuple(scenario for state in states for scenario in state.scenarios)


def assemble(job: PolicyJob, values: Mapping[str, Value | Unread]) -> Mapping[str, str]:
    """Return `policy.json`, `scenarios.json`, `report.json`, and a policy with its scenarios per server.

    The policy is only `verified` if every scenario passes after the written policy is read again.
    """
    found = outcomes(job, values)
    policy, scenarios = merged_policy(job, found), kept_scenarios(job, found)
    verified = verifies(policy.as_json(), scenarios) and (job.allow_partial or not policy.failed)
    verified = verified and len(policy.failed) < len(found)
    clauses = clauses_in(job, found)
    settled = all(one.is_settled for one in clauses)
    verified = verified and settled
    report = _report(found, clauses, verified=verified)
    files: dict[str, JSON] = {
        "policy.json": replace(policy, verified=verified).as_json(),
        "scenarios.json": stored_scenarios(scenarios),
        "report.json": report,
    }
    for one in found:
        if one.state is not None:
            directory = f"servers/{one.server}"
            own = replace(one.state.policy, verified=settled and not one.reason)
            files[f"{directory}/policy.json"] = own.as_json()
            files[f"{directory}/scenarios.json"] = stored_scenarios(one.state.scenarios)
    return {name: json_text(content) for name, content in files.items()}


def clauses_in(job: PolicyJob, found: Sequence[ServerOutcome]) -> tuple[ClauseEntry, ...]:
    """Return the status of every clause, given the results of the servers."""
    denied = [one.server for one in found if one.reason and job.allow_partial]
    return clause_ledger(job, [one.state for one in found if one.state is not None], denied=denied)


def verifies(stored: JSON, scenarios: Sequence[Scenario]) -> bool:
    """Return whether a stored policy decides every scenario as expected."""
    policy = Policy.of_json(stored, name="policy.json")
    return bool(scenarios) and all(one.passed for one in execute(policy, scenarios, surroundings=LEXICAL))


def _report(found: Sequence[ServerOutcome], clauses: Sequence[ClauseEntry], *, verified: bool) -> JSON:
    servers: dict[str, JSON] = {one.server: _of_server(one) for one in found}
    entries: list[JSON] = [one.as_json() for one in clauses]
    return {"verdict": "PASS" if verified else "FAIL", "clauses": entries, "servers": servers}


def _of_server(one: ServerOutcome) -> JSON:
    head: dict[str, JSON] = {"passed": not one.reason, "reason": one.reason}
    state = one.state
    if state is None:
        return head
    discards = [discard for page in state.pages.pages for discard in page.discards]
    open_slots = [slot.scenario.id for page in state.pages.pages for slot in page.open]
    corrections = [vars(correction) for correction in state.attributed.corrections]
    questions = [
        {"id": key, "first": vars(question.first), "second": vars(question.second)}
        for key, question in state.attributed.questions.items()
    ]
    over = all(page.turns >= MAX_TURNS for page in state.pages.pages)
    return {
        **head,
        "rules": len(state.rules.rules),
        "scenarios": len(state.scenarios),
        "failures": [execution.as_json() for execution in state.failures],
        "discards": [discard.as_json() for discard in discards],
        "openSlots": cast("JSON", open_slots),
        "notCovered": [gap.as_json() for gap in state.gaps],
        "sessionsEnded": over,
        "corrections": cast("JSON", corrections),
        "ignoredAttributions": [{"id": note.id, "why": note.why} for note in state.attributed.ignored],
        "questions": cast("JSON", questions),
        "judgeRounds": len(state.present),
        "withheld": cast("JSON", list(state.withheld)),
    }
