"""The policy job as a recipe: per server its rules, its scenarios, and the verdicts of judges on both."""

from __future__ import annotations

from retouch.engine.budget import RetryBudget
from retouch.engine.recipe import Recipe
from retouch.recipes.policy.making.assembly import assemble
from retouch.recipes.policy.making.checks import check, read
from retouch.recipes.policy.making.judging import then
from retouch.recipes.policy.making.pages import plan, server_of
from retouch.recipes.policy.making.repairs import repair_among
from retouch.recipes.policy.making.source import PolicyJob, heading, smaller
from retouch.recipes.policy.making.standing import Value


def _server(_job: PolicyJob, unit: str) -> str:
    return server_of(unit)


recipe = Recipe[PolicyJob, Value](
    name="policy",
    source=PolicyJob,
    plan=plan,
    read=read,
    check=check,
    assemble=assemble,
    then=then,
    judged_first=True,
    repair_among=repair_among,
    group=_server,
    smaller=smaller,
    heading=heading,
    # Tier 3 pays for the three rounds of the loop: a patch, or a turn of a session, each.
    budget=RetryBudget(tier1_remaining=2, tier2_remaining=2, tier3_remaining=3, total_remaining=6),
)
