"""Runs stored prompts on another model, compares its answers with the current ones, and adopts better ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from retouch.engine.batches import is_same_model
from retouch.engine.events import UnitSettled
from retouch.engine.planned_calls import first_call
from retouch.engine.types import COMPARE, Usage, errors_of, model_name
from retouch.engine.unit import reply_outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.history import History
    from retouch.engine.judge import UnitVerdict
    from retouch.engine.planned_calls import PlannedCall
    from retouch.engine.round import Round
    from retouch.engine.types import Attempt, Issue, Model, PageKey
    from retouch.engine.unit import ReplyOutcome, Unit

V = TypeVar("V")


@dataclass(frozen=True, kw_only=True)
class ComparedAnswer:
    """One of the two compared answers of a unit: its text, its issues, and the usage of its calls.

    `seconds` add up over calls, which may have overlapped.
    """

    text: str
    issues: tuple[Issue, ...]
    usage: Usage
    seconds: float

    @property
    def errors(self) -> int:
        """How many issues must be repaired."""
        return len(errors_of(self.issues))

    def as_json(self) -> dict[str, JSON]:
        """Return the answer as plain data, without its text."""
        codes: list[JSON] = [issue.code for issue in self.issues]
        usage, seconds = self.usage, round(self.seconds, 3)
        return {"issues": codes, "calls": usage.calls, "tokens": usage.tokens, "cost": usage.cost, "seconds": seconds}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A unit's current answer and the other model's.

    `better` is whether the checks find fewer problems in the other answer. `adopted` is whether it is current now.
    """

    unit: str
    current: ComparedAnswer
    other: ComparedAnswer
    better: bool
    adopted: bool = False

    def as_json(self) -> dict[str, JSON]:
        """Return the comparison as plain data, without the answers' text."""
        answers: dict[str, JSON] = {"standing": self.current.as_json(), "other": self.other.as_json()}
        return {"unit": self.unit, **answers, "better": self.better, "adopted": self.adopted}


async def compare_answers(
    work: Round[Any, V], keys: Sequence[PageKey], model: Model, *, adopt_better: bool
) -> list[Comparison]:
    """Compare, per unit of the pages in `keys`, the current answer with `model`'s answer to the same clean prompts.

    Each answer is recorded and gets automatic fixes, but no retries. Answers of an earlier comparison are reused. With
    `adopt_better`, the answer replaces the current one if the checks find fewer problems, unless that makes the group
    worse.
    """
    arrived: dict[str, dict[int, tuple[PlannedCall, Attempt]]] = {name: {} for name, _ in keys}

    def keep(call: PlannedCall, attempt: Attempt) -> Sequence[PlannedCall]:
        arrived[call.prompt.unit][call.prompt.page] = (call, attempt)
        work.count_as_answered(call.prompt.key)
        return ()

    history = work.history
    calls = [first_call(work.units[name].pages[page], model, why=COMPARE) for name, page in keys]
    work.count_as_pending(keys)
    with work.queue.as_current_run():
        await work.queue.run([_paid_before(call, history) for call in calls], keep)
    found = {name: reply_outcome(work.units[name], replies, history, work.judge) for name, replies in arrived.items()}
    verdicts = await _verdicts(work, found)
    units = {name: work.units[name] for name in found}
    comparisons = [
        _comparisons_of(work, units[name], found[name], verdicts[name], adopt=adopt_better) for name in found
    ]
    await work.check()
    current = {name for name in found if _is_current(work, units[name], found[name])}
    return [replace(one, adopted=one.adopted and one.unit in current) for one in comparisons]


def _paid_before(call: PlannedCall, history: History) -> PlannedCall:
    """Return `call` with the complete reply of an earlier comparison of its model on the same text, if any."""
    for seq in reversed(history.by_page.get(call.prompt.key, ())):
        one = history.attempts[seq]
        same = one.why == COMPARE and is_same_model(one.model, model_name(call.model))
        same = same and (one.request.system, one.request.messages) == (call.system, call.messages)
        if same and one.reply is not None and one.reply.finish != "length":
            return replace(call, paid=seq)
    return call


