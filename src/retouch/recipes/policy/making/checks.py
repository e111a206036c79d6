"""Reads units, and checks tier 3: executes every scenario on the current rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from retouch.engine.types import Issue, Tier
from retouch.recipes.policy.making.asking.pages import RULES, SCENARIOS, kind_of, rules_unit, scenarios_unit, server_of
from retouch.recipes.policy.making.judging.ledger import clause_ledger
from retouch.recipes.policy.making.judging.server_state import ServerState, Value, server_states
from retouch.recipes.policy.making.judging.verdicts import read_verdict
from retouch.recipes.policy.making.rules.compiled import FILL, read_rules
from retouch.recipes.policy.making.session.pages import MAX_TURNS, read_page, read_pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.options import RunOptions
    from retouch.engine.recipe import Read
    from retouch.engine.types import Severity
    from retouch.recipes.policy.making.asking.source import PolicyJob
    from retouch.recipes.policy.making.judging.attribution import Question
    from retouch.recipes.policy.making.judging.ledger import ClauseEntry
    from retouch.recipes.policy.scenarios.execution import Execution

FAILS, WANTS_TURN, NOT_COVERED, QUESTION, WITHHELD = (
    "SCENARIO_FAILS",
    "SESSION_WANTS_A_TURN",
    "NOT_COVERED",
    "OPPOSITE_CORRECTIONS",
    "JUDGE_WITHHOLDS",
)

NOT_ENFORCED, NO_SCENARIOS, WAIVED = "CLAUSE_NOT_ENFORCED", "NO_SCENARIOS", "CLAUSE_WAIVED"
STATUS_TEXT = {"partly": "enforced only in part", "not_expressible": "not enforced"}


def read(job: PolicyJob, unit: str, pages: Sequence[str]) -> Read[Value]:
    """Return the value of a unit: rules, scenarios or a verdict."""
    kind, server = kind_of(unit), server_of(unit)
    found: Read[Value]
    if kind == RULES:
        found = cast("Read[Value]", read_rules(job, server, "".join(pages)))
    elif kind == SCENARIOS:
        found = cast("Read[Value]", read_pages(job, server, pages))
    else:
        found = cast("Read[Value]", read_verdict(unit, "".join(pages)))
    return found


def page_errors(job: PolicyJob, unit: str, page: int, text: str) -> Sequence[Issue]:
    """Return the error of one page of scenarios, so that it is repaired while other pages are awaited."""
    if kind_of(unit) != SCENARIOS:
        return ()
    found = read_page(job, server_of(unit), page, text)
    return (found,) if isinstance(found, Issue) else ()


def check(job: PolicyJob, values: Mapping[str, Value], _options: RunOptions) -> list[Issue]:
    """Return the issues of tier 3: failing scenarios, sessions with open slots, and decisions for the user."""
    states = server_states(job, values)
    found = [issue for one in states for issue in _of_server(one)]
    return [*found, *_clauses(job, states)] if len(states) == len(job.servers) else found


def _clauses(job: PolicyJob, states: Sequence[ServerState]) -> Iterator[Issue]:
    for one in clause_ledger(job, states):
        if one.status == "waived":
            yield Issue(
                code=WAIVED,
                message=f"line {one.clause.line}: {one.clause.text!r} is {one.why}",
                tier=Tier.SEMANTIC,
                unit=rules_unit(states[0].server),
                severity="info",
                detail={"waived": "clause", "clause": one.clause.text},
            )
        if not one.is_settled and not (one.status == "partly" and _fails_anyway(states, one)):
            server = one.rules[0].partition("/")[0] if one.rules else states[0].server
            yield Issue(
                code=NOT_ENFORCED,
                message=f"line {one.clause.line}: {one.clause.text!r} is {STATUS_TEXT[one.status]}: {one.why}",
                tier=Tier.SEMANTIC,
                unit=rules_unit(server),
                detail={"person": True, "clause": one.clause.text, "status": one.status},
                fix=_next_step(one),
            )


def _next_step(entry: ClauseEntry) -> str:
    waiving = "record that it may pass: retouch policy waive DIR CLAUSE."
    if entry.nearest:
        taking = "Take that with 'retouch policy rewrite TEXT DIR CLAUSE', write it in another way"
        return f"It may be meant as: {entry.nearest[0]} {taking}, or {waiving}"
    return f"Rewrite it so that rules can enforce it, or {waiving}"


def _fails_anyway(states: Sequence[ServerState], entry: ClauseEntry) -> bool:
    """Return whether the clause only lacks a passing scenario because scenarios of its servers fail."""
    servers = {name.partition("/")[0] for name in entry.rules}
    return not entry.scenarios and any(state.failures for state in states if state.server in servers)


def _of_server(state: ServerState) -> Iterator[Issue]:
    yield from (_fails(state, one) for one in state.failures_to_fix)
    yield from (_fails(state, one) for one in state.failures if one.scenario.id in state.waiting)
    yield from (_question(state, one) for one in state.attributed.questions.values())
    for number in range(1, len(state.pages.pages) + 1):
        yield from _page(state, number)
    if not state.executions and not any(state.wants_turn(n) for n in range(1, len(state.pages.pages) + 1)):
        yield Issue(
            code=NO_SCENARIOS,
            message=f"no scenario was executed for {state.server!r}",
            tier=Tier.SEMANTIC,
            unit=scenarios_unit(state.server),
            detail={"person": True},
            fix="Write scenarios yourself and pass them with --scenarios FILE.",
        )
    for words in state.withheld:
        yield Issue(
            code=WITHHELD,
            message=f"the judge does not agree: {words}",
            tier=Tier.SEMANTIC,
            unit=rules_unit(state.server),
            detail={"person": True},
            fix="Review the rules. If you add a handwritten scenario that shows the error, it can be repaired.",
        )


def _fails(state: ServerState, execution: Execution) -> Issue:
    scenario, waits_for = execution.scenario, state.waiting.get(execution.scenario.id)
    request: dict[str, JSON] = {"request": cast("JSON", scenario.request.as_json())}
    how = f"expects {scenario.expected}, but {execution.rule!r} decides {execution.decision}"
    if waits_for is not None:
        why = f": the list {waits_for!r} has no members"
    else:
        blame = "the rules are wrong" if state.is_confirmed(scenario) else "it is not known which side is wrong"
        why = f"; {blame}"
    return Issue(
        code=FAILS,
        message=f"scenario {scenario.id} ({scenario.description}) {how}{why}",
        tier=Tier.SEMANTIC,
        unit=rules_unit(state.server),
        path=f"{scenario.request.server}/{scenario.request.tool}",
        detail=request if waits_for is None else {"person": True, **request},
        fix="Change the rules so that the call is decided as expected." if waits_for is None else FILL,
    )


def _question(state: ServerState, question: Question) -> Issue:
    scenario, first, second = question.scenario, question.first, question.second
    message = (
        f"scenario {scenario.id} ({scenario.description}) was corrected to {first.expected} by {first.quote!r}, "
        f"then to {second.expected} by {second.quote!r}: which is meant?"
    )
    return Issue(
        code=QUESTION,
        message=message,
        tier=Tier.SEMANTIC,
        unit=scenarios_unit(state.server),
        detail={"person": True, "request": cast("JSON", scenario.request.as_json()), "clause": second.quote},
        fix="Clarify the clause, or add a handwritten scenario with the decision that you want: --scenarios FILE.",
    )


def _page(state: ServerState, number: int) -> Iterator[Issue]:
    page = state.page(number)
    gaps = state.gaps_of(number)
    if not page.open and not gaps:
        return
    left = f"scenarios without a replacement: {len(page.open)}, decisions without a scenario: {len(gaps)}"
    wants = page.turns < MAX_TURNS
    severity: Severity = "error" if wants else "warning"
    what = [f"{gap.tool}: {gap.rule}" for gap in gaps] + [f"{one.scenario.id}: {one.kind}" for one in page.open]
    yield Issue(
        code=WANTS_TURN if wants else NOT_COVERED,
        message=f"{left}" if wants else f"{left}, after {page.turns} turns",
        tier=Tier.SEMANTIC,
        unit=scenarios_unit(state.server),
        page=number,
        severity=severity,
        detail={"open": cast("JSON", what)},
        fix="Write replacements and additions." if wants else "Add handwritten scenarios for important cases.",
    )
