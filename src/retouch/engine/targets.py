"""Which pages a verb asks: those without an answer, those that were named, those with errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from retouch.engine.calls import taken_up
from retouch.engine.repairs import RepairPlanner, first_call
from retouch.engine.types import issues_from, prompt_hash
from retouch.errors import StaleRun, UnknownName

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch.engine.calls import PlannedCall
    from retouch.engine.history import Key
    from retouch.engine.recipe import Recipe
    from retouch.engine.round import Round
    from retouch.engine.types import Issue, Model, Prompt

S = TypeVar("S")


@dataclass(frozen=True, kw_only=True)
class Targets:
    """What to make again: units by name (none means all), their pages (1-based; none means all of a unit).

    `from_errors` takes the pages that the last validation blamed, and tells what was wrong with them. `issues` are
    told to the pages of their unit besides, as if a check had found them.
    """

    units: tuple[str, ...] = ()
    pages: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, "tuple[int, ...]"])
    from_errors: bool = False
    issues: tuple[Issue, ...] = ()


def missing(work: Round[Any, Any], model: Model) -> list[PlannedCall]:
    """Return the asks of all pages that have no answer to their present prompt and were not given up.

    A page whose reply was refused or cut off is not among them: asking it again is a repair, which is granted.
    """
    history = work.record.history
    asks: list[PlannedCall] = []
    for unit in work.units.values():
        settled = history.settled.get(unit.name)
        granted = (*settled.asked, *settled.in_vain) if settled is not None else ()
        if unit.state or history.adopted(unit.name) is not None:
            continue
        lacking = (prompt for prompt in unit.prompts if history.answer_to(prompt) is None)
        asks += [taken_up(first_call(prompt, model), history) for prompt in lacking if prompt.page not in granted]
    return asks


def chosen(targets: Targets, prompts: Sequence[Prompt], validation: Mapping[str, Any]) -> list[Key]:
    """Return the identities of the target pages, in the order of the prompts.

    Raises:
        UnknownName: a unit or page that is not there; the message lists what is.
    """
    pages: dict[str, list[int]] = {}
    for prompt in prompts:
        pages.setdefault(prompt.type_name, []).append(prompt.page)
    named = dict.fromkeys((*targets.units, *targets.pages))
    for name in named:
        _expect_known(name, targets.pages.get(name, ()), pages)
    wanted = {name: set(targets.pages.get(name) or pages[name]) for name in named or pages}
    if targets.from_errors:
        blamed = {name: _blamed(validation, name, pages[name]) for name in wanted}
        wanted = {name: numbers & blamed[name] for name, numbers in wanted.items()}
    return [prompt.key for prompt in prompts if prompt.page in wanted.get(prompt.type_name, ())]


def _expect_known(name: str, numbers: Sequence[int], pages: Mapping[str, Sequence[int]]) -> None:
    from difflib import get_close_matches

    if name not in pages:
        near = get_close_matches(name, pages, n=3, cutoff=0.5) or list(pages)[:20]
        raise UnknownName(f"no type {name!r}; it has {', '.join(near)}", hint="'retouch show' lists all units.")
    for number in numbers:
        if number not in pages[name]:
            raise UnknownName(f"{name!r} has no page {number}; it has {len(pages[name])}", hint="Pages count from 1.")


def errors_of(validation: Mapping[str, Any], unit: str) -> tuple[Issue, ...]:
    """Return the errors that a validation summary holds against a unit."""
    tiers: Mapping[str, Any] = validation.get(unit, {}).get("issues", {})
    found = (issue for tier in tiers.values() for issue in issues_from(tier))
    return tuple(issue for issue in found if issue.severity == "error")


def _blamed(validation: Mapping[str, Any], unit: str, pages: Sequence[int]) -> set[int]:
    blamed = {issue.page for issue in errors_of(validation, unit)}
    return set(pages) if None in blamed else {page for page in blamed if page is not None}


def complaints(targets: Targets, validation: Mapping[str, Any], units: Iterable[str]) -> dict[str, list[Issue]]:
    """Return what is to be told to the pages of each unit: the given issues, and with `from_errors` the known ones."""
    told = {unit: [issue for issue in targets.issues if issue.unit == unit] for unit in units}
    if targets.from_errors:
        for unit, issues in told.items():
            issues.extend(errors_of(validation, unit))
    return told


def again(
    work: Round[Any, Any],
    keys: Sequence[Key],
    told: Mapping[str, Sequence[Issue]],
    model: Model,
    fallback: Model | None,
) -> list[PlannedCall]:
    """Return the asks of stored prompts: first_call, or with what a person hints and what is `told` of their unit."""
    ladder = RepairPlanner(work, model, fallback)
    pages: dict[str, list[int]] = {}
    for name, page in keys:
        pages.setdefault(name, []).append(page)
    asks: list[PlannedCall] = []
    for name, numbers in pages.items():
        unit, issues = work.units[name], told.get(name, ())
        history = work.record.history
        if issues or history.hint:
            of_unit = ladder.asks(unit, issues, numbers, history)
        else:
            all_clean = [first_call(unit.pages[number], model) for number in numbers]
            of_unit = [ask for ask in all_clean if ladder.can_answer(ask, history)]
        if not of_unit:
            work.give_up(unit)
        asks += of_unit
    return asks


def changed_units(recipe: Recipe[S, Any], source: S, stored: Sequence[Prompt]) -> list[str]:
    """Return the units whose stored prompts are not what `plan` gives for `source` now, in order."""
    now = {prompt.key: prompt_hash(prompt) for prompt in recipe.plan(source)}
    then = {prompt.key: prompt_hash(prompt) for prompt in stored}
    keys = [key for key in (*now, *then) if now.get(key) != then.get(key)]
    return list(dict.fromkeys(name for name, _ in keys))


def reopened(recipe: Recipe[S, Any], source: S, changed: Sequence[str], units: Iterable[str]) -> list[str]:
    """Return the units that a change lets be mended again: those that changed, and those judged with them in a group.

    Where all units are one group the others keep the state that they were left in.
    """
    names = dict.fromkeys((*changed, *units))
    groups = {name: recipe.group(source, name) for name in names}
    if len(set(groups.values())) < 2 and "" in groups.values():
        return list(changed)
    touched = {groups[name] for name in changed}
    return [name for name in names if groups[name] in touched]


def refuse_stale(
    recipe: Recipe[S, Any], source: S, stored: Sequence[Prompt], *, hashes: tuple[str, str | None]
) -> None:
    """Refuse to go on with prompts of another source than the one in `ir.json`.

    `hashes` are those of the source now and of the one that `pages.json` was made from (None when there is none).

    Raises:
        StaleRun: naming the units that are affected.
    """
    units = changed_units(recipe, source, stored)
    if units or hashes[1] not in (None, hashes[0]):
        what = f"the prompts of {', '.join(map(repr, units[:10]))}" if units else "pages.json"
        hint = "Run 'retouch generate' again to ask for what changed, or go on with --ignore-stale."
        raise StaleRun(f"{what} were made from an older source than ir.json holds", hint=hint)
