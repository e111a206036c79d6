"""What the replies of one unit's asks amount to: the texts that would now stand, and the verdict on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from retouch.engine.judge import Verdict, as_issue
from retouch.engine.repair import FollowUp
from retouch.engine.types import issues_to_json
from retouch.engine.unit import UNANSWERED, unanswered
from retouch.errors import Invalid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.calls import PlannedCall
    from retouch.engine.history import Answer, History
    from retouch.engine.judge import Judge
    from retouch.engine.types import Attempt, Issue
    from retouch.engine.unit import Unit

V = TypeVar("V")


@dataclass(frozen=True, kw_only=True)
class Landing(Generic[V]):
    """The outcome of asking some pages of one unit.

    `new` are the pages that got a text, `failures` the issues of those that did not. `texts` would replace what
    stands; `mended` names the pages that a rule repaired. `repeated` says that every page asked for a repair came
    back with a text that had been given before; `stuck` that a page got no reply at all.
    """

    attempts: Mapping[int, Attempt]
    new: Mapping[int, str]
    failures: Mapping[int, Issue]
    texts: Mapping[int, str]
    verdict: Verdict[V]
    mended: tuple[int, ...]
    repeated: bool

    @property
    def stuck(self) -> bool:
        """Whether a page got no reply: asking at once again would not help."""
        return any(attempt.reply is None for attempt in self.attempts.values())

    @property
    def unfit(self) -> bool:
        """Whether a reply arrived whole and could not be folded in, such as a patch that does not apply."""
        return any(issue.code != UNANSWERED for issue in self.failures.values())

    @property
    def replied(self) -> list[int]:
        """The pages that got a reply, whatever it is worth."""
        return [page for page, attempt in self.attempts.items() if attempt.reply is not None]

    def verdicts(self, *, taken: bool) -> list[JSON]:
        """Return, per attempt, what a `settled` row says of it."""
        return [self._of(page, attempt, taken=taken) for page, attempt in self.attempts.items()]

    def _of(self, page: int, attempt: Attempt, *, taken: bool) -> dict[str, JSON]:
        here = page in self.new
        issues = [i for i in self.verdict.issues if i.page in (None, page)] if here else [self.failures[page]]
        readable = here and self.verdict.value is not None
        raw: dict[str, JSON] = {"seq": attempt.seq, "readable": readable, "taken": here and taken}
        return {**raw, "issues": issues_to_json(issues)}


def landing(
    unit: Unit[V], landed: Mapping[int, tuple[PlannedCall, Attempt]], history: History, judge: Judge[Any, V]
) -> Landing[V]:
    """Return what the replies in `landed`, by page, amount to; nothing is changed yet."""
    standing = {page: answer.text for page, answer in unit.standing(history).items()}
    new, failures = _folded(unit, landed, standing)
    texts, verdict, mended = _weighed(unit, standing, new, failures, judge)
    return Landing(
        attempts={page: attempt for page, (_, attempt) in landed.items()},
        new=new,
        failures=failures,
        texts=texts,
        verdict=verdict,
        mended=mended,
        repeated=_repeated(unit, landed, history),
    )


def _folded(
    unit: Unit[Any], landed: Mapping[int, tuple[PlannedCall, Attempt]], standing: Mapping[int, str]
) -> tuple[dict[int, str], dict[int, Issue]]:
    """Return the new text of each page that got one, and the issue of each that did not.

    The finish reason comes first: a reply that was cut off or refused is never read.
    """
    new: dict[int, str] = {}
    failures: dict[int, Issue] = {}
    for page, (ask, attempt) in landed.items():
        if attempt.reply is None or attempt.reply.finish != "end":
            failures[page] = unanswered(unit.name, page, attempt)
            continue
        try:
            text = attempt.reply.text
            new[page] = ask.repair.fold(standing.get(page), text) if ask.repair else text
        except Invalid as invalid:
            failures[page] = as_issue(invalid, unit.name, page=page)
    return new, failures


def _weighed(
    unit: Unit[V],
    standing: Mapping[int, str],
    new: Mapping[int, str],
    failures: Mapping[int, Issue],
    judge: Judge[Any, V],
) -> tuple[dict[int, str], Verdict[V], tuple[int, ...]]:
    texts = {**standing, **new}
    missing = [page for page in unit.pages if page not in texts]
    if missing:
        issues = tuple(failures.get(page) or unanswered(unit.name, page, None) for page in missing)
        return dict(new), Verdict(None, issues, complete=False), ()
    pages = tuple(texts[page] for page in unit.pages)
    mended, verdict = judge.mend(unit.name, pages, judge.read(unit.name, pages))
    after = dict(zip(unit.pages, mended, strict=True))
    changed = {page: text for page, text in after.items() if standing.get(page) != text}
    return {**{page: after[page] for page in new}, **changed}, verdict, _differing(after, texts)


def _differing(after: Mapping[int, str], before: Mapping[int, str]) -> tuple[int, ...]:
    return tuple(page for page, text in after.items() if before[page] != text)


def _repeated(unit: Unit[Any], landed: Mapping[int, tuple[PlannedCall, Attempt]], history: History) -> bool:
    for page, (ask, attempt) in landed.items():
        earlier = {a.reply.text for a in history.of_page((unit.name, page)) if a.reply is not None}
        reply = attempt.reply
        if ask.repair is None or reply is None or reply.finish != "end" or reply.text not in earlier:
            return False
    return True


def judged_by_merge(landed: Mapping[int, tuple[PlannedCall, Attempt]]) -> bool:
    """Return whether the repairs that brought these replies judged them when they folded them in."""
    return all(isinstance(ask.repair, FollowUp) and ask.repair.final for ask, _ in landed.values())


def failed_tier(standing: Sequence[Issue], left_aside: Landing[Any] | None) -> int:
    """Return the tier that failed last: that of an answer that was left aside, else of what stands; 0 for none.

    A reply that was cut off or refused failed before anything was judged.
    """
    last: Sequence[Issue] = ()
    if left_aside is not None and not left_aside.stuck:
        unread = (issue for issue in left_aside.failures.values() if issue.code == UNANSWERED)
        last = (*unread, *left_aside.verdict.errors)
    return min((int(issue.tier) for issue in last or standing), default=0)


def judged_again(
    answers: Mapping[int, Answer], issues: Sequence[Issue], history: History, *, taken: bool
) -> list[JSON]:
    """Return what a `settled` row says of the attempts behind `answers`, by page, once tier 3 has judged them."""
    rows: list[JSON] = []
    for page, answer in answers.items():
        attempt = history.attempts.get(answer.attempt or 0)
        own = tuple(issue for issue in issues if issue.page in (None, page))
        if attempt is not None and (attempt.issues, attempt.taken) != (own, taken):
            row: dict[str, JSON] = {"seq": attempt.seq, "readable": attempt.readable, "taken": taken}
            rows.append({**row, "issues": issues_to_json(own)})
    return rows
