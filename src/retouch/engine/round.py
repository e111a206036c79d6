"""The main loop of a verb: makes calls, checks units when their replies arrive, and retries failed pages.

The path of one reply: `CallQueue` writes it to the ledger. `_receive_reply` passes it to its unit. When the unit's last
reply has arrived, `Unit.outcome` reads it and `Unit.apply` accepts or rejects it. `_decide` records the result, and
`RepairPlanner` plans the next calls.
"""

from __future__ import annotations

import logging
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from retouch._lib.counting import counted
from retouch._lib.logs import redact_record
from retouch.engine.calls import CallQueue
from retouch.engine.checks import GroupChecks
from retouch.engine.events import AttemptChecked, PromptDerived, StoredAnswer
from retouch.engine.history import checked_first_part, rechecked
from retouch.engine.judge import Judge
from retouch.engine.options import DEFAULT_WATCH, Progress
from retouch.engine.planned_calls import first_call
from retouch.engine.recipe import grouped, pack_size
from retouch.engine.record import with_cache
from retouch.engine.repairs import RepairPlanner, blamed_pages
from retouch.engine.tiers import UnitFacts, tier_outcomes, was_not_run
from retouch.engine.types import FIRST_PART, Tier, errors_of, prompt_hash
from retouch.engine.unit import Unit
from retouch.errors import RecipeBug

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from retouch.engine.checks import GroupIssues
    from retouch.engine.options import ProgressKind, RunOptions
    from retouch.engine.planned_calls import PlannedCall
    from retouch.engine.recipe import Recipe, TierPlan
    from retouch.engine.record import Record
    from retouch.engine.tiers import TierOutcome
    from retouch.engine.types import Attempt, Issue, Model, PageKey, Prompt, Reply, Request
    from retouch.engine.unit import ReplyOutcome

S = TypeVar("S")
V = TypeVar("V")

_LOG = logging.getLogger(__name__)
_LOG.addFilter(redact_record)


