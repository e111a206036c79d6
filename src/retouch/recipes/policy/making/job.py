"""The policy recipe: per server its rules, its scenarios, and the verdicts of judges on both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.engine.recipe import Recipe, TierPlan
from retouch.engine.types import RetryBudget
from retouch.recipes.policy.making.asking.pages import opens_session, plan
from retouch.recipes.policy.making.asking.source import PolicyJob, heading, smaller
from retouch.recipes.policy.making.assembly import assemble
from retouch.recipes.policy.making.checks import check, page_errors, read
from retouch.recipes.policy.making.faults import FAULTS
from retouch.recipes.policy.making.judging.questions import then
from retouch.recipes.policy.making.judging.server_state import Value
from retouch.recipes.policy.making.repairs import repair_among
from retouch.recipes.policy.making.reporting import report
from retouch.recipes.policy.making.rules.adopting import adopted, blocks

if TYPE_CHECKING:
    from retouch.engine.types import Prompt


def _offline(prompt: Prompt) -> str:
    from retouch.recipes.policy.english.offline import answer

    return answer(prompt)


def tiers(_job: PolicyJob) -> tuple[TierPlan, ...]:
    """Declare the checks of a run: the form of the answers, the rule language, scenarios and clauses."""
    return (
        TierPlan(tier=1, name="syntax"),
        TierPlan(tier=2, name="schema"),
        TierPlan(tier=3, name="scenarios and clauses"),
    )


recipe = Recipe[PolicyJob, Value](
    name="policy",
    source=PolicyJob,
    plan=plan,
    read=read,
    check=check,
    assemble=assemble,
    tiers=tiers,
    faults=FAULTS,
    offline=_offline,
    then=then,
    judged_first=True,
    repair_among=repair_among,
    page_errors=page_errors,
    session=opens_session,
    adopted=adopted,
    blocks=blocks,
    smaller=smaller,
    heading=heading,
    report=report,
    # Tier 3 needs a budget for three rounds of the loop. Each is a patch or a turn of a session.
    budget=RetryBudget(tier1_remaining=2, tier2_remaining=2, tier3_remaining=3, total_remaining=6),
)
