"""Plans retries: for each page, the model and the strategy.

A page goes through *stages*, and within a stage through *strategies*, in a fixed order:

    stage 0          the run's own model, as often as the retry budget allows; if there is a fallback, that of one page
    stages 1, 2, ... the fallback models in the order given, each at most `FALLBACK_TRIES` times per page
    last stage       the recipe's own rules (`Recipe.offline`), once, if the recipe says that they answer completely

    strategies       1. repair by field, if the issues name JSON Pointers   2. a patch, if it is cheaper
                     3. the recipe's repair, by default a correction
                     4. the page in two parts, once, if the recipe can cut it
                     5. the clean prompt at another temperature, once

Automatic fixes come before all of them, without a call. A strategy is used again while it makes progress. If a reply
is rejected, or has the same errors as the one before, the next strategy follows. The next stage follows if the budget
of a stage is used up, if every strategy of the run's own model made no progress, or if a model repeats a readable
answer. What was tried is read from the ledger, so that an interrupted run continues in the same place.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from retouch.engine.batches import is_same_model
from retouch.engine.judge import error_signature
from retouch.engine.planned_calls import PlannedCall, first_call, with_unchecked_reply
from retouch.engine.repair import (
    Correction,
    Instead,
    PageByPage,
    Patch,
    RepairContext,
    Resample,
    patch_pays,
    repair_by_field,
    schema_of_answer,
)
from retouch.engine.types import OFFLINE, TWO_PARTS, Reply, caches_prefixes, model_name, prompt_hash, strategy_of
from retouch.errors import RecipeBug

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retouch.engine.history import History
    from retouch.engine.options import RunOptions
    from retouch.engine.recipe import Recipe
    from retouch.engine.repair import Repair
    from retouch.engine.types import Attempt, Issue, Model, OnEvent, PageKey, Prompt, Request
    from retouch.engine.unit import Unit

S = TypeVar("S")
V = TypeVar("V")

_USED_ONCE = ("resample", TWO_PARTS)
FALLBACK_TRIES = 5
"""How often each fallback model may try to repair one page."""


def blamed_pages(unit: Unit[Any], issues: Sequence[Issue]) -> tuple[int, ...]:
    """Return the pages to retry: the pages that issues name, or all pages if an issue names none."""
    pages = {issue.page for issue in issues}
    known = unit.pages
    if None in pages:
        return tuple(known)
    return tuple(page for page in known if page in pages) or tuple(known)


class OfflineModel:
    """The recipe's own rules as a model, for the last stage."""

    name = OFFLINE

    def __init__(self, answer: Callable[[Prompt], str]) -> None:
        self._answer = answer

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:  # noqa: ARG002 - Model
        """Return the answer to the clean prompt of the page."""
        return Reply(text=self._answer(request.prompt), model=self.name, cost=0.0)


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
        self._options = options
        self._models: list[Model] = [model, *options.fallbacks]
        offline = recipe.offline if recipe.offline_complete and options.offline_last else None
        is_used = any(is_same_model(model_name(one), OFFLINE) for one in self._models)
        if offline is not None and not is_used:
            self._models.append(OfflineModel(offline))

    def retries(
        self, unit: Unit[V], issues: Sequence[Issue], pages: Sequence[int], tier: int, *, disputed: bool = False
    ) -> list[PlannedCall]:
        """Return a call for each page that may be retried after a failure in `tier`. None may be left.

        If the last answers are `disputed`, the model of their stage is not called again.
        """
        found = (self._next_retry(unit, issues, page, tier, disputed=disputed) for page in pages)
        return [call for call in found if call is not None]

    def calls(self, unit: Unit[V], issues: Sequence[Issue], pages: Sequence[int]) -> list[PlannedCall]:
        """Return the calls of pages whose retry is granted already, or that a verb targets.

        A page is skipped if its recipe gave up, or it was truncated at the highest cap.
        """
        found = (self._planned_anywhere(unit, issues, page) for page in pages)
        return [call for call in found if call is not None]

    def clean_calls(self, unit: Unit[V], pages: Sequence[int]) -> list[PlannedCall]:
        """Return the clean calls of the `pages` that can be answered, by a fallback if the model cannot."""
        calls: list[PlannedCall] = []
        for page in pages:
            call = first_call(unit.pages[page], self._models[0])
            calls += [call] if self._can_be_answered(call) else self.calls(unit, (), [page])
        return calls

    def has_another_prompt(self, unit: Unit[V], issues: Sequence[Issue]) -> bool:
        """Return whether the recipe repairs with a prompt that is new in this round. Then there is no dispute."""
        attempts = self._attempts(unit)
        repair = self._recipe_repair(unit.name, issues, attempts)
        return isinstance(repair, Instead) and repair.prompt not in [attempt.request.prompt for attempt in attempts]

    def _planned_anywhere(self, unit: Unit[V], issues: Sequence[Issue], page: int) -> PlannedCall | None:
        stages = range(self._stage_of((unit.name, page)), len(self._models))
        calls = (self._planned_repair(unit, issues, page, stage) for stage in stages)
        return next((call for call in calls if call is not None), None)

    def has_new_stage(self, unit: Unit[V]) -> bool:
        """Return whether there are more stages than the unit has reached in this round."""
        return max(self._stage_of((unit.name, page)) for page in unit.pages) < len(self._models) - 1

    def _next_retry(
        self, unit: Unit[V], issues: Sequence[Issue], page: int, tier: int, *, disputed: bool
    ) -> PlannedCall | None:
        reached = self._stage_of((unit.name, page))
        for stage in range(reached + disputed, len(self._models)):
            if self._may_retry(unit, page, tier, stage):
                call = self._planned_repair(unit, issues, page, stage)
                if call is not None:
                    return call
        return None

    def _stage_of(self, key: PageKey) -> int:
        """Return the stage that a page has reached in this round."""
        return max((one.stage for one in self._history.retries_of(key)), default=0)

    def _may_retry(self, unit: Unit[V], page: int, tier: int, stage: int) -> bool:
        if not stage:
            pages = 1 if self._options.fallbacks else len(unit.prompts)  # a fallback is better than many more retries
            return self._history.remaining_budget(unit.name, pages, page).can_retry(tier)
        tries = sum(one.stage == stage for one in self._history.retries_of((unit.name, page)))
        return tries < (1 if isinstance(self._models[stage], OfflineModel) else FALLBACK_TRIES)

    def _recipe_repair(
        self, unit: str, issues: Sequence[Issue], attempts: Sequence[Attempt]
    ) -> Repair | PageByPage | None:
        among = self._recipe.repair_among
        if among is not None:
            return among(self._source, unit, issues, attempts, self._values())
        return self._recipe.repair(self._source, unit, issues, attempts)

    def _attempts(self, unit: Unit[V], stage: int = 0) -> list[Attempt]:
        """Return the attempts of one stage at a unit, oldest first."""
        attempts = [one for page in unit.pages for one in self._history.checked_attempts((unit.name, page))]
        return sorted((one for one in attempts if one.stage == stage), key=lambda attempt: attempt.seq)

    def _can_be_answered(self, call: PlannedCall) -> bool:
        """Return whether the page was never truncated, or a larger output cap is possible."""
        name = model_name(call.model)
        cut = self._history.cut_at(call.prompt.key, prompt_hash(call.prompt), name)
        limit = self._options.max_output_limit
        return cut < min(limit, self._history.output_limits.get(name, limit))

    def _planned_repair(self, unit: Unit[V], issues: Sequence[Issue], page: int, stage: int) -> PlannedCall | None:
        """Return the next call for a page in a stage, or None if no strategy is left.

        If the ledger has an unchecked reply to the same request, for example because another page of the unit was
        unreadable, it is reused.
        """
        prompt, model = unit.pages[page], self._models[min(stage, len(self._models) - 1)]
        if isinstance(model, OfflineModel):
            return replace(first_call(prompt, model, why=OFFLINE), stage=stage)
        repair = self._recipe_repair(unit.name, issues, self._attempts(unit, stage))
        if isinstance(repair, PageByPage):
            repair = repair.repair_of(page)
        if repair is None:
            return None
        context = self._context(prompt, [issue for issue in issues if issue.page in (None, page)], model)
        strategies = self._strategies(context, repair, stage)
        level = self._level(prompt.key, stage)
        if level >= len(strategies) and not stage and len(self._models) > 1:
            return None  # every strategy failed with this model
        used = {strategy_of(one) for one in context.attempts if one.stage == stage}
        # the same request would get the same answer
        strategies = [one for one in strategies if _name(one) not in used.intersection(_USED_ONCE)]
        for chosen in strategies[min(level, len(strategies) - 1) :]:
            call = self._call(chosen, context, model, stage)
            self._expect_own_page(unit, call.prompt)
            if self._can_be_answered(call):
                return with_unchecked_reply(call, self._history)
        return None

    def second_part(self, call: PlannedCall, attempt: Attempt) -> PlannedCall | None:
        """Return the call for the second part of a page, if `attempt` answered the first one."""
        from retouch.engine.parts import TwoParts

        repair = call.repair.after(attempt) if isinstance(call.repair, TwoParts) else None
        if repair is None:
            return None
        context = self._context(call.prompt, (), call.model)
        return with_unchecked_reply(self._call(repair, context, call.model, call.stage), self._history)

    def _context(self, prompt: Prompt, issues: Sequence[Issue], model: Model) -> RepairContext:
        answer = self._history.answer_to(prompt)
        return RepairContext(
            prompt=prompt,
            answer=answer.text if answer else None,
            issues=issues,
            attempts=self._history.checked_attempts(prompt.key),
            hint=self._history.hint,
            caches_prefixes=caches_prefixes(model),
        )

    def _call(self, chosen: Repair, context: RepairContext, model: Model, stage: int) -> PlannedCall:
        system, messages = chosen.conversation(context)
        return PlannedCall(
            prompt=chosen.prompt if isinstance(chosen, Instead) else context.prompt,
            system=system,
            messages=messages,
            model=model,
            why=_why(chosen),
            repair=chosen,
            answer_schema=schema_of_answer(chosen, context.prompt),
            temperature=chosen.temperature if isinstance(chosen, Resample) else None,
            stage=stage,
        )

    def _strategies(self, context: RepairContext, repair: Repair, stage: int) -> list[Repair]:
        """Return the strategies of a stage in their order."""
        if not isinstance(repair, Correction):
            return [repair]
        by_field = repair_by_field(context)
        strategies: list[Repair] = [] if by_field is None else [by_field]
        strategies += [Patch(noun=repair.noun)] if patch_pays(context) else []
        strategies.append(repair)
        parts = self._recipe.in_parts(self._source, context.prompt)
        strategies += [parts.repair()] if parts is not None else []
        if not stage and self._options.temperature != Resample.temperature:
            strategies.append(Resample(answer_schema=context.prompt.answer_schema))
        return strategies

    def _level(self, key: PageKey, stage: int) -> int:
        """Return how many retries in a stage made no progress at a page.

        A retry makes progress if its reply is accepted with other errors than the answer before had, or is truncated:
        then the page gets a larger output cap.
        """
        level, known = 0, None
        for one in self._history.checked_attempts(key):
            if one.reply is None:
                continue
            errors, is_retry = error_signature(one.issues), known is not None
            is_cut = one.reply.finish == "length"
            level += is_retry and one.stage == stage and not is_cut and (not one.taken or errors == known)
            known = errors if one.taken or known is None else known
        return level

    def _expect_own_page(self, unit: Unit[V], prompt: Prompt) -> None:
        if prompt.unit != unit.name or prompt.page not in unit.pages:
            what = f"page {prompt.page} of {prompt.unit!r}"
            message = f"recipe {self._recipe.name!r} repairs {unit.name!r} by a prompt for {what}"
            raise RecipeBug(message, hint="A prompt that replaces another keeps the identity of its page.")


def _why(repair: Repair) -> str:
    """Return the `why` of the attempts of a repair."""
    return getattr(repair, "why", "") or _name(repair)


def _name(repair: Repair) -> str:
    return type(repair).__name__.lower()
