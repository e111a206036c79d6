"""Rules that do nothing, found by deciding one call of every region; no model and no solver.

Exact for calls with a single value per argument and everything that this rule language can ask. Symbolic links are not
looked at unless `surroundings` say so: what a policy means should not depend on the machine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from retouch.recipes.policy.analysing.regions import MAX_CALLS_PER_TOOL, tool_spaces
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
    """A rule that does nothing. A dead one never answers; an ineffective one answers, but nothing changes without it.

    `shadowed_by` names what answers in its place, `example` is the smallest call where it would.
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
                f"; {others} answers first" if others else ": it fits no call"
            )
        return f"rule {self.rule!r} changes no decision" + (f"; without it {others} answers alike" if others else "")

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
    """What was found, on how many calls. `cut` names tools with too many regions, where dead may mean rare."""

    findings: tuple[Finding, ...]
    calls: int
    cut: tuple[str, ...] = ()

    @property
    def dead(self) -> tuple[str, ...]:
        """The rules that never answer."""
        return tuple(one.rule for one in self.findings if one.kind == "dead")

    @property
    def ineffective(self) -> tuple[str, ...]:
        """The rules without which every decision is the same, dead ones among them."""
        return tuple(one.rule for one in self.findings)


def decided_regions(policy: Policy, *, surroundings: Surroundings = LEXICAL) -> list[tuple[ToolCall, Decision]]:
    """Return one call of every region of every tool, with the decision about it."""
    calls = (call for space in tool_spaces(policy, disk=surroundings.disk) for call in space.calls())
    return [(call, evaluate(policy, call, surroundings=surroundings)) for call in calls]


def analyse(policy: Policy, *, surroundings: Surroundings = LEXICAL) -> Analysis:
    """Return the rules of `policy` that are dead or ineffective, in the order of the rules.

    Rules of servers that did not pass are left out: no rule is looked at there.
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
        return _dead(policy, rule, decided, surroundings)
    without = replace(policy, rules=tuple(one for one in policy.rules if one is not rule))
    instead: list[tuple[ToolCall, str]] = []
    for call, was in answered:
        now = evaluate(without, call, surroundings=surroundings)
        if now.decision != was.decision:
            return None
        instead.append((call, now.rule))
    return _named("ineffective", rule, instead)


def _dead(policy: Policy, rule: Rule, decided: Decided, surroundings: Surroundings) -> Finding:
    """Put the rule first: where it answers then, another one does now. Else it fits only what no rule decides."""
    first = replace(policy, rules=(rule, *(one for one in policy.rules if one is not rule)))
    alone = replace(policy, rules=(rule,), allowed_directory=None, protected_paths=(), servers={})
    near = [(call, was) for call, was in decided if rule.when.is_about(call.server, call.tool)]
    for other in (first, alone):
        hidden = [
            (call, name)
            for call, was in near
            if rule.name in evaluate(other, call, surroundings=surroundings).discharging
            for name in was.discharging or (was.rule,)
        ]
        if hidden:
            return _named("dead", rule, hidden)
    return _named("dead", rule, [])


def _named(kind: Kind, rule: Rule, calls: Iterable[tuple[ToolCall, str]]) -> Finding:
    found = list(calls)
    others = tuple(dict.fromkeys(name for _, name in found if name != rule.name))
    example = min((call for call, _ in found), key=lambda call: len(call.arguments), default=None)
    return Finding(kind=kind, rule=rule.name, shadowed_by=others, example=example)
