"""Which pages are asked again, and how: one rung harder each time the same complaint comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch.engine.calls import Ask, model_name
from retouch.engine.core import Message
from retouch.engine.hashing import prompt_hash
from retouch.engine.repair import Asking, Instead

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.core import Attempt, Issue, Model, Prompt, RunOptions
    from retouch.engine.history import History
    from retouch.engine.recipe import Recipe
    from retouch.engine.repair import Repair
    from retouch.engine.units import Unit

ANOTHER_MODEL = 1  # the rung from which the fallback model is asked, when there is one; below it the run's own


def clean(prompt: Prompt, model: Model) -> Ask:
    """Return the ask of a page's clean prompt."""
    return Ask(prompt=prompt, system=prompt.system, messages=(Message(role="user", text=prompt.user),), model=model)


def blamed(unit: Unit[Any], issues: Sequence[Issue]) -> tuple[int, ...]:
    """Return the pages to ask again: those that issues name, or all of the unit when one names none."""
    pages = {issue.page for issue in issues}
    known = unit.pages
    if None in pages:
        return tuple(known)
    return tuple(page for page in known if page in pages) or tuple(known)


class Ladder:
    """Builds the asks of repairs."""

    def __init__(
        self, recipe: Recipe[Any, Any], source: object, options: RunOptions, model: Model, fallback: Model | None
    ) -> None:
        self._recipe = recipe
        self._source = source
        self._options = options
        self._model = model
        self._fallback = fallback

    def asks(self, unit: Unit[Any], issues: Sequence[Issue], pages: Sequence[int], history: History) -> list[Ask]:
        """Return one ask per page, with what is wrong with that page; a page that no larger cap can save gets none."""
        attempts = [a for page in unit.pages for a in history.of_page((unit.name, page))]
        repair = self._recipe.repair(self._source, unit.name, issues, sorted(attempts, key=lambda a: a.seq))
        asks = (self._ask(unit, unit.pages[page], issues, repair, history) for page in pages)
        return [ask for ask in asks if self._can_answer(ask, history)]

    def _can_answer(self, ask: Ask, history: History) -> bool:
        cut = history.cut_at(ask.prompt.key, prompt_hash(ask.prompt), model_name(ask.model))
        return cut < self._options.max_output_limit

    def _ask(self, unit: Unit[Any], prompt: Prompt, issues: Sequence[Issue], repair: Repair, history: History) -> Ask:
        standing = history.answer_to(prompt)
        asking = Asking(
            prompt=prompt,
            standing=standing.text if standing else None,
            issues=[issue for issue in issues if issue.page in (None, prompt.page)],
            attempts=_of_page(prompt, history),
            hint=history.hint,
        )
        system, messages = repair.conversation(asking)
        return Ask(
            prompt=repair.prompt if isinstance(repair, Instead) else prompt,
            system=system,
            messages=messages,
            model=self._fallback if self._fallback is not None and unit.rung >= ANOTHER_MODEL else self._model,
            why=type(repair).__name__.lower(),
            repair=repair,
        )


def _of_page(prompt: Prompt, history: History) -> tuple[Attempt, ...]:
    return history.of_page(prompt.key)
