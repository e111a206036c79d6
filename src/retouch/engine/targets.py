"""Selects the pages of a verb: pages without an answer, named pages, or pages with errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from retouch.engine.planned_calls import first_call, with_unchecked_reply
from retouch.engine.recipe import grouped
from retouch.engine.types import errors_of, issues_from_json, prompt_hash
from retouch.errors import StaleRun, UnknownName

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from retouch.engine.history import History
    from retouch.engine.planned_calls import PlannedCall
    from retouch.engine.recipe import Recipe
    from retouch.engine.round import Round
    from retouch.engine.types import Issue, Model, PageKey, Prompt

S = TypeVar("S")


@dataclass(frozen=True, kw_only=True)
class Targets:
    """The selection of a regenerate: units by name (none means all), and their pages (from 1; none means all).

    `from_errors` selects the pages with errors in the last validation, and includes these errors in their corrections.
    `issues` are added to the corrections of their unit, as if a check had found them.
    """

    units: tuple[str, ...] = ()
    pages: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, "tuple[int, ...]"])
    from_errors: bool = False
    issues: tuple[Issue, ...] = ()


def missing_calls(work: Round[Any, Any], model: Model) -> list[PlannedCall]:
    """Return the calls of all pages without an answer to their current prompt, except given-up units.

    A page with a refused or truncated reply is excluded: another call for it is a repair, which needs a budget.
    """
    history = work.history
    calls: list[PlannedCall] = []
    for unit in work.units.values():
        settled = history.settled.get(unit.name)
        granted = (*settled.retried, *settled.unusable_pages) if settled is not None else ()
        if unit.state or history.adopted(unit.name) is not None:
            continue
        calls += [
            with_unchecked_reply(first_call(prompt, model), history)
            for prompt in unit.prompts
            if prompt.page not in granted and history.answer_to(prompt) is None
        ]
    return calls


def target_pages(targets: Targets, prompts: Sequence[Prompt], validation: Mapping[str, Any]) -> list[PageKey]:
    """Return the identities of the target pages, in the order of the prompts.

    Raises:
        UnknownName: a unit or page does not exist. The message lists the known ones.
    """
    pages: dict[str, list[int]] = {}
    for prompt in prompts:
        pages.setdefault(prompt.unit, []).append(prompt.page)
    named = dict.fromkeys((*targets.units, *targets.pages))
    for name in named:
        _expect_known_pages(name, targets.pages.get(name, ()), pages)
    wanted = {name: set(targets.pages.get(name) or pages[name]) for name in named or pages}
    if targets.from_errors:
        blamed = {name: _blamed_page_numbers(validation, name, pages[name]) for name in wanted}
        wanted = {name: numbers & blamed[name] for name, numbers in wanted.items()}
    return [prompt.key for prompt in prompts if prompt.page in wanted.get(prompt.unit, ())]


def _expect_known_pages(name: str, numbers: Sequence[int], pages: Mapping[str, Sequence[int]]) -> None:
    from difflib import get_close_matches

    if name not in pages:
        near = get_close_matches(name, pages, n=3, cutoff=0.5) or list(pages)[:20]
        raise UnknownName(f"no type {name!r}; it has {', '.join(near)}", hint="'retouch show' lists all units.")
    for number in numbers:
        if number not in pages[name]:
            raise UnknownName(f"{name!r} has no page {number}; it has {len(pages[name])}", hint="Pages count from 1.")


def last_errors(validation: Mapping[str, Any], unit: str) -> tuple[Issue, ...]:
    """Return a unit's errors in the validation summary of `ir.json`, except failures of tools."""
    tiers: Mapping[str, Any] = validation.get(unit, {}).get("issues", {})
    found = errors_of(issue for tier in tiers.values() for issue in issues_from_json(tier))
    return tuple(issue for issue in found if not issue.detail.get("tool"))


def _blamed_page_numbers(validation: Mapping[str, Any], unit: str, pages: Sequence[int]) -> set[int]:
    blamed = {issue.page for issue in last_errors(validation, unit)}
    return set(pages) if None in blamed else {page for page in blamed if page is not None}


