"""The state of a unit: its prompts, its current answers, their verdict, and how new replies change them.

`Unit` is a state machine. Its fields change only by its named transitions. Each deciding transition is recorded as one
`UnitSettled` row, so that another process can continue from there:

                        expect                 receive (the last reply)
        ┌──────────────┐ ───► ┌──────────────┐ ──────────► apply ──┬─► accept: the new answer is no worse
        │ idle         │      │ waiting      │                     └─► reject: the current answer stays
        │  unanswered  │      └──────────────┘                           │
        │  answered    │ ◄───────────────────────────────────────────────┤
        │  failing     │              expect (a retry is granted)        │ nothing is left to try
        └──────┬───────┘                                                 ▼
               │ check: tier 3 over the group                     exhaust │ dispute
               ├─► revert, if the new answers made the group worse        │
               └─► (passes, or fails and is retried)                      ▼
                                                     "exhausted", "disputed"  ── reopen ──► idle

`adopt` makes a manual edit the answer from any state. `recall` restores the state from the ledger.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from retouch.engine.events import WHOLE_UNIT, AttemptChecked, StoredAnswer, UnitSettled
from retouch.engine.history import checked_first_part, rechecked
from retouch.engine.judge import UNANSWERED, EarlyOutcome, UnitVerdict, as_issue, badness, unanswered, unit_state
from retouch.engine.repair import FollowUp
from retouch.engine.types import prompt_hash
from retouch.errors import Invalid

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch.engine.history import History
    from retouch.engine.judge import Judge
    from retouch.engine.planned_calls import PlannedCall
    from retouch.engine.types import Attempt, Issue, Prompt

V = TypeVar("V")
EXHAUSTED, DISPUTED = "exhausted", "disputed"


@dataclass(eq=False)
class Unit(Generic[V]):
    """The state machine of one unit. See the module for its states and transitions.

    `reading` is the verdict of tiers 1 and 2 on the current answers, `verdict` the same with tier 3. `_early` are the
    errors of pages that are retried while other pages are awaited. `_rollback` is what `revert` restores.
    """

    name: str
    prompts: list[Prompt]
    _reading: UnitVerdict[V] | None = field(init=False, default=None)
    _verdict: UnitVerdict[V] | None = field(init=False, default=None)
    _state: str = field(init=False, default="")
    _early: dict[int, tuple[Issue, ...]] = field(init=False, default_factory=dict[int, "tuple[Issue, ...]"])
    _rollback: tuple[dict[int, StoredAnswer | None], UnitVerdict[V]] | None = field(init=False, default=None)
    _outstanding: int = field(init=False, default=0)
    _arrived: dict[int, tuple[PlannedCall, Attempt]] = field(
        init=False, default_factory=dict[int, "tuple[PlannedCall, Attempt]"]
    )
    _is_repairable: bool = field(init=False, default=True)
    _needs_check: bool = field(init=False, default=True)
    _is_repeating: bool = field(init=False, default=False)

    @property
    def reading(self) -> UnitVerdict[V] | None:
        """The verdict of tiers 1 and 2 on the current answers, or None."""
        return self._reading

    @property
    def verdict(self) -> UnitVerdict[V] | None:
        """The verdict of all tiers so far on the current answers, or None."""
        return self._verdict

    @property
    def state(self) -> str:
        """ "" while retries are possible, else "exhausted" or "disputed"."""
        return self._state

    @property
    def is_repairable(self) -> bool:
        """Whether this verb may retry it."""
        return self._is_repairable

    @property
    def is_repeating(self) -> bool:
        """Whether the last repair repeated an earlier readable answer."""
        return self._is_repeating

    @property
    def needs_check(self) -> bool:
        """Whether its answers changed since tier 3 last checked them."""
        return self._needs_check

    @property
    def can_revert(self) -> bool:
        """Whether there are earlier answers to restore."""
        return self._rollback is not None

    @property
    def is_checkable(self) -> bool:
        """Whether tier 3 can check it."""
        return self._reading is not None and self._reading.checkable

    @property
    def errors(self) -> tuple[Issue, ...]:
        """The errors of the current answers."""
        return self._verdict.errors if self._verdict is not None else ()

    @cached_property
    def pages(self) -> dict[int, Prompt]:
        """The unit's prompts by page number."""
        return {prompt.page: prompt for prompt in self.prompts}

    def current_answers(self, history: History) -> dict[int, StoredAnswer]:
        """Return the answers to the unit's current prompts, by page."""
        answers: dict[int, StoredAnswer] = {}
        for prompt in self.prompts:
            if (answer := history.answer_to(prompt)) is not None:
                answers[prompt.page] = answer
        return answers

    def texts(self, history: History) -> tuple[str, ...] | None:
        """Return the current answers: the pages in order, or a manual edit. None while a page is missing."""
        adopted = history.adopted(self.name)
        if adopted is not None:
            return (adopted.text,)
        found = self.current_answers(history)
        return tuple(found[p.page].text for p in self.prompts) if len(found) == len(self.prompts) else None

    def is_answered(self, history: History) -> bool:
        """Return whether every page has an answer to its current prompt, or the unit has a manual edit."""
        return history.adopted(self.name) is not None or None not in map(history.answer_to, self.prompts)

    def recall(self, history: History, judge: Judge[Any, V]) -> None:
        """Restore the unit's state after the earlier verb, and read its current answers."""
        settled = history.settled.get(self.name)
        if settled is not None:
            self._state = settled.state
        texts = self.texts(history)
        if texts is not None:
            self._reading = self._verdict = judge.read(self.name, texts)
        elif settled is not None:
            self._verdict = self._lacking(settled.issues, history)

    def expect(self) -> None:
        """Count one more outstanding reply."""
        self._outstanding += 1

    def receive(self, call: PlannedCall, attempt: Attempt) -> bool:
        """Add a reply or its failure. Return whether it was the last outstanding one."""
        self._arrived[call.prompt.page] = (call, attempt)
        self._outstanding -= 1
        return not self._outstanding

    def early_outcome(
        self, call: PlannedCall, attempt: Attempt, history: History, judge: Judge[Any, V]
    ) -> EarlyOutcome | None:
        """Return the errors of one page alone, before the other pages of the unit have arrived, or None.

        The text of a page that has no better answer yet is accepted, so that it can be repaired.
        """
        page = call.prompt.page
        if attempt.reply is None:
            return None
        current = history.answer_to(self.pages[page])
        new, failures = _merged_with_repairs(self, {page: (call, attempt)}, {page: current.text} if current else {})
        if failures:
            return EarlyOutcome(errors=(failures[page],), text=None)
        errors = judge.page_errors(self.name, page, new[page]) if self._verdict is None else ()
        if not errors:
            return None
        is_better = current is None or badness(errors) <= badness(self._early.get(page, ()))
        return EarlyOutcome(errors=errors, text=new[page] if is_better else None)

    def retry_early(self, page: int, early: EarlyOutcome) -> None:
        """Put a reply aside, because its page is retried while other pages are awaited."""
        del self._arrived[page]
        if early.text is not None or page not in self._early:
            self._early[page] = early.errors

    def receive_again(self, call: PlannedCall, attempt: Attempt) -> None:
        """Take a reply back, because no retry of its page is left."""
        self._arrived[call.prompt.page] = (call, attempt)

    def outcome(self, history: History, judge: Judge[Any, V]) -> ReplyOutcome[V]:
        """Return the outcome of the received replies, which are no longer outstanding."""
        arrived, self._arrived, self._early = self._arrived, {}, {}
        return reply_outcome(self, arrived, history, judge, select=True)

    def apply(self, outcome: ReplyOutcome[V], history: History) -> bool:
        """Accept the new answers if they are no worse than the current ones. Return whether they were accepted."""
        verdict, before = outcome.verdict, self._verdict
        accepted = bool(outcome.new) and (before is None or verdict.badness <= before.badness)
        self._is_repeating = outcome.repeated and not outcome.failures and verdict.value is not None
        if accepted and before is not None and before.complete and self._rollback is None and not outcome.final:
            self._rollback = (self.places(history), before)
        if accepted or before is None:
            self._reading = self._verdict = verdict
            self._needs_check = True
        elif not before.complete and not verdict.complete:
            self._verdict = verdict  # the current reason for the missing page, not the earlier one
        return accepted

    def accept(self, verdict: UnitVerdict[V], history: History) -> None:
        """Accept answers of another model, which are better than the current ones."""
        if self._verdict is not None and self._verdict.complete:
            self._rollback = (self.places(history), self._verdict)
        self._reading = self._verdict = verdict
        self._state, self._needs_check = "", True

    def adopt(self, verdict: UnitVerdict[V]) -> None:
        """Make a manual edit with this `verdict` the answer of the unit."""
        self._state, self._reading, self._verdict = "", verdict, verdict

    def judge_as(self, verdict: UnitVerdict[V]) -> None:
        """Use the verdict on a manual edit on disk, which is not the unit's answer yet."""
        self._reading = self._verdict = verdict

    def judge_with(self, issues: Iterable[Issue]) -> None:
        """Add the issues of tier 3 to the reading, without a decision."""
        assert self._reading is not None  # noqa: S101 - only readable units are checked
        self._verdict = self._reading.with_issues(issues)

    def check(self, issues: Sequence[Issue]) -> bool:
        """Set the tier 3 issues of the current answers. Return whether a decision is necessary."""
        before, self._rollback, self._needs_check = self._verdict, None, False
        self.judge_with(issues)
        return bool(issues) or before is None or self._verdict is None or before.issues != self._verdict.issues

    def revert(self, issues: Sequence[Issue], history: History) -> UnitSettled | None:
        """Revert the last answers, which made the group worse, as `issues` show. Return the row.

        Call `recall_reading` once the row is in the ledger.
        """
        if self._rollback is None:
            return None
        answers, self._verdict = self._rollback
        self._rollback = None
        given = {page: one for page, one in self.current_answers(history).items() if one != answers.get(page)}
        return self.settled(attempts=rechecked(given, issues, history, taken=False), answers=answers)

    def recall_reading(self, history: History, judge: Judge[Any, V]) -> None:
        """Read the current answers again after a revert."""
        texts = self.texts(history)
        self._reading = judge.read(self.name, texts) if texts is not None else None

    def reopen(self, *, chosen: bool) -> None:
        """Begin a verb. A chosen unit restarts. Another unit may only be retried if it has no errors."""
        self._is_repairable = chosen or not self.errors
        if chosen:
            self._state = ""

    def close(self) -> None:
        """Forbid retries, because the verb only checks."""
        self._is_repairable = False

    def exhaust(self) -> None:
        """Give up: the retry budget is used up, or another retry cannot help."""
        self._state = EXHAUSTED

    def dispute(self) -> None:
        """Give up: the model repeats a readable answer that fails a check."""
        self._state = DISPUTED

    def places(self, history: History) -> dict[int, StoredAnswer | None]:
        """Return the current answer of the whole unit and of each page, None if there is none."""
        return {page: history.answers.get((self.name, page)) for page in (WHOLE_UNIT, *self.pages)}

    def settled(
        self,
        *,
        attempts: Sequence[AttemptChecked] = (),
        answers: Mapping[int, StoredAnswer | None] | None = None,
        retried: Sequence[int] = (),
        charged: int | None = None,
        new_retries: Sequence[int] | None = None,
        stage: int = 0,
        failed_tier: int = 0,
    ) -> UnitSettled:
        """Return the row that records the unit's current state. See `UnitSettled` for the parameters."""
        return UnitSettled(
            unit=self.name,
            attempts=tuple(attempts),
            answers=answers,
            issues=self._verdict.issues if self._verdict is not None else tuple(chain(*self._early.values())),
            retried=tuple(retried),
            state=self._state,
            charged=charged,
            new_retries=None if new_retries is None or set(new_retries) == set(retried) else tuple(new_retries),
            stage=stage,
            failed_tier=failed_tier,
        )

    def issues(self, history: History) -> tuple[Issue, ...]:
        """Return the issues of the unit. The engine adds an issue for each page without an answer."""
        if self._verdict is not None:
            return self._verdict.issues
        answers = self.current_answers(history)
        return tuple(unanswered(self.name, page, None) for page in self.pages if page not in answers)

    def status(self, history: History) -> str:
        """Return the unit's state in one word, as `unit_state` does."""
        return unit_state(
            adopted=history.adopted(self.name) is not None,
            failing=any(issue.is_failure for issue in self.errors),
            ended=self._state,
            complete=self.is_answered(history),
        )

    def _lacking(self, known: Iterable[Issue], history: History) -> UnitVerdict[V]:
        """Return the verdict on a unit with missing pages. `known` are the issues that explain them."""
        answers = self.current_answers(history)
        why = {issue.page: issue for issue in known}
        missing = [page for page in self.pages if page not in answers]
        return UnitVerdict(
            None, tuple(why.get(page) or unanswered(self.name, page, None) for page in missing), complete=False
        )


