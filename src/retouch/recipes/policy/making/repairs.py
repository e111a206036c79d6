"""Plans repairs: rules by patches that execution must confirm, scenarios by another turn of their session."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from retouch.engine.repair import Correction, FollowUp, PageByPage
from retouch.engine.types import Tier
from retouch.errors import Invalid
from retouch.recipes.policy.making.asking.pages import RULES, SCENARIOS, block, kind_of, server_of, text_of
from retouch.recipes.policy.making.asking.schemas import patch_schema, rules_schema, scenarios_schema
from retouch.recipes.policy.making.judging.questions import MAX_SHOWN, failures_block
from retouch.recipes.policy.making.judging.server_state import ServerState, Value, server_state
from retouch.recipes.policy.making.rules.compiled import rules_in
from retouch.recipes.policy.making.rules.patches import SEEN, accepted, proposed
from retouch.recipes.policy.making.session.feedback import ScenarioFeedback, turn_text
from retouch.recipes.policy.making.session.merging import Refused
from retouch.recipes.policy.making.session.pages import items_in, next_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.repair import Repair
    from retouch.engine.types import Attempt, Issue
    from retouch.recipes.policy.making.asking.source import PolicyJob
    from retouch.recipes.policy.making.session.merging import ScenarioCorrection

NOUNS = {RULES: "rule set", SCENARIOS: "page of scenarios"}
TRIES_BEFORE_WHOLE = 2


def repair_among(
    job: PolicyJob, unit: str, issues: Sequence[Issue], attempts: Sequence[Attempt], values: Mapping[str, Value]
) -> Repair | PageByPage | None:
    """Return the repair of a unit. None if another attempt would only produce the same rules.

    An unusable answer is corrected. Rules that fail scenarios are patched. A page with open slots or gaps gets another
    turn.
    """
    state = server_state(job, server_of(unit), values)
    has_form_issues = any(issue.tier != Tier.SEMANTIC for issue in issues)
    if state is None or has_form_issues or kind_of(unit) not in NOUNS:
        return Correction(noun=NOUNS.get(kind_of(unit), "verdict"))
    if kind_of(unit) == SCENARIOS:
        return PageByPage(partial(_turn, state, attempts))
    return _patch(state, attempts)


def _patch(state: ServerState, attempts: Sequence[Attempt]) -> Repair | None:
    refused = _refused_in_a_row(attempts)
    if any(issue.code == SEEN for attempt in refused for issue in attempt.issues):
        return None
    form = "whole" if len(refused) >= TRIES_BEFORE_WHOLE else "operations"
    task: dict[str, JSON] = {"task": "patch", "server": state.server, "form": form}
    names = cast("JSON", [rule.name for rule in state.rules.rules])
    whys: list[JSON] = [{"why": issue.message} for attempt in refused[-1:] for issue in attempt.issues]
    parts = [
        block("task", task),
        text_of("whole" if form == "whole" else "patch"),
        block("names", names),
        failures_block(state, state.failures_to_fix[:MAX_SHOWN], blames=True),
    ]
    parts += [f"Your last change was not kept.\n{block('refused', whys)}"] if whys else []
    seen = frozenset(_rule_sets(state, attempts, refused))
    schema = rules_schema(state.job) if form == "whole" else patch_schema(state.job)
    return FollowUp(turn="\n\n".join(parts), merge=partial(_patched, state, seen), final=True, answer_schema=schema)


def _refused_in_a_row(attempts: Sequence[Attempt]) -> list[Attempt]:
    """Return the latest attempts that were all refused, oldest first."""
    kept = [place for place, attempt in enumerate(attempts) if attempt.readable]
    return [attempt for attempt in attempts[kept[-1] + 1 if kept else 0 :] if attempt.reply is not None]


def _rule_sets(
    state: ServerState, attempts: Sequence[Attempt], refused: Sequence[Attempt]
) -> Iterator[tuple[object, ...]]:
    """Yield the rule sets of this round, including those that the latest refused answers would have produced."""
    current = None
    for attempt in attempts:
        if attempt.reply is None or not attempt.readable:
            continue
        try:
            text = attempt.reply.text
            current = rules_in(state.server, text) if current is None else proposed(current, text)
        except Invalid:
            return
        yield current.rules
    for attempt in refused:
        with suppress(Invalid):
            yield proposed(state.rules, attempt.reply.text if attempt.reply else "").rules


def _patched(state: ServerState, seen: frozenset[tuple[object, ...]], _current: str | None, reply: str) -> str:
    return accepted(state.job, state.rules, reply, state.scenarios, seen).text


def _turn(state: ServerState, attempts: Sequence[Attempt], page: int) -> Repair:
    """Return another turn of the session about a page."""
    known = state.page(page)
    last = _refused_in_a_row([attempt for attempt in attempts if attempt.page == page])[-1:]
    unread = [Refused(id="answer", why=issue.message) for attempt in last for issue in attempt.issues]
    names = {tool.name for tool in state.job.pages_of(state.server)[page - 1]}
    scenarios = state.attributed.scenarios
    own = [one for one in state.attributed.corrections if scenarios[one.id].request.tool in names]
    feedback = ScenarioFeedback(
        discards=known.open,
        gaps=state.gaps_of(page),
        refused=(*known.refused, *unread),
        corrections=[one for one in own if _correction_key(one) not in known.told],
    )
    turn = turn_text(state.server, page, known.turns + 1, feedback)
    merge, schema = partial(_merged_page, state, page, feedback), scenarios_schema(state.job)
    return FollowUp(turn=turn, merge=merge, final=True, answer_schema=schema)


def _merged_page(state: ServerState, page: int, feedback: ScenarioFeedback, _current: str | None, reply: str) -> str:
    known = state.page(page)
    items = items_in(reply, turn=known.turns + 1)
    own = {one.id for one in known.scenarios}
    others = [one for one in state.scenarios if one.id not in own]
    frame = state.job.frame_of(state.server)
    tools = state.job.pages_of(state.server)[page - 1]
    after, _ = next_page(frame, tools, known, others, items, additions=len(feedback.gaps))
    return replace(after, told=(*known.told, *map(_correction_key, feedback.corrections))).text


def _correction_key(correction: ScenarioCorrection) -> str:
    return f"{correction.id}:{correction.expected}"