async def _verdicts(
    work: Round[Any, V], found: Mapping[str, ReplyOutcome[V]]
) -> dict[str, tuple[UnitVerdict[V] | None, UnitVerdict[V]]]:
    """Return, per unit, the verdicts on the current and the other answer, both after the same tiers.

    Tier 3 checks the answers of the other model together. If one of them fails earlier, the current answer is used.
    """
    checked = await work.checks.remember(work.units.values(), found)
    fit = {name: one.verdict for name, one in found.items() if one.verdict.checkable}
    tried = await work.checks.check_alternatives(checked, fit)
    verdicts: dict[str, tuple[UnitVerdict[V] | None, UnitVerdict[V]]] = {}
    for name, one in found.items():
        current = work.units[name].verdict if name in tried else work.units[name].reading
        verdicts[name] = current, tried[name] if name in tried and name in fit else one.verdict
    return verdicts


def _comparisons_of(
    work: Round[Any, V],
    unit: Unit[V],
    found: ReplyOutcome[V],
    verdicts: tuple[UnitVerdict[V] | None, UnitVerdict[V]],
    *,
    adopt: bool,
) -> Comparison:
    history = work.history
    current, other = verdicts
    answers = _current(unit, current, history), _other_side(unit, found, other, history)
    better = not found.failures and (current is None or other.badness < current.badness)
    adopted = adopt and better and history.adopted(unit.name) is None
    before = history.settled.get(unit.name, UnitSettled(unit=unit.name))
    fresh = adopted or not all(one.is_checked for one in found.attempts.values())
    attempts = found.checked(accepted=adopted) if fresh else ()
    if adopted:
        unit.accept(found.verdict, history)
        rows = found.answers(unit, history, by=COMPARE)
        work.record.append(unit.settled(attempts=attempts, answers=rows))
    else:
        work.record.append(unit.settled(attempts=attempts, retried=before.retried, failed_tier=before.failed_tier))
    return Comparison(unit=unit.name, current=answers[0], other=answers[1], better=better, adopted=adopted)


def _current(unit: Unit[Any], verdict: UnitVerdict[Any] | None, history: History) -> ComparedAnswer:
    answers = [answer for _, answer in sorted(unit.current_answers(history).items())]
    texts = unit.texts(history) or tuple(answer.text for answer in answers)
    attempts = [a for a in history.attempts.values() if a.unit == unit.name and (a.why != COMPARE or a.taken)]
    return _answer_side(texts, verdict, attempts)


def _other_side(
    unit: Unit[Any], found: ReplyOutcome[Any], verdict: UnitVerdict[Any], history: History
) -> ComparedAnswer:
    """Return the other model's answer. Pages that were not requested keep the current answer."""
    kept = {page: answer.text for page, answer in unit.current_answers(history).items()} if found.new else {}
    texts = kept | dict(found.new)
    return _answer_side([texts[page] for page in sorted(texts)], verdict, found.attempts.values())


def _is_current(work: Round[Any, Any], unit: Unit[Any], found: ReplyOutcome[Any]) -> bool:
    """Return whether the other answer is current. The group check may have reverted it."""
    answers = unit.current_answers(work.history)
    return all(page in answers and answers[page].text == text for page, text in found.texts.items())


def _answer_side(texts: Sequence[str], verdict: UnitVerdict[Any] | None, attempts: Iterable[Attempt]) -> ComparedAnswer:
    made = [attempt for attempt in attempts if attempt.reply is not None]
    return ComparedAnswer(
        text="\n".join(texts),
        issues=verdict.issues if verdict is not None else (),
        usage=Usage.of_attempts(made),
        seconds=sum(attempt.seconds or 0.0 for attempt in made),
    )
