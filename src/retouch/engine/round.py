"""One round at work: asks pages, judges units as they land, asks again what failed, until nothing is left to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from retouch.engine.calls import CallQueue, PlannedCall, taken_up
from retouch.engine.checks import Consequences, GroupChecks
from retouch.engine.events import derived, note_settled, stands
from retouch.engine.history import WHOLE_UNIT
from retouch.engine.judge import Judge, signature
from retouch.engine.options import Progress, ProgressKind
from retouch.engine.recipe import grouped
from retouch.engine.record import with_cache
from retouch.engine.repairs import RepairPlanner, blamed_pages, first_call
from retouch.engine.types import Tier
from retouch.engine.unit import Unit, failed_tier, judged_again, judged_by_merge, lacking, reply_outcome
from retouch.errors import RecipeBug

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.history import Answer
    from retouch.engine.options import RunOptions, Watch
    from retouch.engine.recipe import Recipe
    from retouch.engine.record import Record
    from retouch.engine.types import Attempt, Issue, Model, Prompt, Reply
    from retouch.engine.unit import ReplyOutcome

S = TypeVar("S")
V = TypeVar("V")


class Round(Generic[S, V]):
    """The state of one verb over one run folder; `settle` is the loop that everything goes through."""

    def __init__(
        self,
        recipe: Recipe[S, V],
        source: S,
        prompts: Sequence[Prompt],
        record: Record,
        *,
        options: RunOptions,
        watch: Watch | None = None,
    ) -> None:
        self.recipe, self.source, self.record, self.options = recipe, source, record, options
        self.judge = Judge(recipe, source, with_cache(options, record), prompts=prompts)
        self.prompts = prompts
        planned = grouped(prompts)
        self.planned = frozenset(planned)
        later = grouped(p for p in record.history.derived.values() if p.type_name not in planned)
        self.units: dict[str, Unit[V]] = {name: Unit(name, pages) for name, pages in {**planned, **later}.items()}
        self.calls = CallQueue(record, options, prompts, self.tell, session=recipe.session)
        self._watch = watch
        self._total = sum(len(unit.prompts) for unit in self.units.values())
        self._answered: set[tuple[str, int]] = set()
        then = Consequences(decide=self._checked, go_back=self.go_back, checking=lambda: self.tell("checking"))
        self.groups = GroupChecks(self.judge, lambda unit: recipe.group(source, unit), then)
        for unit in self.units.values():
            self._recall(unit)

    def _recall(self, unit: Unit[V]) -> None:
        """Judge what stands for the unit from earlier work, and take up the state that it was left in."""
        history = self.record.history
        self._answered.update((unit.name, page) for page in unit.standing(history))
        settled = history.settled.get(unit.name)
        if settled is not None:
            unit.rung, unit.state = settled.rung, settled.state
        texts = unit.texts(history)
        if texts is not None:
            unit.reading = unit.verdict = self.judge.read(unit.name, texts)
        elif settled is not None:
            unit.verdict = lacking(unit, settled.issues, history)

    async def settle(
        self,
        asks: Iterable[PlannedCall],
        *,
        model: Model,
        fallback: Model | None = None,
        checkpoint: Callable[[], None] = lambda: None,
    ) -> None:
        """Ask, judge and repair until every unit is first_call, exhausted, disputed or without an answer.

        `checkpoint` is called whenever all that was asked has settled and more is to be asked.

        Raises:
            ModelError: a model cannot answer at all; what arrived before is kept.
            RecipeBug: the recipe broke its contract.
            BadInput: nothing may be asked at once.
        """
        self._model = model
        self._ladder = RepairPlanner(self, model, fallback)
        work = list(asks)
        work += self._taken_up({ask.prompt.key for ask in work})
        await self.groups.remember(self.units.values(), {ask.prompt.type_name for ask in work})
        while True:
            await self.calls.ask(self._counted(work), self._landed)
            work = self._derived() if self.recipe.judged_first else []
            work = work or await self.groups.judged(self.units.values()) or self._derived()
            if not work:
                return
            checkpoint()

    def reopen(self, units: Iterable[str]) -> None:
        """Let the named units be asked and repaired in this round; of the others only those that had no errors."""
        chosen = set(units)
        for name, unit in self.units.items():
            unit.open = name in chosen or unit.verdict is None or not unit.verdict.errors
            if name in chosen:
                unit.state, unit.rung = "", 0

    async def check(self) -> None:
        """Judge every group as it stands and note the verdicts; nothing is asked."""
        for unit in self.units.values():
            unit.open = False
        await self.groups.judged(self.units.values())

    def _taken_up(self, busy: set[tuple[str, int]]) -> list[PlannedCall]:
        """Return the repairs of open units that an interrupted run had granted, or had not come to grant."""
        asks: list[PlannedCall] = []
        units = {name for name, _ in busy}
        for unit in self.units.values():
            settled = self.record.history.settled.get(unit.name)
            if not unit.open or unit.state or unit.verdict is None:
                continue
            granted = [page for page in self._granted_before(unit) if (unit.name, page) not in busy]
            if granted and settled is not None:
                unit.complaint = signature(settled.issues)
                errors = [issue for issue in settled.issues if issue.severity == "error"]
                asks += self._repairs(unit, errors, granted)
            elif unit.verdict.errors and unit.name not in units:
                asks += self.decide(unit, tier=settled.failed if settled is not None else 0)
            elif settled is not None:
                asks += self._repaired_beside(unit, settled.in_vain)
        return asks

    def _repaired_beside(self, unit: Unit[V], pages: Sequence[int]) -> list[PlannedCall]:
        """Return the repairs of pages that were refused or cut off, while others of their unit are asked anew."""
        errors = [issue for issue in unit.verdict.errors if issue.page in pages] if unit.verdict is not None else []
        if not errors or not self.record.history.left(unit.name).can_retry(Tier.SYNTAX):
            return []
        asks = self._repairs(unit, errors, pages)
        if asks:
            note_settled(self.record, unit, asked=[ask.prompt.page for ask in asks], paid=int(Tier.SYNTAX))
        return asks

    def _granted_before(self, unit: Unit[V], landed: Sequence[int] = ()) -> list[int]:
        """Return the pages whose repair was paid for and that have had no reply yet."""
        settled = self.record.history.settled.get(unit.name)
        return [page for page in (settled.asked if settled is not None else ()) if page not in landed]

    def _counted(self, asks: Iterable[PlannedCall]) -> list[PlannedCall]:
        """Return `asks`, noted on their units: a unit is judged when the last of its pages has landed."""
        counted = list(asks)
        for ask in counted:
            self.units[ask.prompt.type_name].waiting += 1
        return counted

    def _landed(self, ask: PlannedCall, attempt: Attempt) -> list[PlannedCall]:
        unit = self.units[ask.prompt.type_name]
        unit.landed[ask.prompt.page] = (ask, attempt)
        unit.waiting -= 1
        return [] if unit.waiting else self._counted(self._settled(unit))

    def _settled(self, unit: Unit[V]) -> list[PlannedCall]:
        """Judge a unit whose pages have all landed, keep the best, and return what to ask next."""
        landed, unit.landed = unit.landed, {}
        found = reply_outcome(unit, landed, self.record.history, self.judge)
        verdict, before = found.verdict, unit.verdict
        taken = bool(found.new) and (before is None or verdict.badness <= before.badness)
        unit.repeated = found.repeated and verdict.value is not None
        if taken and before is not None and before.complete and unit.before is None and not judged_by_merge(landed):
            unit.before = (self.places(unit), before)
        if taken or before is None:
            unit.reading = unit.verdict = verdict
            unit.unchecked = True
            self._answered.update((unit.name, page) for page in found.new)
        elif not before.complete and not verdict.complete:
            unit.verdict = verdict  # why the page is missing now, not why it was missing before
        if found.unfit or (verdict.errors and signature(verdict.errors) == unit.complaint):
            unit.rung += 1
        if found.mended:
            self.tell("mended", unit.name, text=f"repaired by rule, without a call: pages {list(found.mended)}")
        return self.decide(unit, found, taken=taken)

    def places(self, unit: Unit[V]) -> dict[int, Answer | None]:
        """Return what stands in each place of a unit: the whole, and its pages."""
        return {page: self.record.history.answers.get((unit.name, page)) for page in (WHOLE_UNIT, *unit.pages)}

    def _checked(self, unit: Unit[V]) -> list[PlannedCall]:
        """Note what tier 3 found against the answers that stand, and return what to ask next."""
        issues = unit.verdict.issues if unit.verdict is not None else ()
        attempts = judged_again(unit.standing(self.record.history), issues, self.record.history, taken=True)
        return self.decide(unit, attempts=attempts)

    def decide(
        self,
        unit: Unit[V],
        found: ReplyOutcome[V] | None = None,
        *,
        taken: bool = False,
        tier: int = 0,
        attempts: Sequence[JSON] = (),
    ) -> list[PlannedCall]:
        """Note how the unit stands and return what to ask next: nothing, or its blamed_pages pages while the budget lasts."""
        errors = unit.verdict.mendable if unit.verdict is not None else ()
        attempts = found.verdicts(taken=taken) if found is not None else attempts
        standing: Mapping[int, Answer | None] | None = None
        if found is not None and taken:
            seqs = {page: attempt.seq for page, attempt in found.attempts.items()}
            by = "mend" if found.mended else "reply"
            standing = stands(unit, found.texts, seqs, self.record.history, by=by)
        tier = tier or failed_tier(errors, None if taken else found)
        pages = self._pages_to_ask(unit, errors, found, tier)
        waiting = self._granted_before(unit, found.replied if found is not None else ()) if not pages else ()
        asked = () if unit.state else waiting
        note_settled(self.record, unit, attempts=attempts, standing=standing, asked=asked, failed=tier)
        if errors:
            unit.complaint = signature(errors)
        asks = self._repairs(unit, errors, pages) if pages else []
        if asks:
            note_settled(self.record, unit, asked=[ask.prompt.page for ask in asks], paid=tier, failed=tier)
        failing = unit.verdict is not None and bool(unit.verdict.errors)
        how = "repairing" if pages else "failing" if failing else "clean"
        self.tell("settled", unit.name, text=unit.state or how)
        return asks

    def _repairs(self, unit: Unit[V], errors: Sequence[Issue], pages: Sequence[int]) -> list[PlannedCall]:
        """Return the asks of granted repairs; a unit that none is left for is exhausted.

        None is left when the recipe gave up, or every page was cut off at the highest cap. A reply to the same words
        that nobody found fault with, because another page of the unit could not be read, is used instead of bought.
        """
        history = self.record.history
        asks = [taken_up(ask, history) for ask in self._ladder.asks(unit, errors, pages, history)]
        for ask in asks:
            if ask.prompt.type_name != unit.name or ask.prompt.page not in unit.pages:
                what = f"page {ask.prompt.page} of {ask.prompt.type_name!r}"
                message = f"recipe {self.recipe.name!r} repairs {unit.name!r} by a prompt for {what}"
                raise RecipeBug(message, hint="A prompt that is asked instead keeps the identity of its page.")
        if not asks:
            self.give_up(unit)
        return asks

    def give_up(self, unit: Unit[V]) -> None:
        """Note that asking the unit in the same way again cannot help."""
        unit.state = "exhausted"
        note_settled(self.record, unit)

    def _pages_to_ask(
        self, unit: Unit[V], errors: Sequence[Issue], found: ReplyOutcome[V] | None, tier: int
    ) -> list[int]:
        """Return the pages that the budget lets ask again; sets the state of a unit that is stopped."""
        history = self.record.history
        person = history.adopted(unit.name) is not None and found is None
        if not errors or not unit.open or unit.state or person or (found is not None and found.stuck):
            return []
        if unit.repeated and not self._ladder.another_way(unit, errors, history):
            unit.state = "disputed"
        elif not history.left(unit.name).can_retry(tier):
            unit.state = "exhausted"
        else:
            return list(blamed_pages(unit, errors))
        return []

    def go_back(self, unit: Unit[V], issues: Sequence[Issue]) -> None:
        """Let the answers of before the last check stand again: the new ones made the whole worse, by `issues`."""
        if unit.before is not None:
            history = self.record.history
            standing, unit.verdict = unit.before
            unit.before = None
            given = {page: answer for page, answer in unit.standing(history).items() if answer != standing.get(page)}
            attempts = judged_again(given, issues, history, taken=False)
            note_settled(self.record, unit, attempts=attempts, standing=standing)
            texts = unit.texts(self.record.history)
            unit.reading = self.judge.read(unit.name, texts) if texts is not None else None

    def values(self) -> dict[str, V]:
        """Return the values of all units that can be read."""
        readings = {name: unit.reading for name, unit in self.units.items()}
        return {name: r.value for name, r in readings.items() if r is not None and r.value is not None}

    def _derived(self) -> list[PlannedCall]:
        """Return the asks of prompts that could only be written now that there are values."""
        fresh = derived(self.recipe, self.source, self.values(), self.planned, self.record)
        for name in dict.fromkeys(prompt.type_name for prompt in fresh):
            pages = [prompt for key, prompt in self.record.history.derived.items() if key[0] == name]
            self.units[name] = Unit(name, grouped(pages)[name])
        self._total = sum(len(unit.prompts) for unit in self.units.values())
        return [first_call(prompt, self._model) for prompt in fresh]

    def tell(
        self, kind: ProgressKind, unit: str = "", page: int = 0, text: str = "", reply: Reply | None = None
    ) -> None:
        """Tell the watcher, if there is one."""
        if self._watch is not None:
            done, total = len(self._answered), self._total
            self._watch(Progress(kind=kind, unit=unit, page=page, text=text, done=done, total=total, reply=reply))
