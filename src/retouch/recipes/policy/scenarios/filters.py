"""Removes scenarios that prove nothing, each with the reason, before they cause costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.errors import BadInput
from retouch.recipes.policy.deciding.evaluation import ON_DISK, Surroundings, evaluate
from retouch.recipes.policy.deciding.json_schema import violations
from retouch.recipes.policy.deciding.modes import mode_of
from retouch.recipes.policy.scenarios.scenario import agree, meets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Outcome, Tool
    from retouch.recipes.policy.scenarios.scenario import Scenario

DiscardKind: TypeAlias = Literal["schema", "default-role", "structural", "duplicate", "contradiction"]


@dataclass(frozen=True, kw_only=True)
class Discard:
    """A removed scenario with the reason. `actual` is the decision, if it is independent of the rules."""

    scenario: Scenario
    kind: DiscardKind
    detail: str
    actual: Outcome | None = None
    rule: str | None = None

    def as_json(self) -> dict[str, JSON]:
        """Return the discard as JSON."""
        found: dict[str, JSON] = {"id": self.scenario.id, "description": self.scenario.description, "kind": self.kind}
        return found | {"detail": self.detail, "actual": self.actual, "rule": self.rule}


@dataclass(frozen=True, kw_only=True)
class Filtered:
    """The remaining scenarios, in order, and those that were removed."""

    kept: tuple[Scenario, ...]
    discards: tuple[Discard, ...]


def filter_scenarios(
    policy: Policy, scenarios: Sequence[Scenario], *, surroundings: Surroundings = ON_DISK
) -> Filtered:
    """Return the scenarios that are worth keeping.

    A scenario is removed for the first of these reasons:

    - its arguments violate the schema of the tool,
    - every argument with modes uses its default,
    - its decision is built-in and not the expected one,
    - the same call exists already,
    - the same call exists with a contradicting expectation.

    Of two scenarios for one call, a handwritten one is kept, then a corrected one, then the first.
    """
    discards: list[Discard] = []
    sound: list[Scenario] = []
    for one in scenarios:
        found = _unsound(policy, one, surroundings)
        if found is None:
            sound.append(one)
        else:
            discards.append(found)
    kept, doubles = _one_per_call(sound)
    return Filtered(kept=kept, discards=(*discards, *doubles))


def refuse_handwritten(discards: Iterable[Discard]) -> None:
    """Raise an error if a handwritten scenario was removed. Only the user may fix it.

    Raises:
        BadInput: some were removed. The message names each with the reason.
    """
    found = [one for one in discards if one.scenario.source == "handwritten"]
    if found:
        lines = "\n".join(f"  {one.scenario.description!r}: {one.kind}, {one.detail}" for one in found)
        message = f"{len(found)} handwritten scenarios cannot be used:\n{lines}"
        raise BadInput(message, hint="Correct or remove them. Retouch never changes handwritten scenarios.")


def contradictions(scenarios: Iterable[Scenario]) -> tuple[tuple[Scenario, Scenario], ...]:
    """Return the pairs of scenarios for one call whose expectations no decision can meet, in order."""
    known: dict[str, list[Scenario]] = {}
    found: list[tuple[Scenario, Scenario]] = []
    for one in scenarios:
        others = known.setdefault(one.id, [])
        found += [(other, one) for other in others if not agree(other.expected, one.expected)]
        others.append(one)
    return tuple(found)


def _unsound(policy: Policy, scenario: Scenario, surroundings: Surroundings) -> Discard | None:
    request = scenario.request
    tool = policy.tools.get((request.server, request.tool))
    if tool is not None:
        wrong = schema_errors(tool, request.arguments)
        if wrong:
            return Discard(scenario=scenario, kind="schema", detail="; ".join(wrong))
        if fell_to_default(tool, request.arguments):
            names = ", ".join(repr(name) for name in _discriminators(tool))
            return Discard(scenario=scenario, kind="default-role", detail=f"the value of {names} selects no known mode")
    found = evaluate(policy, request, surroundings=surroundings)  # a built-in decision has no state
    if found.is_structural and not meets(scenario.expected, found.decision):
        detail = f"it is always {found.decision}: {found.reason}"
        return Discard(scenario=scenario, kind="structural", detail=detail, actual=found.decision, rule=found.rule)
    return None


def schema_errors(tool: Tool, arguments: Mapping[str, JSON]) -> list[str]:
    """Return the errors in the arguments of a call: unknown names, and violations of the tool's schema."""

    unknown = [f"$: {name!r} is not a known argument" for name in arguments if name not in tool.args]
    schema = tool.input_schema
    found = [] if schema is None else violations(dict(schema), dict(arguments))
    return [*unknown, *(one for one in found if one not in unknown)]


def fell_to_default(tool: Tool, arguments: Mapping[str, JSON]) -> bool:
    """Return whether a tool has arguments with modes and the call selects none of them."""

    specs = [spec for spec in tool.args.values() if spec.modes]
    return bool(specs) and all(mode_of(spec, arguments) < 0 for spec in specs)


def _discriminators(tool: Tool) -> list[str]:
    return list(dict.fromkeys(mode.condition.arg for spec in tool.args.values() for mode in spec.modes))


def _one_per_call(scenarios: Sequence[Scenario]) -> tuple[tuple[Scenario, ...], tuple[Discard, ...]]:
    best: dict[str, Scenario] = {}
    for one in scenarios:
        if one.id not in best or _weight(one) < _weight(best[one.id]):
            best[one.id] = one
    discards: list[Discard] = []
    for one in scenarios:
        winner = best[one.id]
        if one is winner:
            continue
        clash = not agree(one.expected, winner.expected)
        words = f"{winner.description!r} expects {winner.expected} for the same call"
        discards.append(Discard(scenario=one, kind="contradiction" if clash else "duplicate", detail=words))
    return tuple(one for one in scenarios if one is best[one.id]), tuple(discards)


def _weight(scenario: Scenario) -> int:
    if scenario.source == "handwritten":
        return 0
    return 2 if scenario.corrected_from is None else 1