@dataclass(frozen=True, kw_only=True)
class ReplyOutcome(Generic[V]):
    """The combined outcome of the replies to some pages of one unit.

    `new` are the pages with a new text, `failures` the issues of the other pages, `worse` those of pages whose new text
    is left out, because it alone makes the unit worse. `texts` are the candidates for the current answers. `fixed` are
    the pages with automatic fixes. `repeated` is whether every retried page returned an earlier text. `final` is
    whether the repairs have already checked the replies during the merge. `first_parts` are the attempts at the
    first parts of pages in two parts.
    """

    attempts: Mapping[int, Attempt]
    new: Mapping[int, str]
    failures: Mapping[int, Issue]
    texts: Mapping[int, str]
    verdict: UnitVerdict[V]
    fixed: tuple[int, ...]
    repeated: bool
    final: bool
    worse: Mapping[int, tuple[Issue, ...]] = field(default_factory=dict[int, "tuple[Issue, ...]"])
    first_parts: Mapping[int, Attempt] = field(default_factory=dict[int, "Attempt"])

    @property
    def stuck(self) -> bool:
        """Whether a page got no reply, so that an immediate retry would not help."""
        return any(attempt.reply is None for attempt in self.attempts.values())

    @property
    def replied(self) -> list[int]:
        """The pages that got a reply, usable or not."""
        return [page for page, attempt in self.attempts.items() if attempt.reply is not None]

    def checked(self, *, accepted: bool) -> list[AttemptChecked]:
        """Return, per attempt, its entry in the row of its unit."""
        rows = [self._checked_attempt(page, attempt, accepted=accepted) for page, attempt in self.attempts.items()]
        by_seq = {row.seq: row for row in rows}
        firsts = ((first, by_seq[self.attempts[page].seq]) for page, first in self.first_parts.items())
        return rows + [checked_first_part(first, row) for first, row in firsts]

    def _checked_attempt(self, page: int, attempt: Attempt, *, accepted: bool) -> AttemptChecked:
        here = page in self.new
        issues: Sequence[Issue] = self.worse.get(page) or [self.failures[page]] if not here else ()
        issues = issues or [issue for issue in self.verdict.issues if issue.page in (None, page)]
        readable = here and self.verdict.value is not None
        return AttemptChecked(seq=attempt.seq, readable=readable, taken=here and accepted, issues=tuple(issues))

    def answers(self, unit: Unit[Any], history: History, *, by: str = "") -> dict[int, StoredAnswer | None]:
        """Return the answers with this content. They replace a manual edit of the whole unit.

        A page with only automatic fixes keeps its attempt.
        """
        old = unit.current_answers(history)
        answers: dict[int, StoredAnswer | None] = {}
        for page, text in self.texts.items():
            known = self.attempts.get(page)
            attempt = known.seq if known is not None else old[page].attempt if page in old else None
            origin = by or ("mend" if self.fixed else "reply")
            answers[page] = StoredAnswer(
                text=text, attempt=attempt, prompt_hash=prompt_hash(unit.pages[page]), by=origin
            )
        if history.adopted(unit.name) is not None:
            answers[WHOLE_UNIT] = None
        return answers

    def failed_tier(self) -> int:
        """Return the first tier that these replies failed. A truncated or refused reply fails before all tiers."""
        if self.stuck:
            return 0
        unread = (issue for issue in self.failures.values() if issue.code == UNANSWERED)
        return min((int(issue.tier) for issue in (*unread, *self.verdict.errors)), default=0)


