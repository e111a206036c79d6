"""The chisel recipe: one unit, the fix."""

from retouch.engine.recipe import Recipe, TierPlan
from retouch.engine.types import RetryBudget
from retouch.recipes.chisel.answers import Fix, adopted, read
from retouch.recipes.chisel.assembly import assemble, blocks, heading, report
from retouch.recipes.chisel.checking import check, preflight
from retouch.recipes.chisel.faults import faults
from retouch.recipes.chisel.pages import opens_session, plan
from retouch.recipes.chisel.repairs import repair
from retouch.recipes.chisel.source import FixJob


def tiers(job: FixJob) -> tuple[TierPlan, ...]:
    """Declare the checks of a run: the form of the fix, that it compiles, and that it is equivalent to the wanted
    hardware.
    """
    unproved = "" if job.lec else "compiled, not proved"
    again = "" if job.lec else "retouch generate chisel ... --lec COMMAND"
    return (
        TierPlan(tier=1, name="placing"),
        TierPlan(tier=2, name="compile"),
        TierPlan(tier=3, name="equivalence", why=unproved, next=again),
    )


recipe = Recipe[FixJob, Fix](
    name="chisel",
    source=FixJob,
    plan=plan,
    read=read,
    check=check,
    assemble=assemble,
    tiers=tiers,
    faults=faults,
    repair_among=repair,
    session=opens_session,
    # One budget for all candidates and tiers. `FixJob.asks_each` limits the calls per candidate.
    budget=RetryBudget(tier1_remaining=6, tier2_remaining=6, tier3_remaining=6, total_remaining=6),
    preflight=preflight,
    adopted=adopted,
    blocks=blocks,
    heading=heading,
    report=report,
)
