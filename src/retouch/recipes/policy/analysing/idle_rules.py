"""Finds rules without effect by deciding one call of every region. No model, no solver.

The result is exact for calls with a single value per argument, for all conditions of the rule language. Symbolic links
are only followed if `surroundings` ask for it, so that the result does not depend on the machine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from retouch.recipes.policy.analysing.regions import MAX_CALLS_PER_TOOL, tool_spaces
from retouch.recipes.policy.analysing.states import with_history
from retouch.recipes.policy.deciding.evaluation import LEXICAL, Surroundings, evaluate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.deciding.decision import Decision
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Rule, ToolCall

Kind: TypeAlias = Literal["dead", "ineffective"]
Decided: TypeAlias = "Sequence[tuple[ToolCall, Decision]]"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A rule without effect. A dead rule never answers. An ineffective rule answers, but removing it changes no
    decision.

    `shadowed_by` names the rules that answer instead. `example` is the smallest call for which the rule would answer.
    """

    kind: Kind
    rule: str
    shadowed_by: tuple[str, ...]
    example: ToolCall | None

    @property
    def words(self) -> str:
        """The finding as a sentence."""
        others = ", ".join(map(repr, self.shadowed_by))
        if self.kind == "dead":
            return f"rule {self.rule!r} never answers" + (
                f"; {others} answers first" if others else ": no call matches it"
            )
        return f"rule {self.rule!r} changes no decision" + (
            f"; without it, {others} gives the same decision" if others else ""
        )

    def as_json(self) -> dict[str, JSON]:
        """Return the finding as JSON."""
        return {
            "kind": self.kind,
            "rule": self.rule,
            "shadowedBy": cast("JSON", list(self.shadowed_by)),
            "example": None if self.example is None else self.example.as_json(),
            "message": self.words,
        }


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """The findings, and the number of calls that were decided. `cut` names tools with too many regions to enumerate: a
    rule that is reported as dead for these may only be rarely used.
    """

    findings: tuple[Finding, ...]
    calls: int
    cut: tuple[str, ...] = ()

    @property
    def dead(self) -> tuple[str, ...]:
        """The names of rules that never answer."""
        return tuple(one.rule for one in self.findings if one.kind == "dead")

    @property
    def ineffective(self) -> tuple[str, ...]:
        """The names of rules whose removal changes no decision, including dead ones."""
        return tuple(one.rule for one in self.findings)


def decided_regions(policy: Policy, *, surroundings: Surroundings = LEXICAL) -> list[tuple[ToolCall, Decision]]:
    """Return one call of every region of every tool, with its decision."""
    calls = (call for space in tool_spaces(policy, disk=surroundings.disk) for call in space.calls())
    return [(call, evaluate(policy, call, surroundings=surroundings)) for call in calls]


def analyse(policy: Policy, *, surroundings: Surroundings = LEXICAL) -> Analysis:
    """Return the dead and ineffective rules of `policy`, in the order of the rules.

    Rules of servers that failed verification are skipped because no rule applies there.
    """
    decided = decided_regions(policy, surroundings=surroundings)
    failed = {note.server for note in policy.failed}
    rules = (rule for rule in policy.rules if rule.when.server is None or not failed.issuperset(rule.when.server))
    found = (_finding(policy, rule, decided, surroundings) for rule in rules)
    spaces = tool_spaces(policy, disk=surroundings.disk)
    cut = (f"{one.tool.server}/{one.tool.name}" for one in spaces if one.size > MAX_CALLS_PER_TOOL)
    return Analysis(findings=tuple(one for one in found if one is not None), calls=len(decided), cut=tuple(cut))


def _finding(policy: Policy, rule: Rule, decided: Decided, surroundings: Surroundings) -> Finding | None:
    answered = [(call, was) for call, was in decided if rule.name in was.discharging]
    if not answered:
        return _dead_finding(policy, rule, decided, surroundings)
    without = replace(policy, rules=tuple(one for one in policy.rules if one is not rule))
    instead: list[tuple[ToolCall, str]] = []
    for call, was in answered:
        now = evaluate(without, call, surroundings=surroundings)
        if now.decision != was.decision:
            return None
        instead.append((call, now.rule))
    return _finding_with_example("ineffective", rule, instead)


def _dead_finding(policy: Policy, rule: Rule, decided: Decided, surroundings: Surroundings) -> Finding:
    """Find the rules that answer before this one, by moving it to the front and then by evaluating it alone."""
    first = replace(policy, rules=(rule, *(one for one in policy.rules if one is not rule)))
    alone = replace(policy, rules=(rule,), allowed_directory=None, protected_paths=(), servers={})
    candidates = [(call, was) for call, was in decided if rule.when.is_about(call.server, call.tool)]
    for other in (first, alone):
        hidden = [
            (call, name)
            for call, was in candidates
            if rule.name in evaluate(other, call, surroundings=surroundings).discharging
            for name in was.discharging or (was.rule,)
        ]
        if hidden:
            return _finding_with_example("dead", rule, hidden)
    return _finding_with_example("dead", rule, [])


def _finding_with_example(kind: Kind, rule: Rule, calls: Iterable[tuple[ToolCall, str]]) -> Finding:
    found = list(calls)
    others = tuple(dict.fromkeys(name for _, name in found if name != rule.name))
    example = min((call for call, _ in found), key=lambda call: len(call.arguments), default=None)
    example = None if example is None else with_history(example, example.state)
    return Finding(kind=kind, rule=rule.name, shadowed_by=others, example=example)