def issues_to_correct(targets: Targets, validation: Mapping[str, Any], units: Iterable[str]) -> dict[str, list[Issue]]:
    """Return the issues to include in each unit's correction.

    These are `targets.issues`, plus the last validation's errors if `from_errors` is set.
    """
    issues = {unit: [issue for issue in targets.issues if issue.unit == unit] for unit in units}
    if targets.from_errors:
        for unit, of_unit in issues.items():
            of_unit.extend(last_errors(validation, unit))
    return issues


def regeneration_calls(
    work: Round[Any, Any], keys: Sequence[PageKey], issues: Mapping[str, Sequence[Issue]], model: Model
) -> list[PlannedCall]:
    """Return the calls of stored prompts, clean or with the user's hint and the `issues` of their unit."""
    planner = work.planner(model)
    pages: dict[str, list[int]] = {}
    for name, page in keys:
        pages.setdefault(name, []).append(page)
    calls: list[PlannedCall] = []
    for name, numbers in pages.items():
        unit, of_unit = work.units[name], issues.get(name, ())
        is_clean = not of_unit and not work.history.hint
        planned = planner.clean_calls(unit, numbers) if is_clean else planner.calls(unit, of_unit, numbers)
        if not planned:
            work.give_up(unit)
        calls += planned
    return calls


def answered_units(stored: Sequence[Prompt], history: History) -> dict[str, list[Prompt]]:
    """Return the stored prompts, in page order, of each unit that has a current answer to all of them."""
    return {
        name: pages
        for name, pages in grouped(stored).items()
        if history.adopted(name) is not None or all(history.answer_to(prompt) is not None for prompt in pages)
    }


def changed_units(planned: Iterable[Prompt], stored: Sequence[Prompt]) -> list[str]:
    """Return the units whose stored prompts differ from the currently `planned` ones, in order."""
    now = {prompt.key: prompt_hash(prompt) for prompt in planned}
    then = {prompt.key: prompt_hash(prompt) for prompt in stored}
    keys = [key for key in (*now, *then) if now.get(key) != then.get(key)]
    return list(dict.fromkeys(name for name, _ in keys))


def reopened_units(recipe: Recipe[S, Any], source: S, changed: Sequence[str], units: Iterable[str]) -> list[str]:
    """Return the units that may be repaired again after a change: the changed units and their groups.

    If all units are one group, the unchanged units keep their state.
    """
    names = dict.fromkeys((*changed, *units))
    groups = {name: recipe.group(source, name) for name in names}
    if len(set(groups.values())) < 2 and "" in groups.values():
        return list(changed)
    touched = {groups[name] for name in changed}
    return [name for name in names if groups[name] in touched]


def refuse_stale(
    recipe: Recipe[S, Any],
    source: S,
    stored: Sequence[Prompt],
    *,
    hashes: tuple[str, str | None],
    units: Collection[str] = (),
) -> None:
    """Refuse prompts of another source than the one in `ir.json`.

    `hashes` are the hashes of the current source and of the source of `pages.json` (None if there is none). If `units`
    are named, only their prompts must be current, as long as the source has the units of the stored prompts.

    Raises:
        StaleRun: names the affected units.
    """
    planned = [*recipe.plan(source)]
    stale = changed_units(planned, stored)
    same_units = {prompt.unit for prompt in planned} == {prompt.unit for prompt in stored}
    if units and same_units and set(units).isdisjoint(stale):
        return
    if stale or hashes[1] not in (None, hashes[0]):
        what = f"the prompts of {', '.join(map(repr, stale[:10]))}" if stale else "pages.json"
        hint = "Run 'retouch generate' again to update what changed, or continue with --ignore-stale."
        raise StaleRun(f"{what} were made from an older source than ir.json holds", hint=hint)


def older_notes(stale: Sequence[str]) -> list[str]:
    """Return a note that names units whose prompts are older than the source, or nothing."""
    if not stale:
        return []
    names = ", ".join(map(repr, stale[:10])) + (f" and {len(stale) - 10} more" if len(stale) > 10 else "")
    return [f"the prompts of {names} are older than the source: run 'retouch generate' again to update them"]
