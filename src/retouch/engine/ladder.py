"""Which pages are asked again, and how: one rung harder each time the same complaint comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch.engine.calls import PlannedCall, model_name
from retouch.engine.repair import Correction, Instead, PageByPage, Patch, RepairContext, patch_pays
from retouch.engine.types import Message, prompt_hash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.history import History
    from retouch.engine.repair import Repair
    from retouch.engine.round import Round
    from retouch.engine.types import Attempt, Issue, Model, Prompt
    from retouch.engine.unit import Unit


def clean(prompt: Prompt, model: Model, *, why: str = "answer") -> PlannedCall:
    """Return the ask of a page's clean prompt."""
    messages = (Message(role="user", text=prompt.user),)
    return PlannedCall(prompt=prompt, system=prompt.system, messages=messages, model=model, why=why)


def blamed(unit: Unit[Any], issues: Sequence[Issue]) -> tuple[int, ...]:
    """Return the pages to ask again: those that issues name, or all of the unit when one names none."""
    pages = {issue.page for issue in issues}
    known = unit.pages
    if None in pages:
        return tuple(known)
    return tuple(page for page in known if page in pages) or tuple(known)


def _attempts(unit: Unit[Any], history: History) -> list[Attempt]:
    attempts = [attempt for page in unit.pages for attempt in history.of_page((unit.name, page))]
    return sorted(attempts, key=lambda attempt: attempt.seq)


class Ladder:
    """Builds the asks of repairs."""

    def __init__(self, work: Round[Any, Any], model: Model, fallback: Model | None) -> None:
        self._recipe, self._source, self._options = work.recipe, work.source, work.options
        self._values = work.values
        self._model = model
        self._fallback = fallback

    def asks(
        self, unit: Unit[Any], issues: Sequence[Issue], pages: Sequence[int], history: History
    ) -> list[PlannedCall]:
        """Return one ask per page, with what is wrong with that page; none where nothing is left to try."""
        repair = self._repair(unit.name, issues, _attempts(unit, history))
        if repair is None:
            return []
        ways = {page: repair.way(page) if isinstance(repair, PageByPage) else repair for page in pages}
        asks = (self._ask(unit, unit.pages[page], issues, way, history) for page, way in ways.items())
        return [ask for ask in asks if self.can_answer(ask, history)]

    def another_way(self, unit: Unit[Any], issues: Sequence[Issue], history: History) -> bool:
        """Return whether the recipe asks by a prompt that was not asked in this round: then nothing is in dispute."""
        attempts = _attempts(unit, history)
        repair = self._repair(unit.name, issues, attempts)
        return isinstance(repair, Instead) and repair.prompt not in [attempt.request.prompt for attempt in attempts]

    def _repair(self, unit: str, issues: Sequence[Issue], attempts: Sequence[Attempt]) -> Repair | PageByPage | None:
        among = self._recipe.repair_among
        if among is not None:
            return among(self._source, unit, issues, attempts, self._values())
        return self._recipe.repair(self._source, unit, issues, attempts)

    def can_answer(self, ask: PlannedCall, history: History) -> bool:
        """Return whether a larger output cap is left for a page that was cut off, if it ever was."""
        cut = history.cut_at(ask.prompt.key, prompt_hash(ask.prompt), model_name(ask.model))
        return cut < self._options.max_output_limit

    def _ask(
        self, unit: Unit[Any], prompt: Prompt, issues: Sequence[Issue], repair: Repair, history: History
    ) -> PlannedCall:
        standing = history.answer_to(prompt)
        asking = RepairContext(
            prompt=prompt,
            standing=standing.text if standing else None,
            issues=[issue for issue in issues if issue.page in (None, prompt.page)],
            attempts=history.of_page(prompt.key),
            hint=history.hint,
        )
        rungs = self._rungs(asking, repair)
        chosen, model = rungs[min(unit.rung, len(rungs) - 1)]
        system, messages = chosen.conversation(asking)
        return PlannedCall(
            prompt=chosen.prompt if isinstance(chosen, Instead) else prompt,
            system=system,
            messages=messages,
            model=model,
            why=type(chosen).__name__.lower(),
            repair=chosen,
        )

    def _rungs(self, asking: RepairContext, repair: Repair) -> list[tuple[Repair, Model]]:
        """Return the ways to ask, gentlest first: a patch where it pays, the recipe's repair, another model."""
        rungs: list[tuple[Repair, Model]] = []
        if isinstance(repair, Correction) and patch_pays(asking):
            rungs.append((Patch(noun=repair.noun), self._model))
        rungs.append((repair, self._model))
        if self._fallback is not None:
            rungs.append((repair, self._fallback))
        return rungs
