"""The rule recipe: one unit, one page."""

from retouch.engine.recipe import Recipe, TierPlan
from retouch.recipes.rule.asking.offline import answer
from retouch.recipes.rule.asking.pages import plan
from retouch.recipes.rule.asking.source import RuleJob
from retouch.recipes.rule.asking.table import table_of
from retouch.recipes.rule.faults import FAULTS
from retouch.recipes.rule.judging.artifact import Artifact
from retouch.recipes.rule.judging.assembly import adopted, assemble, blocks, heading, report
from retouch.recipes.rule.judging.checks import check
from retouch.recipes.rule.judging.reading import read
from retouch.recipes.rule.repairing.retry import repair


def tiers(job: RuleJob) -> tuple[TierPlan, ...]:
    """Return the checks of a run: the form of the rule, its language, the samples, and its assumptions.

    The last one passes only if no question about the samples is open.
    """
    return (
        TierPlan(tier=1, name="syntax"),
        TierPlan(tier=2, name="schema"),
        TierPlan(tier=3, name="samples"),
        TierPlan(tier=4, name="assumptions", why=_open_question(job), next=_NEXT),
    )


_NEXT = "retouch generate rule ... --accept KEY, or --example PATH field=value"


def _open_question(job: RuleJob) -> str:
    """Return the open questions about a source in one line, or "" if there is none."""
    if job.form in {"python", "either"}:
        return "a function can read other paths in any way, and nothing measures how specific it is"
    table = table_of(job)
    open_ones = table.open_assumptions(job.accepted)
    asked = [*table.questions.values(), *(one.question for one in open_ones)]
    if not asked:
        return ""
    count = "1 question is open" if len(asked) == 1 else f"{len(asked)} questions are open"
    return f"{count}: {asked[0]}"


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
