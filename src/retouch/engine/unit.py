"""A unit at work: its prompts, its current answers, the verdict on them, and what the next replies may change.

`Unit` is a state machine. Its fields change by its named transitions only, and every transition that decides something
is recorded as one `UnitSettled` row, so that another process can continue from there:

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

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from retouch.engine.events import WHOLE_UNIT, AttemptChecked, StoredAnswer, UnitSettled
from retouch.engine.judge import UnitVerdict, as_issue, error_signature
from retouch.engine.repair import FollowUp
from retouch.engine.types import Issue, Tier, prompt_hash
from retouch.errors import Invalid

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.calls import PlannedCall
    from retouch.engine.history import History
    from retouch.engine.judge import Judge
    from retouch.engine.types import Attempt, Prompt

V = TypeVar("V")
UNANSWERED = "UNANSWERED"
EXHAUSTED, DISPUTED = "exhausted", "disputed"


class Unit(Generic[V]):
    """One unit at work; see the module for its states and transitions.

    `reading` is the verdict of tiers 1 and 2 on the current answers, `verdict` the same with tier 3.
    """

    def __init__(self, name: str, prompts: list[Prompt]) -> None:
        self.name = name
        self.prompts = prompts
        self._reading: UnitVerdict[V] | None = None
        self._verdict: UnitVerdict[V] | None = None
        self._state = ""
        self._escalation = 0
        self._last_errors: frozenset[tuple[Any, ...]] = frozenset()  # what the last repair was to fix
        self._rollback: tuple[dict[int, StoredAnswer | None], UnitVerdict[V]] | None = (
            None  # for a group that gets worse
        )
        self._outstanding = 0
        self._arrived: dict[int, tuple[PlannedCall, Attempt]] = {}
        self._is_repairable = True
        self._needs_check = True
        self._is_repeating = False

    @property
    def reading(self) -> UnitVerdict[V] | None:
        """The verdict of tiers 1 and 2 on the current answers; None if there is none yet."""
        return self._reading

    @property
    def verdict(self) -> UnitVerdict[V] | None:
        """The verdict of all tiers so far on the current answers; None if there is none yet."""
        return self._verdict

    @property
    def state(self) -> str:
        """ "" while there is hope, else "exhausted" or "disputed"."""
        return self._state

    @property
    def escalation(self) -> int:
        """How often a repair brought the same errors again, or a reply that could not be used."""
        return self._escalation

    @property
    def is_repairable(self) -> bool:
        """Whether this verb may retry it."""
        return self._is_repairable

    @property
    def is_repeating(self) -> bool:
        """Whether the last repair brought a readable answer that had been given before."""
        return self._is_repeating

    @property
    def needs_check(self) -> bool:
        """Whether its answers changed since tier 3 last checked them."""
        return self._needs_check

    @property
    def can_revert(self) -> bool:
        """Whether there are earlier answers to go back to."""
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
        """Return the current answers to the unit's present prompts, by page."""
        answers: dict[int, StoredAnswer] = {}
        for prompt in self.prompts:
            if (answer := history.answer_to(prompt)) is not None:
                answers[prompt.page] = answer
        return answers

    def texts(self, history: History) -> tuple[str, ...] | None:
        """Return the current texts: the pages in order, or a manual edit's one text; None while a page is missing."""
        adopted = history.adopted(self.name)
        if adopted is not None:
            return (adopted.text,)
        found = self.current_answers(history)
        return tuple(found[p.page].text for p in self.prompts) if len(found) == len(self.prompts) else None

    def recall(self, history: History, judge: Judge[Any, V]) -> None:
        """Restore the state in which an earlier verb left the unit, and read its current answers."""
        settled = history.settled.get(self.name)
        if settled is not None:
            self._escalation, self._state = settled.escalation, settled.state
        texts = self.texts(history)
        if texts is not None:
            self._reading = self._verdict = judge.read(self.name, texts)
        elif settled is not None:
            self._verdict = self._lacking(settled.issues, history)

    def recall_errors(self, issues: Sequence[Issue]) -> None:
        """Remember the errors that the next repair is to fix: if they come back, the repair strategy escalates."""
        self._last_errors = error_signature(issues)

    def expect(self) -> None:
        """Count one more reply that is on its way."""
        self._outstanding += 1

    def receive(self, call: PlannedCall, attempt: Attempt) -> bool:
        """Take a reply or its failure; return whether it was the last one that was on its way."""
        self._arrived[call.prompt.page] = (call, attempt)
        self._outstanding -= 1
        return not self._outstanding

    def outcome(self, history: History, judge: Judge[Any, V]) -> ReplyOutcome[V]:
        """Return what the replies that were received amount to; nothing is changed yet."""
        arrived, self._arrived = self._arrived, {}
        return reply_outcome(self, arrived, history, judge)

    def apply(self, outcome: ReplyOutcome[V], history: History) -> bool:
        """Accept the new answers if they are no worse than the current ones, else reject them; return which."""
        verdict, before = outcome.verdict, self._verdict
        accepted = bool(outcome.new) and (before is None or verdict.badness <= before.badness)
        self._is_repeating = outcome.repeated and verdict.value is not None
        if accepted and before is not None and before.complete and self._rollback is None and not outcome.final:
            self._rollback = (self.places(history), before)
        if accepted or before is None:
            self._reading = self._verdict = verdict
            self._needs_check = True
        elif not before.complete and not verdict.complete:
            self._verdict = verdict  # why the page is missing now, not why it was missing before
        if outcome.unusable or (verdict.errors and error_signature(verdict.errors) == self._last_errors):
            self._escalation += 1
        return accepted

    def accept(self, verdict: UnitVerdict[V], history: History) -> None:
        """Accept answers of another model, which are better than the current ones."""
        if self._verdict is not None and self._verdict.complete:
            self._rollback = (self.places(history), self._verdict)
        self._reading = self._verdict = verdict
        self._state, self._needs_check = "", True

    def adopt(self, verdict: UnitVerdict[V]) -> None:
        """Make a manual edit the answer of the unit; `verdict` is the one on it."""
        self._state, self._reading, self._verdict = "", verdict, verdict

    def judge_as(self, verdict: UnitVerdict[V]) -> None:
        """Judge the unit by a manual edit on disk, which is not its answer yet."""
        self._reading = self._verdict = verdict

    def judge_with(self, issues: Iterable[Issue]) -> None:
        """Add the issues of tier 3 to the reading; nothing is decided yet."""
        assert self._reading is not None  # noqa: S101 - only readable units are checked
        self._verdict = self._reading.with_issues(issues)

    def check(self, issues: Sequence[Issue]) -> bool:
        """Settle tier 3 on the current answers; return whether that changed anything that must be decided upon."""
        before, self._rollback, self._needs_check = self._verdict, None, False
        self.judge_with(issues)
        if self._last_errors and error_signature(self.errors) == self._last_errors:
            self._escalation += 1
        return bool(issues) or before is None or self._verdict is None or before.issues != self._verdict.issues

    def revert(self, issues: Sequence[Issue], history: History) -> UnitSettled | None:
        """Go back to the answers before the last ones, which made the group worse by `issues`; return the row.

        Call `recall_reading` once the row is in the ledger.
        """
        if self._rollback is None:
            return None
        answers, self._verdict = self._rollback
        self._rollback = None
        given = {page: one for page, one in self.current_answers(history).items() if one != answers.get(page)}
        return self.settled(attempts=rechecked(given, issues, history, taken=False), answers=answers)

    def recall_reading(self, history: History, judge: Judge[Any, V]) -> None:
        """Read the current answers again, after they were reverted."""
        texts = self.texts(history)
        self._reading = judge.read(self.name, texts) if texts is not None else None

    def reopen(self, *, chosen: bool) -> None:
        """Begin a verb: a chosen unit starts afresh; of the others only those without errors may be retried."""
        self._is_repairable = chosen or not self.errors
        if chosen:
            self._state, self._escalation = "", 0

    def close(self) -> None:
        """Forbid retries: the verb only checks."""
        self._is_repairable = False

    def exhaust(self) -> None:
        """Give up: a budget is used up, or another request of the same kind cannot help."""
        self._state = EXHAUSTED

    def dispute(self) -> None:
        """Give up: the model repeats a readable answer that a check refuses."""
        self._state = DISPUTED

    def places(self, history: History) -> dict[int, StoredAnswer | None]:
        """Return the current answer in each place of the unit: the whole, and its pages."""
        return {page: history.answers.get((self.name, page)) for page in (WHOLE_UNIT, *self.pages)}

    def settled(
        self,
        *,
        attempts: Sequence[AttemptChecked] = (),
        answers: Mapping[int, StoredAnswer | None] | None = None,
        retried: Sequence[int] = (),
        charged: int | None = None,
        failed_tier: int = 0,
    ) -> UnitSettled:
        """Return the row that records the unit's present state; see `UnitSettled` for the parameters."""
        return UnitSettled(
            unit=self.name,
            attempts=tuple(attempts),
            answers=answers,
            issues=self._verdict.issues if self._verdict is not None else (),
            escalation=self._escalation,
            retried=tuple(retried),
            state=self._state,
            charged=charged,
            failed_tier=failed_tier,
        )

    def issues(self, history: History) -> tuple[Issue, ...]:
        """Return the issues of the unit; a page that was never answered is an issue of the engine's own."""
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
            complete=self.texts(history) is not None,
        )

    def _lacking(self, known: Iterable[Issue], history: History) -> UnitVerdict[V]:
        """Return the verdict on a unit with missing pages; `known` are the issues that explain why they are missing."""
        answers = self.current_answers(history)
        why = {issue.page: issue for issue in known}
        missing = [page for page in self.pages if page not in answers]
        return UnitVerdict(
            None, tuple(why.get(page) or unanswered(self.name, page, None) for page in missing), complete=False
        )


