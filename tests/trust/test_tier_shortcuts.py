"""The outcomes of tiers are looked for once per group. They are those that each unit has by the plain rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from retouch.engine.recipe import TierPlan
from retouch.engine.tiers import Outcome, UnitFacts, tier_outcomes
from retouch.engine.types import Issue, Tier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch._lib.json_text import JSON

_TIERS = (Tier(1), Tier(2), Tier(3))
_DETAILS: tuple[dict[str, JSON], ...] = (
    {},
    {"not_run": "no tool"},
    {"tool": "cc"},
    {"not_run": True, "of_unit": True},
    {"tool": "cc", "of_unit": 1},
)
_ISSUES = st.builds(
    Issue,
    code=st.just("x"),
    message=st.just("m"),
    tier=st.sampled_from(_TIERS),
    unit=st.just("u"),
    detail=st.sampled_from(_DETAILS),
    severity=st.sampled_from(("error", "warning")),
)
_FACTS = st.tuples(st.sampled_from("ab"), st.lists(_ISSUES, max_size=3), st.booleans(), st.booleans())
_PLANS = st.lists(st.sampled_from(("", "off")), min_size=3, max_size=3)


def _plain_outcome(plan: TierPlan, unit: UnitFacts, units: Sequence[UnitFacts]) -> Outcome:
    """Return the outcome by the rules, each of which looks at all units."""
    tier, members = plan.tier, [one for one in units if one.group == unit.group]
    failures = [int(one.tier) for one in unit.issues if one.is_failure]
    if unit.answered and failures and min(failures) == tier:
        return "failed"
    unsure = [int(one.tier) for one in unit.issues if one.is_error and one.detail.get("tool")]
    reports = [
        issue
        for one in (members if tier == 3 else [unit])
        for issue in one.issues
        if issue.tier == tier and (issue.detail.get("not_run") or issue.detail.get("tool"))
        if one is unit or not issue.detail.get("of_unit")
    ]
    waits = tier == 3 and (
        not unit.checked
        or any(not one.answered or any(each.is_failure and each.tier < 3 for each in one.issues) for one in members)
    )
    early = any(one < tier for one in (*failures, *unsure))
    return "not_run" if not unit.answered or early or plan.why or reports or waits else "passed"


@given(facts=st.lists(_FACTS, max_size=5), whys=_PLANS)
def test_no_shortcut_gives_a_unit_another_outcome_than_the_plain_rules(
    facts: list[tuple[str, list[Issue], bool, bool]], whys: list[str]
) -> None:
    """A tier that failed or was not run is never shown as passed, in whichever group and order the units are."""
    plans = [TierPlan(tier=int(tier), name=f"t{int(tier)}", why=why) for tier, why in zip(_TIERS, whys, strict=True)]
    units = [
        UnitFacts(name=f"u{number}", group=group, issues=issues, answered=answered, checked=checked)
        for number, (group, issues, answered, checked) in enumerate(facts)
    ]
    found = tier_outcomes(plans, units)
    expected = {one.name: {plan.name: _plain_outcome(plan, one, units) for plan in plans} for one in units}
    assert expected == {name: {tier: one.outcome for tier, one in row.items()} for name, row in found.items()}
