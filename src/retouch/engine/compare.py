"""Stored prompts on another model, as an alternative beside what stands: unit by unit, and the better one if wanted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from retouch.engine.batches import same_model
from retouch.engine.calls import model_name
from retouch.engine.events import note_settled, stands
from retouch.engine.history import Settled
from retouch.engine.repairs import first_call
from retouch.engine.types import COMPARE
from retouch.engine.unit import reply_outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.calls import PlannedCall
    from retouch.engine.history import History, Key
    from retouch.engine.judge import Verdict
    from retouch.engine.round import Round
    from retouch.engine.types import Attempt, Issue, Model
    from retouch.engine.unit import ReplyOutcome, Unit

V = TypeVar("V")


@dataclass(frozen=True, kw_only=True)
class Side:
    """One of two answers to a unit: what it says, what is wrong with it, and what its calls took.

    `cost` is in US dollars, None when any of it is unknown; `seconds` add up over calls, which may have overlapped.
    """

    text: str
    issues: tuple[Issue, ...]
    calls: int
    tokens: int
    cost: float | None
    seconds: float

    @property
    def errors(self) -> int:
        """How many issues must be mended."""
        return sum(issue.severity == "error" for issue in self.issues)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A unit as it stands and as the other model answered it.

    `better` says that a check finds less wrong with the other one, `adopted` that it stands now.
    """

    unit: str
    standing: Side
    other: Side
    better: bool
    adopted: bool = False

    def as_json(self) -> dict[str, JSON]:
        """Return the comparison as plain data, without the texts."""
        sides: dict[str, JSON] = {"standing": _plain(self.standing), "other": _plain(self.other)}
        return {"unit": self.unit, **sides, "better": self.better, "adopted": self.adopted}


def _plain(side: Side) -> dict[str, JSON]:
    codes: list[JSON] = [issue.code for issue in side.issues]
    seconds = round(side.seconds, 3)
    return {"issues": codes, "calls": side.calls, "tokens": side.tokens, "cost": side.cost, "seconds": seconds}


async def alternatives(
    work: Round[Any, V], keys: Sequence[Key], model: Model, *, adopt_better: bool
) -> list[Comparison]:
    """Return, per unit of the pages in `keys`, what stands beside what `model` answers to the same first_call prompts.

    Every answer is on record and repaired by rule, never by a call; one that an earlier comparison paid for is not
    bought again. With `adopt_better` it takes the place of what stands where a check finds less wrong with it, unless
    that makes the whole worse.
    """
    landed: dict[str, dict[int, tuple[PlannedCall, Attempt]]] = {name: {} for name, _ in keys}

    def keep(ask: PlannedCall, attempt: Attempt) -> Sequence[PlannedCall]:
        landed[ask.prompt.type_name][ask.prompt.page] = (ask, attempt)
        return ()

    history = work.record.history
    asks = [first_call(work.units[name].pages[page], model, why=COMPARE) for name, page in keys]
    with work.calls.at_work():
        await work.calls.ask([_paid_before(ask, history) for ask in asks], keep)
    found = {name: reply_outcome(work.units[name], replies, history, work.judge) for name, replies in landed.items()}
    verdicts = await _verdicts(work, found)
    units = {name: work.units[name] for name in found}
    comparisons = [_compared(work, units[name], found[name], verdicts[name], adopt=adopt_better) for name in found]
    await work.check()
    standing = {name for name in found if _stands(work, units[name], found[name])}
    return [replace(one, adopted=one.adopted and one.unit in standing) for one in comparisons]


def _paid_before(ask: PlannedCall, history: History) -> PlannedCall:
    """Return `ask` with the reply that an earlier comparison with its model has to the same words, if it is whole."""
    for seq in reversed(history.by_page.get(ask.prompt.key, ())):
        one = history.attempts[seq]
        same = one.why == COMPARE and same_model(one.model, model_name(ask.model))
        same = same and (one.request.system, one.request.messages) == (ask.system, ask.messages)
        if same and one.reply is not None and one.reply.finish != "length":
            return replace(ask, paid=seq)
    return ask


