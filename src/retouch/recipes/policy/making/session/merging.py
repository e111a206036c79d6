"""Merges a generator's answer into the existing scenarios. A pure function of scenarios, discards, corrections and
answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.scenarios.filters import filter_scenarios
from retouch.recipes.policy.scenarios.scenario import Expectation, agree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.scenarios.filters import Discard
    from retouch.recipes.policy.scenarios.scenario import Scenario


@dataclass(frozen=True, kw_only=True)
class Item:
    """One scenario of an answer. `replaces` is the id of a discarded scenario, None for an addition."""

    scenario: Scenario
    replaces: str | None = None


@dataclass(frozen=True, kw_only=True)
class ScenarioCorrection:
    """The corrected expectation of a scenario, and the clause that requires it."""

    id: str
    expected: Expectation
    reasoning: str
    quote: str


@dataclass(frozen=True, kw_only=True)
class Refused:
    """An item that was not accepted, by the id of its call, and the reason."""

    id: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Merged:
    """The result of merging an answer: all scenarios, new ones, refused items, and open slots."""

    scenarios: tuple[Scenario, ...]
    accepted: tuple[Scenario, ...]
    refused: tuple[Refused, ...]
    open: tuple[Discard, ...]
    filled: tuple[str, ...]


def merge(
    frame: Policy,
    scenarios: Sequence[Scenario],
    answer: Sequence[Item],
    *,
    discards: Sequence[Discard] = (),
    filled: Sequence[str] = (),
    corrections: Sequence[ScenarioCorrection] = (),
    additions: int | None = None,
) -> Merged:
    """Return `scenarios` without the discarded ones, with corrections applied, and with the items of `answer`.

    Handwritten scenarios are never changed. A discarded scenario opens a slot for one item that names it, unless its id
    is in `filled`. Other items are additions, at most `additions` of them (None: any number). An item is refused if it
    proves nothing by the filters of `frame` (a policy whose rules are not used), if its call exists already or was
    discarded with the same expectation, or if it names a slot that is not open. The old order is preserved, and the
    items of the answer follow.
    """
    gone = _removed(scenarios, discards)
    corrected = {one.id: one for one in corrections}
    kept = [corrected_by(one, corrected) for one in scenarios if not _is_gone(one, gone)]
    slots, room = {key: one for key, one in gone.items() if key not in filled}, additions
    accepted: list[Scenario] = []
    refused: list[Refused] = []
    for item in answer:
        slot = item.scenario.id if item.replaces is None and item.scenario.id in slots else item.replaces
        why = _why_not(frame, item, [*kept, *accepted], gone) or _no_room(slot, slots, room)
        if why:
            refused.append(Refused(id=item.scenario.id, why=why))
            continue
        accepted.append(item.scenario)
        room = room if room is None or slot is not None else room - 1
        slots.pop(slot or "", None)
    return Merged(
        scenarios=(*kept, *accepted),
        accepted=tuple(accepted),
        refused=tuple(refused),
        open=tuple(slots.values()),
        filled=tuple(key for key in gone if key not in slots),
    )


def corrected_by(scenario: Scenario, corrections: Mapping[str, ScenarioCorrection]) -> Scenario:
    """Return a scenario with the correction of its call applied. A handwritten one is never changed."""
    found = corrections.get(scenario.id)
    if found is None or scenario.source == "handwritten" or found.expected == scenario.expected:
        return scenario
    first = scenario.corrected_from or scenario.expected
    return replace(scenario, expected=found.expected, reasoning=found.reasoning, corrected_from=first)


def _why_not(frame: Policy, item: Item, existing: Sequence[Scenario], gone: Mapping[str, Discard]) -> str:
    scenario = item.scenario
    for other in existing:
        if other.id == scenario.id:
            same = agree(other.expected, scenario.expected)
            return f"{'duplicate of' if same else 'contradicts'} {other.description!r}, which expects {other.expected}"
    if _is_gone(scenario, gone):
        return f"it was discarded: {gone[scenario.id].detail}"
    removed = filter_scenarios(frame, [scenario], surroundings=LEXICAL).discards
    return f"{removed[0].kind}: {removed[0].detail}" if removed else ""


def _removed(scenarios: Sequence[Scenario], discards: Sequence[Discard]) -> dict[str, Discard]:
    """Return the discards by id, without those of handwritten scenarios."""
    handwritten_scenarios = {
        one.id for one in (*scenarios, *(one.scenario for one in discards)) if one.source == "handwritten"
    }
    return {one.scenario.id: one for one in discards if one.scenario.id not in handwritten_scenarios}


def _is_gone(scenario: Scenario, gone: Mapping[str, Discard]) -> bool:
    return scenario.id in gone and scenario.expected == gone[scenario.id].scenario.expected


def _no_room(slot: str | None, slots: Mapping[str, Discard], room: int | None) -> str:
    if slot is not None:
        return "" if slot in slots else f"{slot!r} must not be replaced"
    return "there are enough additions" if room is not None and room <= 0 else ""
