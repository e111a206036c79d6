"""Plans retries: the pages and the strategy. The strategy escalates each time the same errors return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from retouch.engine.calls import PlannedCall, first_call, with_unchecked_reply
from retouch.engine.repair import Correction, Instead, PageByPage, Patch, RepairContext, patch_pays, reply_schema_of
from retouch.engine.types import model_name, prompt_hash
from retouch.errors import RecipeBug

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retouch.engine.history import History
    from retouch.engine.options import RunOptions
    from retouch.engine.recipe import Recipe
    from retouch.engine.repair import Repair
    from retouch.engine.types import Attempt, Issue, Model, Prompt
    from retouch.engine.unit import Unit

S = TypeVar("S")
V = TypeVar("V")


def blamed_pages(unit: Unit[Any], issues: Sequence[Issue]) -> tuple[int, ...]:
    """Return the pages to retry: the pages that issues name, or all pages if an issue names none."""
    pages = {issue.page for issue in issues}
    known = unit.pages
    if None in pages:
        return tuple(known)
    return tuple(page for page in known if page in pages) or tuple(known)


class RepairPlanner(Generic[S, V]):
    """Plans the calls of repairs. `values` returns the values of all readable units."""

    def __init__(
        self,
        recipe: Recipe[S, V],
        source: S,
        history: History,
        values: Callable[[], Mapping[str, V]],
        *,
        model: Model,
        options: RunOptions,
    ) -> None:
        self._recipe, self._source, self._history, self._values = recipe, source, history, values
        self._model, self._options = model, options

    def calls(self, unit: Unit[V], issues: Sequence[Issue], pages: Sequence[int]) -> list[PlannedCall]:
        """Return one call per page, with the issues of that page, or none if no strategy is left.

        No strategy is left if the recipe gave up, or every page was truncated at the highest cap. If the ledger has an
        unchecked reply to the same request, because another page of the unit was unreadable, it is reused.
        """
        repair = self._next_strategy(unit.name, issues, self._attempts(unit))
        if repair is None:
            return []
        planned: list[PlannedCall] = []
        for page in pages:
            of_page = repair.repair_of(page) if isinstance(repair, PageByPage) else repair
            call = self._planned_repair(unit, unit.pages[page], issues, of_page)
            self._expect_own_page(unit, call.prompt)
            if self._can_be_answered(call):
                planned.append(with_unchecked_reply(call, self._history))
        return planned

    def clean_calls(self, unit: Unit[V], pages: Sequence[int]) -> list[PlannedCall]:
        """Return the clean calls of the `pages` that can be answered."""
        calls = (first_call(unit.pages[page], self._model) for page in pages)
        return [call for call in calls if self._can_be_answered(call)]

    def has_another_prompt(self, unit: Unit[V], issues: Sequence[Issue]) -> bool:
        """Return whether the recipe repairs with a prompt that is new in this round. Then there is no dispute."""
        attempts = self._attempts(unit)
        repair = self._next_strategy(unit.name, issues, attempts)
        return isinstance(repair, Instead) and repair.prompt not in [attempt.request.prompt for attempt in attempts]

    def _next_strategy(
        self, unit: str, issues: Sequence[Issue], attempts: Sequence[Attempt]
    ) -> Repair | PageByPage | None:
        among = self._recipe.repair_among
        if among is not None:
            return among(self._source, unit, issues, attempts, self._values())
        return self._recipe.repair(self._source, unit, issues, attempts)

    def _attempts(self, unit: Unit[V]) -> list[Attempt]:
        attempts = [one for page in unit.pages for one in self._history.checked_attempts((unit.name, page))]
        return sorted(attempts, key=lambda attempt: attempt.seq)

    def _can_be_answered(self, call: PlannedCall) -> bool:
        """Return whether the page was never truncated, or a larger output cap is possible."""
        name = model_name(call.model)
        cut = self._history.cut_at(call.prompt.key, prompt_hash(call.prompt), name)
        limit = self._options.max_output_limit
        return cut < min(limit, self._history.output_limits.get(name, limit))

    def _planned_repair(self, unit: Unit[V], prompt: Prompt, issues: Sequence[Issue], repair: Repair) -> PlannedCall:
        answer = self._history.answer_to(prompt)
        context = RepairContext(
            prompt=prompt,
            answer=answer.text if answer else None,
            issues=[issue for issue in issues if issue.page in (None, prompt.page)],
            attempts=self._history.checked_attempts(prompt.key),
            hint=self._history.hint,
        )
        strategies = self._strategies(context, repair)
        chosen, model = strategies[min(unit.escalation, len(strategies) - 1)]
        system, messages = chosen.conversation(context)
        return PlannedCall(
            prompt=chosen.prompt if isinstance(chosen, Instead) else prompt,
            system=system,
            messages=messages,
            model=model,
            why=type(chosen).__name__.lower(),
            repair=chosen,
            answer_schema=reply_schema_of(chosen, context),
        )

    def _strategies(self, context: RepairContext, repair: Repair) -> list[tuple[Repair, Model]]:
        """Return the strategies in the order of escalation: a patch if it pays, the recipe's repair, the fallback."""
        strategies: list[tuple[Repair, Model]] = []
        if isinstance(repair, Correction) and patch_pays(context):
            strategies.append((Patch(noun=repair.noun), self._model))
        strategies.append((repair, self._model))
        if self._options.fallback is not None:
            strategies.append((repair, self._options.fallback))
        return strategies

    def _expect_own_page(self, unit: Unit[V], prompt: Prompt) -> None:
        if prompt.unit != unit.name or prompt.page not in unit.pages:
            what = f"page {prompt.page} of {prompt.unit!r}"
            message = f"recipe {self._recipe.name!r} repairs {unit.name!r} by a prompt for {what}"
            raise RecipeBug(message, hint="A prompt that replaces another keeps the identity of its page.")
