"""Adds cache markers to requests, according to the plan of the current run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from retouch.engine.types import CURRENT_RUN
from retouch.engine.usage import PLAN
from retouch.models.cache_load import SEEN_ENOUGH, USUAL, Load, loads_of, seen_rates
from retouch.models.tokens import system_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.engine.types import CurrentRun, Model, OnEvent, Reply, Request
    from retouch.models.cache_plan import CachePlan


class _RunPlan:
    """The plans of one run, one per system text. They are recomputed whenever the attempts grew by a quarter."""

    def __init__(self, plan: Callable[[Load | None], CachePlan]) -> None:
        self._plan = plan
        self._loads: dict[str, Load] = {}
        self._plans: dict[str, CachePlan] = {}
        self._rates = USUAL
        self._until = 0
        self._reported: tuple[str, ...] = ()

    def breakpoints(self, request: Request, run: CurrentRun) -> tuple[int, ...]:
        """Return the positions of the markers in `request`."""
        if len(run.attempts) >= self._until:
            self._learn(run)
        plan = self._plans.get(request.system)
        if plan is None:  # a derived prompt: the number of requests with its text is not known
            load = Load(shared_tokens=system_tokens(request.system), rates=self._rates)
            plan = self._plans[request.system] = self._plan(load)
        return plan.breakpoints(request, session=_is_session(request, run))

    def _learn(self, run: CurrentRun) -> None:
        """Measure how often conversations continue, update the plans, and note a changed plan in the journal."""
        attempts = list(run.attempts.values())
        self._until = len(attempts) + max(len(attempts) // 4, SEEN_ENOUGH)
        self._rates = seen_rates(one for one in attempts if not _is_session(one.request, run))
        loads = self._loads = self._loads or loads_of(run.prompts, session=run.session)
        self._plans = {system: self._plan(replace(load, rates=self._rates)) for system, load in loads.items()}
        main = max(loads, key=lambda system: loads[system].pages, default=None)
        plan = self._plans[main] if main is not None else None
        if plan is not None and plan.why != self._reported:
            self._reported = plan.why
            run.journal.note(PLAN, {"why": list(plan.why), "expected_share": plan.expected_share})


def _is_session(request: Request, run: CurrentRun) -> bool:
    """Return whether the recipe calls a conversation a session. Its opening text can differ from its prompt."""
    opening = request.messages[0].text
    prompt = request.prompt
    return run.session(prompt if opening == prompt.user else replace(prompt, user=opening))


class RunPlans:
    """The plans of each run that uses a model. A plan is computed at the run's first request."""

    def __init__(self, plan: Callable[[Load | None], CachePlan]) -> None:
        self._plan = plan
        self._usual = plan(None)
        self.caches_prefixes = self._usual.caches_prefixes
        self.may_cache = self._usual.may_cache
        self._of_runs: WeakKeyDictionary[CurrentRun, _RunPlan] = WeakKeyDictionary()

    def breakpoints(self, request: Request) -> tuple[int, ...]:
        """Return the positions of the markers in a request of the current run. Outside of a run the load is unknown."""
        current = CURRENT_RUN.get()
        if current is None:
            return self._usual.breakpoints(request)
        found = self._of_runs.get(current)
        if found is None:
            found = self._of_runs[current] = _RunPlan(self._plan)
        return found.breakpoints(request, current)


class Planned:
    """A model that adds the cache markers of a plan to requests without markers."""

    def __init__(self, model: Model, plans: RunPlans | CachePlan) -> None:
        from retouch.engine.types import model_name

        self.name = model_name(model)
        self.inner = model
        self.caches_prefixes, self.may_cache = plans.caches_prefixes, plans.may_cache
        self.slot = getattr(model, "slot", None)
        self._plans = plans

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        """Return the model's reply to the marked request."""
        if not request.breakpoints and (marks := self._plans.breakpoints(request)):
            request = replace(request, breakpoints=marks)
        return await self.inner(request, on_event=on_event)


def planned(model: Model, plan: CachePlan | RunPlans) -> Planned:
    """Return `model` with the markers of `plan`. A model that already has a plan gets this one instead."""
    return Planned(model.inner if isinstance(model, Planned) else model, plan)