def reply_outcome(
    unit: Unit[V],
    arrived: Mapping[int, tuple[PlannedCall, Attempt]],
    history: History,
    judge: Judge[Any, V],
    *,
    select: bool = False,
) -> ReplyOutcome[V]:
    """Return the outcome of the replies in `arrived`, by page, without changing anything.

    With `select`, new pages that alone make the unit worse are left out.
    """
    current = {page: answer.text for page, answer in unit.current_answers(history).items()}
    new, failures = _merged_with_repairs(unit, arrived, current)
    texts, verdict, fixed = _read_and_fixed(unit, current, new, failures, judge)
    worse: dict[int, tuple[Issue, ...]] = {}
    before = unit.verdict
    if select and before is not None and before.complete and len(new) > 1 and verdict.badness > before.badness:
        new, worse = _pages_that_help(unit, current, new, before, judge)
        texts, verdict, fixed = _read_and_fixed(unit, current, new, failures, judge)
    return ReplyOutcome(
        attempts={page: attempt for page, (_, attempt) in arrived.items()},
        new=new,
        failures=failures,
        texts=texts,
        verdict=verdict,
        fixed=fixed,
        repeated=all(_is_repeated(unit, page, *one, history) for page, one in arrived.items()),
        final=all(isinstance(call.repair, FollowUp) and call.repair.final for call, _ in arrived.values()),
        worse=worse,
        first_parts={page: first for page, (call, _) in arrived.items() if (first := call.first_part) is not None},
    )