class Round(Generic[S, V]):
    """The units of a run and the loop over them. Every verb that calls a model uses `settle`."""

    def __init__(
        self, recipe: Recipe[S, V], source: S, prompts: Sequence[Prompt], record: Record, options: RunOptions
    ) -> None:
        self.recipe, self.source, self.record, self.options = recipe, source, record, with_cache(options, record)
        self.history = record.history
        self.judge = Judge(recipe, source, self.options, prompts)
        self.prompts = prompts
        planned = grouped(prompts)
        self.planned = frozenset(planned)
        later = grouped(p for p in self.history.derived.values() if p.unit not in planned)
        self.units: dict[str, Unit[V]] = {name: Unit(name, pages) for name, pages in {**planned, **later}.items()}
        pack = pack_size(recipe, source, options)
        self.queue = CallQueue(record, options, prompts, self.tell, session=recipe.session, pack=pack)
        self.checks = GroupChecks(
            self.judge,
            partial(recipe.group, source),
            revert=self._revert,
            on_check=lambda: self.tell("checking"),
            on_checked=self._tell_of_check,
        )
        self._total = sum(len(unit.prompts) for unit in self.units.values())
        self._answered: set[tuple[str, int]] = set()
        for unit in self.units.values() if self.history.answers or self.history.settled else ():
            self._answered.update((unit.name, page) for page in unit.current_answers(self.history))
            unit.recall(self.history, self.judge)

    def planner(self, model: Model) -> RepairPlanner[S, V]:
        """Return the planner of this round's repairs."""
        return RepairPlanner(self.recipe, self.source, self.history, self.values, model=model, options=self.options)

    async def settle(
        self, calls: Iterable[PlannedCall], model: Model, checkpoint: Callable[[], None] = lambda: None
    ) -> None:
        """Call, check and repair until every unit passes, is exhausted or disputed, or has no answer.

        `checkpoint` is called each time all replies have settled and more calls follow.

        Raises:
            ModelError: a model cannot answer at all. Earlier replies are kept.
            RecipeBug: the recipe broke its contract.
            BadInput: the concurrency is less than 1.
        """
        self._model = model
        work = list(calls)
        if self.history.answers or self.history.settled:  # else nothing was granted yet
            work += self._granted_repairs({call.prompt.key for call in work})
        if self.history.answers:  # else there is nothing to compare new answers with
            await self.checks.remember(self.units.values(), {call.prompt.unit for call in work})
        while True:
            await self.queue.run(self._with_expected_replies(work), self._receive_reply)
            work = self._derived_calls() if self.recipe.judged_first else []
            work = work or await self._check_groups() or self._derived_calls()
            if not work:
                return
            checkpoint()

    def tier_outcomes(self) -> dict[str, dict[str, TierOutcome]]:
        """Return, per unit, the outcome of each tier that the run declares, by the tier's name."""
        facts = (
            UnitFacts(
                name=name,
                group=self.recipe.group(self.source, name),
                issues=unit.issues(self.history),
                answered=unit.is_answered(self.history),
                checked=not unit.needs_check,
            )
            for name, unit in self.units.items()
        )
        return tier_outcomes(self.declared_tiers(), facts)

    def declared_tiers(self) -> tuple[TierPlan, ...]:
        """Return the tiers of the source, and those that the options of this verb ask for."""
        return (*self.recipe.tiers(self.source), *self.recipe.asked_tiers(self.source, self.options))

    def reopen(self, units: Iterable[str]) -> None:
        """Restart the named units. Other units may only be retried if they have no errors."""
        chosen = set(units)
        for name, unit in self.units.items():
            unit.reopen(chosen=name in chosen)

    async def check(self) -> None:
        """Check every group and record the verdicts, without calls."""
        for unit in self.units.values():
            unit.close()
        await self._check_groups()

    def _granted_repairs(self, busy: set[tuple[str, int]]) -> list[PlannedCall]:
        """Return the repairs that an interrupted run had granted, or would have granted."""
        calls: list[PlannedCall] = []
        units = {name for name, _ in busy}
        for unit in self.units.values():
            settled = self.history.settled.get(unit.name)
            if unit.verdict is None or not unit.is_repairable:
                continue
            if unit.state:
                calls += self._continued(unit) if unit.name not in units else []
                continue
            granted = [page for page in self._granted_pages(unit) if (unit.name, page) not in busy]
            if granted and settled is not None:
                calls += self._repairs(unit, errors_of(settled.issues), granted)
            elif unit.errors and unit.name not in units:
                calls += self._decide(unit, tier=settled.failed_tier if settled is not None else 0)
            elif settled is not None:
                calls += self._repairs_of_unusable(unit, settled.unusable_pages)
        return calls

    def _continued(self, unit: Unit[V]) -> list[PlannedCall]:
        """Return the retries of a unit that ended without success, if this command has more fallbacks than before."""
        planner, errors = self.planner(self._model), unit.errors
        if not errors or not planner.has_new_stage(unit):
            return []
        pages, tier = blamed_pages(unit, errors), min(int(issue.tier) for issue in errors)
        if not planner.retries(unit, errors, pages, tier, disputed=True):
            return []
        unit.reopen(chosen=True)
        return self._retries(unit, errors, pages, tier, disputed=True)

    def _repairs_of_unusable(self, unit: Unit[V], pages: Sequence[int]) -> list[PlannedCall]:
        """Return the repairs of refused or truncated pages, while other pages of their unit are called again."""
        errors = [issue for issue in unit.errors if issue.page in pages]
        return self._retries(unit, errors, pages, int(Tier.SYNTAX)) if errors else []

    def _granted_pages(self, unit: Unit[V], replied: Sequence[int] = ()) -> list[int]:
        """Return the pages whose repair was charged and that have no reply yet."""
        settled = self.history.settled.get(unit.name)
        return [page for page in (settled.retried if settled is not None else ()) if page not in replied]

    def _with_expected_replies(self, calls: Iterable[PlannedCall]) -> list[PlannedCall]:
        """Return `calls` and count them on their units. A unit is checked when its last reply has arrived."""
        expected = list(calls)
        for call in expected:
            self.units[call.prompt.unit].expect()
        self._answered.difference_update(call.prompt.key for call in expected)  # called again
        return expected

    def count_as_pending(self, keys: Iterable[PageKey]) -> None:
        """Count these pages as not answered in progress until `count_as_answered`, because they are called again."""
        self._answered.difference_update(keys)

    def count_as_answered(self, key: PageKey) -> None:
        """Count a page as answered in progress."""
        self._answered.add(key)

    def _receive_reply(self, call: PlannedCall, attempt: Attempt) -> list[PlannedCall]:
        """Return the calls that follow from a reply: repairs of its page, or of its unit if the reply was the last.

        The second part of a page in two parts follows the first one, which is no answer of the page yet.
        """
        unit = self.units[call.prompt.unit]
        second = self.planner(self._model).second_part(call, attempt) if call.why == FIRST_PART else None
        if second is not None:
            return [second]
        is_last = unit.receive(call, attempt)
        return self._with_expected_replies(
            self._settle_unit(unit) if is_last else self._repair_early(unit, call, attempt)
        )

    def _repair_early(self, unit: Unit[V], call: PlannedCall, attempt: Attempt) -> list[PlannedCall]:
        """Return the repair of a page that failed, while other pages of its unit are awaited."""
        page = call.prompt.page
        early = unit.early_outcome(call, attempt, self.history, self.judge)
        if early is None or unit.state or not unit.is_repairable:
            return []
        checked = AttemptChecked(seq=attempt.seq, readable=False, taken=early.text is not None, issues=early.errors)
        first = call.first_part
        rows = [checked] if first is None else [checked, checked_first_part(first, checked)]
        answers: dict[int, StoredAnswer | None] = {}
        if early.text is not None:
            hashed = prompt_hash(unit.pages[page])
            answers[page] = StoredAnswer(text=early.text, attempt=attempt.seq, prompt_hash=hashed, by="reply")
        pending = self._granted_pages(unit, [page])
        unit.retry_early(page, early)
        self.record.append(unit.settled(attempts=rows, answers=answers or None, retried=pending))
        tier = min(int(issue.tier) for issue in early.errors)
        calls = self._retries(unit, early.errors, [page], tier, pending=pending)
        if not calls and early.text is None:
            unit.receive_again(call, attempt)
        return calls

    def _settle_unit(self, unit: Unit[V]) -> list[PlannedCall]:
        """Check a unit whose replies have all arrived, keep the best answers, and return the next calls."""
        outcome = unit.outcome(self.history, self.judge)
        is_first = unit.verdict is None
        accepted = unit.apply(outcome, self.history)
        pages = {*unit.current_answers(self.history), *(outcome.new if accepted or is_first else ())}
        self._answered.update((unit.name, page) for page in pages)
        if outcome.fixed:
            self.tell("mended", unit.name, text=f"repaired by rule, without a call: pages {list(outcome.fixed)}")
        return self._decide(unit, outcome, accepted=accepted)

    async def _check_groups(self) -> list[PlannedCall]:
        """Run tier 3 over every changed group, and return the necessary repairs."""
        calls: list[PlannedCall] = []
        async with aclosing(self.checks.check(self.units.values())) as groups:
            async for changed in groups:
                for unit in changed:
                    issues = unit.verdict.issues if unit.verdict is not None else ()
                    answers = unit.current_answers(self.history)
                    calls += self._decide(unit, attempts=rechecked(answers, issues, self.history, taken=True))
        return calls

    def _decide(
        self,
        unit: Unit[V],
        outcome: ReplyOutcome[V] | None = None,
        *,
        accepted: bool = False,
        tier: int = 0,
        attempts: Sequence[AttemptChecked] = (),
    ) -> list[PlannedCall]:
        """Record the unit's state and return the retries of its blamed pages, as far as the budget allows."""
        errors = unit.verdict.repairable if unit.verdict is not None else ()
        answers = outcome.answers(unit, self.history) if outcome is not None and accepted else None
        if outcome is not None and not accepted:
            tier = tier or outcome.failed_tier()
        tier = tier or min((int(issue.tier) for issue in errors), default=0)
        may_retry = self._may_retry(unit, errors, outcome)
        pending = () if may_retry or unit.state else self._granted_pages(unit, outcome.replied if outcome else ())
        attempts = outcome.checked(accepted=accepted) if outcome is not None else attempts
        self.record.append(unit.settled(attempts=attempts, answers=answers, retried=pending, failed_tier=tier))
        calls: list[PlannedCall] = []
        if may_retry:
            disputed = unit.is_repeating and not self.planner(self._model).has_another_prompt(unit, errors)
            calls = self._retries(unit, errors, blamed_pages(unit, errors), tier, disputed=disputed)
            if not calls:
                repeats = outcome is not None and outcome.repeated and outcome.verdict.value is not None
                self.give_up(unit, disputed=disputed or repeats)
        text = unit.state or _progress_word(unit, retried=bool(calls))
        if self.recipe.verdict is not None:
            made = [one for one in self.history.attempts.values() if one.unit == unit.name]
            words = self.recipe.verdict(self.source, unit.issues(self.history), made, not unit.needs_check)
            text = f"{text}: {words}"
        _LOG.debug("%s: %s", unit.name, text)
        self.tell("settled", unit.name, text=text)
        return calls

    def _retries(
        self,
        unit: Unit[V],
        errors: Sequence[Issue],
        pages: Sequence[int],
        tier: int,
        *,
        pending: Sequence[int] = (),
        disputed: bool = False,
    ) -> list[PlannedCall]:
        """Return the retries of `pages` that are left, and record who pays. `pending` pages are awaited already."""
        calls = self.planner(self._model).retries(unit, errors, pages, tier, disputed=disputed)
        by_stage: dict[int, list[int]] = {}
        for call in calls:
            by_stage.setdefault(call.stage, []).append(call.prompt.page)
        retried = [*pending, *(call.prompt.page for call in calls)]
        for stage, new in by_stage.items():
            charged = tier if not stage else None
            row = unit.settled(retried=retried, new_retries=new, charged=charged, stage=stage, failed_tier=tier)
            self.record.append(row)
        return calls

    def _repairs(self, unit: Unit[V], errors: Sequence[Issue], pages: Sequence[int]) -> list[PlannedCall]:
        """Return the calls of granted repairs. If there are none, mark the unit as exhausted."""
        calls = self.planner(self._model).calls(unit, errors, pages)
        if not calls:
            self.give_up(unit)
        return calls

    def give_up(self, unit: Unit[V], *, disputed: bool = False) -> None:
        """Record that no retry is left that could help the unit."""
        if disputed:
            unit.dispute()
        else:
            unit.exhaust()
        self.record.append(unit.settled())

    def _may_retry(self, unit: Unit[V], errors: Sequence[Issue], outcome: ReplyOutcome[V] | None) -> bool:
        """Return whether the loop may retry the pages of a unit now."""
        is_manual = self.history.adopted(unit.name) is not None and outcome is None
        is_stuck = outcome is not None and outcome.stuck
        return bool(errors) and unit.is_repairable and not unit.state and not is_manual and not is_stuck

    def _revert(self, unit: Unit[V], issues: Sequence[Issue]) -> None:
        """Revert a unit's last answers: they made its group worse, as `issues` show."""
        row = unit.revert(issues, self.history)
        if row is not None:
            self.record.append(row)
            unit.recall_reading(self.history, self.judge)

    def values(self) -> dict[str, V]:
        """Return the values of all units that can be read."""
        readings = {name: unit.reading for name, unit in self.units.items()}
        return {name: r.value for name, r in readings.items() if r is not None and r.value is not None}

    def _derived_calls(self) -> list[PlannedCall]:
        """Return the calls of new prompts that `then` derives from the current values.

        Raises:
            RecipeBug: a derived prompt is for a planned unit.
        """
        fresh: list[Prompt] = []
        for prompt in self.recipe.then(self.source, self.values()):
            if prompt.unit in self.planned:
                message = f"recipe {self.recipe.name!r} derived a prompt for the planned unit {prompt.unit!r}"
                raise RecipeBug(message, hint="Give derived prompts a unit name of their own.")
            known = self.history.derived.get(prompt.key)
            if known is None or prompt_hash(known) != prompt_hash(prompt):
                self.record.append(PromptDerived(prompt=prompt))
                fresh.append(prompt)
        for name in dict.fromkeys(prompt.unit for prompt in fresh):
            pages = [prompt for key, prompt in self.history.derived.items() if key[0] == name]
            self.units[name] = Unit(name, grouped(pages)[name])
        self._total = sum(len(unit.prompts) for unit in self.units.values())
        return [first_call(prompt, self._model) for prompt in fresh]

    def _tell_of_check(self, found: GroupIssues) -> None:
        """Report the result of one check of tier 3."""
        issues = [issue for of_unit in found.values() for issue in of_unit]
        errors = sum(issue.is_error for issue in issues)
        text = "not run" if any(was_not_run(issue, Tier.SEMANTIC) for issue in issues) else "passed"
        if errors:
            text = f"{counted(errors, 'error')} in {counted(len(found), 'unit')}"
        _LOG.debug("checked %d units: %s", len(found), text)
        self.tell("checked", text=text)

    def tell(
        self,
        kind: ProgressKind,
        unit: str = "",
        page: int = 0,
        text: str = "",
        *,
        reply: Reply | None = None,
        request: Request | None = None,
        model: str = "",
    ) -> None:
        """Report progress to the watcher, if there is one."""
        watch = self.options.watch or DEFAULT_WATCH.get()
        if watch is not None:
            done, total = len(self._answered), self._total
            of_call: dict[str, Any] = {"reply": reply, "request": request, "model": model}
            watch(Progress(kind=kind, unit=unit, page=page, text=text, done=done, total=total, **of_call))


def _progress_word(unit: Unit[V], *, retried: bool) -> str:
    return "repairing" if retried else "failing" if unit.errors else "passed"
