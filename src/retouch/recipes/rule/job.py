"""The rule recipe: one unit, one page."""

from retouch.engine.recipe import Recipe, TierPlan
from retouch.recipes.rule.asking.offline import answer
from retouch.recipes.rule.asking.pages import plan
from retouch.recipes.rule.asking.source import RuleJob
from retouch.recipes.rule.faults import FAULTS
from retouch.recipes.rule.judging.artifact import Artifact
from retouch.recipes.rule.judging.assembly import adopted, assemble, blocks, heading, report
from retouch.recipes.rule.judging.checks import check
from retouch.recipes.rule.judging.reading import read
from retouch.recipes.rule.repairing.retry import repair


def tiers(_job: RuleJob) -> tuple[TierPlan, ...]:
    """Return the checks of a run: the form of the rule, its language, the samples, and the assumptions that it cannot
    check.
    """
    return (
        TierPlan(tier=1, name="syntax"),
        TierPlan(tier=2, name="schema"),
        TierPlan(tier=3, name="samples"),
        TierPlan(
            tier=4,
            name="assumptions",
            why="parts that are the same in all samples may vary in other paths",
            next="retouch rule test RULE PATHS",
        ),
    )


recipe = Recipe[RuleJob, Artifact](
    name="rule",
    source=RuleJob,
    plan=plan,
    read=read,
    check=check,
    assemble=assemble,
    tiers=tiers,
    faults=FAULTS,
    repair=repair,
    offline=answer,
    adopted=adopted,
    blocks=blocks,
    heading=heading,
    report=report,
)