def unit_state(*, adopted: bool, failing: bool, ended: str, complete: bool) -> str:
    """Return the state of a unit: unanswered, answered, failing, exhausted, disputed or adopted.

    `ended` is "exhausted" or "disputed" if its retries ended without success; `complete` says that every page has an
    answer.
    """
    if adopted:
        return "adopted"
    if failing and ended:
        return ended
    if not complete:
        return "unanswered"
    return "failing" if failing else "answered"


def unanswered(unit: str, page: int, attempt: Attempt | None) -> Issue:
    """Return the engine's own issue for a page without an answer; `attempt` is the last one that failed."""
    what, fix, detail = "has not been requested yet", "Run 'retouch generate' again.", dict[str, "JSON"]()
    if attempt is not None and attempt.reply is None:
        what, fix = f"got no reply: {attempt.error}", "Run 'retouch generate' again; what arrived is kept."
        detail = {"transport": True}
    elif attempt is not None and attempt.reply is not None:
        finish, cap = attempt.reply.finish, attempt.request.max_output_tokens
        what = {
            "repeated": "repeated itself without end and was stopped",
            "length": f"was cut off at the output limit of {cap} tokens",
            "refused": "was refused by the model",
            "filtered": "was withheld by the provider's filter",
        }.get(finish, f"ended with {finish!r}")
        fix = "Answer this page completely, and with nothing else."
        detail = {"finish": finish}
    message = f"page {page} of {unit!r} {what}"
    return Issue(code=UNANSWERED, message=message, tier=Tier.SYNTAX, unit=unit, page=page, detail=detail, fix=fix)


