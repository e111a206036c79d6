"""Applies the judges' verdicts to scenarios, in order.

No verdict of a run is lost: all of them are applied again whenever the state of a server is computed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.clauses import quoted_clauses
from retouch.recipes.policy.making.session.merging import Item, Refused, ScenarioCorrection, corrected_by, merge
from retouch.recipes.policy.scenarios.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from retouch.recipes.policy.language.values import Outcome
    from retouch.recipes.policy.making.asking.source import PolicyJob
    from retouch.recipes.policy.making.judging.verdicts import Blame, Expected, Verdict
    from retouch.recipes.policy.scenarios.scenario import Expectation

MOST_PROBES = 5


@dataclass(frozen=True, kw_only=True)
class Question:
    """A call for which judges returned opposite corrections, each with a quoted clause. The user must decide."""

    scenario: Scenario
    first: ScenarioCorrection
    second: ScenarioCorrection


@dataclass(kw_only=True)
class Attributed:
    """Scenarios after all verdicts. `confirmed` maps an id to the confirmed expectation and the verdict."""

    scenarios: dict[str, Scenario]
    corrections: list[ScenarioCorrection] = field(default_factory=list[ScenarioCorrection])
    confirmed: dict[str, tuple[Expectation, Blame]] = field(default_factory=dict[str, "tuple[Expectation, Blame]"])
    questions: dict[str, Question] = field(default_factory=dict[str, Question])
    ignored: list[Refused] = field(default_factory=list[Refused])

    @property
    def last_correction(self) -> Mapping[str, ScenarioCorrection]:
        """The last correction of each scenario."""
        return {one.id: one for one in self.corrections}


def attribute(job: PolicyJob, server: str, scenarios: Iterable[Scenario], verdicts: Iterable[Verdict]) -> Attributed:
    """Return the scenarios after `verdicts`, with corrected expectations and added calls."""
    found = Attributed(scenarios={one.id: one for one in scenarios})
    for verdict in verdicts:
        for blame in verdict.blames:
            why = _apply_blame(job, found, blame)
            if why:
                found.ignored.append(Refused(id=blame.id, why=why))
        new = [_derived(one) for one in verdict.derived if quoted_clauses(one.quote, job.clauses)]
        new += [_probe(one) for one in verdict.probes[:MOST_PROBES]]
        own = [one for one in new if one.scenario.request.server == server]
        merged = merge(job.frame_of(server), [*found.scenarios.values()], own)
        found.ignored += merged.refused
        found.scenarios |= {one.id: one for one in merged.accepted}
    return found


def _apply_blame(job: PolicyJob, found: Attributed, blame: Blame) -> str:
    """Apply one attribution. Return why it is ignored, or "" if it counts."""
    scenario = found.scenarios.get(blame.id)
    if scenario is None:
        return "there is no such scenario"
    if not quoted_clauses(blame.quote, job.clauses):
        return "its quote is not a whole clause of the constitution"
    if scenario.source == "handwritten" or blame.kind == "rule":
        found.confirmed[scenario.id] = (scenario.expected, blame)
        return "" if blame.kind == "rule" else "a handwritten scenario is never corrected: the rules are wrong"
    if blame.corrected is None:
        return "it does not name the correct decision"
    if blame.corrected == scenario.expected:
        if blame.kind == "scenario":
            return "the decision it names is the one that was already expected"
        found.confirmed[scenario.id] = (scenario.expected, blame)
        return ""
    _correct(found, scenario, blame, to=blame.corrected)
    return ""


def _correct(found: Attributed, scenario: Scenario, blame: Blame, *, to: Outcome) -> None:
    now = ScenarioCorrection(id=scenario.id, expected=to, reasoning=blame.reasoning, quote=blame.quote)
    before = found.last_correction.get(scenario.id)
    if before is not None:
        found.questions[scenario.id] = Question(scenario=scenario, first=before, second=now)
        return
    found.corrections.append(now)
    found.scenarios[scenario.id] = corrected_by(scenario, {now.id: now})
    if blame.kind == "both":
        found.confirmed[scenario.id] = (now.expected, blame)


def _derived(expected: Expected) -> Item:
    scenario = Scenario(
        request=expected.request,
        expected=expected.expected,
        description=f"a call to {expected.request.tool} that no scenario reached",
        reasoning=expected.reasoning,
        source="derived",
    )
    return Item(scenario=scenario)


def _probe(item: Item) -> Item:
    return Item(scenario=replace(item.scenario, source="probe", origin=None))