def _pages_that_help(
    unit: Unit[V], current: Mapping[int, str], new: Mapping[int, str], before: UnitVerdict[V], judge: Judge[Any, V]
) -> tuple[dict[int, str], dict[int, tuple[Issue, ...]]]:
    """Return the new pages that make a unit no worse, added one by one, and the errors of the other pages.

    One bad page must not discard the repairs of all other pages.
    """
    kept: dict[int, str] = {}
    worse: dict[int, tuple[Issue, ...]] = {}
    best = before.badness
    for page, text in new.items():
        texts = {**current, **kept, page: text}
        pages = tuple(texts[number] for number in unit.pages)
        _, verdict = judge.fixed(unit.name, pages, judge.read(unit.name, pages))
        if verdict.badness <= best:
            kept[page], best = text, verdict.badness
        else:
            worse[page] = tuple(issue for issue in verdict.errors if issue.page in (None, page)) or verdict.errors
    return kept, worse


def _merged_with_repairs(
    unit: Unit[Any], arrived: Mapping[int, tuple[PlannedCall, Attempt]], current: Mapping[int, str]
) -> tuple[dict[int, str], dict[int, Issue]]:
    """Return the new text or the issue of each page.

    The finish reason is checked first: a truncated or refused reply is never read.
    """
    new: dict[int, str] = {}
    failures: dict[int, Issue] = {}
    for page, (call, attempt) in arrived.items():
        if attempt.reply is None or attempt.reply.finish != "end":
            failures[page] = unanswered(unit.name, page, attempt)
            continue
        try:
            text = attempt.reply.text
            new[page] = call.repair.fold(current.get(page), text) if call.repair else text
        except Invalid as invalid:
            failures[page] = as_issue(invalid, unit.name, page=page)
    return new, failures