@dataclass(frozen=True, kw_only=True)
class ReplyOutcome(Generic[V]):
    """What the replies to some pages of one unit amount to.

    `new` are the pages that got a text, `failures` the issues of those that did not. `texts` would become the current
    ones; `fixed` names the pages that code repaired. `repeated` says that every retried page came back with a text that
    had been given before; `final` that the repairs have checked the replies themselves when they were merged.
    """

    attempts: Mapping[int, Attempt]
    new: Mapping[int, str]
    failures: Mapping[int, Issue]
    texts: Mapping[int, str]
    verdict: UnitVerdict[V]
    fixed: tuple[int, ...]
    repeated: bool
    final: bool

    @property
    def stuck(self) -> bool:
        """Whether a page got no reply: an immediate retry would not help."""
        return any(attempt.reply is None for attempt in self.attempts.values())

    @property
    def unusable(self) -> bool:
        """Whether a complete reply arrived that could not be merged, for example a patch that does not apply."""
        return any(issue.code != UNANSWERED for issue in self.failures.values())

    @property
    def replied(self) -> list[int]:
        """The pages that got a reply, whatever it is worth."""
        return [page for page, attempt in self.attempts.items() if attempt.reply is not None]

    def checked(self, *, accepted: bool) -> list[AttemptChecked]:
        """Return, per attempt, what the row of its unit records about it."""
        return [self._checked_attempt(page, attempt, accepted=accepted) for page, attempt in self.attempts.items()]

    def _checked_attempt(self, page: int, attempt: Attempt, *, accepted: bool) -> AttemptChecked:
        here = page in self.new
        issues = [i for i in self.verdict.issues if i.page in (None, page)] if here else [self.failures[page]]
        readable = here and self.verdict.value is not None
        return AttemptChecked(seq=attempt.seq, readable=readable, taken=here and accepted, issues=tuple(issues))

    def answers(self, unit: Unit[Any], history: History, *, by: str = "") -> dict[int, StoredAnswer | None]:
        """Return the answers that the texts become; they replace a manual edit of the whole unit.

        A page that only code repaired keeps the attempt that it came from.
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
        """Return the first tier that these replies failed; a reply that was cut off or refused failed before all."""
        if self.stuck:
            return 0
        unread = (issue for issue in self.failures.values() if issue.code == UNANSWERED)
        return min((int(issue.tier) for issue in (*unread, *self.verdict.errors)), default=0)


def reply_outcome(
    unit: Unit[V], arrived: Mapping[int, tuple[PlannedCall, Attempt]], history: History, judge: Judge[Any, V]
) -> ReplyOutcome[V]:
    """Return what the replies in `arrived`, by page, amount to; nothing is changed yet."""
    current = {page: answer.text for page, answer in unit.current_answers(history).items()}
    new, failures = _merged_with_repairs(unit, arrived, current)
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
    )


def _merged_with_repairs(
    unit: Unit[Any], arrived: Mapping[int, tuple[PlannedCall, Attempt]], current: Mapping[int, str]
) -> tuple[dict[int, str], dict[int, Issue]]:
    """Return the new text of each page that got one, and the issue of each that did not.

    The finish reason comes first: a reply that was cut off or refused is never read.
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
    """Return the texts by page after automatic fixes, the verdict on them, and the pages that code repaired."""
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
    if call.repair is None or reply is None or reply.finish != "end":
        return False
    earlier = (one.reply for one in history.checked_attempts((unit.name, page)))
    return any(one is not None and one.text == reply.text for one in earlier)


def rechecked(
    answers: Mapping[int, StoredAnswer], issues: Sequence[Issue], history: History, *, taken: bool
) -> list[AttemptChecked]:
    """Return what a row records about the attempts behind `answers`, by page, once tier 3 has checked them."""
    rows: list[AttemptChecked] = []
    for page, answer in answers.items():
        attempt = history.attempts.get(answer.attempt or 0)
        own = tuple(issue for issue in issues if issue.page in (None, page))
        if attempt is not None and (attempt.issues, attempt.taken) != (own, taken):
            rows.append(AttemptChecked(seq=attempt.seq, readable=attempt.readable, taken=taken, issues=own))
    return rows
