"""The chisel recipe: one unit, the fix."""

from retouch.engine.recipe import Recipe, TierPlan
from retouch.engine.types import RetryBudget
from retouch.recipes.chisel.answers import Fix, adopted, read
from retouch.recipes.chisel.assembly import assemble, blocks, heading, mark, report, tried, verdict
from retouch.recipes.chisel.checking import NOT_PROVED, check, preflight
from retouch.recipes.chisel.faults import faults
from retouch.recipes.chisel.pages import opens_session, plan
from retouch.recipes.chisel.repairs import repair
from retouch.recipes.chisel.source import FixJob


def tiers(job: FixJob) -> tuple[TierPlan, ...]:
    """Declare the checks of a run: the form of the fix, that it compiles, and that it is equivalent to the wanted
    hardware.
    """
    unproved = NOT_PROVED[job.lec_shows] if job.lec else NOT_PROVED["compiled"]
    again = "retouch generate chisel ... --lec COMMAND" if unproved else ""
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
    # One budget for all candidates and tiers: ten candidates twice, and some repairs. `FixJob.asks_each` limits the
    # calls per candidate.
    budget=RetryBudget(tier1_remaining=22, tier2_remaining=22, tier3_remaining=22, total_remaining=22),
    preflight=preflight,
    mark=mark,
    verdict=verdict,
    adopted=adopted,
    blocks=blocks,
    heading=heading,
    report=report,
    tried=tried,
)
