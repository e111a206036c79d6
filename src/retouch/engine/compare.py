"""Stored prompts on another model, as an alternative beside what stands: unit by unit, and the better one if wanted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from retouch.engine.calls import Caller, ask_all
from retouch.engine.ladder import clean
from retouch.engine.landing import landing
from retouch.engine.rows import note_settled, stands
from retouch.engine.targets import chosen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch.engine.calls import Ask
    from retouch.engine.core import JSON, Attempt, Issue, Model
    from retouch.engine.history import Key
    from retouch.engine.landing import Landing
    from retouch.engine.round import Round
    from retouch.engine.targets import Targets
    from retouch.engine.units import Unit

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


async def alternatives(work: Round[Any, V], targets: Targets, model: Model, *, adopt_better: bool) -> list[Comparison]:
    """Return, per target unit, what stands beside what `model` answers to the same clean prompts.

    Every answer is on record and repaired by rule, never by a call. With `adopt_better` it takes the place of what
    stands where a check finds less wrong with it; then the caller checks the whole again.
    """
    keys = chosen(targets, work.prompts, {})
    landed = await _asked(work, keys, model)
    comparisons: list[Comparison] = []
    for name, replies in landed.items():
        unit = work.units[name]
        found = landing(unit, replies, work.record.history, work.judge)
        comparisons.append(_compared(work, unit, found, adopt=adopt_better))
    return comparisons


async def _asked(work: Round[Any, Any], keys: Sequence[Key], model: Model) -> dict[str, dict[int, tuple[Ask, Attempt]]]:
    caller = Caller(work.record, work.options, lambda _ask, _event: None)
    landed: dict[str, dict[int, tuple[Ask, Attempt]]] = {}

    async def one(ask: Ask) -> Sequence[Ask]:
        work.tell("asked", *ask.prompt.key, text="compare")
        attempt = await caller.call(ask)
        work.tell("failed" if attempt.reply is None else "answered", *ask.prompt.key, text=attempt.error or "")
        landed.setdefault(ask.prompt.type_name, {})[ask.prompt.page] = (ask, attempt)
        return ()

    asks = [clean(work.units[name].pages[page], model, why="compare") for name, page in keys]
    await ask_all(asks, one, concurrency=work.options.concurrency)
    return {name: landed[name] for name in dict.fromkeys(name for name, _ in keys)}


def _compared(work: Round[Any, V], unit: Unit[V], found: Landing[V], *, adopt: bool) -> Comparison:
    history = work.record.history
    standing = _standing(unit, work)
    other = _side(
        "\n".join(found.new[page] for page in sorted(found.new)), found.verdict.issues, found.attempts.values()
    )
    complete = len(found.new) == len(unit.prompts)
    better = complete and (unit.reading is None or found.verdict.badness < unit.reading.badness)
    adopted = adopt and better and history.adopted(unit.name) is None
    rows = None
    if adopted:
        unit.reading = unit.verdict = found.verdict
        unit.state = ""
        seqs = {page: attempt.seq for page, attempt in found.attempts.items()}
        rows = stands(unit, found.texts, seqs, history, by="compare")
    note_settled(work.record, unit, attempts=found.verdicts(taken=adopted), standing=rows)
    return Comparison(unit=unit.name, standing=standing, other=other, better=better, adopted=adopted)


def _standing(unit: Unit[Any], work: Round[Any, Any]) -> Side:
    history = work.record.history
    answers = [answer for _, answer in sorted(unit.standing(history).items())]
    texts = unit.texts(history) or tuple(answer.text for answer in answers)
    attempts = [a for a in history.attempts.values() if a.unit == unit.name and a.why != "compare"]
    issues = unit.reading.issues if unit.reading is not None else ()
    return _side("\n".join(texts), issues, attempts)


def _side(text: str, issues: Sequence[Issue], attempts: Iterable[Attempt]) -> Side:
    made = [attempt for attempt in attempts if attempt.reply is not None]
    replies = [attempt.reply for attempt in made if attempt.reply is not None]
    costs = [reply.cost for reply in replies]
    known = [cost for cost in costs if cost is not None]
    return Side(
        text=text,
        issues=tuple(issues),
        calls=len(replies),
        tokens=sum(reply.input_tokens + reply.output_tokens for reply in replies),
        cost=sum(known) if len(known) == len(costs) else None,
        seconds=sum(attempt.seconds or 0.0 for attempt in made),
    )
