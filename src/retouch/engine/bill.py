"""What was paid for in a run: by unit, by model, by the tier that had failed, by the kind of repair."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retouch.engine.types import COMPARE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from retouch.engine.types import Attempt, Note

NO_FAILURE = "first answer"
RETRY, SURRENDER, PLAN = "transport_retry", "transport_surrender", "cache_plan"  # kinds of notes


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of a bill; `cost` is in US dollars, None when the price of any of its calls is unknown."""

    calls: int
    tokens: int
    cached_tokens: int
    cost: float | None

    @property
    def price(self) -> str:
        """The cost in words; what is unknown is never zero."""
        return "unknown" if self.cost is None else f"${self.cost:,.4f}"


@dataclass(frozen=True, kw_only=True)
class Bill:
    """All calls of a run that got a reply, summed up four ways."""

    total: Entry
    by_unit: Mapping[str, Entry]
    by_model: Mapping[str, Entry]
    by_tier: Mapping[str, Entry]
    by_why: Mapping[str, Entry]

    def as_json(self) -> dict[str, Any]:
        """Return the bill as plain data."""
        tables = {"by_unit": self.by_unit, "by_model": self.by_model, "by_tier": self.by_tier, "by_why": self.by_why}
        plain = {name: {key: vars(entry) for key, entry in table.items()} for name, table in tables.items()}
        return {"total": vars(self.total), **plain}


@dataclass(frozen=True, kw_only=True)
class Transport:
    """What the network and the providers cost in time: requests sent again, given up, and what was said to them."""

    retries: int
    surrenders: int
    waited_s: float
    said: Mapping[str, int]


def transport(notes: Iterable[Note]) -> Transport:
    """Return what the notes of retries come to; what was said most comes first."""
    kinds: Counter[str] = Counter()
    said: Counter[str] = Counter()
    waited_s = 0.0
    for note in notes:
        if note.kind in (RETRY, SURRENDER):
            data: Any = note.data
            kinds[note.kind] += 1
            said[str(data["error"])] += 1
            waited_s += data["wait_s"] or 0.0
    told = dict(said.most_common())
    return Transport(retries=kinds[RETRY], surrenders=kinds[SURRENDER], waited_s=round(waited_s, 3), said=told)


def last_plan(notes: Sequence[Note]) -> list[str]:
    """Return why the cache markers of the last verb stand where they do, a sentence for each decision."""
    plans: list[Any] = [note.data["why"] for note in notes if note.kind == PLAN]
    return list(plans[-1]) if plans else []


def bill(attempts: Iterable[Attempt]) -> Bill:
    """Return what the attempts that got a reply come to."""
    paid = [attempt for attempt in attempts if attempt.reply is not None]
    failed = _failed_before(paid)
    return Bill(
        total=_entry(paid),
        by_unit=_grouped(paid, lambda one: one.unit),
        by_model=_grouped(paid, lambda one: one.reply.model if one.reply is not None else one.model),
        by_tier=_grouped(paid, lambda one: failed[one.seq]),
        by_why=_grouped(paid, lambda one: one.why),
    )


def _failed_before(attempts: Sequence[Attempt]) -> dict[int, str]:
    """Return, per attempt, the tier in which its page had failed when it was asked."""
    last: dict[tuple[str, int], str] = {}
    found: dict[int, str] = {}
    for one in sorted(attempts, key=lambda attempt: attempt.seq):
        key = one.unit, one.page
        found[one.seq] = last.get(key, NO_FAILURE) if one.why not in ("answer", COMPARE) else NO_FAILURE
        if one.why == COMPARE:
            continue
        errors = [issue for issue in one.issues if issue.severity == "error"]
        last[key] = f"tier {min(int(issue.tier) for issue in errors)} failed" if errors else "tier 3 failed"
    return found


def _grouped(attempts: Sequence[Attempt], name: Callable[[Attempt], str]) -> dict[str, Entry]:
    groups: dict[str, list[Attempt]] = defaultdict(list)
    for one in attempts:
        groups[name(one)].append(one)
    return {key: _entry(members) for key, members in groups.items()}


def _entry(attempts: Sequence[Attempt]) -> Entry:
    replies = [one.reply for one in attempts if one.reply is not None]
    costs = [reply.cost for reply in replies if reply.cost is not None]
    return Entry(
        calls=len(replies),
        tokens=sum(reply.input_tokens + reply.output_tokens for reply in replies),
        cached_tokens=sum(reply.cached_tokens for reply in replies),
        cost=sum(costs) if len(costs) == len(replies) else None,
    )