async def _verdicts(
    work: Round[Any, V], found: Mapping[str, ReplyOutcome[V]]
) -> dict[str, tuple[Verdict[V] | None, Verdict[V]]]:
    """Return, per unit, the verdicts on what stands and on what was found, both after the same tiers.

    Tier 3 judges the answers of the other model together; where one of them fails before, what stands takes its place.
    """
    judged = await work.groups.remember(work.units.values(), found)
    fit = {name: one.verdict for name, one in found.items() if one.verdict.checkable}
    tried = await work.groups.beside(judged, fit)
    verdicts: dict[str, tuple[Verdict[V] | None, Verdict[V]]] = {}
    for name, one in found.items():
        standing = work.units[name].verdict if name in tried else work.units[name].reading
        verdicts[name] = standing, tried[name] if name in tried and name in fit else one.verdict
    return verdicts


def _compared(
    work: Round[Any, V],
    unit: Unit[V],
    found: ReplyOutcome[V],
    verdicts: tuple[Verdict[V] | None, Verdict[V]],
    *,
    adopt: bool,
) -> Comparison:
    history = work.record.history
    standing, other = verdicts
    sides = _standing(unit, standing, history), _other(unit, found, other, history)
    better = not found.failures and (standing is None or other.badness < standing.badness)
    adopted = adopt and better and history.adopted(unit.name) is None
    before = history.settled.get(unit.name, Settled())
    fresh = adopted or not all(one.issues or one.readable for one in found.attempts.values())
    attempts = found.verdicts(taken=adopted) if fresh else ()
    if not adopted:
        note_settled(work.record, unit, attempts=attempts, asked=before.asked, failed=before.failed)
    else:
        if unit.verdict is not None and unit.verdict.complete:
            unit.before = (work.places(unit), unit.verdict)
        unit.reading = unit.verdict = found.verdict
        unit.state, unit.unchecked = "", True
        seqs = {page: attempt.seq for page, attempt in found.attempts.items()}
        rows = stands(unit, found.texts, seqs, history, by=COMPARE)
        note_settled(work.record, unit, attempts=attempts, standing=rows)
    return Comparison(unit=unit.name, standing=sides[0], other=sides[1], better=better, adopted=adopted)


def _standing(unit: Unit[Any], verdict: Verdict[Any] | None, history: History) -> Side:
    answers = [answer for _, answer in sorted(unit.standing(history).items())]
    texts = unit.texts(history) or tuple(answer.text for answer in answers)
    attempts = [a for a in history.attempts.values() if a.unit == unit.name and (a.why != COMPARE or a.taken)]
    return _side(texts, verdict, attempts)


def _other(unit: Unit[Any], found: ReplyOutcome[Any], verdict: Verdict[Any], history: History) -> Side:
    """Return the other model's side; where only some pages were asked, the rest is what stands."""
    kept = {page: answer.text for page, answer in unit.standing(history).items()} if found.new else {}
    texts = kept | dict(found.new)
    return _side([texts[page] for page in sorted(texts)], verdict, found.attempts.values())


def _stands(work: Round[Any, Any], unit: Unit[Any], found: ReplyOutcome[Any]) -> bool:
    """Return whether what was found stands: the check of the whole may have gone back to what stood before."""
    standing = unit.standing(work.record.history)
    return all(page in standing and standing[page].text == text for page, text in found.texts.items())


def _side(texts: Sequence[str], verdict: Verdict[Any] | None, attempts: Iterable[Attempt]) -> Side:
    made = [attempt for attempt in attempts if attempt.reply is not None]
    replies = [attempt.reply for attempt in made if attempt.reply is not None]
    costs = [reply.cost for reply in replies]
    known = [cost for cost in costs if cost is not None]
    return Side(
        text="\n".join(texts),
        issues=verdict.issues if verdict is not None else (),
        calls=len(replies),
        tokens=sum(reply.input_tokens + reply.output_tokens for reply in replies),
        cost=sum(known) if len(known) == len(costs) else None,
        seconds=sum(attempt.seconds or 0.0 for attempt in made),
    )
