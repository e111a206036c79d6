"""Finds the rules and the regions of calls that no scenario covers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from retouch.recipes.policy.analysing.regions import by_size, tool_spaces
from retouch.recipes.policy.analysing.states import shown
from retouch.recipes.policy.deciding.evaluation import LEXICAL, Surroundings, evaluate
from retouch.recipes.policy.language.values import Outcome
from retouch.recipes.policy.scenarios.execution import execute

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import ToolCall
    from retouch.recipes.policy.scenarios.execution import Execution
    from retouch.recipes.policy.scenarios.scenario import Scenario


@dataclass(frozen=True, kw_only=True)
class Gap:
    """Regions of one tool that one rule decides alike and no scenario covers: their number, and the smallest example
    call.
    """

    server: str
    tool: str
    decision: Outcome
    rule: str
    regions: int
    example: ToolCall

    def as_json(self) -> dict[str, JSON]:
        """Return the gap as JSON."""
        return {
            "server": self.server,
            "tool": self.tool,
            "decision": self.decision,
            "rule": self.rule,
            "regions": self.regions,
            "example": self.example.as_json(),
        }


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """Scenario coverage of a policy.

    A rule answers if it decided at least one value of a call. It is reported if the decision names it. `regions` counts
    all regions, `regions_reached` those with a scenario. `gaps` are sorted by server, tool and rule.
    """

    answering: Mapping[str, int]
    reported: Mapping[str, int]
    unanswering: tuple[str, ...]
    unreported: tuple[str, ...]
    regions: int
    regions_reached: int
    gaps: tuple[Gap, ...]

    def as_json(self) -> dict[str, JSON]:
        """Return the coverage as JSON."""
        return {
            "answering": cast("JSON", dict(self.answering)),
            "reported": cast("JSON", dict(self.reported)),
            "rulesNotAnswering": cast("JSON", list(self.unanswering)),
            "rulesNotReported": cast("JSON", list(self.unreported)),
            "regions": self.regions,
            "regionsReached": self.regions_reached,
            "gaps": [gap.as_json() for gap in self.gaps],
        }


def gap_of(calls: Sequence[ToolCall], decision: Outcome, rule: str) -> Gap:
    """Return the gap that consists of these calls, one per region. All must be for one tool and decided alike."""
    example = shown(min(calls, key=by_size))
    return Gap(
        server=example.server, tool=example.tool, decision=decision, rule=rule, regions=len(calls), example=example
    )


def measure_coverage(
    policy: Policy, scenarios: Sequence[Scenario], *, surroundings: Surroundings = LEXICAL
) -> Coverage:
    """Return which rules and regions of `policy` the scenarios cover, and the gaps.

    A scenario covers the region of its call. A call with several values in one argument covers none.
    """
    executions = execute(policy, scenarios, surroundings=surroundings)
    answering = Counter(name for one in executions for name in one.discharging)
    reported = Counter(one.rule for one in executions)
    names = [rule.name for rule in policy.rules]
    total, gaps = _gaps(policy, executions, surroundings)
    return Coverage(
        answering={name: answering[name] for name in names},
        reported={name: reported[name] for name in names},
        unanswering=tuple(name for name in names if not answering[name]),
        unreported=tuple(name for name in names if not reported[name]),
        regions=total,
        regions_reached=total - sum(gap.regions for gap in gaps),
        gaps=gaps,
    )


def _gaps(policy: Policy, executions: Sequence[Execution], surroundings: Surroundings) -> tuple[int, tuple[Gap, ...]]:
    by_tool: dict[tuple[str, str], list[ToolCall]] = {}
    for one in executions:
        request = one.scenario.request
        by_tool.setdefault((request.server, request.tool), []).append(request)
    total, found = 0, dict[tuple[str, str, Outcome, str], list["ToolCall"]]()
    for space in tool_spaces(policy, disk=surroundings.disk):
        tool = space.tool
        reached = {space.region_of(request) for request in by_tool.get((tool.server, tool.name), ())}
        for call in space.calls():
            total += 1
            if space.region_of(call) not in reached:
                was = evaluate(policy, call, surroundings=surroundings)
                found.setdefault((tool.server, tool.name, was.decision, was.rule), []).append(call)
    gaps = (gap_of(calls, decision, rule) for (_, _, decision, rule), calls in found.items())
    return total, tuple(sorted(gaps, key=lambda gap: (gap.server, gap.tool, gap.rule, gap.decision)))