def _read_and_fixed(
    unit: Unit[V],
    current: Mapping[int, str],
    new: Mapping[int, str],
    failures: Mapping[int, Issue],
    judge: Judge[Any, V],
) -> tuple[dict[int, str], UnitVerdict[V], tuple[int, ...]]:
    """Return the answers by page after automatic fixes, their verdict, and the fixed pages."""
    texts = {**current, **new}
    missing = [page for page in unit.pages if page not in texts]
    if missing:
        issues = tuple(failures.get(page) or unanswered(unit.name, page, None) for page in missing)
        return dict(new), UnitVerdict(None, issues, complete=False), ()
    pages = tuple(texts[page] for page in unit.pages)
    fixed, verdict = judge.fixed(unit.name, pages, judge.read(unit.name, pages))
    after = dict(zip(unit.pages, fixed, strict=True))
    changed = {page: text for page, text in after.items() if current.get(page) != text}
    by_code = tuple(page for page, text in after.items() if texts[page] != text)
    return {**{page: after[page] for page in new}, **changed}, verdict, by_code


def _is_repeated(unit: Unit[Any], page: int, call: PlannedCall, attempt: Attempt, history: History) -> bool:
    reply = attempt.reply
    if call.repair is None or call.first_part is not None or reply is None or reply.finish != "end":
        return False
    earlier = (one.reply for one in history.checked_attempts((unit.name, page)))
    return any(one is not None and one.text == reply.text for one in earlier)
