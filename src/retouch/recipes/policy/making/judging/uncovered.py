"""Finds decisions about a tool, by a rule or by default, that no scenario shows, with the smallest example call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.policy.analysing.completing import completed
from retouch.recipes.policy.analysing.coverage import gap_of
from retouch.recipes.policy.analysing.regions import by_size, tool_spaces
from retouch.recipes.policy.deciding.evaluation import LEXICAL, evaluate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.policy.analysing.coverage import Gap
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Outcome, ToolCall
    from retouch.recipes.policy.scenarios.execution import Execution


def uncovered(policy: Policy, executions: Sequence[Execution]) -> tuple[Gap, ...]:
    """Return one gap per tool and rule (or default) that no scenario shows. The smallest calls come first.

    Unlike the gaps of `measure_coverage`, the example is a call that can be a scenario: it is valid by the schema of
    its tool, and no built-in decision precedes the rules.
    """
    reached = {(one.scenario.request.tool, one.rule) for one in executions}
    found: dict[tuple[str, Outcome, str], list[ToolCall]] = {}
    for space in tool_spaces(policy, disk=False):
        tool = space.tool
        for region in space.calls():
            call = completed(tool, region)
            if call is None:
                continue
            was = evaluate(policy, call, surroundings=LEXICAL)
            if not was.is_structural and (tool.name, was.rule) not in reached:
                found.setdefault((tool.name, was.decision, was.rule), []).append(call)
    gaps = (gap_of(calls, decision, rule) for (_, decision, rule), calls in found.items())
    return tuple(sorted(gaps, key=lambda gap: (by_size(gap.example), gap.rule)))
