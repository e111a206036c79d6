"""The edit recipe: one unit per file."""

from retouch.engine.recipe import Recipe, TierPlan
from retouch.engine.types import RetryBudget
from retouch.recipes.edit.answers import NewText, exact_answer, read
from retouch.recipes.edit.assembly import assemble, blocks, heading
from retouch.recipes.edit.command import check, preflight
from retouch.recipes.edit.offline import answer
from retouch.recipes.edit.pages import opens_session, plan
from retouch.recipes.edit.repairs import repair
from retouch.recipes.edit.sections import report
from retouch.recipes.edit.source import EditJob


def tiers(job: EditJob) -> tuple[TierPlan, ...]:
    """Return the checks of a run: parsing and placing the edits, the syntax of the result, the user's check."""
    unchecked = "" if job.check else "no check was given"
    again = "" if job.check else "retouch generate edit ... --check COMMAND"
    return (
        TierPlan(tier=1, name="placing"),
        TierPlan(tier=2, name="syntax"),
        TierPlan(tier=3, name="check", why=unchecked, next=again),
    )


recipe = Recipe[EditJob, NewText](
    name="edit",
    source=EditJob,
    plan=plan,
    read=read,
    check=check,
    assemble=assemble,
    tiers=tiers,
    repair_among=repair,
    session=opens_session,
    offline=answer,
    # Tier 1 also pays for the next change if changes are sent one by one. Tier 2 pays for three corrections, for edits
    # that are requested one at a time, and for the request for the whole file.
    budget=RetryBudget(tier1_remaining=16, tier2_remaining=12, tier3_remaining=3, total_remaining=24),
    preflight=preflight,
    adopted=exact_answer,
    blocks=blocks,
    heading=heading,
    report=report,
)
